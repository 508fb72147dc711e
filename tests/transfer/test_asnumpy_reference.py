"""`asnumpy` against the slow reference: combinations of dtypes, layouts, orders, copies, ``out=``, masks and handles, host and device."""

import numpy as np
import pytest
from effort import examples
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from on_device import there
from reference.conversion import STORAGE, convert, differing, storage_dtype
from stored_tensors import CODED, PLAIN, storage_of

import gpuplot
from gpuplot import _native
from gpuplot.arrays import dtypes
from gpuplot.arrays.describe import Source
from gpuplot.transfer import output

pytestmark = pytest.mark.host("host and device are both here")

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

FROM = (*PLAIN, *CODED, "longdouble")
TO = (None, *PLAIN, "longdouble", *(CODED if ml_dtypes else ()))
SIZES = st.sampled_from([0, 1, 1, 2, 3, 5, 17, 64])


def stored_of(rng, name, shape):
    stored = rng.normal(size=shape).astype(np.longdouble) * 300 if name == "longdouble" else storage_of(rng, name, shape, n_bad=2)
    return np.asarray(stored)


def spread(rng, array):
    """The same elements in another layout: axes permuted in memory, gaps between elements, axes turned round."""
    axes, steps = rng.permutation(array.ndim), rng.integers(1, 3, array.ndim)
    whole = np.zeros([array.shape[axis] * steps[axis] + 1 for axis in axes], array.dtype)
    part = whole[(*(slice(0, array.shape[axis] * steps[axis], steps[axis]) for axis in axes), ...)].transpose(np.argsort(axes))
    part = part[(*(slice(None, None, -1) if turn else slice(None) for turn in rng.random(array.ndim) < 0.3), ...)]
    part[...] = array
    return part


def in_host_memory(stored, name, mask):
    if name in STORAGE or mask is not None:
        return Source(stored, lambda array: _native.Tensor.from_array(array, name, mask), stored.shape, name, is_masked=mask is not None)
    return stored


def on_the_device(stored, name, mask):
    return there(stored, mask, name)


def elements(array, name):
    """A result as the reference stores it."""
    return np.array(array.view(storage_dtype(name)) if name in STORAGE else array)


def assert_elements(found, want, name, mask):
    """The elements, and the mask of those that have none."""
    assert found.shape == want.shape and found.dtype == output.numpy_dtype(name) and found.dtype.isnative
    is_masked = mask is not None and not output.shows_nan(name)
    assert isinstance(found, np.ma.MaskedArray) == is_masked
    if is_masked:
        np.testing.assert_array_equal(np.ma.getmaskarray(found), mask)
    bad = differing(elements(np.asarray(found), name), want, name)
    assert not (bad & ~mask if is_masked else bad).any()


MIXTURE = dict(
    seed=st.integers(0, 2**32), shape=st.lists(SIZES, max_size=4), from_name=st.sampled_from(FROM), to_name=st.sampled_from(TO),
    order=st.sampled_from("CFAK"), copy=st.sampled_from([None, None, True, False]),
    out=st.sampled_from([None, "plain", "spread", "masked"]),
    is_masked=st.booleans(), is_swapped=st.booleans(), blocking=st.booleans())


def check(place, seed, shape, from_name, to_name, order, copy, out, is_masked, is_swapped, blocking):
    rng = np.random.default_rng(seed)
    shape = tuple(shape) if np.prod(shape) < 6000 else tuple(shape[:2])
    if from_name.startswith("complex") and not (to_name or "complex").startswith("complex"):
        to_name = None
    name = to_name or dtypes.default_name(from_name)
    plain = stored_of(rng, from_name, shape)
    source = spread(rng, plain) if rng.random() < 0.7 else plain.copy()
    if is_swapped and from_name not in STORAGE:
        source = source.astype(source.dtype.newbyteorder())
    mask = spread(rng, rng.random(shape) < 0.3) if is_masked else None
    want = convert(plain, from_name, name, mask)
    keywords = {"order": order, "copy": copy, "blocking": blocking}
    target = None
    if out is not None:
        target = np.zeros(shape, output.numpy_dtype(name))
        if out == "spread":
            target = spread(rng, target)
        elif out == "masked":
            target = np.ma.array(target, mask=rng.random(shape) < 0.5)
        keywords |= {"out": target, "copy": None}
        if out != "masked" and mask is not None and mask.any() and not output.shows_nan(name):
            with pytest.raises(ValueError, match="elements are masked, and neither"):
                gpuplot.asnumpy(place(source, from_name, mask), to_name, **keywords)
            return
    try:
        found = gpuplot.asnumpy(place(source, from_name, mask), to_name, **keywords)
    except ValueError as error:
        assert copy is False and out is None and "copy=False, and a copy is needed" in str(error)
        return
    found = found if blocking else found.result(60)
    if target is not None:
        assert found is target
        if out == "masked":
            np.testing.assert_array_equal(np.ma.getmaskarray(found), np.zeros(shape, bool) if mask is None else mask)
        bad = differing(elements(np.asarray(found), name), want, name)
        assert not (bad & ~mask if out == "masked" and mask is not None else bad).any()
        return
    assert_elements(found, want, name, mask)
    if copy is not None or place is on_the_device:
        assert np.shares_memory(found, source) == (copy is False and found.size > 0)
    if order in "CF":
        assert found.flags[f"{order}_CONTIGUOUS"]


@examples(300)
@given(**MIXTURE)
def test_host_memory(**mixture):
    check(in_host_memory, **mixture)


@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(**MIXTURE)
def test_device_memory(emulated, **mixture):
    if mixture["from_name"] == "longdouble":
        mixture["from_name"] = "float64"  # no device has long doubles
    check(on_the_device, **mixture)


@pytest.mark.parametrize("from_name", [name for name in FROM if name != "longdouble"])
def test_every_pair_of_dtypes(emulated, from_name):
    rng = np.random.default_rng(2)
    stored = stored_of(rng, from_name, (9, 13))
    for to_name in TO:
        if from_name.startswith("complex") and not (to_name or "complex").startswith("complex"):
            continue
        name = to_name or dtypes.default_name(from_name)
        want = convert(stored, from_name, name)
        for place in (in_host_memory, on_the_device):
            assert_elements(gpuplot.asnumpy(place(stored, from_name, None), to_name), want, name, None)
