"""Lists of tensors: scalars on devices by one gather and one copy, larger tensors by their library, and clear errors."""

import threading

import foreign_arrays as foreign
import numpy as np
import pytest
from device_planes import fail_each_call
from emulated_device import LAUNCH_FAILED
from foreign_arrays import losses_of
from foreign_checks import PACES, A
from foreign_memory import DTYPES
from stored_tensors import elements, stored_bytes

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.errors import DeviceError, UnsupportedError

# Libraries whose 0-d arrays a list may hold.
CALLS = ("cuLaunchKernel", "cuMemcpyDtoHAsync_v2", "cuMemcpyHtoDAsync_v2", "cuMemAllocFromPoolAsync")
SCALARS = ["torch", "cupy", "jax", "tensorflow", "warp", "stranger", "numba", "pycuda", "wrapper"]


# ---- scalars -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("dialect", SCALARS)
def test_losses_of_every_library(runtime, emulated, own_stream, dialect, pace):
    with emulated.mode("forward", pace):
        losses = losses_of(runtime, dialect, 5, own_stream)
        source = describe(losses)
        assert (source.shape, source.dtype, source.device) == ((5,), "float32", None)
        np.testing.assert_array_equal(source.array, np.arange(5, dtype="f4"))
        assert all(loss.n_exports == loss.n_releases for loss in losses)


@pytest.mark.parametrize("dialect", SCALARS)
def test_one_gather_and_one_copy_however_many(runtime, emulated, dialect):
    """3 scalars and 60 take the same work: addresses are uploaded, one kernel runs, values are downloaded."""
    describe(losses_of(runtime, dialect, 2))  # kernels are loaded, memory is there

    def counted(n):
        losses = losses_of(runtime, dialect, n)
        before = _native.cuda_counts(0)
        emulated.clear_counts()
        np.testing.assert_array_equal(describe(losses).array, np.arange(n))
        after, calls = _native.cuda_counts(0), emulated.counts()
        return {name: calls.get(name, 0) for name in CALLS}, \
            after["bytes_to_host"] - before["bytes_to_host"], runtime.n_kernels

    few, bytes_few, kernels = counted(3)
    many, bytes_many, kernels_many = counted(60)
    assert few == many == dict(zip(CALLS, (1, 1, 1, 0), strict=True))
    assert (bytes_few, bytes_many, kernels) == (12, 240, kernels_many)


@pytest.mark.parametrize("name", ["bool", "int64", "float16", "bfloat16", "float8_e5m2", "complex32", "complex64", "float64"])
def test_dtypes_of_losses(runtime, name):
    stored = np.dtype(DTYPES[name][2])
    losses = [foreign.TorchTensor(runtime, np.array(k, stored), dtype=name) for k in range(4)]
    source = describe(losses)
    assert source.dtype == name
    np.testing.assert_array_equal(elements(source), stored_bytes(np.arange(4).astype(stored)))


@pytest.mark.parametrize("pace", PACES)
def test_flags_of_losses(runtime, emulated, own_stream, pace):
    runtime.streams[0] = own_stream
    with emulated.mode("forward", pace):
        losses = [foreign.TorchTensor(runtime, np.array(2, "f4"), stream=own_stream, requires_grad=True),
                  foreign.TorchTensor(runtime, np.array(3, "f4"), stream=own_stream, neg=True)]
        np.testing.assert_array_equal(describe(losses).array, [2, -3])


@pytest.mark.parametrize("is_endless", [True, False])
def test_lists_that_hold_themselves_end(is_endless):
    nested = []
    nested.append(nested if is_endless else 1.5)
    for _ in range(70):
        nested = [nested]
    with pytest.raises((ValueError, TypeError), match=r"nested more than 64 levels deep, or contains itself"):
        gpuplot.asnumpy(nested)


def test_a_stream_is_waited_for(runtime, emulated, own_stream):
    for dialect in ("torch", "numba", "stranger"):
        with emulated.mode("forward", "late"):
            losses = losses_of(runtime, dialect, 3)
            emulated.drain()
            for loss in losses:
                loss.late.rewrite(np.array(7, "f4"), own_stream)
            np.testing.assert_array_equal(describe(losses, stream=own_stream).array, [7, 7, 7])


