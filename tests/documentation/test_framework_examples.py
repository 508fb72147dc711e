"""The examples of each framework: their pictures, what they print, and the one-line message if a library is missing."""

import os
import subprocess
import sys
from pathlib import Path

import emulated_device
import matplotlib.image
import numpy as np
import pytest

pytestmark = pytest.mark.host("scripts of their own, some of them on the emulated device")

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "frameworks"
CUPY = ROOT / "tests" / "foreign_cupy.py"
SCRIPTS = sorted(FOLDER.glob("*.py"))
# Script -> the library that it needs, the picture that it leaves, and a small size.
NEEDS = {
    "pytorch": ("torch", "pytorch", 512), "tensorflow_tensors": ("tensorflow", "tensorflow", 300), "jax_arrays": ("jax", "jax", 200),
    "numba_arrays": ("numba", "numba", 48), "numpy_and_files": ("numpy", "files", 700), "xarray_labels": ("xarray", "xarray", 120),
    "dataframes": ("pandas", "dataframes", 40), "dask_arrays": ("dask", "dask", 4200), "ome_zarr": ("zarr", "ome_zarr", 800),
    "sharded_training": ("torch", "sharded", 240), "cupy_arrays": ("numpy", "cupy", 256), "raw_cuda": ("numpy", "raw_cuda", 1100),
}
ON_EMULATED_DEVICE = ("cupy_arrays", "raw_cuda")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The examples in a folder of their own, so that a test run leaves none of its files in the tree."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "frameworks").mkdir()
    (folder / "quiet.mplstyle").write_bytes((FOLDER.parent / "quiet.mplstyle").read_bytes())
    for path in SCRIPTS:
        (folder / "frameworks" / path.name).write_bytes(path.read_bytes())
    return folder


def run(path, *before, **environment):
    """A script in a process of its own, without a display."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg", "NUMBA_ENABLE_CUDASIM": "1", **environment}
    return subprocess.run([sys.executable, *before, path], env=environment, capture_output=True, text=True, check=False)


def test_every_script_is_known():
    assert sorted(NEEDS) == [path.stem for path in SCRIPTS]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(NEEDS))
def test_example_leaves_its_picture(name, copy):
    library, picture, size = NEEDS[name]
    pytest.importorskip(library)
    before = [CUPY] if name == "cupy_arrays" else []
    environment = emulated_device.environment() if name in ON_EMULATED_DEVICE else {}
    done = run(copy / "frameworks" / f"{name}.py", *before, GPUPLOT_EXAMPLE_SIZE=str(size), **environment)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stdout.splitlines()
    assert 3 <= len(lines) <= 6 and lines[-1].endswith(f"{picture}.png")
    pixels = matplotlib.image.imread(copy / "output" / f"{picture}.png")[..., :3]
    assert np.ptp(pixels) > 0.5


@pytest.mark.parametrize("name", sorted(NEEDS.keys() - {"numpy_and_files"}))
def test_example_says_in_a_line_what_is_missing(name, copy, tmp_path):
    """A library that cannot be imported, a driver that is not there."""
    library = {"cupy_arrays": "cupy", "raw_cuda": None}.get(name, NEEDS[name][0])
    if library:
        (tmp_path / f"{library}.py").write_text("raise ImportError('half installed')")
    environment = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]), "GPUPLOT_CUDA_DRIVER": str(tmp_path / "libcuda.so.1")}
    done = run(copy / "frameworks" / f"{name}.py", **environment)
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1 and done.stderr.startswith("this example needs "), done.stderr[-500:]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_example_is_a_short_read(path):
    lines = path.read_text().splitlines()
    assert len(lines) <= 110 and lines[0] == "# %% [markdown]"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_no_script_hides_the_library_that_it_imports(path):
    assert f"import {path.stem}\n" not in path.read_text()
