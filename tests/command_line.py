"""The command `gpuplot` as a shell runs it, and files for it to read."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import numpy as np

__all__ = ["ROOT", "command", "pixels", "sample"]

ROOT = Path(__file__).resolve().parents[1]


def command(*words, cwd, status=0, preexec_fn=None, text=True):
    """Run the command, which must end with this status, and return (stdout, stderr); warnings about a missing display are errors."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg", "COLUMNS": "100"}
    done = subprocess.run([sys.executable, "-m", "gpuplot", *map(str, words)], cwd=cwd, env=environment, capture_output=True, text=text,
                          stdin=subprocess.DEVNULL, preexec_fn=preexec_fn)
    assert done.returncode == status, (done.returncode, done.stderr[-2000:])
    return done.stdout, done.stderr


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
