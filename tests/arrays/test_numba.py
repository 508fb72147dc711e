"""Arrays of Numba's CUDA simulator, which stands in for its device arrays where there is no GPU; in a process of its own."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("numba")

pytestmark = pytest.mark.host("arrays of the simulator are in host memory")

SCRIPT = '''
import warnings
warnings.simplefilter("ignore")  # Numba's, about what it will rename
import numpy as np
from numba import cuda
import gpuplot
from gpuplot.arrays.describe import describe

values = np.arange(12, dtype="float32").reshape(3, 4)

@cuda.jit
def double(x):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        x[i, j] *= 2

def check(X, expected):
    np.testing.assert_array_equal(gpuplot.asnumpy(X), expected)
    np.testing.assert_array_equal(gpuplot.downsample(X, expected.shape), expected)
    assert gpuplot.to_rgba(X).shape == (*expected.shape, 4)

X = cuda.to_device(values)
assert "Fake" in type(X).__name__, type(X)  # else this is a GPU
source = describe(X)
check(X, values)
double[(1, 1), (3, 4)](X)
check(X, values * 2)
assert gpuplot.downsample(source, (3, 4))[2, 3] == 22          # read anew
check(X[::2], values[::2] * 2)
check(X.T, values.T * 2)
check(cuda.to_device(np.asfortranarray(values)), values)
check(cuda.to_device(values, stream=cuda.stream()), values)

mapped = cuda.mapped_array((3, 4), "float32")
mapped[:] = 3
check(mapped, np.full((3, 4), 3, "float32"))
pinned = cuda.pinned_array((3, 4), "int16")
pinned[:] = 4
check(pinned, np.full((3, 4), 4, "int16"))
for dtype in ("bool", "uint8", "int64", "float16", "float64", "complex64"):
    assert describe(cuda.to_device(values.astype(dtype))).dtype == dtype
np.testing.assert_array_equal(gpuplot.asnumpy([X[0], X[1]]), values[:2] * 2)
assert describe(cuda.to_device(np.float32(3))).shape in ((), (1,))
assert describe(cuda.device_array((0, 3))).shape == (0, 3)

for bad, words in ((np.zeros(3, [("a", "f4")]), "X['name']"), (np.zeros(3, "M8[s]"), "choose a unit first")):
    try:
        describe(cuda.to_device(bad))
    except gpuplot.UnsupportedError as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"{bad.dtype} was not refused")
print("all good")
'''


def test_device_arrays_of_the_simulator():
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "MPLBACKEND": "agg"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, check=False)
    if "No module named 'numba" in done.stderr and "cuda" in done.stderr:
        pytest.skip("Numba came without its CUDA target")
    assert done.stdout.strip() == "all good", done.stdout + done.stderr
