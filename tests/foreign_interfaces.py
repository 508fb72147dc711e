"""Arrays of libraries that have the CUDA array interface alone: Numba, RMM, PyCUDA, cuDF, and somebody's own."""

from types import SimpleNamespace

from emulated_device import LEGACY
from foreign_memory import ForeignArray, made_by


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
    """As cuDF: no word about streams; a bit mask where values are missing; an AttributeError for text."""

    root = "cudf"
    has_nulls, is_text = False, False

    @property
    def __cuda_array_interface__(self):
        if self.is_text:
            raise AttributeError("strings are not supported via `__cuda_array_interface__`")
        said = self.interface(1, strides=self.strides)
        if self.has_nulls:
            bits = {"shape": self.shape, "typestr": "|t1", "data": (self.pointer, True), "version": 1}
            said["mask"] = SimpleNamespace(__cuda_array_interface__=bits)
        return said

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a host NumPy array via __array__ is not allowed")


class Wrapper(ForeignArray):
    """An object of nobody's library with an interface of any version, which says what it is told to say."""

    said = {}
    version = 2

    @property
    def __cuda_array_interface__(self):
        return {name: value for name, value in (self.interface(self.version) | {"strides": self.strides} | self.said).items()
                if value is not Ellipsis}
