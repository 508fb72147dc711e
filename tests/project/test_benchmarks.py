"""Parts of the benchmarks: the definition by which errors are measured, and one row from command line to JSON."""

import importlib
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "benchmarks"


@pytest.fixture
def definition(monkeypatch):
    """The module that says what cells should be."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("definition")


@pytest.fixture
def cases(monkeypatch):
    """Every row of the table."""
    monkeypatch.syspath_prepend(str(FOLDER))
    modules = [importlib.import_module(f"cases_{name}") for name in ("cells", "elements", "histograms", "pictures", "conversions")]
    return [case for module in modules for case in module.all_cases()]


@pytest.mark.parametrize("values, n_cells, agg, want", [
    ([1, 2, 3, 4], 3, "mean", [1.25, 2.5, 3.75]),
    ([1, 2, 3, 4], 3, "std", [0.4330127018922193, 0.5, 0.4330127018922193]),
    (range(10), 4, "mean", [0.8, 3.2, 5.8, 8.2]),
    ([-3, 2, 3, 1, -1, 0.5], 4, "max", [2, 3, 1, 0.5]),
    ([-3, 2, 3, 1, -1, 0.5], 4, "min", [-3, 2, -1, -1]),
    ([-3, 2, 3, 1, -1, 0.5], 4, "absmax", [-3, 3, 1, -1]),
    ([0, 1, 2], 6, "mean", [0, 0, 1, 1, 2, 2]),
])
def test_cells_worked_out_by_hand(definition, values, n_cells, agg, want):
    row = np.array([list(values)], np.float32)
    np.testing.assert_allclose(definition.cells(row, (1, n_cells), agg)[0], want, rtol=1e-12)
    np.testing.assert_allclose(definition.cells(row.T, (n_cells, 1), agg)[:, 0], want, rtol=1e-12)


@pytest.mark.parametrize("nan, want", [("show", [np.nan, np.nan, 3.75]), ("skip", [1, 3, 3.75])])
def test_nan_is_shown_or_skipped(definition, nan, want):
    np.testing.assert_allclose(definition.cells(np.array([[1, np.nan, 3, 4]]), (1, 3), nan=nan)[0], want)


def test_errors_are_seen(definition):
    want = np.array([[1.0, np.nan], [2.0, 4.0]])
    error = definition.cell_error([[1.0, np.nan], [2.0, 5.0]], want)
    assert (error["max_relative"], error["n_wrong_marks"]) == (0.25, 0)
    assert definition.cell_error([[np.nan, 1.0], [2.0, 4.0]], want)["n_wrong_marks"] == 2
    picture = np.zeros((2, 2, 4), np.uint8)
    other = picture.copy()
    other[0, 0, 1] = 7
    assert definition.picture_error(other, picture) == {
        "kind": "pixels", "share_differing": 0.25, "max_channel": 7, "mean_channel": 7 / 16}
    with pytest.raises(ValueError, match="shape"):
        definition.picture_error(picture[:1], picture)


def test_arrays_are_equal_or_told_to_differ(definition, monkeypatch):
    monkeypatch.setattr(definition, "CHUNK_ELEMS", 5)
    want = np.arange(12.0).reshape(4, 3)
    want[1, 1] = np.nan
    assert definition.array_error(want.copy(), want) == {"kind": "elements", "n_differing": 0}
    other = want.copy()
    other[1, 1], other[3, 2], other[0, 0] = 0, -1, np.nan
    assert definition.array_error(other, want)["n_differing"] == 3
    assert definition.array_error(np.float32(1), np.float32(2))["n_differing"] == 1
    for wrong in (want.astype("float32"), want.T):
        with pytest.raises(ValueError, match="the other one is"):
            definition.array_error(wrong, want)


def test_rows_have_names_of_their_own_and_known_opponents(cases):
    arrays = importlib.import_module("arrays").ARRAYS
    assert {case.array for case in cases} <= set(arrays)
    names = [case.name for case in cases]
    assert len(set(names)) == len(names)
    for case in cases:
        assert set(case.bounds) <= {opponent.name for opponent in case.opponents}, case.name
        for contender in (case.ours, *case.opponents):
            compile(contender.setup + "\n" + contender.line + "\n" + contender.check, contender.name, "exec")


def test_one_row_from_command_line_to_json(tmp_path):
    path = tmp_path / "row.json"
    command = [sys.executable, FOLDER / "run.py", "--only", "first draw, 100 x 100", "--budget", "0.01", "--json", path]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr[-2000:]
    assert "plt.imshow(a)" in done.stdout
    result, = json.loads(path.read_text())["cases"]
    assert "error_text" not in result["ours"]
    assert result["ours"]["fresh"]["extra_bytes"] >= 0
    for opponent in result["opponents"]:
        pair = opponent["pair"]
        assert len(pair["ours"]) == len(pair["theirs"]) >= 3
        assert pair["ratio"] > 0


def test_a_row_of_conversions_tells_equality_and_memory(tmp_path):
    path = tmp_path / "row.json"
    command = [sys.executable, FOLDER / "run.py", "--only", "asnumpy, every second row", "--budget", "0.01", "--device", "none",
               "--json", path]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr[-2000:]
    result, = json.loads(path.read_text())["cases"]
    n_bytes = 4000 * 2667 * 4
    assert n_bytes <= result["ours"]["extra_bytes"] < 2 * n_bytes
    found = {other["name"]: other for other in result["opponents"]}["np.ascontiguousarray(a)"]
    assert found["error"] == {"kind": "elements", "n_differing": 0} and found["pair"]["ratio"] > 0
    assert " equal " in done.stdout


# ---- the device's rows --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [16384, 256, 64])
def test_rows_of_the_device_have_names_of_their_own_inputs_and_code(monkeypatch, side):
    monkeypatch.syspath_prepend(str(FOLDER))
    cases = importlib.import_module("cases_device").all_cases(side)
    for module in ("cases_device_summaries", "cases_device_plots", "cases_device_conversions"):
        cases += importlib.import_module(module).all_cases()
    inputs = importlib.import_module("device_arrays").INPUTS
    assert len({case.name for case in cases}) == len(cases)
    assert cases[0].array == "float32" and (side != 16384 or cases[0].truth[1] == (800, 1000))
    for case in cases:
        assert case.array in inputs and min(inputs[case.array].shape(side)) > 0
        for contender in (case.ours, *case.opponents):
            compile(contender.setup + "\n" + contender.line + "\n" + contender.check, contender.name, "exec")


@pytest.mark.parametrize("agg, nan, shape", [
    ("mean", "show", (7, 9)), ("mean", "skip", (7, 9)), ("mean", "show", (1, 64)), ("mean", "show", (60, 80)), ("max", "show", (7, 9)),
    ("min", "show", (5, 16)), ("absmax", "show", (7, 9)), ("std", "show", (6, 8))])
def test_the_devices_definition_is_the_definition(monkeypatch, definition, agg, nan, shape):
    torch = pytest.importorskip("torch")
    truths = importlib.import_module("device_truths")
    monkeypatch.setattr(truths, "CHUNK_ELEMS", 500)
    a = np.random.default_rng(0).normal(size=(48, 64))
    if agg == "mean":
        a[3, 5] = a[40, 60] = np.nan
    np.testing.assert_allclose(truths.cells(torch.from_numpy(a), shape, agg, nan), definition.cells(a, shape, agg, nan), rtol=1e-9)


def test_inputs_rotate_through_more_than_the_cache(monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setenv("GPUPLOT_REHEARSAL", "1")
    arrays, devices = importlib.import_module("device_arrays"), importlib.import_module("device")
    device, _ = devices.find()
    for name, kind in arrays.INPUTS.items():
        inputs = arrays.make(name, 256, device)
        assert len(inputs) > 1 or name in ("large", "4 GiB")
        assert all(t.shape == kind.shape(256) and str(t.dtype) == f"torch.{kind.dtype}" for t in inputs)
        assert len({t.data_ptr() for t in inputs}) == len(inputs)
        assert inputs[0].is_contiguous() == (kind.layout == "")
        assert abs(float(inputs[0].isnan().double().mean()) - kind.nan) < 0.005


# Few calls of each statement, and time for all rows on any machine.
DEVICE_ROWS = [sys.executable, FOLDER / "run.py", "--device", "only", "--side", "64", "--budget", "0.3", "--seconds", "3600"]


def rehearsed_rows(tmp_path, name):
    """(rows with this in their name, what was printed), of a run in which the CPU stands in for the device."""
    pytest.importorskip("torch")
    path = tmp_path / "row.json"
    done = subprocess.run([*DEVICE_ROWS, "--only", name, "--json", path], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "GPUPLOT_REHEARSAL": "1"})
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(path.read_text())["device"]["cases"], done.stdout


def test_a_row_of_the_device_in_a_rehearsal(tmp_path):
    [case], printed = rehearsed_rows(tmp_path, "mean, whole ratio")
    assert case["ours"]["error"]["max_relative"] < 1e-12 and len(case["ours"]["times"]) >= 3
    others = {other["name"]: other for other in case["opponents"]}
    assert others["torch avg_pool2d"]["ratio"] > 0 and others["torch avg_pool2d"]["error"]["max_relative"] < 1e-5
    assert case["light"]["gb_s"] > 0 and "gpuplot.downsample(t, (16, 16))" in printed


def test_conversions_of_the_device_in_a_rehearsal(tmp_path):
    cases, _ = rehearsed_rows(tmp_path, "asnumpy")
    assert len(cases) > 8
    for case in cases:
        assert "not_run" not in case and case["is_conversion"] and case["n_bytes_moved"] > 0, case
        ran = [other for other in case["opponents"] if "not_run" not in other]
        assert ran and all(other["error"] == {"kind": "elements", "n_differing": 0} for other in ran), case


def test_without_a_device_its_part_is_said_to_be_missing(tmp_path):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    path = tmp_path / "row.json"
    command = [sys.executable, FOLDER / "run.py", "--device", "only", "--only", "one cell", "--json", path]
    done = subprocess.run(command, capture_output=True, text=True, env={
        **{name: value for name, value in os.environ.items() if name != "GPUPLOT_REHEARSAL"}, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0 and "the device part was not run: " in done.stdout
    assert json.loads(path.read_text())["device"]["not_run"]
