"""Nothing after the last element is read: arrays at the end of mapped memory, through every function that reads them."""

import subprocess
import sys
import textwrap

import pytest

SCRIPT = """
import ctypes, faulthandler, itertools, mmap, sys
sys.path[:0] = {path!r}
faulthandler.enable()
import numpy as np
import gpuplot

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
PAGE = mmap.PAGESIZE

def at_the_end(array, is_at_start=False):
    "A copy that ends (or begins) at an address that may not be touched."
    array = np.ascontiguousarray(array)
    n = -(-array.nbytes // PAGE) * PAGE
    base = libc.mmap(None, n + 2 * PAGE, 0, 0x22, -1, 0) + PAGE
    assert libc.mprotect(ctypes.c_void_p(base), ctypes.c_size_t(n), 3) == 0
    address = base if is_at_start else base + n - array.nbytes
    ctypes.memmove(address, array.ctypes.data, array.nbytes)
    return np.frombuffer((ctypes.c_char * array.nbytes).from_address(address), array.dtype).reshape(array.shape)

def use(X, dtype):
    for agg in ("mean", "std", "min", "absmax", "count", "nearest"):
        gpuplot.downsample(X, (7, 5), x=-1, y=0, reduce={{1: "mean"}} if X.ndim == 3 else None, agg=agg)
    gpuplot.to_rgba(X, (5, 9), x=0, y=-1, index={{1: 0}} if X.ndim == 3 else None)
    gpuplot.to_rgba(X, (33, 44), x=-1, y=-2, robust=True)
    gpuplot.stats(X)
    for dim in range(X.ndim):
        gpuplot.stats(X, dim=dim)
    for order in "CF":
        gpuplot.asnumpy(X, dtype="float64", order=order, copy=True)
        gpuplot.asnumpy(X, order=order, copy=True)

rng, n = np.random.default_rng(0), 0
for dtype, shape, is_at_start in itertools.product(("f4", "f8", "u1", "f2", "i8"), {shapes!r}, (False, True)):
    X = at_the_end((rng.normal(size=shape) * 30).astype(dtype), is_at_start)
    M = np.ma.array(X, mask=at_the_end(rng.random(shape) < 0.1, is_at_start).view(bool))
    for view in (X, X.T, X[::-1], X[..., ::3], X[1:, ..., ::-1], M):
        use(view, dtype)
        n += 1
print(n)
"""


@pytest.mark.parametrize("shapes", [[(3, 5), (61, 67), (300, 8)], [(5, 700), (4, 33, 17), (30, 3, 300)]])
def test_arrays_that_end_where_memory_does(shapes):
    code = textwrap.dedent(SCRIPT).format(path=[entry for entry in sys.path if entry], shapes=shapes)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) == 5 * 3 * 2 * 6
