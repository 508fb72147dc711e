"""`stats` against the slow reference: dtype x layout x axes x region x range, with elements that are not finite."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from on_device import there
from reference import statistics as reference
from stored_tensors import CODED, LAYOUTS, PLAIN, as_source, storage_of

import gpuplot

DTYPES = (*PLAIN, *CODED)
shapes = st.lists(st.integers(1, 6), min_size=0, max_size=4).map(tuple)
ends = st.one_of(st.integers(-2, 8).map(float), st.floats(-2, 8))


def check(X, stored, dtype, mask=None, dim=None, region=None, **asked):
    """Holds every slice against the reference; slices are numbered from 0 where a region leaves out the first ones."""
    got = gpuplot.stats(X, dim, region=region, **asked)
    assert (got.shape, got.dtype, got.numel, got.nbytes) == (stored.shape, dtype, stored.size, stored.nbytes)
    parts = reference.slices(reference.elements_of(stored, dtype, mask), stored.shape, dim, region)
    places = iter(np.ndindex(np.shape(got.nan)))
    for place, elements in zip(places, parts.values(), strict=True):
        reference.assert_statistics(reference.fields_at(got, place), reference.statistics(elements, dtype, **asked), dtype)


def layouts_of(rng, stored):
    """The same elements with the axes in any order in memory, with steps, backwards, or swapped."""
    stored = np.asarray(stored)
    if stored.ndim == 0:
        return stored
    order = rng.permutation(stored.ndim)
    stored = np.ascontiguousarray(stored.transpose(order)).transpose(np.argsort(order))
    name = rng.choice(sorted(LAYOUTS))
    if name == "swapped" and (stored.dtype.itemsize == 1 or stored.dtype == np.uint16):
        name = "strided"
    return stored if name == "C" else LAYOUTS[name](stored)


@st.composite
def calls(draw):
    shape = draw(shapes)
    axes = draw(st.one_of(st.none(), st.sets(st.integers(0, len(shape) - 1), min_size=1).map(tuple))) if shape else None
    region = draw(st.one_of(st.none(), st.tuples(*[st.tuples(ends, ends).filter(lambda pair: pair[0] != pair[1])] * 2)))
    asked = {"bins": draw(st.sampled_from((1, 2, 7, 64))), "percentiles": draw(st.sampled_from(((), (50,), (0, 33.3, 100))))}
    if draw(st.booleans()):
        low, high = sorted(draw(st.tuples(st.integers(-3, 300), st.integers(-3, 300))))
        asked["value_range"] = draw(st.sampled_from(((low, high), (float(low), high + 0.5))))
    return shape, {"dim": axes, "region": region, **asked}


@examples(300)
@given(calls(), st.sampled_from(DTYPES), st.integers(0, 2**32 - 1), st.sampled_from((0, 1, 9)))
def test_equals_the_reference(call, dtype, seed, n_bad):
    """Every field of every slice, for any dtype in any layout."""
    shape, asked = call
    rng = np.random.default_rng(seed)
    stored = layouts_of(rng, storage_of(rng, dtype, shape, n_bad))
    check(as_source(stored, dtype), stored, dtype, **asked)


@examples(100)
@given(calls(), st.sampled_from([name for name in DTYPES if name not in CODED]), st.integers(0, 2**32 - 1))
def test_masked(call, dtype, seed):
    """A masked element is of no other kind, whatever is stored there; the mask has a layout of its own."""
    shape, asked = call
    rng = np.random.default_rng(seed)
    stored = layouts_of(rng, storage_of(rng, dtype, shape))
    mask = layouts_of(rng, rng.random(shape) < 0.3)
    check(np.ma.array(stored, mask=mask, copy=False), stored, dtype, mask, **asked)


@examples(100)
@given(calls(), st.sampled_from(("int64", "uint64", "float64", "float32", "float16")), st.integers(0, 2**32 - 1))
def test_values_at_the_ends_of_the_dtype(call, dtype, seed):
    """Extremes that float64 does not hold, the largest numbers, subnormal ones, both zeros, and many ties."""
    shape, asked = call
    rng = np.random.default_rng(seed)
    if dtype.startswith(("int", "uint")):
        info = np.iinfo(dtype)
        pool = [info.min, info.max, info.max - 1, info.max - 2, 2**53 + 1, 2**53, 3, 0]
    else:
        info = np.finfo(dtype)
        top = info.max if dtype != "float64" else 1e150
        pool = [top, -top, info.tiny, -info.tiny, info.smallest_subnormal, info.tiny / 2, 0.0, -0.0, np.nan, np.inf, -np.inf, 1]
    stored = layouts_of(rng, rng.choice(np.array(pool, dtype), shape) if shape else np.array(rng.choice(np.array(pool, dtype))))
    check(stored, stored, dtype, **asked)


@examples(150)
@given(calls(), st.sampled_from(DTYPES), st.integers(0, 2**32 - 1), st.sampled_from((0, 3)))
def test_on_a_device(emulated_library, call, dtype, seed, n_bad):
    """The same in memory of the emulated device."""
    shape, asked = call
    rng = np.random.default_rng(seed)
    stored = layouts_of(rng, storage_of(rng, dtype, shape, n_bad))
    check(there(stored, dtype=dtype), stored, dtype, **asked)


@pytest.mark.parametrize("dim", [None, 1])
def test_a_magnitude_beyond_float64_on_a_device(emulated_library, dim):
    found = gpuplot.stats(there(np.array([[1e308 + 1.7e308j, 3 + 4j, complex(np.inf, 1)]])), dim=dim)
    assert (found.pos, found.pos_inf, found.min, found.max, found.hist.sum()) == (2, 1, 5, np.finfo(float).max, 2)


@pytest.mark.parametrize("dtype", sorted(CODED))
def test_every_code(dtype):
    """All values of the 8-bit floats, and all of bfloat16's."""
    codes = np.arange(2**(8 * np.dtype(CODED[dtype]).itemsize)).astype(CODED[dtype])
    codes = codes[: 256 if codes.size == 256 else None : 1 if codes.size == 256 else 61]
    check(as_source(codes, dtype), codes, dtype)
