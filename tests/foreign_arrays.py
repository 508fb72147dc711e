"""Arrays of other libraries over the emulated device: the dialects of PyTorch, CuPy, Numba, JAX, ... with late memory.

Each class refuses, orders and exports as its library does: which keywords it takes, which errors it raises, what a stream
means, which capsules and interface versions it has. The values reach the memory when the library's own stream comes to them,
so that whoever forgets to wait sees poison.
"""

import sys
from collections import namedtuple
from types import ModuleType, SimpleNamespace

import numpy as np
from capsules import CUDA
from emulated_device import LEGACY
from foreign_interfaces import CudfSeries, NumbaArray, PycudaArray, RmmBuffer, Wrapper
from foreign_memory import MANAGED, ForeignArray, made_by

# ---- PyTorch -----------------------------------------------------------------------------------------------------------


_TorchDevice = namedtuple("_TorchDevice", "type index")


class _TorchDtype:
    def __init__(self, name):
        self.name = name

    def __str__(self):
        return f"torch.{self.name}"


@made_by("torch", "Tensor")
class TorchTensor(ForeignArray):
    """As torch 2: `age` "old" is one whose __dlpack__ knows no max_version, raises RuntimeError and checks no device."""

    root = "torch"

    def __init__(self, runtime, values, *, requires_grad=False, conj=False, neg=False, age="new", layout="strided", is_quantized=False,
                 **rest):
        super().__init__(runtime, values, **rest)
        self.requires_grad, self._conj, self._neg, self.age = requires_grad, conj, neg, age
        self.device = _TorchDevice("cuda", self.ordinal)
        self.layout, self.is_nested, self.is_quantized = layout, False, is_quantized

    def _like(self, values=None, late=None, **changes):
        """Another tensor of the library, over the same memory unless `values` are given."""
        said = {"requires_grad": self.requires_grad, "conj": self._conj, "neg": self._neg, "dtype": self.dtype_name, "layout": self.layout,
                "is_quantized": self.is_quantized} | changes
        late = late or (self.late if values is None else None)
        other = TorchTensor(self.runtime, self.values if values is None else values, age=self.age, device=self.ordinal,
                            stream=self.runtime.stream(self.ordinal), late=late, **said)
        other.producers = self.producers
        return other

    def _computed(self, values, **changes):
        """A tensor that is written by a kernel on the current stream of the tensor's device."""
        self.runtime.n_kernels += 1
        return self._like(values, **changes)

    dtype = property(lambda self: _TorchDtype(self.dtype_name))
    ndim = property(lambda self: self.values.ndim)

    def numel(self):
        return self.values.size

    def data_ptr(self):
        return self.pointer

    def dim(self):
        return self.values.ndim

    def reshape(self, *shape):
        return self._like(self.values.reshape(shape), late=self.late)

    def detach(self):
        return self._like(requires_grad=False)

    def as_subclass(self, cls):
        assert cls is TorchTensor
        return self._like()

    def is_conj(self):
        return self._conj

    def is_neg(self):
        return self._neg

    def resolve_conj(self):
        return self._computed(np.conj(self.values), conj=False) if self._conj else self

    def resolve_neg(self):
        return self._computed(-self.values, neg=False) if self._neg else self

    def to_dense(self):
        return self._computed(self.values, layout="strided")

    def dequantize(self):
        return self._computed(self.values.astype("f4") / 2, is_quantized=False, dtype="float32")

    def view(self, dtype):
        assert dtype.name == "uint8"
        return self._like(late=self.late, dtype="uint8")

    def __dlpack_device__(self):
        return (CUDA, self.ordinal)

    def __dlpack__(self, **keywords):
        return (self._export_old if self.age == "old" else self._export_new)(**keywords)

    def _export_old(self, stream=None):
        if self.requires_grad or self._conj:
            raise RuntimeError("Can't export tensors that require gradient, use tensor.detach()")
        self._order(stream)
        return self.capsule()

    def _export_new(self, *, stream=-1, max_version=None, dl_device=None, copy=None):
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if self._conj:
            raise BufferError("Can't export tensors with the conjugate bit set")
        if self.dtype_name.startswith("float8"):
            raise BufferError("float8 types are not supported by dlpack")
        if self.ordinal != self.runtime.device:
            raise BufferError(f"Can't export tensors on a different CUDA device index. Expected: {self.ordinal}. "
                              f"Current device: {self.runtime.device}.")
        self._order(stream)
        return self.capsule(version=(1, 1) if max_version is not None and max_version[0] >= 1 else None)

    def _order(self, stream):
        if stream is not None and type(stream) is not int:
            raise TypeError("stream must be ``int`` or ``none``")
        if stream == 2:
            raise BufferError("per-thread default stream is not supported.")
        assert stream != 0, "unsupported stream on CUDA: 0"
        if stream != -1:
            waiting = LEGACY if stream is None else stream
            if waiting != self.runtime.stream():
                self.runtime.let_wait(waiting, self.runtime.stream(), self.runtime.device)

    @property
    def __cuda_array_interface__(self):
        if self.requires_grad:
            raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad.")
        if self.dtype_name.startswith("float8"):
            raise KeyError(self.dtype)
        return self.interface(2, strides=None if self.is_contiguous else self.strides)


