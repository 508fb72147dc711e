"""Finding elements on the emulated device: the nearest of a kind, from any position, in both directions."""

import numpy as np
import pytest
import reference as ref
from device_planes import device_plane, fail_each_call, in_modes
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from matrix import matrix
from stored_tensors import LAYOUTS, REAL, storage_of, windows

from gpuplot import _native

NAN, POS_INF, NEG_INF, MASKED, FINITE = 1, 2, 4, 8, 16
KINDS = (NAN, POS_INF, NEG_INF, FINITE, NAN | POS_INF | NEG_INF, NAN | FINITE)


def kinds_of(values):
    values = np.asarray(values, np.float64)
    return np.where(np.isnan(values), NAN, np.where(np.isfinite(values), FINITE, np.where(values > 0, POS_INF, NEG_INF)))


def wanted(values, kinds, start, is_backwards):
    """The definition, on all positions."""
    places = np.flatnonzero(kinds_of(values).ravel() & kinds)
    places = places[places <= start] if is_backwards else places[places >= start]
    return -1 if places.size == 0 else int(places[-1 if is_backwards else 0])


@matrix(dtype=REAL, layout=LAYOUTS, start=(0, 1, 701, 23 * 61 - 1), kinds=KINDS, is_backwards=(False, True))
def test_every_dtype_and_layout(emulated, dtype, layout, start, kinds, is_backwards):
    """A few elements that are not finite, where the dtype has such."""
    stored = storage_of(np.random.default_rng(15), dtype, (23, 61), n_bad=9)
    device = device_plane(LAYOUTS[layout](stored), dtype)
    assert _native.find(device, kinds, start, is_backwards) == wanted(ref.load(stored, dtype), kinds, start, is_backwards)


@matrix(shape=((1, 9000), (9000, 1), (300, 40), (40, 300), (3, 7000)), layout=("C", "F", "reversed", "strided"), place=range(5),
        step=(-1, 0, 1), kinds=KINDS, is_backwards=(False, True))
def test_over_many_blocks(emulated, shape, layout, place, step, kinds, is_backwards):
    """Far apart, next to each other, at both ends; starts at them, before and behind them."""
    array = np.zeros(shape, np.float32)
    places = [0, 17, 18, array.size // 2, array.size - 1]
    array.flat[places] = [np.nan, np.inf, -np.inf, np.nan, np.inf]
    start = max(0, min(array.size - 1, places[place] + step))
    device = device_plane(LAYOUTS[layout](array))
    assert _native.find(device, kinds, start, is_backwards) == wanted(array, kinds, start, is_backwards)


def test_every_mode(emulated):
    """The nearest one, whichever block is first."""
    array = np.random.default_rng(1).normal(size=(200, 300))
    array[np.random.default_rng(2).random(array.shape) < 0.001] = np.nan
    device = device_plane(array)
    for is_backwards in (False, True):
        got = in_modes(emulated, lambda is_backwards=is_backwards: _native.find(device, NAN, 31000, is_backwards))
        assert got == wanted(array, NAN, 31000, is_backwards)


def test_steps_from_one_to_the_next(emulated):
    """All of them, one after the other, there and back."""
    array = np.random.default_rng(3).normal(size=(40, 50)).astype(np.float16)
    array[np.random.default_rng(4).random(array.shape) < 0.01] = np.nan
    device, places = device_plane(np.asfortranarray(array)), np.flatnonzero(np.isnan(array.ravel())).tolist()
    there, back, at = [], [], 0
    while (at := _native.find(device, NAN, at)) >= 0:
        there.append(at)
        at += 1
    at = array.size - 1
    while (at := _native.find(device, NAN, at, True)) >= 0:
        back.append(at)
        at -= 1
    assert there == places == back[::-1]


def test_masked_elements_are_of_no_other_kind(emulated):
    mask = np.zeros((30, 40), bool)
    mask[7, 8], mask[20, 1] = True, True
    for dtype in ("uint8", "int64", "float32"):
        device = device_plane(np.ones((30, 40), dtype), mask=mask)
        assert _native.find(device, NAN) == -1
        assert _native.find(device, MASKED) == 7 * 40 + 8
        assert _native.find(device, MASKED, 1199, True) == 801
        assert _native.find(device, FINITE, 288) == 289


def test_complex(emulated):
    """Of amplitudes: a NaN part makes a NaN, an infinite one +Inf."""
    array = np.zeros((20, 30), np.complex64)
    array[3, 4], array[5, 6] = complex(0, -np.inf), complex(np.nan, np.inf)
    device = device_plane(array, component="abs")
    assert [_native.find(device, kinds) for kinds in (NAN, POS_INF, NEG_INF, FINITE)] == [156, 94, -1, 0]


def test_all_are_of_the_kind(emulated):
    """The start itself, in a plane of many jobs for each block."""
    device = device_plane(windows(np.float32(np.nan), (1000, 2000)))
    for start in (0, 5, 1_999_999, 777_777):
        assert _native.find(device, NAN, start) == _native.find(device, NAN, start, True) == start


def test_beyond_32_bits(emulated):
    """A plane of more elements than 32 bits count, of which few are looked at."""
    device = device_plane(windows(np.float32(np.nan), (70_000, 70_000)))
    for start in (2**31, 2**32 + 5, 70_000**2 - 1):
        assert _native.find(device, NAN, start) == _native.find(device, NAN, start, True) == start


def test_places_outside_are_refused(emulated):
    device = device_plane(np.ones((4, 5)))
    emulated.clear_counts()
    assert _native.find(device, FINITE, 20) == -1
    assert _native.find(device, FINITE, -1, True) == -1
    for arguments in ((FINITE, 21), (FINITE, -1), (FINITE, 20, True), (FINITE, -2, True)):
        with pytest.raises(IndexError):
            _native.find(device, *arguments)
    for kinds in (0, 32):
        with pytest.raises(ValueError):
            _native.find(device, kinds)
    assert "cuLaunchKernel" not in emulated.counts()


def test_integers_need_no_kernel(emulated):
    """They are all finite."""
    device = device_plane(np.ones((4, 5), np.int32))
    emulated.clear_counts()
    assert (_native.find(device, FINITE, 7), _native.find(device, NAN)) == (7, -1)
    assert "cuLaunchKernel" not in emulated.counts()


def test_costs(emulated):
    """One kernel and eight bytes; nothing is allocated once there is scratch memory."""
    device = device_plane(np.ones((300, 200)))
    _native.find(device, NAN)
    before = _native.cuda_counts(0)
    _native.find(device, NAN)
    after = _native.cuda_counts(0)
    assert (after["n_device_allocs"], after["n_pinned_allocs"]) == (before["n_device_allocs"], before["n_pinned_allocs"])
    assert (after["bytes_to_host"] - before["bytes_to_host"], after["n_launches"] - before["n_launches"]) == (8, 1)


@pytest.mark.parametrize("code", [OUT_OF_MEMORY, LAUNCH_FAILED])
def test_failures_are_device_errors(emulated, code):
    """Whatever fails in the driver, the tensor stays usable and the next call works."""
    array = np.ones((100, 200), np.float32)
    array[50, 60] = np.nan
    device = device_plane(array)
    assert fail_each_call(emulated, code, lambda: _check_equal(_native.find(device, NAN), 50 * 200 + 60)) > 3


def _check_equal(got, want):
    assert got == want
