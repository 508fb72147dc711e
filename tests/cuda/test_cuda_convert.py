"""Conversions of emulated device memory: every pair of dtypes, layout, mask and target has the bits of the CPU's conversion."""

import numpy as np
import pytest
from device_planes import fail_each_call, in_modes
from effort import some
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from matrix import matrix
from on_device import lend
from stored_tensors import CODED, LAYOUTS, PLAIN

from gpuplot import _native
from gpuplot.arrays.dtypes import ITEM_BYTES

STORAGE = dict.fromkeys(PLAIN) | CODED | {"complex32": np.uint32}
STORAGE = {name: np.dtype(storage or name) for name, storage in STORAGE.items()}
TARGETS = [name for name in STORAGE if name != "complex32"]


def bits(name, n=2000, seed=0):
    """Stored elements: every code of narrow dtypes, of wider ones random bits and what lies at the edges of other dtypes."""
    rng = np.random.default_rng(seed)
    storage = STORAGE[name]
    if storage.itemsize <= 2:
        return np.arange(1 << 8 * storage.itemsize, dtype=f"u{storage.itemsize}").view(storage)
    random = rng.integers(0, 256, n * storage.itemsize, dtype=np.uint8).view(storage)
    if name == "complex32":
        return random
    edges = [sign * 2.0**power * (1 + step) for power in (-150, -127, -24, -14, 0, 7, 8, 15, 16, 31, 32, 63, 64, 127) for sign in (1, -1)
             for step in (0, 2.0**-11, -(2.0**-11), 2.0**-24, 2.0**-9, 3 * 2.0**-9)]
    values = np.concatenate([edges, [0.0, -0.0, np.nan, np.inf, -np.inf], rng.normal(size=n) * 100, 10.0 ** rng.uniform(-9, 9, n)])
    if storage.kind in "iu":
        info = np.iinfo(storage)
        small = np.arange(-3000 if info.min else 0, 3000)
        near = np.concatenate([(1 << shift) + np.arange(-3, 4) for shift in range(3, 8 * storage.itemsize - 2)])
        return np.concatenate([random, small.astype(storage), near.astype(storage), np.array([info.min, info.max], storage)])
    with np.errstate(all="ignore"):
        return np.concatenate([random, values.astype(storage)])


def lent(array, name, mask=None):
    """The array on the device and on the host."""
    return lend(array, mask, dtype=name), _native.Tensor.from_array(array, name, mask)


def target_for(shape, name):
    """An array that holds no number by chance."""
    out = np.empty(shape, STORAGE[name])
    out.reshape(-1).view(np.uint8)[...] = 0xA5
    return out


def both(array, name, to, mask=None):
    """What the device and what the CPU makes of an array."""
    results = []
    for tensor in lent(array, name, mask):
        results.append(target_for(array.shape, to))
        _native.convert(tensor, results[-1], to)
    return results


def assert_same(array, name, to, mask=None):
    got, want = both(array, name, to, mask)
    if got.tobytes() != want.tobytes():
        at = tuple(np.argwhere(stored(got) != stored(want))[0])[:got.ndim]
        pytest.fail(f"{name} {array[at]!r} to {to} at {at}: {got[at]!r}, not {want[at]!r}")


def stored(array):
    return np.ascontiguousarray(array).view(np.uint8).reshape(*array.shape, -1)


@pytest.mark.parametrize("name", STORAGE)
def test_every_pair_of_dtypes(emulated, name):
    """Every code, or many, of every dtype to every other; what is refused is refused before anything is written."""
    array = some(bits(name), 3000)
    for to in TARGETS:
        if name.startswith("complex") and not to.startswith("complex"):
            out = target_for(array.shape, to)
            with pytest.raises(TypeError, match=r"\.real"):
                _native.convert(lend(array, dtype=name), out, to)
            assert (out.view(np.uint8) == 0xA5).all()
        else:
            assert_same(array, name, to)


