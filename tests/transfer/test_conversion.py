"""Conversions to host arrays against the slow reference: all narrow floats and halves, pairs of dtypes, layouts, masks."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from matrix import matrix
from reference.conversion import (
    NARROW_FLOATS,
    STORAGE,
    convert,
    differing,
    magnitudes,
    storage_dtype,
)
from stored_tensors import LAYOUTS, PLAIN, storage_of

from gpuplot import _native

REAL = ("bool", *(name for name in PLAIN if name[:4] in ("uint", "int8", "int1", "int3", "int6")), *NARROW_FLOATS, "float32", "float64")
ALL = (*REAL, "complex64", "complex128", "longdouble")

host = pytest.mark.host("the memory of the test's arrays is read where it is")


def converted(stored, from_name, to_name, mask=None, out=None):
    """By the native layer, from an array of any layout into an array of any layout."""
    out = np.empty(stored.shape, storage_dtype(to_name)) if out is None else out
    with _native.Tensor.from_array(stored, from_name, mask) as tensor:
        _native.convert(tensor, out, to_name)
    return out


def assert_cast(stored, from_name, to_name):
    got, want = converted(stored, from_name, to_name), convert(stored, from_name, to_name)
    bad = np.flatnonzero(differing(got, want, to_name))
    assert not bad.size, (f"{bad.size} of {stored.size}, {from_name} {stored.flat[bad[0]]!r} as {to_name} is "
                          f"{got.flat[bad[0]]!r}, not {want.flat[bad[0]]!r}")


def all_codes(name):
    codes = np.arange(1 << 8 * storage_dtype(name).itemsize, dtype=f"u{storage_dtype(name).itemsize}")
    return codes.view(storage_dtype(name))


# ---- every element of narrow dtypes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("from_name", NARROW_FLOATS)
def test_every_narrow_float_as_everything(from_name):
    codes = all_codes(from_name)
    for to_name in ("float32", "float64", "bool", "int8", "uint8", "int32", "uint64", "float16", "bfloat16", "float8_e4m3fn",
                    "float8_e5m2", "float8_e3m4", "float8_e8m0fnu", "complex64"):
        some = codes if codes.size < 1000 or to_name in ("float32", "int8") else codes[::13].copy()
        assert_cast(some, from_name, to_name)


@pytest.mark.parametrize("from_name", ["bool", "uint8", "int8", "uint16", "int16"])
def test_every_small_integer_as_everything(from_name):
    codes = all_codes(from_name)[:: 1 if from_name in ("uint8", "int8") else 11] if from_name != "bool" else np.array([False, True])
    for to_name in ALL:
        assert_cast(codes.copy(), from_name, to_name)


# ---- halves ------------------------------------------------------------------------------------------------------------


def near_halves(name, n):
    """Values of a narrow float, the numbers halfway between them, and those a little above and below: where rounding decides."""
    values, beyond = magnitudes(name)
    values = np.array([*values, beyond, 1.5 * beyond])
    values = values[np.unique(np.linspace(0, len(values) - 1, n).astype(int))] if len(values) > n else values
    after = np.array([*values[1:], 2 * values[-1]])
    exact = np.concatenate([values, values + (after - values) / 2]) if name.startswith("float8") else np.concatenate(
        [values, values * (1 + 2.0**-11), values * (1 + 2.0**-8)])
    steps = 1 + np.array([0, 2.0**-52, -(2.0**-52), 2.0**-30, -(2.0**-30), 2.0**-23, -(2.0**-23)])
    return np.concatenate([np.outer(exact, steps).ravel(), -exact, [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e300, -1e300]])


@pytest.mark.parametrize("to_name", NARROW_FLOATS)
def test_halves_are_rounded_once_and_to_even(to_name):
    """From float64 a rounding to float32 on the way would decide some of them the wrong way."""
    numbers = near_halves(to_name, 1500)
    assert_cast(numbers, "float64", to_name)
    with np.errstate(over="ignore"):
        assert_cast(numbers.astype(np.float32), "float32", to_name)


def test_a_float64_that_two_roundings_would_spoil():
    """1 + 2^-11 is halfway between two float16; a bit above it becomes that half as a float32, and then goes down."""
    number = np.array([1 + 2.0**-11 + 2.0**-40])
    assert number.astype(np.float32).astype(np.float16) == 1.0
    assert converted(number, "float64", "float16") == np.float16(1 + 2.0**-10)


@pytest.mark.parametrize("from_name", ["int64", "uint64", "int32", "uint32"])
def test_large_integers_are_rounded_once(from_name):
    info = np.iinfo(from_name)
    powers = [2**k + d for k in range(8, info.bits) for j in (0, k - 8, k - 9, k - 12, k - 24, k - 25, k - 53, k - 54) if j >= 0
              for d in (0, 2**j, -(2**j), 2**j + 1, 2**j - 1, 3 * 2**j, 3 * 2**j - 1)]
    numbers = sorted({value for p in powers for value in (p, -p) if info.min <= value <= info.max} | {int(info.min), int(info.max), 0})
    stored = np.array(numbers, from_name)
    for to_name in ("float32", "float64", "float16", "bfloat16", "float8_e5m2", "int32", "uint16", "int8", "longdouble", "bool"):
        assert_cast(stored, from_name, to_name)


@pytest.mark.parametrize("from_name", ["float32", "float64"])
def test_floats_at_the_ends_of_integers_are_truncated_and_saturated(from_name):
    ends = np.array([0.0, 0.5, 0.99999994, 1.5, 127, 127.5, 128, 255, 255.9, 256, 32767.5, 32768, 65535.99, 65536, 2.0**31 - 129,
                     2.0**31 - 0.5,
                     2.0**31, 2.0**32 - 257, 2.0**32 - 0.5, 2.0**32, 2.0**53, 2.0**63 - 2.0**40, 2.0**63 - 1024, 2.0**63, 2.0**64 - 2.0**41,
                     2.0**64 - 2048, 2.0**64, 1e30, np.inf, np.nan])
    stored = np.concatenate([ends, -ends]).astype(from_name)
    for to_name in ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        assert_cast(stored, from_name, to_name)


def test_as_numpy_and_ml_dtypes_cast():
    """Where these define what they do: float16 of NumPy from anything, narrow floats of ml_dtypes from float32."""
    numbers = near_halves("float16", 4000)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(converted(numbers, "float64", "float16"), numbers.astype(np.float16))
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for name in STORAGE:
        with np.errstate(over="ignore"):
            numbers = near_halves(name, 2000).astype(np.float32)
        if name == "float8_e8m0fnu":  # ml_dtypes rounds all between 2^-127 and 2^-126 up
            numbers = numbers[~((numbers > 2.0**-127) & (numbers < 2.0**-126))]
        want = numbers.astype(getattr(ml_dtypes, name)).view(STORAGE[name])
        assert not differing(converted(numbers, "float32", name), want, name).any(), name


# ---- dtype pairs, layouts, masks ---------------------------------------------------------------------------------------


def stored_of(rng, name, shape):
    if name == "longdouble":
        return rng.normal(size=shape).astype(np.longdouble) * 100
    return storage_of(rng, name, shape, n_bad=3 if "float" in name else 0)


@pytest.mark.parametrize("from_name", ALL)
def test_every_pair_of_dtypes(from_name):
    rng = np.random.default_rng(1)
    stored = stored_of(rng, from_name, (7, 41))
    for to_name in ALL:
        if from_name.startswith("complex") and not to_name.startswith("complex"):
            with _native.Tensor.from_array(stored, from_name) as tensor, pytest.raises(TypeError, match=r"\.real or \.imag, or abs"):
                _native.convert(tensor, np.empty(stored.shape, storage_dtype(to_name)), to_name)
        else:
            assert_cast(stored, from_name, to_name)
            assert_cast(np.ascontiguousarray(stored.T).T, from_name, to_name)


def with_strides(rng, array):
    """The same elements with axes permuted in memory, gaps, and turned axes; and the memory around them."""
    order, steps = rng.permutation(array.ndim), rng.integers(1, 3, array.ndim)
    whole = np.zeros([array.shape[axis] * steps[axis] + 1 for axis in order], array.dtype)
    part = whole[(*(slice(0, array.shape[axis] * steps[axis], steps[axis]) for axis in order), ...)].transpose(np.argsort(order))
    part = part[(*(slice(None, None, -1) if turn else slice(None) for turn in rng.random(array.ndim) < 0.3), ...)]
    part[...] = array
    return part, whole


def bytes_of(whole):
    return np.frombuffer(whole.data.cast("B"), np.uint8) if whole.size else np.empty(0, np.uint8)


def fill(whole):
    """A pattern that no conversion writes."""
    np.ndarray(whole.nbytes, np.uint8, whole.data)[...] = 0x55
    return whole


SIZES = st.sampled_from([0, 1, 1, 2, 3, 4, 5, 8, 13, 16, 17, 33, 65, 130])


@examples(300)
@given(st.integers(0, 2**32), st.lists(SIZES, max_size=4), st.sampled_from(ALL), st.sampled_from(ALL), st.booleans(), st.booleans())
def test_any_layout_to_any_layout(seed, shape, from_name, to_name, is_same, is_swapped):
    """Nothing between the elements of the target is touched, and the source's layout makes no difference."""
    rng, shape = np.random.default_rng(seed), tuple(shape) if np.prod(shape) < 20000 else tuple(shape[:2])
    if is_same or (from_name.startswith("complex") and not to_name.startswith("complex")):
        to_name = from_name
    plain = np.asarray(stored_of(rng, from_name, shape))
    source, _ = with_strides(rng, plain)
    if is_swapped and from_name not in STORAGE:
        source = source.astype(source.dtype.newbyteorder())
    mask = with_strides(rng, rng.random(shape) < 0.3)[0] if rng.random() < 0.3 else None
    target, whole = with_strides(rng, np.zeros(shape, storage_dtype(to_name)))
    fill(whole)
    converted(source, from_name, to_name, mask, target)
    want = converted(plain, from_name, to_name)
    if mask is not None:
        want = convert(want, to_name, to_name, mask)
    assert not differing(np.array(target), want, to_name).any()
    target[...] = np.zeros((), target.dtype)
    expected = fill(np.empty_like(whole))
    offset = target.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    np.ndarray(target.shape, target.dtype, expected.data, offset, target.strides)[...] = np.zeros((), target.dtype)
    np.testing.assert_array_equal(bytes_of(whole), bytes_of(expected))


