"""The example notebooks run, show something, equal their scripts, and work in both JupyterLab and marimo."""

import base64
import importlib.util
import io
import json
import os
import subprocess
import symtable
import sys
import warnings
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

import gpuplot

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted((EXAMPLES / "notebooks").glob("[0-9][0-9]_*.py"))
# Those that train a network take some seconds.
RUNS = [pytest.param(script, marks=pytest.mark.slow if script.name[:2] in ("01", "04") else ()) for script in SCRIPTS]

each_script = pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)


def make_notebooks():
    spec = importlib.util.spec_from_file_location("make_notebooks", EXAMPLES / "make_notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def code_of(script):
    """The sources of a script's code cells."""
    return [cell["source"] for cell in make_notebooks().cells_of(script.read_text()) if cell["cell_type"] == "code"]


def kept(script):
    return json.loads(script.with_suffix(".ipynb").read_text())


def test_there_are_four():
    assert len(SCRIPTS) == len(list((EXAMPLES / "notebooks").glob("*.ipynb"))) == 4


@each_script
def test_the_notebook_is_that_of_the_script(script):
    ours = make_notebooks().notebook_of(script.read_text())
    theirs = kept(script)
    for cell in theirs["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    assert theirs == ours, "run: python examples/make_notebooks.py --run"


@each_script
def test_readers_without_a_kernel_see_stills(script):
    """Each cell that ends with an inspector keeps a picture of it, and nothing that only this machine has."""
    text = script.with_suffix(".ipynb").read_text()
    assert "widget-view" not in text and "widget-state" not in text and str(EXAMPLES.parent) not in text
    n_stills = 0
    for cell in kept(script)["cells"]:
        outputs = cell.get("outputs", [])
        assert all(output["output_type"] != "error" and output.get("name") != "stderr" for output in outputs)
        for output in outputs:
            png = output.get("data", {}).get("image/png")
            if png is not None:
                pixels = matplotlib.image.imread(io.BytesIO(base64.b64decode(png)))
                assert np.ptp(pixels[..., :3]) > 0.2
                n_stills += 1
    assert n_stills == sum("gpuplot.inspect(" in source for source in code_of(script)) > 0


# What the text of a notebook promises of its names.
PROMISES = {
    "01": lambda names: np.mean(names["answers"] == names["shapes"]) > 0.7,
    "02": lambda names: np.isnan(names["weights"][3, :, 8:]).all() and names["found"].first_nan[3] == (3, 0, 8, 0),
    "03": lambda names: names["volume"].min() < 0 < names["volume"].max(),
    "04": lambda names: names["losses"][-1] < names["losses"][0] / 20,
}


@pytest.mark.parametrize("script", RUNS, ids=lambda path: path.stem)
def test_cells_run(script, monkeypatch):
    """One after another, as a kernel runs them; every inspector that they leave shows something."""
    pytest.importorskip("anywidget")
    monkeypatch.chdir(script.parent)
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "an inspector is shown by a notebook", gpuplot.GpuplotWarning)
        for number, source in enumerate(code_of(script)):
            exec(compile(source, f"{script.stem}, code cell {number}", "exec"), names)
    inspectors = [value for value in names.values() if type(value).__name__ == "Inspector"]
    assert len(inspectors) == sum(source.count("gpuplot.inspect(") for source in code_of(script))
    for inspector in inspectors:
        file = io.BytesIO()
        inspector.snapshot(file)
        file.seek(0)
        assert np.ptp(matplotlib.image.imread(file)[..., :3]) > 0.2
        inspector.close()
    assert PROMISES[script.name[:2]](names)


# ---- marimo --------------------------------------------------------------------------------------------------------------


def bound_and_used(source):
    """Names that a cell defines for others, and those that it reads from anywhere, in its functions as well."""
    top = symtable.symtable(source, "cell", "exec")
    bound = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    used, tables = set(), [top]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        used |= {symbol.get_name() for symbol in table.get_symbols()
                 if symbol.is_referenced() and (table is top or symbol.is_global())}
    return bound, used


@each_script
def test_cells_obey_marimo(script):
    """No name is defined in two cells, and each cell reads what cells before it define: there is no cycle."""
    cells = [bound_and_used(source) for source in code_of(script)]
    defined = {}
    for number, (bound, _) in enumerate(cells):
        for name in bound:
            assert name not in defined, f"{name} is defined in cells {defined[name]} and {number}"
            defined[name] = number
    for number, (_, used) in enumerate(cells):
        for name in used & set(defined):
            assert defined[name] <= number, f"cell {number} reads {name}, which cell {defined[name]} defines"


@pytest.mark.slow
@each_script
def test_runs_in_marimo(script, tmp_path):
    """marimo itself takes the notebook and runs every cell."""
    pytest.importorskip("anywidget")
    if importlib.util.find_spec("marimo") is None:
        pytest.skip("marimo is not installed")
    converted, page = tmp_path / "notebook.py", tmp_path / "page.html"
    for arguments in (["convert", script.with_suffix(".ipynb"), "-o", converted], ["export", "html", converted, "-o", page]):
        done = subprocess.run([sys.executable, "-m", "marimo", "-q", "-y", *map(str, arguments)], capture_output=True, text=True,
                              cwd=script.parent, env={**os.environ, "PYTHONPATH": str(EXAMPLES.parent), "OMP_NUM_THREADS": "1"})
        assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in page.read_text()
