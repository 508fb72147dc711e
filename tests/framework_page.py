"""Blocks of code of the page docs/from_any_framework.md, each run here or as a script of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

__all__ = ["MISTAKES", "PAGE", "PATH", "PRELUDE", "RECIPES", "ROOT", "SAYS", "library_of", "name_of", "run_elsewhere", "run_here"]

ROOT = Path(__file__).resolve().parents[1]
PATH = ROOT / "docs" / "from_any_framework.md"
PAGE = PATH.read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.M | re.S)
SAYS = re.compile(r"^# (\w*Error): (.*)$", flags=re.M)
RECIPES = [code for code in BLOCKS if not SAYS.search(code)]
MISTAKES = [code for code in BLOCKS if SAYS.search(code)]
PRELUDE = "import matplotlib.pyplot as plt\nimport numpy as np\n\nimport gpuplot\n\n"
EQUAL = ("\nif 'theirs' in dir():\n    assert theirs.dtype == ours.dtype, (theirs.dtype, ours.dtype)\n"
         "    np.testing.assert_array_equal(theirs, ours)\nplt.close('all')\n")


def name_of(code):
    """A name for a block: the library and the first line that is not an import."""
    lines = [line for line in code.splitlines() if line.strip() and "import" not in line]
    return re.sub(r"\W+", " ", f"{library_of(code)} {lines[0]}").strip()[:50]


def library_of(code):
    """The module that a block needs."""
    found = re.search(r"^(?:import|from) (\w+)", code.replace("import gpuplot\n", ""), flags=re.M)
    return found[1] if found else "numpy"


def ready(code):
    """A block that can run by itself: with the page's earlier names, and with PyTorch on the CPU if it has no device."""
    if "torch" in code and not sys.modules["torch"].cuda.is_available():
        code = code.replace('device="cuda"', 'device="cpu"')
    return "t = np.eye(3)\n" * (code == RECIPES[0]) + code


def run_elsewhere(code, folder, *before, **environment):
    """Run a block as a script of its own, in which both ways must give equal arrays."""
    script = folder / "block.py"
    script.write_text(PRELUDE + code + EQUAL)
    done = subprocess.run([sys.executable, *before, script], cwd=folder, capture_output=True, text=True, check=False, env={
        **os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg", **environment})
    assert done.returncode == 0, done.stderr[-3000:]


def run_here(code):
    """Run a block in this process; both ways must give equal arrays."""
    names = {}
    exec(compile(PRELUDE + ready(code) + EQUAL, f"block {name_of(code)}", "exec"), names)
    assert isinstance(names.get("ours", names.get("array")), np.ndarray) or "plt.imshow" in code
