"""The module's sources compile against Python's limited API, from which `make wheel` has one wheel for every Python."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / "native"
# What the configuration of the build writes; it has no part in this.
GENERATED = ROOT / "build" / sys.implementation.cache_tag / "generated"
FOLDERS = [NATIVE / name for name in ("python", "include", ".", "png", "cpu")]


def test_sources_compile_against_the_limited_api():
    compiler = shutil.which("cc")
    if compiler is None or not (GENERATED / "build_info.h").exists():
        pytest.skip("no C compiler, or the module was not built here")
    theirs = [sysconfig.get_path("include"), np.get_include()]
    done = subprocess.run(
        [compiler, "-std=c17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-DPy_LIMITED_API=0x030B0000", "-DGP_HAVE_PNG=0",
         *(f"-I{folder}" for folder in (*FOLDERS, GENERATED)), *(f"-isystem{folder}" for folder in theirs),
         *sorted((NATIVE / "python").glob("*.c"))], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
