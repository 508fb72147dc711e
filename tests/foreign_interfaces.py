"""Arrays of libraries that only have the CUDA array interface: Numba, RMM, PyCUDA, cuDF, and an unknown one."""

import ctypes
from types import SimpleNamespace

import numpy as np
from emulated_device import LEGACY
from foreign_memory import ForeignArray, Late, made_by


@made_by("numba.cuda.cudadrv.devicearray", "DeviceNDArray")
class NumbaArray(ForeignArray):
    """As Numba: version 3 with the stream that the array is bound to; unbound work is on the legacy default stream."""

    root = "numba"

    @property
    def __cuda_array_interface__(self):
        return self.interface(3, strides=None if self.is_contiguous else self.strides,
                              stream=None if self.stream == LEGACY else self.stream)


@made_by("rmm.pylibrmm.device_buffer", "DeviceBuffer")
class RmmBuffer(ForeignArray):
    """As RMM: bytes in one dimension, version 0, no stream."""

    root = "rmm"

    @property
    def __cuda_array_interface__(self):
        return self.interface(0, strides=None)


@made_by("pycuda.gpuarray", "GPUArray")
class PycudaArray(ForeignArray):
    """As PyCUDA: version 3 that says it has no stream; strides always; often in a context of its own."""

    root = "pycuda"

    @property
    def __cuda_array_interface__(self):
        return self.interface(3, strides=self.strides, stream=None)


@made_by("cudf.core.series", "Series")
class CudfSeries(ForeignArray):
    """As cuDF: no word about streams; Arrow's bit mask where values are missing; an AttributeError for text.

    `valid` says where they are not; the shape of the mask is in elements in some versions and in bytes in others.
    """

    root = "cudf"
    is_text = False

    def __init__(self, runtime, values, *, valid=None, says_bytes=False, **rest):
        super().__init__(runtime, values, **rest)
        packed = None if valid is None else np.packbits(np.r_[valid, np.ones(-len(valid) % 512, bool)], bitorder="little")
        self.bits = None if valid is None else ForeignArray(runtime, packed, stream=self.stream, device=self.ordinal)
        self.mask_shape = packed.shape if says_bytes else self.shape

    @property
    def __cuda_array_interface__(self):
        if self.is_text:
            raise AttributeError("strings are not supported via `__cuda_array_interface__`")
        said = self.interface(1, strides=self.strides)
        if self.bits is not None:
            bits = {"shape": self.mask_shape, "typestr": "|t1", "data": (self.bits.pointer, True), "version": 1}
            said["mask"] = SimpleNamespace(__cuda_array_interface__=bits)
        return said

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a host NumPy array via __array__ is not allowed")


class Wrapper(ForeignArray):
    """An object of an unknown library with an interface of any version and content."""

    said = {}
    version = 2

    @property
    def __cuda_array_interface__(self):
        return {name: value for name, value in (self.interface(self.version) | {"strides": self.strides} | self.said).items()
                if value is not Ellipsis}


@made_by("numba.cuda.cudadrv.devicearray", "ManagedNDArray")
class NumbaManaged(np.ndarray):
    """As Numba's managed and mapped arrays: ndarrays over memory that a device writes; slices lose what Numba knows of it.

    Made by `NumbaManaged.over`. The interface gives the address of the whole memory, whatever part this array is.
    """

    @classmethod
    def over(cls, runtime, values, *, kind="managed", stream=LEGACY, device=0):
        late = Late(runtime, values, stream, device, kind)
        memory = (ctypes.c_char * max(1, values.nbytes)).from_address(late.pointer or ctypes.addressof(ctypes.c_char()))
        array = np.ndarray(values.shape, values.dtype, memory).view(cls)
        array.late, array.stream = late, 0 if stream == LEGACY else SimpleNamespace(handle=ctypes.c_void_p(stream))
        return array

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.late.pointer, False), "strides": None, "version": 3,
                "stream": None}