def test_scalars_of_several_places_and_dtypes(runtime, emulated):
    """Each device is read once, numbers of the host are inserted between, and the dtype is NumPy's common one."""
    mixed = [foreign.TorchTensor(runtime, np.array(1.5, "f4")), 2, foreign.NumbaArray(runtime, np.array(3, "f4"), device=1),
             np.float32(4.5), foreign.TorchTensor(runtime, np.array(0x40A0, "u2"), dtype="bfloat16"), np.array(6.0)]
    source = describe(mixed)
    assert source.dtype == "float64"
    np.testing.assert_array_equal(source.array, [1.5, 2, 3, 4.5, 5, 6])
    assert describe([0.5, *losses_of(runtime, "cupy", 2)]).array.tolist() == [0.5, 0, 1]
    assert describe(losses_of(runtime, "torch", 2) + losses_of(runtime, "torch", 2, device=1)).dtype == "float32"


def test_nested_lists_and_arrays_of_objects(runtime):
    losses = losses_of(runtime, "torch", 6)
    np.testing.assert_array_equal(describe([losses[:3], losses[3:]]).array, np.arange(6).reshape(2, 3))
    np.testing.assert_array_equal(describe((losses[:3], tuple(losses[3:]))).array, np.arange(6).reshape(2, 3))
    objects = np.empty((3, 2), object)
    for k in range(6):
        objects[k // 2, k % 2] = losses[k]
    np.testing.assert_array_equal(describe(objects).array, np.arange(6).reshape(3, 2))
    np.testing.assert_array_equal(gpuplot.downsample(losses, (1, 6)), [np.arange(6)])
    with pytest.raises(ValueError, match="rows of the nested list differ in length: make them equal"):
        describe([losses[:3], losses[:2]])


def test_a_loss_that_was_freed(runtime, emulated):
    losses = losses_of(runtime, "torch", 3)
    losses[1].free()
    emulated.clear_counts()
    with pytest.raises(DeviceError, match="no memory that CUDA knows: was the tensor freed"):
        describe(losses)
    assert emulated.counts().get("cuLaunchKernel", 0) == 0


@pytest.mark.parametrize("dialect", ["torch", "numba"])
def test_every_call_of_the_driver_may_fail_once(runtime, emulated, dialect):
    losses = losses_of(runtime, dialect, 3)

    def draw():
        describe(losses)
        assert all(loss.n_exports == loss.n_releases for loss in losses)

    draw()
    assert 5 < fail_each_call(emulated, LAUNCH_FAILED, draw) < 150
    np.testing.assert_array_equal(describe(losses).array, [0, 1, 2])


def test_threads_gather_their_own_lists(runtime, emulated):
    lists, wrong = [losses_of(runtime, "numba", 4 + k, device=k % 2) for k in range(4)], []

    def read(losses):
        wrong.extend(k for k in range(10) if not np.array_equal(gpuplot.asnumpy(losses), np.arange(len(losses))))

    threads = [threading.Thread(target=read, args=(losses,)) for losses in lists]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_losses_in_a_graph_that_is_captured(runtime, emulated, own_stream):
    losses = losses_of(runtime, "torch", 3, own_stream)
    emulated.drain()
    with emulated.capture(own_stream, mode=1), pytest.raises(DeviceError, match="capturing a CUDA graph"):
        describe(losses)


# ---- larger tensors ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("dialect", ["torch", "cupy"])
def test_larger_tensors_are_stacked_by_their_library(runtime, emulated, own_stream, dialect, pace):
    runtime.streams[0] = own_stream
    with emulated.mode("forward", pace):
        kind = foreign.DIALECTS[dialect]
        parts = [kind(runtime, A + k, stream=own_stream) for k in range(2)]
        source = describe(parts)
        assert source.device == (2, 0) and source.shape == (2, 4, 6)
        np.testing.assert_array_equal(gpuplot.downsample(parts, (4, 6), index={0: 1}), A + 1)
        assert describe([parts, parts]).shape == (2, 2, 4, 6)
        assert describe([parts[0]]).shape == (1, 4, 6)


@pytest.mark.parametrize("make, words", [
    (lambda r: [foreign.TorchTensor(r, A), foreign.TorchTensor(r, A[1:])], r"differ in shape, \(4, 6\) and \(3, 6\)"),
    (lambda r: [foreign.TorchTensor(r, A), foreign.TorchTensor(r, A, device=1)], r"different devices.*\[x.cpu\(\) for x in X\]"),
    (lambda r: [foreign.CupyArray(r, A), foreign.CupyArray(r, A[1:])], "ndarray objects of the list differ in shape"),
    (lambda r: [foreign.TorchTensor(r, A), foreign.TorchTensor(r, np.array(1, "f4"))], r"differ in shape, \(4, 6\) and \(\)"),
])
def test_larger_tensors_that_do_not_fit(runtime, make, words):
    with pytest.raises(ValueError, match=words):
        describe(make(runtime))


@pytest.mark.parametrize("make, words", [
    (lambda r: [foreign.NumbaArray(r, A), foreign.NumbaArray(r, A)], "list of DeviceNDArray objects in CUDA memory.*stack them into one"),
    (lambda r: [foreign.TorchTensor(r, A), A], "Tensor objects in CUDA memory and ndarray objects cannot be stacked"),
    (lambda r: [A, foreign.CupyArray(r, A)], "ndarray objects in CUDA memory and ndarray objects cannot be stacked"),
])
def test_larger_tensors_that_nobody_stacks(runtime, make, words):
    with pytest.raises(UnsupportedError, match=words):
        describe(make(runtime))


# ---- host memory -------------------------------------------------------------------------------------------------------


def test_lists_of_the_host_are_numpys(runtime):
    """Lists without device scalars become NumPy arrays without a call of CUDA; objects that are no numbers are refused."""
    assert describe([1, 2.5]).dtype == "float64"
    assert describe([A, A + 1]).shape == (2, 4, 6)
    assert describe([]).shape == (0,)
    objects = np.empty(2, object)
    objects[:] = [1, "a"]
    for wrong in (objects, np.array([{}, None]), np.array([], object)):
        with pytest.raises(UnsupportedError, match="dtype object are not numbers"):
            describe(wrong)
    with pytest.raises(ValueError, match="differ in length"):
        describe([[1], [2, 3]])


def test_dtypes_of_torch_that_do_not_mix():
    torch = pytest.importorskip("torch")
    one = torch.ones(2)
    with pytest.raises(UnsupportedError, match=r"float8_e5m2 and bfloat16, do not stack.*x\.float\(\)"):
        describe([one.to(torch.float8_e5m2), one.to(torch.bfloat16)])


@pytest.mark.host("lists of CPU tensors become an array of host memory")
@pytest.mark.parametrize("masked", [np.ma.masked, np.ma.array(7, mask=True), np.ma.array(7.0, mask=True)])
def test_masked_scalars_among_tensors_stay_masked(masked):
    torch = pytest.importorskip("torch")
    objects = np.ma.empty(2, object)
    objects[:], objects.mask = [torch.tensor(1), torch.tensor(2)], [False, True]
    for scalars in ([torch.tensor(1), masked], [torch.tensor(1, dtype=torch.bfloat16), masked], objects):
        assert describe(scalars).array.tolist() == [1, None]
    assert describe([[torch.tensor(1), masked], [3, torch.tensor(4)]]).array.tolist() == [[1, None], [3, 4]]


@pytest.mark.host("lists of CPU tensors become an array of host memory")
def test_masked_arrays_that_are_stacked_with_tensors_stay_masked():
    torch = pytest.importorskip("torch")
    stacked = describe([torch.tensor([1.0], requires_grad=True), np.ma.array([7], mask=True)])
    assert stacked.array.tolist() == [[1], [None]]
