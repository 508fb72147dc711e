"""Differences and comparisons of the elements of two planes, on the host and on the emulated device."""

import itertools

import numpy as np
import pytest
import reference as ref
from device_planes import device_plane, fail_each_call, host_plane, in_modes
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from matrix import matrix
from stored_tensors import LAYOUTS, REAL, storage_of

from gpuplot import _native
from gpuplot.plane.difference import subtracted_elements

SHAPE = (23, 117)
PLACES = {"host": host_plane, "device": device_plane}
NAMES = ("max_abs", "max_rel", "at_abs", "at_rel", "first_nan_only", "n_beyond", "n_nan_only_a", "n_nan_only_b")


def stored_of(dtype, seed, n_bad=20, shape=SHAPE):
    return storage_of(np.random.default_rng(seed), dtype, shape, n_bad=n_bad)


def values_of(stored, dtype):
    return np.asarray(ref.load(stored, dtype), np.float64)


def subtracted(a, b):
    """The definition of one element less another."""
    with np.errstate(all="ignore"):
        return np.where(a == b, 0, a - b)


def wanted(a, b, rtol, atol, difference=None):
    """The definition of what is known about all pairs, real or complex."""
    with np.errstate(all="ignore"):
        is_nan = np.isnan(a), np.isnan(b)
        error = np.where(is_nan[0] | is_nan[1], 0, abs(subtracted(a, b) if difference is None else difference))
        size, is_finite = abs(b), np.isfinite(b)
        relative = np.where(is_finite & (size > 0), error / size, 0)
        only = is_nan[0] != is_nan[1]
        beyond = only | (error > atol + rtol * np.where(is_finite, size, 0))

    def first(values):
        return int(values.argmax()) if values.max() > 0 else None

    return (error.max(), relative.max(), first(error), first(relative), first(only * 1), beyond.sum(), (only & is_nan[0]).sum(),
            (only & is_nan[1]).sum())


def check_comparison(planes, a, b, rtol=1e-2, atol=1e-3, difference=None, rel=0):
    got, want = _native.compare(*planes, rtol, atol), wanted(a, b, rtol, atol, difference)
    for name, one, other in zip(NAMES, got, want, strict=True):
        assert one == (pytest.approx(other, rel=rel) if rel and name.startswith("max") else other), name


def check(planes, a, b):
    np.testing.assert_array_equal(_native.subtract(*planes).numpy(), subtracted(a, b))
    check_comparison(planes, a, b)


# ---- every kind of element -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", REAL)
def test_every_dtype_beside_itself_and_beside_float64(emulated, place, dtype):
    stored, other, plane_of = stored_of(dtype, 1), stored_of("float64", 2), PLACES[place]
    values = values_of(stored, dtype)
    plane, other_plane = plane_of(stored, dtype), plane_of(other, "float64")
    check([plane, other_plane], values, other)
    check([other_plane, plane], other, values)
    if dtype not in ("int64", "uint64"):
        again = stored_of(dtype, 3)
        check([plane, plane_of(again, dtype)], values, values_of(again, dtype))
    assert _native.compare(plane, plane, 0.0, 0.0) == (0.0, 0.0, None, None, None, 0, 0, 0)


@matrix(place=PLACES, a=LAYOUTS, b=LAYOUTS)
def test_every_layout_beside_every_other(emulated, place, a, b):
    left, right = LAYOUTS[a](stored_of("int16", 0)), LAYOUTS[b](stored_of("float32", 1))
    shape = np.minimum(left.shape, right.shape)
    left, right = left[:shape[0], :shape[1]], right[:shape[0], :shape[1]]
    check([PLACES[place](left), PLACES[place](right)], values_of(left, "int16"), values_of(right, "float32"))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_large_integers_are_subtracted_exactly(emulated, place, dtype):
    low, high = (int(bound) for bound in (np.iinfo(dtype).min, np.iinfo(dtype).max))
    a = np.array([[high, low, high, 2**62 + 1, 5]], dtype)
    b = np.array([[high - 1, high, low, 2**62, 5]], dtype)
    exact = np.array([[float(int(x) - int(y)) for x, y in zip(a[0], b[0], strict=True)]])
    planes = PLACES[place](a), PLACES[place](b)
    np.testing.assert_array_equal(_native.subtract(*planes).numpy(), exact)
    check_comparison(planes, a.astype(float), b.astype(float), difference=exact)
    masked = PLACES[place](a, mask=np.array([[True, False, False, False, False]]))
    np.testing.assert_array_equal(_native.subtract(masked, planes[1]).numpy(), np.where([[True] + 4 * [False]], np.nan, exact))
    assert _native.compare(masked, planes[1], 0.0, 0.0)[4:] == (0, 4, 1, 0)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("dtype", "other"), [("int64", "uint64"), ("uint64", "int64"), ("int64", "int32"), ("uint8", "int64"),
                                              ("uint64", "int8"), ("bool", "uint64")])
