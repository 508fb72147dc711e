"""Common mistakes with tensors on a GPU: the right picture, or one sentence with the line to type next."""

import gc
import sys

import foreign_arrays as foreign
import matplotlib.pyplot as plt
import numpy as np
import pytest
from foreign_checks import A
from foreign_interfaces import NumbaManaged

import gpuplot
from gpuplot.errors import DeviceError, UnsupportedError, type_text

CALLS = {
    "asnumpy": gpuplot.asnumpy, "downsample": lambda X: gpuplot.downsample(X, (2, 3)), "to_rgba": gpuplot.to_rgba,
    "imshow": lambda X: gpuplot.imshow(X, ax=plt.figure().subplots()),
}


def assert_told(X, error, words, most_letters=260):
    """Assert that every function raises the same short sentence, before any kernel is launched."""
    for name, call in CALLS.items():
        with pytest.raises(error, match=words) as told:
            call(X)
        text = str(told.value)
        assert len(text) <= most_letters and "\n" not in text and not text.endswith("."), (name, text)


# ---- right without a thought -------------------------------------------------------------------------------------------


def test_a_tensor_with_gradient_is_handed_over_as_it_is(runtime):
    """Its `numpy()` fails; users need not call `detach()` first."""
    X = foreign.TorchTensor(runtime, A, requires_grad=True)
    np.testing.assert_array_equal(gpuplot.asnumpy(X), A)
    np.testing.assert_array_equal(gpuplot.to_rgba(X), gpuplot.to_rgba(A))


def test_losses_that_were_collected_on_the_device(runtime):
    losses = [foreign.TorchTensor(runtime, np.array(k, "f4"), requires_grad=True) for k in range(4)]
    np.testing.assert_array_equal(gpuplot.asnumpy(losses), np.arange(4))
    objects = np.empty(4, object)
    for k in range(4):
        objects[k] = losses[k]
    np.testing.assert_array_equal(gpuplot.asnumpy(objects), np.arange(4))
    history = {"loss": losses}
    np.testing.assert_array_equal(gpuplot.asnumpy(history["loss"], "f8"), np.arange(4.0))


def test_bytes_in_the_other_order(runtime):
    X = foreign.Wrapper(runtime, A.astype(">f4"))
    X.dtype_name, X.said = "float32", {"typestr": ">f4"}
    for swapped in (X, A.astype(">f4")):
        np.testing.assert_array_equal(gpuplot.to_rgba(swapped), gpuplot.to_rgba(A))
        assert gpuplot.asnumpy(swapped).tolist() == A.tolist() and gpuplot.asnumpy(swapped).dtype.isnative


def test_a_mask_on_the_device(runtime):
    X, mask = foreign.Wrapper(runtime, A), foreign.Wrapper(runtime, A > 5)
    X.said = {"mask": mask}
    np.testing.assert_array_equal(gpuplot.asnumpy(X), np.where(A > 5, A, np.nan))
    np.testing.assert_array_equal(gpuplot.to_rgba(X), gpuplot.to_rgba(np.ma.masked_less_equal(A, 5)))


def test_managed_memory_is_not_read_behind_the_devices_back(runtime, emulated, own_stream):
    with emulated.mode("forward", "late"):
        X = NumbaManaged.over(runtime, A, stream=own_stream)
        np.testing.assert_array_equal(gpuplot.asnumpy(X), A)


# ---- one sentence ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind, text", [(list, "a list"), (int, "an int"), (np.ndarray, "an ndarray"), (type("Array", (), {}), "an Array"),
                                        (type("UninitializedBuffer", (), {}), "an UninitializedBuffer"), (type("Unit", (), {}), "a Unit")])
def test_classes_have_their_article(kind, text):
    assert type_text(kind) == text


def test_a_gpu_that_this_process_does_not_see(runtime, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    X = foreign.Stranger(runtime, A)
    X.ordinal = 5
    words = r"no CUDA device 5: this process sees 2, numbered from 0.*CUDA_VISIBLE_DEVICES \(now 0,1\)"
    assert_told(X, DeviceError, words, most_letters=300)
    assert_told(gpuplot.from_pointer(X.pointer, (4, 6), "f4", device=5), DeviceError, words, most_letters=300)


def test_memory_that_its_owner_freed(runtime):
    for kind in (foreign.TorchTensor, foreign.NumbaArray, foreign.Stranger):
        X = kind(runtime, A)
        X.free()
        assert_told(X, DeviceError, "no memory that CUDA knows: was the tensor freed, or is it on the host")


def test_memory_that_is_freed_between_two_draws(runtime):
    fig = plt.figure()
    X = foreign.Stranger(runtime, np.random.default_rng(0).normal(size=(1100, 1000)).astype("f4"))
    image = gpuplot.imshow(X, ax=fig.subplots())
    fig.canvas.draw()
    X.free()
    image.update()
    with pytest.raises(DeviceError, match="was the tensor freed"):
        fig.canvas.draw()


def test_memory_of_another_context(runtime, emulated):
    with emulated.other_context() as context:
        X = foreign.PycudaArray(runtime, A, context=context)
        assert_told(X, UnsupportedError, "CUDA context of its own.*import pycuda.autoprimaryctx instead of pycuda.autoinit")
        X.free()
        gc.collect()


def test_a_donated_buffer_of_jax(runtime):
    X = foreign.JaxArray(runtime, A)
    X.is_deleted = True
    assert_told(X, UnsupportedError, "deleted|donated")


def test_a_pointer_of_the_host(runtime):
    assert_told(gpuplot.from_pointer(A.ctypes.data, A.shape, "f4"), DeviceError, r"numpy.ctypeslib.as_array\(pointer, shape\)",
                most_letters=300)


def test_lists_across_devices(runtime):
    assert_told([foreign.TorchTensor(runtime, A), foreign.TorchTensor(runtime, A, device=1)], ValueError, r"\[x.cpu\(\) for x in X\]")
    assert_told([foreign.TorchTensor(runtime, A), A], UnsupportedError, "convert them to one library first")


def test_the_class_in_place_of_its_tensor(runtime):
    assert_told(foreign.TorchTensor, TypeError, "neither an array nor a tensor")


def test_a_graph_that_is_being_captured(runtime, emulated, own_stream):
    runtime.streams[0] = own_stream
    X = foreign.TorchTensor(runtime, A, stream=own_stream)
    emulated.drain()
    with emulated.capture(own_stream, mode=1):
        assert_told(X, DeviceError, "capturing a CUDA graph.*draw before or after it")


def test_without_a_driver_in_this_process(runtime):
    """The words name the copy; the rest of this is in test_cuda_refusals.py."""
    from gpuplot.arrays.cuda_devices import copying_helps

    with pytest.raises(DeviceError, match=r"the Tensor is in CUDA memory.*copy it to the host first, with X.cpu\(\)"), \
            copying_helps(foreign.TorchTensor(runtime, A)):
        raise DeviceError("no driver")
    assert "torch" in sys.modules
