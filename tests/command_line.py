"""The command `gpuplot` as a shell runs it, and files for it to read."""

import functools
import multiprocessing
import os
import runpy
import sys
import tempfile
from pathlib import Path

import matplotlib.image
import numpy as np

__all__ = ["ROOT", "command", "library", "pixels", "sample"]

ROOT = Path(__file__).resolve().parents[1]


# Imported once, in a process of which each command is a copy: importing takes longer than most commands.
PRELOADED = ["__main__", "command_line", "gpuplot.cli.drawing", "gpuplot.cli.main", "gpuplot.mpl.imshow", "matplotlib.backends.backend_agg",
             "matplotlib.pyplot"]


@functools.cache
def _processes():
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


def _run(words, folder, environment, outputs, most_bytes):
    """What the new process does: the same as ``python -m gpuplot WORDS >OUTPUT 2>OUTPUT </dev/null`` in a folder."""
    if most_bytes is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, path in enumerate((os.devnull, *outputs)):
        os.dup2(os.open(path, os.O_RDWR), number)
    sys.argv[:] = ["gpuplot", *words]
    runpy.run_module("gpuplot", run_name="__main__", alter_sys=True)


def command(*words, cwd, status=0, text=True, most_bytes=None):
    """Run the command, which must end with this status, and return (stdout, stderr); warnings about a missing display are errors.

    ``most_bytes`` is how much its process may allocate, as Linux counts it.
    """
    environment = {**os.environ, "MPLBACKEND": "agg", "COLUMNS": "100"}
    with tempfile.NamedTemporaryFile() as said, tempfile.NamedTemporaryFile() as complained:
        process = _processes().Process(target=_run, args=(
            list(map(str, words)), str(cwd), environment, [said.name, complained.name], most_bytes))
        process.start()
        process.join()
        outputs = said.read(), complained.read()
    assert process.exitcode == status, (process.exitcode, outputs[1][-2000:].decode())
    return tuple(output.decode() for output in outputs) if text else outputs


def pixels(path):
    """(H, W, 4) bytes of a PNG file."""
    read = matplotlib.image.imread(path)
    rgba = np.ones((*read.shape[:2], 4), read.dtype)
    rgba[..., :read.shape[2]] = read
    return np.round(rgba * 255).astype(np.uint8)


def sample(shape=(3, 40, 50)):
    """Numbers of both signs, all different, with a NaN in the second plane."""
    a = np.sin(np.arange(np.prod(shape), dtype="float32")).reshape(shape)
    a.reshape(-1)[a[0].size + 55] = np.nan
    return a


def library(name):
    """The module that reads files of a kind; the test is skipped without it."""
    import pytest  # the processes of commands import this file, too

    return pytest.importorskip(name, reason=f"reads these files: pip install {name}")
