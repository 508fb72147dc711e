"""Gathering elements of the emulated device: any strides, item sizes, alignments and byte orders, in pieces if they are many."""

import numpy as np
import pytest
from device_planes import device_plane, fail_each_call, host_plane, in_modes
from emulated_device import LAUNCH_FAILED, OUT_OF_MEMORY
from on_device import lend
from stored_tensors import LAYOUTS

from gpuplot import _native

ITEMS = ["uint8", "int16", "float32", "int64", "complex64", "complex128"]


def elements(dtype, shape, seed=0):
    """Random bytes as elements, NaN payloads included."""
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.random.default_rng(seed).integers(0, 256, n_bytes, dtype=np.uint8).view(dtype).reshape(shape)


def gathered(plane, dtype):
    return _native.gather(plane, np.empty(plane.shape, np.dtype(dtype).newbyteorder("=")))


def component_of(dtype):
    return "re" if dtype.startswith("complex") else "value"


def assert_gathers(array, dtype):
    """Assert that gathering gives the elements' bytes, row-major and in native byte order."""
    got = gathered(device_plane(array, component=component_of(dtype)), dtype)
    assert got.tobytes() == array.astype(array.dtype.newbyteorder("=")).tobytes()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ITEMS)
def test_layouts(emulated, dtype, layout):
    """Whole planes, and parts of them that are narrow, turned, reversed or strided."""
    array = LAYOUTS[layout](elements(dtype, (67, 41)).copy())
    for part in (array, array.T, array[3:50, 7:8], array[5:6], array[::-2, ::3], array[:, ::-1].T, array[:40, 2:20].T):
        assert_gathers(part, dtype)


@pytest.mark.parametrize("dtype", ITEMS)
def test_broadcast(emulated, dtype):
    """Strides of zero along either axis or both."""
    row = elements(dtype, 50)
    for array in (np.broadcast_to(row, (70, 50)), np.broadcast_to(row[:, None], (50, 60)), np.broadcast_to(row[3], (9, 9))):
        assert_gathers(array, dtype)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128"])
def test_every_mode(emulated, dtype):
    """Rows, tiles and the byte by byte way, whatever the order of threads and the pace of streams."""
    array = elements(dtype, (90, 70))
    for part in (array[:, 1:], array.T[1:], np.asfortranarray(array.astype(array.dtype.newbyteorder("S")))):
        got = in_modes(emulated, lambda part=part: gathered(device_plane(part, component=component_of(dtype)), dtype))
        assert got.tobytes() == part.astype(part.dtype.newbyteorder("=")).tobytes()


@pytest.mark.parametrize("n_bytes", [1, 2, 4, 8])
def test_items_across_their_alignment(emulated, n_bytes):
    """Elements of 16 bytes at addresses that are multiples of less."""
    raw = np.zeros(16 * 40 * 30 + 16, np.uint8)
    array = raw[n_bytes:n_bytes + 16 * 40 * 30].view(np.complex128).reshape(40, 30)
    array[...] = elements("float64", (40, 60)).view(np.complex128)
    assert_gathers(array, "complex128")
    assert_gathers(array.T, "complex128")


@pytest.mark.parametrize("shape", [(3000, 1100), (2, 2_200_000), (2_200_000, 2), (1, 9_000_000)])
def test_many_pieces(emulated, shape):
    """More than a piece of scratch holds: many rows, rows longer than a piece, long columns."""
    array = elements("int32", shape)
    for part in (array[:, ::-1], array.T[1:]):
        assert_gathers(part, "int32")


def test_channel(emulated):
    """A plane of one channel is that channel."""
    array = elements("uint8", (20, 30, 3))
    uses = [("rows", 0, 1, 20, 0), ("cols", 0, 1, 30, 0), ("channels", 0, 1, 3, 0)]
    for channel in range(3):
        plane = _native.Plane(lend(array), uses, [], "channel", channel)
        assert np.array_equal(gathered(plane, "uint8"), array[..., channel])


def test_plain_memory_needs_no_kernel(emulated):
    """Contiguous elements are copied without a kernel."""
    array = elements("float32", (50, 60))
    for part in (array, array[10:20], array[:, 5:6].copy(), array[7:8, 3:50]):
        plane = device_plane(part)
        emulated.clear_counts()
        assert gathered(plane, "float32").tobytes() == part.tobytes()
        assert "cuLaunchKernel" not in emulated.counts()


def test_empty(emulated):
    """Planes without elements are no error and launch nothing."""
    plane = device_plane(np.zeros((4, 4))).crop(1, 1, 0, 4)
    assert gathered(plane, "float64").size == 0


def test_same_as_on_the_cpu(emulated):
    """Both backends fill the same array."""
    array = elements("int16", (33, 44)).T[::2]
    assert np.array_equal(gathered(device_plane(array), "int16"), gathered(host_plane(array), "int16"))


@pytest.mark.parametrize("shape", [(90, 70), (1500, 1500)])
def test_written_by_kernels(emulated, monkeypatch, shape):
    """With GPUPLOT_CUDA_MAPPED=1 kernels write into pinned memory: the same bytes in every mode, and no copies."""
    array = elements("float32", shape)[:, 1:]
    turned = np.asfortranarray(array)
    monkeypatch.setenv("GPUPLOT_CUDA_MAPPED", "1")
    for part in (array, turned):
        plane = device_plane(part)
        gathered(plane, "float32")
        emulated.clear_counts()
        got = in_modes(emulated, lambda plane=plane: gathered(plane, "float32"))
        assert got.tobytes() == part.tobytes()
        assert "cuMemcpyDtoHAsync_v2" not in emulated.counts()


def test_little_memory(emulated):
    """A device with little free memory gathers in smaller pieces."""
    array = elements("float32", (1500, 1200))[:, 1:]
    plane = device_plane(array)
    _native.cuda_close()
    gathered(device_plane(array[:2, :2]), "float32")  # the device's own state is there again
    emulated.set_memory_limit(emulated.memory_used() + (1 << 20))
    emulated.clear_counts()
    try:
        assert gathered(plane, "float32").tobytes() == array.tobytes()
        assert emulated.counts()["cuLaunchKernel"] >= array.nbytes >> 20
    finally:
        emulated.set_memory_limit(0)


@pytest.mark.parametrize("code", [OUT_OF_MEMORY, LAUNCH_FAILED])
def test_failing_calls(emulated, code):
    """Each call of the driver fails once: it is one DeviceError, and the next call works."""
    array = elements("float32", (40, 30)).T
    plane = device_plane(array)

    def compute():
        assert gathered(plane, "float32").tobytes() == array.tobytes()

    compute()
    assert fail_each_call(emulated, code, compute) > 5
