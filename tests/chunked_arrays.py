"""Random arrays that are cut into chunks, and the comparison of their cells with those of the whole."""

import numpy as np
from hypothesis import strategies as st
from pieces import in_pieces

from gpuplot.plane.aggs import AGGS

__all__ = ["check_cells", "cut_arrays", "numbers"]

EXACT = ("max", "min", "absmax", "range", "count", "nearest")


def numbers(rng, dtype, shape, share=0.0):
    """Random numbers of a dtype, a share of them not finite; "masked" is a masked array of float32."""
    if dtype == "masked":
        return np.ma.array(numbers(rng, "float32", shape, share), mask=rng.random(shape) < 0.2)
    array = rng.normal(size=shape) * 50
    if dtype.startswith("complex"):
        array = array + 1j * rng.normal(size=shape)
    array = array.astype(dtype) if dtype != "bool" else array > 0
    for value in (np.nan, np.inf, -np.inf) if array.dtype.kind in "fc" else ():
        array[rng.random(shape) < share / 3] = value
    return array


def check_cells(got, want, array, agg):
    """Assert that cells are equal, or for sums, means and spreads within the rounding of float64."""
    assert got.shape == want.shape
    if agg in EXACT:
        np.testing.assert_array_equal(got, want)
        return
    np.testing.assert_array_equal(np.isfinite(got), np.isfinite(want))
    sizes = np.abs(np.ma.getdata(array).astype(complex if array.dtype.kind == "c" else float))
    size = sizes[np.isfinite(sizes)].max(initial=1.0)
    size = size**2 if agg == "var" else size * array.size if agg == "sum" else size
    np.testing.assert_allclose(got, want, rtol=1e-6 if agg in ("std", "var") else 1e-9, atol=1e-12 * size)


@st.composite
def cut_arrays(draw):
    """An array, the same one in chunks, and keywords of `downsample`."""
    shape = tuple(draw(st.lists(st.integers(1, 30), min_size=1, max_size=3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dtype = draw(st.sampled_from(("float32", "float64", "float16", "int16", "uint8", "bool", "masked", "complex64")))
    array = numbers(rng, dtype, shape, draw(st.sampled_from((0.0, 0.05, 0.8))))
    cuts = [sorted({0, n, *draw(st.lists(st.integers(0, n), max_size=4))}) for n in shape]
    chunks = [np.diff(along).tolist() for along in cuts]
    view = None
    rows, cols = ((1, 1) + shape)[-2:]
    if draw(st.booleans()):
        begins = [draw(st.floats(-n, n)) for n in (rows, cols)]
        view = [(begin, begin + draw(st.sampled_from((-1, 1))) * draw(st.floats(0.5, 2 * n)))
                for begin, n in zip(begins, (rows, cols), strict=True)]
    options = {"view": view, "agg": draw(st.sampled_from((None, *AGGS))), "nan": draw(st.sampled_from(("show", "skip")))}
    if len(shape) == 3:
        options["index"] = {0: draw(st.integers(0, shape[0] - 1)), 2: slice(None, None, draw(st.sampled_from((1, 2, -1))))}
    return array, in_pieces(array, chunks)[0], tuple(draw(st.integers(1, 40)) for _ in range(2)), options
