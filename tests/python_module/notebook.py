"""Runs the code cells of a notebook (.ipynb) one after another, as Jupyter would, and returns what they show."""
import ast
import json


def shown(value):
    """What a notebook shows of a value: HTML if it has it, else its repr."""
    html = getattr(value, "_repr_html_", None)
    return repr(value) if html is None else html()


def run_notebook(path, leave_out=()):
    """leave_out: cells with one of these tags are not run. Returns the texts of the cells' last expressions."""
    with open(path, encoding="utf-8") as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    names, outputs = {"__name__": "__main__"}, []
    for number, cell in enumerate(cells, 1):
        if set(cell["metadata"].get("tags", [])) & set(leave_out):
            continue
        tree = ast.parse("".join(cell["source"]), f"{path}, cell {number}")
        last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{path}, cell {number}", "exec"), names)
        if last is not None:
            outputs.append(shown(eval(compile(last, f"{path}, cell {number}", "eval"), names)))
    return outputs
