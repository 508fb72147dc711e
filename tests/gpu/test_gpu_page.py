"""The code of docs/from_any_framework.md and the examples of each framework, on a real GPU."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import pytest
from framework_page import RECIPES, library_of, name_of, run_elsewhere, run_here

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "frameworks"
# The fixture of conftest.py that has the library's device, or says why not.
DEVICES = {"torch": "torch", "cupy": "cupy", "numba": "numba_kernels", "jax": "jax", "ctypes": "cuda"}
SCRIPTS = {"pytorch": "torch", "cupy_arrays": "cupy", "numba_arrays": "numba", "jax_arrays": "jax", "raw_cuda": "ctypes"}


@pytest.mark.parametrize("code", [code for code in RECIPES if library_of(code) in DEVICES], ids=name_of)
def test_recipe_runs_on_the_device_and_both_ways_agree(code, request, tmp_path, monkeypatch):
    request.getfixturevalue(DEVICES[library_of(code)])
    monkeypatch.chdir(tmp_path)
    if library_of(code) == "ctypes":  # which leaves a context on the thread
        run_elsewhere(code, tmp_path)
    else:
        run_here(code)


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_example_runs_on_the_device(name, request, tmp_path):
    request.getfixturevalue(DEVICES[SCRIPTS[name]])
    (tmp_path / "frameworks").mkdir()
    shutil.copy(FOLDER.parent / "quiet.mplstyle", tmp_path)
    script = shutil.copy(FOLDER / f"{name}.py", tmp_path / "frameworks")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, env={
        **os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg", "GPUPLOT_EXAMPLE_SIZE": "2048"})
    assert done.returncode == 0, done.stderr[-2000:]
    [picture] = (tmp_path / "output").glob("*.png")
    assert matplotlib.image.imread(picture)[..., :3].std() > 0.05