@matrix(dtype=("uint8", "float16", "float32", "float64", "complex128"), layout=LAYOUTS, is_turned=(False, True), is_cast=(False, True))
def test_large_planes_turned_in_threads(dtype, layout, is_turned, is_cast):
    """Blocks, bands and pieces with rests in both directions; results large enough to be written past the caches."""
    array = LAYOUTS[layout]((np.arange(1403 * 1611) % 251).reshape(1403, 1611).astype(dtype))
    array = array.T if is_turned else array
    to = "complex128" if is_cast else dtype
    np.testing.assert_array_equal(converted(array, dtype, to), array.astype(to))


@pytest.mark.parametrize("shape, order", [((3, 500, 700), (1, 2, 0)), ((500, 700, 3), (2, 0, 1)), ((500, 700, 2), (2, 1, 0)),
                                          ((90, 70, 110), (2, 1, 0)), ((90, 70, 110), (1, 0, 2)), ((4,) * 9, (3, 7, 1, 0, 5, 2, 4, 8, 6)),
                                          ((2,) * 16, (11, 3, 7, 1, 14, 0, 5, 9, 2, 12, 10, 15, 4, 8, 13, 6))])
def test_permuted_axes(shape, order):
    for dtype in ("uint8", "float32", "complex128"):
        values = (np.arange(np.prod(shape)) % 241).reshape(shape).astype(dtype)
        array = values.transpose(order)
        np.testing.assert_array_equal(converted(array, dtype, dtype), array)
        np.testing.assert_array_equal(converted(array, dtype, "complex128"), array)


