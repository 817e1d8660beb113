"""Runs the code cells of a notebook (.ipynb) one after another, and returns what they show: in this process, or in a kernel of
Jupyter."""
import ast
import importlib.util
import json
import os
import sys
import unittest

HANG = 3600  # seconds; a guard against a hang, and nothing else
NO_JUPYTER = "not checked: {} in Jupyter; to check: install python3-nbclient and python3-ipykernel (make python does)"


def shown(value):
    """What a notebook shows of a value: HTML if it has it, else its repr."""
    html = getattr(value, "_repr_html_", None)
    return repr(value) if html is None else html()


def is_left_out(cell, tags):
    return bool(set(cell["metadata"].get("tags", [])) & set(tags))


def run_notebook(path, leave_out=()):
    """leave_out: cells with one of these tags are not run. Returns the texts of the cells' last expressions."""
    with open(path, encoding="utf-8") as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    names, outputs = {"__name__": "__main__"}, []
    for number, cell in enumerate(cells, 1):
        if is_left_out(cell, leave_out):
            continue
        tree = ast.parse("".join(cell["source"]), f"{path}, cell {number}")
        last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{path}, cell {number}", "exec"), names)
        if last is not None:
            outputs.append(shown(eval(compile(last, f"{path}, cell {number}", "eval"), names)))
    return outputs


def make_kernel(test, folder, what):
    """Makes `python3` a kernel of this Python, for the rest of the test. Skips the test without Jupyter."""
    if any(importlib.util.find_spec(name) is None for name in ("ipykernel", "nbclient")):
        raise unittest.SkipTest(NO_JUPYTER.format(what))
    kernel = os.path.join(folder, "jupyter", "kernels", "python3")
    os.makedirs(kernel)
    with open(os.path.join(kernel, "kernel.json"), "w", encoding="utf-8") as file:
        json.dump({"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "language": "python",
                   "display_name": "Python 3"}, file)
    changed = {"JUPYTER_PATH": os.path.join(folder, "jupyter"), "IPYTHONDIR": os.path.join(folder, "ipython"),
               "JUPYTER_RUNTIME_DIR": os.path.join(folder, "runtime"),
               "PYDEVD_DISABLE_FILE_VALIDATION": "1"}  # no warning of a debugger
    before = {name: os.environ.get(name) for name in changed}

    def restore():
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

    test.addCleanup(restore)
    os.environ.update(changed)


def run_in_kernel(path, folder, leave_out=()):
    """Returns the outputs of each code cell, as a notebook keeps them. REQUIRES: make_kernel()."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [cell for cell in notebook.cells if not is_left_out(cell, leave_out)]
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=None, startup_timeout=HANG,
                            resources={"metadata": {"path": folder}}).execute()
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]


def interrupted_in_kernel(code, folder):
    """Runs code in a kernel, and presses its stop button as soon as it has shown something. Returns the kernel's answers to
    that, and then to `1 + 1`. REQUIRES: make_kernel()."""
    import jupyter_client

    manager = jupyter_client.KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=folder)
    client = manager.blocking_client()
    try:
        client.start_channels()
        client.wait_for_ready(timeout=HANG)
        asked = client.execute(code, stop_on_error=False)  # what is asked next is not aborted
        while True:
            message = client.get_iopub_msg(timeout=HANG)
            if message["msg_type"] == "error":
                raise AssertionError("\n".join(message["content"]["traceback"]))
            if message["msg_type"] == "display_data":
                break
        manager.interrupt_kernel()
        answers = []
        for question in (asked, None):
            question = question or client.execute("1 + 1")
            while True:
                message = client.get_shell_msg(timeout=HANG)
                if message["parent_header"].get("msg_id") == question:
                    answers.append(message["content"])
                    break
        return answers
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
