"""Where there is no compiled module for the running Python, importing says what to do."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gpuplot

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")
PACKAGE = Path(gpuplot.__file__).parent


def import_from(folder):
    """The last line that a fresh Python prints which imports gpuplot in a folder."""
    run = subprocess.run([sys.executable, "-c", "import gpuplot"], cwd=folder, capture_output=True, text=True, check=False)
    return run.stderr.strip().splitlines()[-1]


@pytest.fixture
def copy(tmp_path):
    """A folder with a copy of the package, its compiled module left out."""
    shutil.copytree(PACKAGE, tmp_path / "gpuplot", ignore=shutil.ignore_patterns("_native.*.so", "__pycache__"))
    return tmp_path


def test_a_source_tree_that_was_not_built(copy):
    (copy / "pyproject.toml").touch()
    said = import_from(copy)
    assert said.startswith(f"ModuleNotFoundError: gpuplot has no compiled module in {copy / 'gpuplot'}; this is a source tree")
    assert "another folder" in said and "make build" in said


def test_a_copy_of_another_python(copy):
    (copy / "gpuplot" / "_native.cpython-399-x86_64-linux-gnu.so").touch()
    said = import_from(copy)
    assert "for this Python, only _native.cpython-399-x86_64-linux-gnu.so in" in said and "pip install" in said


def test_a_module_that_cannot_be_loaded_says_why(copy):
    (copy / "gpuplot" / "_native.abi3.so").write_bytes(b"no library")
    said = import_from(copy)
    assert said.startswith("ImportError") and "_native.abi3.so" in said and "make build" not in said