PARTS = {
    "whole": lambda array: array,
    "turned": lambda array: array.T,
    "columns first": lambda array: array.transpose(0, 2, 1),
    "rows first": lambda array: array.transpose(1, 0, 2),
    "narrow": lambda array: array[:, 3:20, 7:8],
    "steps": lambda array: array[::-2, ::3, ::-1],
    "one plane": lambda array: array[2],
    "one column": lambda array: array[:, :, 3],
    "one element in three axes": lambda array: array[1:2, 4:5, 6:7],
    "one element": lambda array: array[1, 2, 3, ...],
}


@matrix(dtypes=(("float32", "float32"), ("bfloat16", "float32"), ("int16", "float64"), ("complex64", "complex128"),
                ("complex128", "complex128"), ("uint8", "bool"), ("float64", "float16"), ("uint8", "uint8")),
        layout=LAYOUTS, part=PARTS)
def test_layouts(emulated, dtypes, layout, part):
    """Whole arrays and parts of them, turned, reversed, strided and narrow, with three axes and more."""
    name, to = dtypes
    assert_same(PARTS[part](LAYOUTS[layout](np.resize(bits(name), (5, 23, 41)).astype(STORAGE[name]))), name, to)


@pytest.mark.parametrize(("name", "to"), [("float32", "float32"), ("int32", "float64"), ("uint8", "float32")])
def test_broadcast(emulated, name, to):
    """Strides of zero along any axis."""
    row = bits(name)[:40]
    for array in (np.broadcast_to(row, (30, 40)), np.broadcast_to(row[:, None], (40, 30)), np.broadcast_to(row[3], (7, 9, 11)),
                  np.broadcast_to(row.reshape(4, 1, 10), (4, 50, 10))):
        assert_same(array, name, to)


def test_many_axes(emulated):
    """As many axes as NumPy has, in an order that nothing joins."""
    array = np.arange(2**12, dtype=np.int32).reshape((2,) * 12)
    for axes in ((*range(1, 12, 2), *range(0, 12, 2)), tuple(range(11, -1, -1))):
        assert_same(array.transpose(axes), "int32", "int32")
        assert_same(array.transpose(axes), "int32", "float16")
    assert_same(np.ones((1,) * 63 + (3,), np.float32), "float32", "float64")


@pytest.mark.parametrize("shape", [(0,), (4, 0, 3), ()])
def test_nothing_and_one(emulated, shape):
    """No element asks nothing of the device; one is one."""
    for to in ("float32", "int8", "complex64"):
        assert_same(np.full(shape, 2.5, np.float32), "float32", to)


@pytest.mark.parametrize("to", ["float32", "float64", "float16", "bfloat16", "float8_e4m3fn", "float8_e8m0fnu", "complex64",
                                "int32", "bool"])
@pytest.mark.parametrize("name", ["float32", "int16", "bfloat16"])
def test_masks(emulated, name, to):
    """A masked element is a NaN where there is one, of whatever layout mask and elements are."""
    array = np.resize(bits(name), (33, 47)).astype(STORAGE[name])
    mask = np.random.default_rng(3).random((33, 47)) < 0.4
    for part, where in ((array, mask), (array.T, mask.T), (array, np.asfortranarray(mask)), (array[::-1, ::2], mask[:, ::-2][::-1]),
                        (array, np.broadcast_to(mask[0], mask.shape))):
        assert_same(part, name, to, where)


def test_a_masked_element_is_no_number(emulated):
    """Not only the same as on the CPU."""
    out = np.zeros(4)
    _native.convert(lend(np.arange(4, dtype=np.float32), np.array([False, True, False, True])), out, "float64")
    assert np.array_equal(out, [0, np.nan, 2, np.nan], equal_nan=True)


