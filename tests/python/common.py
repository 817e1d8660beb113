"""What the Python tests share. A test that lacks python3-torch says so and counts as skipped (exit code 77)."""
import os
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "examples", "python"))

try:
    import torch
except ImportError:
    print("not checked: what gpscl shares with PyTorch, because python3-torch is not there; to check: scripts/setup test")
    sys.exit(77)

torch.set_num_threads(1)


def run(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", check=False)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def fails(*command):
    """The one line that a command ends with when it refuses."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", check=False)
    assert done.returncode != 0, f"{command} should have failed"
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, f"{command}: more than one line\n{done.stderr}"
    return lines[0]