def torch_module(runtime):
    """A module for sys.modules with the parts of PyTorch that gpuplot uses."""
    torch = ModuleType("torch")
    torch.Tensor, torch.strided, torch.uint8 = TorchTensor, "strided", _TorchDtype("uint8")
    torch.stack = lambda tensors: tensors[0]._computed(np.stack([tensor.values for tensor in tensors]))
    torch.version = SimpleNamespace(hip=None, cuda="13.0")
    torch.cuda = SimpleNamespace(
        is_initialized=lambda: True, current_device=lambda: runtime.device, device=runtime.current,
        is_current_stream_capturing=runtime.is_capturing,
        current_stream=lambda device=None: SimpleNamespace(cuda_stream=_zero_for_legacy(runtime.stream(device))))
    return torch


def _zero_for_legacy(handle):
    """Libraries of the runtime API call the legacy default stream 0."""
    return 0 if handle == LEGACY else handle


# ---- CuPy --------------------------------------------------------------------------------------------------------------


@made_by("cupy", "ndarray")
class CupyArray(ForeignArray):
    """As CuPy 13: its work is on the current stream of the current device, whatever stream wrote the array."""

    root = "cupy"

    def __init__(self, runtime, values, *, interface_version=3, refuses_dlpack=False, **rest):
        super().__init__(runtime, values, **rest)
        self.interface_version, self.refuses_dlpack = interface_version, refuses_dlpack
        self.device = runtime.current(self.ordinal)
        self.dtype = SimpleNamespace(name=self.dtype_name)

    itemsize = property(lambda self: self.values.itemsize)

    def copy(self):
        """On the current device, by its current stream."""
        self.runtime.n_kernels += 1
        return CupyArray(self.runtime, self.values, device=self.runtime.device, stream=self.runtime.stream())

    def __dlpack_device__(self):
        return (MANAGED if self.late.kind == "managed" else CUDA, self.ordinal)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if self.refuses_dlpack:
            raise BufferError(f"dtype is not supported by DLPack: {self.dtype_name}")
        if stream is None:
            stream = LEGACY
        elif not isinstance(stream, int) or stream < -1:
            raise ValueError(f"On CUDA, the valid stream for the DLPack protocol is -1, 1, 2, or any larger value, but {stream} "
                             "was provided")
        assert stream != 0, "CuPy takes 0 for the legacy stream and warns"
        if stream >= 0 and stream != self.runtime.stream():
            self.runtime.let_wait(stream, self.runtime.stream(), self.runtime.device)
        # The deviating device of managed memory is DLPack's rule, not CuPy's.
        kind = self.__dlpack_device__()[0]
        return self.capsule(version=(1, 0) if max_version is not None and max_version[0] >= 1 else None, kind=kind,
                            device=0 if kind == MANAGED else None, divide=_divided_without_sign)

    @property
    def __cuda_array_interface__(self):
        strides = None if self.is_contiguous else self.strides
        said = self.interface(self.interface_version, strides=strides, descr=[("", "<f4")])
        if self.interface_version >= 3:
            said["stream"] = self.runtime.stream()
        return said

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array "
                        "explicitly.")


def _divided_without_sign(stride, size):
    """Strides are divided by an unsigned number: those below zero become large ones."""
    return stride % 2**64 // size


def cupy_module(runtime):
    """A module for sys.modules with the parts of CuPy that gpuplot uses."""
    cupy = ModuleType("cupy")
    cupy.ndarray = CupyArray
    cupy.stack = lambda arrays: _stacked_by_cupy(runtime, arrays)
    cupy.cuda = SimpleNamespace(get_current_stream=lambda: SimpleNamespace(
        ptr=_zero_for_legacy(runtime.stream()), is_capturing=runtime.is_capturing))
    return cupy


def _stacked_by_cupy(runtime, arrays):
    """A stack of arrays that is written by a kernel on the current stream."""
    runtime.n_kernels += 1
    return CupyArray(runtime, np.stack([array.values for array in arrays]), device=runtime.device, stream=runtime.stream())


# ---- libraries with DLPack alone ---------------------------------------------------------------------------------------