def _targets(shape, name):
    """Arrays to write into, each beside the memory that holds it: orders, gaps, reversed axes, odd addresses."""
    whole = target_for([2 * n + 1 for n in shape], name)
    yield whole, whole[tuple(slice(1, 1 + 2 * n, 2) for n in shape)]
    whole = target_for(shape, name)
    yield whole, whole[(slice(None, None, -1),) * len(shape)]
    whole = target_for((*shape[::-1],), name)
    yield whole, whole.T
    whole = target_for((shape[0], shape[1] + 3, *shape[2:]), name)
    yield whole, whole[:, 2:-1]
    raw = target_for((int(np.prod(shape)) * STORAGE[name].itemsize + 1,), "uint8")
    yield raw, raw[1:].view(STORAGE[name]).reshape(shape)


@pytest.mark.parametrize(("name", "to"), [("float32", "float32"), ("float64", "int16"), ("bfloat16", "float32")])
def test_targets(emulated, name, to):
    """Whatever array is written into gets its elements, and what lies between them stays."""
    array = np.resize(bits(name), (9, 17, 13)).astype(STORAGE[name])
    for source in (array, array.transpose(0, 2, 1), array[:, ::-1]):
        want = both(source, name, to)[1]
        for whole, out in _targets(source.shape, to):
            _native.convert(lend(source, dtype=name), out, to)
            assert stored(out).tobytes() == stored(want).tobytes()
            out[...] = target_for((1,), to)[0]
            assert (whole.reshape(-1).view(np.uint8) == 0xA5).all()


@pytest.mark.parametrize(("name", "to"), [("float32", "float32"), ("int16", "float32"), ("float32", "bool")])
def test_every_mode(emulated, name, to):
    """Rows and tiles, casts and moves, whatever the order of threads and the pace of streams."""
    array = np.resize(bits(name), (70, 90)).astype(STORAGE[name])
    for part in (array[:, 1:], array.T[1:], array[::-1].T):
        want = both(part, name, to)[1]

        def compute(part=part):
            out = target_for(part.shape, to)
            _native.convert(lend(part, dtype=name), out, to)
            return out

        assert in_modes(emulated, compute).tobytes() == want.tobytes()


def test_little_comes_by_the_ring(emulated):
    """Results below 1 MB: one kernel and one copy, and none of a transfer's memory."""
    tensor, out = lend(np.ones((200, 300), np.float32)[:, ::2]), np.empty((200, 150))
    _native.convert(tensor, out, "float64")
    before = _native.cuda_counts(0)
    emulated.clear_counts()
    _native.convert(tensor, out, "float64")
    after = _native.cuda_counts(0)
    assert after["n_launches"] - before["n_launches"] == 1
    assert after["bytes_to_host"] - before["bytes_to_host"] == out.nbytes
    assert after["pinned_live_bytes"] == 0
    assert emulated.counts()["cuMemcpyDtoHAsync_v2"] == 1
    assert "cuStreamWaitEvent" not in emulated.counts()


def test_plain_memory_needs_no_kernel(emulated):
    """What lies side by side in its own dtype is copied."""
    array = np.arange(6000, dtype=np.float32).reshape(20, 30, 10)
    for part in (array, array[3:7], array[5], array[2:3, 4:9]):
        tensor, out = lend(part), np.empty_like(part)
        emulated.clear_counts()
        _native.convert(tensor, out, "float32")
        assert (out == part).all()
        assert "cuLaunchKernel" not in emulated.counts()


@pytest.mark.parametrize("code", [OUT_OF_MEMORY, LAUNCH_FAILED])
def test_failing_calls(emulated, code):
    """Whichever call of the driver fails: one DeviceError, and the next conversion is right."""
    array = np.arange(1200, dtype=np.int16).reshape(40, 30).T
    tensor = lend(array)

    def compute():
        out = np.zeros(array.shape, np.float32)
        _native.convert(tensor, out, "float32")
        assert (out == array).all()

    compute()
    assert fail_each_call(emulated, code, compute) > 5


def test_every_dtype_has_a_size():
    """What these tests call storage has the size that gpuplot reads."""
    assert {name: storage.itemsize for name, storage in STORAGE.items()} == {name: ITEM_BYTES[name] for name in STORAGE}