def test_integers_of_two_dtypes_are_subtracted_exactly(emulated, place, dtype, other):
    ends = [(int(np.iinfo(kind).min), int(np.iinfo(kind).max)) if kind != "bool" else (0, 1) for kind in (dtype, other)]
    near = [[x for x in (low, low + 1, -5, 0, 1, 2**53 + 1, 2**60 + 1, 2**63 - 1, 2**63, 2**63 + 2**10 + 1, 2**63 + 2**11 + 1, high - 1,
                         high) if low <= x <= high] for low, high in ends]
    a, b = (np.array(axis, kind)[None, :] for axis, kind in zip(zip(*itertools.product(*near), strict=True), (dtype, other), strict=True))
    exact = np.array([[float(int(x) - int(y)) for x, y in zip(a[0], b[0], strict=True)]])
    planes = PLACES[place](a), PLACES[place](b)
    np.testing.assert_array_equal(_native.subtract(*planes).numpy(), exact)
    check_comparison(planes, a.astype(float), b.astype(float), difference=exact)
    np.testing.assert_array_equal(subtracted_elements(a, b), exact)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("dtype", "other"), [("complex64", "complex64"), ("complex128", "complex64"), ("complex64", "float32"),
                                              ("int16", "complex128")])
def test_complex_elements_are_compared_as_a_whole(emulated, place, dtype, other):
    a, b = stored_of(dtype, 1), stored_of(other, 2)
    finite = [np.where(np.isfinite(stored), stored, np.nan).astype(stored.dtype) for stored in (a, b)]
    planes = [PLACES[place](stored, component="re" if np.iscomplexobj(stored) else "value") for stored in finite]
    check_comparison(planes, *(stored.astype(complex) for stored in finite), rel=1e-12)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("component", ["re", "im"])
def test_one_part_of_complex_elements_is_subtracted(emulated, place, component):
    a, b = stored_of("complex64", 1), stored_of("complex128", 2)
    parts = [getattr(stored, "real" if component == "re" else "imag").astype(float) for stored in (a, b)]
    planes = [PLACES[place](stored, component=component) for stored in (a, b)]
    np.testing.assert_array_equal(_native.subtract(*planes).numpy(), subtracted(*parts))


@pytest.mark.parametrize("place", PLACES)
def test_a_masked_element_is_nan(emulated, place):
    rng = np.random.default_rng(0)
    arrays, masks = [stored_of(dtype, seed) for seed, dtype in enumerate(("float32", "uint8"))], [rng.random(SHAPE) < 0.2 for _ in "ab"]
    planes = [PLACES[place](array, mask=mask) for array, mask in zip(arrays, masks, strict=True)]
    check(planes, *(np.where(mask, np.nan, array.astype(float)) for array, mask in zip(arrays, masks, strict=True)))
    assert not (_native.subtract(*planes).numpy().view(np.uint64) == _native.MASKED_BITS).any()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("is_last", [False, True])
def test_the_largest_difference_and_the_largest_relative_one_lie_apart(emulated, place, is_last):
    """Each is found in elements whose other one is smaller than what was seen before them."""
    b = np.full((1, 5 * 1024), 1000.0)
    b[0, 4100 if is_last else 10] = 1.0
    a = b.copy()
    a[0, [10, 4100]] += [0.5, 10.0] if not is_last else [10.0, 0.5]
    check([PLACES[place](a), PLACES[place](b)], a, b)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("a", "b"), [(np.nan, 1.0), (1.0, np.nan), (np.nan, np.nan), (np.inf, np.inf), (1.0, np.inf)])
def test_one_element_that_is_not_finite_among_equal_ones(emulated, place, a, b):
    """Far behind a difference that is larger than all others."""
    planes = np.ones((2, 1, 5 * 1024))
    planes[:, 0, 4100] = a, b
    planes[0, 0, 10] = 9
    check([PLACES[place](values) for values in planes], *planes)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_a_mask_with_gaps_between_its_rows(emulated, place, dtype):
    """Its elements lie end to end."""
    a, b = np.arange(24).reshape(4, 6).astype(dtype), np.ones((4, 6), dtype)
    mask = (np.arange(36).reshape(4, 9) % 5 == 2)[:, :6]
    check([PLACES[place](a, mask=mask), PLACES[place](b)], np.where(mask, np.nan, a.astype(float)), b.astype(float))
    check([PLACES[place](b), PLACES[place](a, mask=mask)], b.astype(float), np.where(mask, np.nan, a.astype(float)))