@made_by("jaxlib._jax", "ArrayImpl")
class JaxArray(ForeignArray):
    """As JAX: a legacy capsule whatever version is asked for; without a stream the host waits. Its CAI orders nothing."""

    root = "jax"
    is_deleted, n_shards = False, 1

    def __dlpack_device__(self):
        if self.n_shards > 1:
            raise BufferError("__dlpack__ only supported for unsharded arrays.")
        return (CUDA, self.ordinal)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if self.is_deleted:
            raise RuntimeError(f"Array has been deleted with shape={self.dtype_name}{list(self.shape)}.")
        if self.n_shards > 1:
            raise BufferError("to_dlpack can only pack a dlpack tensor from an array on a singular device, but an array with "
                              f"a Sharding over {self.n_shards} devices was provided.")
        if stream is None:
            self.runtime.emulator.synchronize(self.stream, self.ordinal)
        else:
            self.runtime.let_wait(stream, self.stream, self.ordinal)
        return self.capsule()

    @property
    def __cuda_array_interface__(self):
        raise AssertionError("the CUDA array interface of JAX says nothing about pending work: it must not be read")


@made_by("tensorflow.python.framework.ops", "EagerTensor")
class TensorflowTensor(ForeignArray):
    """As TensorFlow: no keyword but None, a RuntimeError otherwise; the export waits for the whole device."""

    root = "tensorflow"
    dtype = property(lambda self: SimpleNamespace(name=self.dtype_name))

    def __dlpack_device__(self):
        return (CUDA, self.ordinal)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if stream is not None or dl_device is not None or copy is not None:
            raise RuntimeError("stream, dl_device and copy are not supported")
        self.runtime.emulator.synchronize(None, self.ordinal)
        return self.capsule()


@made_by("tensorflow.python.ops.resource_variable_ops", "ResourceVariable")
class TensorflowVariable:
    """Rejected by DLPack; its value is a tensor."""

    dtype = property(lambda self: self.value.dtype)

    def __init__(self, value):
        self.value = value

    def read_value(self):
        return self.value


@made_by("warp._src.types", "array")
class WarpArray(ForeignArray):
    """As Warp: only stream=, no strides where contiguous; the work of its device's stream is waited for."""

    root = "warp"

    def __dlpack_device__(self):
        return (CUDA, self.ordinal)

    def __dlpack__(self, stream=None):
        if not isinstance(stream, int):
            raise TypeError("DLPack stream must be an integer or None")
        if stream != -1:
            waiting = LEGACY if stream in (0, 1) else stream
            self.runtime.let_wait(waiting, self.stream, self.ordinal)
        return self.capsule(has_strides=not self.is_contiguous)

    @property
    def __cuda_array_interface__(self):
        return self.interface(2, strides=None if self.is_contiguous else self.strides)


class Stranger(ForeignArray):
    """An object of an unknown library that follows the standard: the consumer's stream waits for its stream."""

    def __dlpack_device__(self):
        return (MANAGED if self.late.kind == "managed" else CUDA, 0 if self.late.kind == "managed" else self.ordinal)

    def __dlpack__(self, *, stream=None, max_version=None):
        if stream == 0:
            raise ValueError("stream 0 is ambiguous")
        if stream != -1:
            self.runtime.let_wait(LEGACY if stream is None else stream, self.stream, self.ordinal)
        kind, device = self.__dlpack_device__()
        return self.capsule(version=max_version and (1, 3), kind=kind, device=device)


@made_by("cuda.core._memory._buffer", "Buffer")
class CoreBuffer(ForeignArray):
    """As cuda.core: bytes; the stream argument is accepted and ignored."""

    root = "cuda"

    def __dlpack_device__(self):
        return (CUDA, self.ordinal)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return self.capsule(version=(1, 0) if max_version is not None and max_version >= (1, 0) else None)


# The object of each library whose tensors are not ndarrays.
DIALECTS = {
    "torch": TorchTensor, "cupy": CupyArray, "jax": JaxArray, "tensorflow": TensorflowTensor, "warp": WarpArray,
    "core": CoreBuffer, "stranger": Stranger, "numba": NumbaArray, "rmm": RmmBuffer,
    "pycuda": PycudaArray, "cudf": CudfSeries, "wrapper": Wrapper,
}


def installed(monkeypatch, runtime):
    """Puts the modules of PyTorch and CuPy into sys.modules for one test; returns the runtime's state."""
    monkeypatch.setitem(sys.modules, "torch", torch_module(runtime))
    monkeypatch.setitem(sys.modules, "cupy", cupy_module(runtime))
    return runtime


class JaxParameter:
    """As parameters of libraries of layers over JAX (flax.nnx)."""

    def __init__(self, value):
        self.value = value

    def __jax_array__(self):
        return self.value


def losses_of(runtime, dialect, n, stream=LEGACY, dtype="f4", device=0, **keywords):
    if dialect in ("torch", "cupy"):
        runtime.streams[device] = stream
    return [DIALECTS[dialect](runtime, np.array(k, dtype), stream=stream, device=device, **keywords) for k in range(n)]
