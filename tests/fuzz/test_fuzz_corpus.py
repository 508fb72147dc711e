"""Inputs that fuzzers found, replayed without a fuzzer: one case for each file of tests/fuzz/corpus of the targets in Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.host("objects that say anything about themselves, made here")

FUZZ = Path(__file__).resolve().parent
TARGETS = sorted(path.stem.removeprefix("fuzz_") for path in FUZZ.glob("fuzz_*.py"))


@pytest.mark.parametrize("target", TARGETS)
def test_the_corpus_of_a_target_in_python(target):
    """In a process of its own, because a broken input may end it; the last file that it printed is the one."""
    paths = sorted((FUZZ / "corpus" / target).iterdir())
    assert paths, f"no inputs in tests/fuzz/corpus/{target}"
    without_driver = os.environ | {"GPUPLOT_CUDA_DRIVER": "/nonexistent/libcuda.so.1"}
    run = subprocess.run([sys.executable, FUZZ / "run_python.py", "--replay", target, *paths], env=without_driver, text=True,
                         capture_output=True, timeout=300)
    assert run.returncode == 0, run.stdout.splitlines()[-1:] + run.stderr.splitlines()[-12:]
    assert run.stdout.split() == [str(path) for path in paths]


def test_every_target_has_a_corpus_and_every_corpus_a_target():
    """A corpus whose target was renamed would be replayed by nobody."""
    targets = {path.stem.removeprefix("fuzz_") for path in [*FUZZ.glob("fuzz_*.c"), *FUZZ.glob("fuzz_*.py")]}
    corpora = {path.name for path in (FUZZ / "corpus").iterdir() if any(path.iterdir())}
    assert corpora == targets


def test_the_command_names_every_target():
    """Else a new one would never run."""
    script = (FUZZ / "run.sh").read_text()
    named = {name for line in script.splitlines() if "_TARGETS=" in line for name in line.split('"')[1].split()}
    assert named == {path.stem.removeprefix("fuzz_") for path in [*FUZZ.glob("fuzz_*.c"), *FUZZ.glob("fuzz_*.py")]}