@pytest.mark.parametrize("place", PLACES)
def test_infinities(emulated, place):
    a = np.array([[np.inf, np.inf, -np.inf, 1, np.nan, np.inf, np.nan, 0.0]])
    b = np.array([[np.inf, -np.inf, 2, np.inf, np.inf, np.nan, np.nan, -0.0]])
    planes = PLACES[place](a), PLACES[place](b)
    check(planes, a, b)
    assert _native.compare(*planes, 1.0, 0.0) == (np.inf, np.inf, 1, 2, 4, 5, 1, 1)


# ---- every number of elements ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (3, 1024), (3, 1031), (300, 3), (5, 140_001), (1, 300_000)])
def test_any_number_of_elements(emulated, place, shape):
    """Blocks, pieces and blocks of threads that are whole and that are not; of equal differences the first is told."""
    a = np.random.default_rng(0).normal(size=shape).astype("f4")
    b = a.copy()
    b.ravel()[::2] = a.ravel()[::2] + np.float32(0.5)
    a.ravel()[[0, -1]] = 9.0, 9.0
    b.ravel()[[0, -1]] = 1.0, 1.0
    check([PLACES[place](a), PLACES[place](b)], a.astype(float), b.astype(float))


def test_the_device_tells_the_same_in_every_mode(emulated):
    a, b = (device_plane(stored_of("float32", seed, 5, (19, 2111))) for seed in range(2))
    in_modes(emulated, lambda: [x if x is not None else -1 for x in _native.compare(a, b, 1e-3, 0.0)])
    in_modes(emulated, lambda: _native.subtract(a, b).numpy())


def test_only_numbers_cross(emulated):
    """All that a comparison brings to the host is one of its results; a difference stays on the device."""
    a, b = (device_plane(stored_of("float32", seed, 5, (300, 400))) for seed in range(2))
    before = _native.cuda_counts(0)
    _native.compare(a, b, 1e-3, 0.0)
    cells = _native.subtract(a, b)
    after = _native.cuda_counts(0)
    assert after["bytes_to_host"] - before["bytes_to_host"] == 64 and after["n_launches"] - before["n_launches"] == 3
    assert cells.device[0] != 1 and cells.shape == (300, 400)


def test_calls_of_the_driver_that_fail(emulated):
    a, b = (device_plane(stored_of("float32", seed)) for seed in range(2))
    for code in (LAUNCH_FAILED, OUT_OF_MEMORY):
        fail_each_call(emulated, code, lambda: _native.compare(a, b, 0.0, 0.0))
        fail_each_call(emulated, code, lambda: _native.subtract(a, b))


# ---- mistakes --------------------------------------------------------------------------------------------------------------


def test_mistakes(emulated):
    a, b, there = host_plane(np.ones((2, 3))), host_plane(np.ones((3, 2))), device_plane(np.ones((2, 3)))
    tensor = _native.Tensor.from_array(np.ones((2, 3, 4)), "float64")
    hidden = _native.Plane(tensor, [("rows", 0, 1, 2, 0), ("cols", 0, 1, 3, 0), ("hidden", 0, 1, 4, 0)], ["mean"])
    amplitude = host_plane(np.ones((2, 3), complex), component="abs")
    for planes, error, text in (((a, b), ValueError, "2 x 3 and of 3 x 2"), ((a, there), ValueError, "two devices"),
                                ((there, a), ValueError, "two devices"), ((a, hidden), ValueError, "reduce hidden axes to cells first"),
                                ((amplitude, a), ValueError, "stored numbers"), ((a, 3), TypeError, "Plane")):
        with pytest.raises(error, match=text):
            _native.subtract(*planes)
        with pytest.raises(error, match=text):
            _native.compare(*planes, 0.0, 0.0)


def test_no_elements(emulated):
    for place in PLACES.values():
        nothing = place(np.zeros((0, 3)))
        assert _native.subtract(nothing, nothing).numpy().size == 0
        assert _native.compare(nothing, nothing, 0.0, 0.0) == (0.0, 0.0, None, None, None, 0, 0, 0)
