"""Runs a program as several processes that share arrays, for tests; each gets its number and a port at which they meet."""

import hashlib
import os
import pathlib
import socket
import subprocess
import sys

import numpy as np

__all__ = ["digest", "run_together"]

# Seconds until processes that wait for each other are ended; on an idle machine they need a twentieth.
MAX_SECONDS = 300


def digest(*arrays):
    """A text that is the same in two processes if the bits of their arrays are."""
    return hashlib.sha256(b"".join(np.asarray(array).tobytes() for array in arrays)).hexdigest()


def run_together(program, n, folder):
    """The output of each of `n` processes that run a Python file of this folder; AssertionError with the errors of those that fail."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    tests = pathlib.Path(__file__).parent
    paths = os.pathsep.join([str(tests.parent), str(tests), os.environ.get("PYTHONPATH", "")])
    env = os.environ | {"MPLBACKEND": "agg", "JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=2",
                        "OMP_NUM_THREADS": "1", "PYTHONPATH": paths}
    running = [subprocess.Popen([sys.executable, str(tests / program), str(k), str(port), str(folder)], env=env, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE) for k in range(n)]
    try:
        said = [process.communicate(timeout=MAX_SECONDS) for process in running]
    finally:
        for process in running:
            process.kill()
    assert [process.returncode for process in running] == [0] * n, "\n".join(errors[-3000:] for _, errors in said)
    return [out for out, _ in said]