@pytest.mark.parametrize("to_name", ["float32", "float64"])
@pytest.mark.parametrize("is_masked", [False, True])
def test_planes_that_lie_apart(to_name, is_masked):
    """The rows of each follow each other in the source, but not in the target, or not in the mask."""
    rng = np.random.default_rng(21)
    source = rng.normal(size=(4, 7, 6)).astype("float32")[:, :5]
    mask = np.asfortranarray(rng.random(source.shape) < 0.3) if is_masked else None
    out = np.empty((4, 5, 7), to_name)[..., :6]
    converted(source, "float32", to_name, mask, out)
    np.testing.assert_array_equal(out, np.where(mask, np.nan, source) if is_masked else source)


def test_masked_elements_stay_as_they_are_in_the_source():
    """They become NaN in a target with gaps, to which blocks are not written at once."""
    rng = np.random.default_rng(22)
    source, mask = rng.normal(size=(40, 60)), rng.random((40, 60)) < 0.3
    before, out = source.copy(), np.empty((40, 180))[:, ::3]
    converted(source, "float64", "float64", mask, out)
    np.testing.assert_array_equal(source, before)
    np.testing.assert_array_equal(out, np.where(mask, np.nan, source))


def test_a_target_axis_of_one_element_may_have_any_stride():
    """NumPy gives a new axis the stride 0, which is refused where elements would share memory."""
    source, out = np.arange(3.0, dtype="float32")[None], np.empty(3)[None]
    assert out.strides[0] == 0
    assert converted(source, "float32", "float64", None, out).tolist() == [[0, 1, 2]]
    with pytest.raises(ValueError, match="has stride 0"):
        converted(np.ones((2, 3), "float32"), "float32", "float64", None, np.lib.stride_tricks.as_strided(out, (2, 3), (0, 8)))


# ---- progress ----------------------------------------------------------------------------------------------------------


@host
def test_progress_is_asked_now_and_then_and_stops_the_rest():
    source, out, asked = np.broadcast_to(np.float32(1), (6000, 20000)), np.zeros((6000, 20000), np.float64), []

    def stop(n_done, n_all):
        asked.append((n_done, n_all))
        raise LookupError("enough")

    with _native.Tensor.from_array(source, "float32") as tensor:
        try:
            _native.convert(tensor, out, "float64", stop)
        except LookupError:
            assert (out == 0).any()  # what was not converted yet stays as it was
        else:
            assert not asked  # so fast a machine that it was never asked
    assert len(asked) <= 1 and all(0 < n_done <= n_all == source.size for n_done, n_all in asked)
