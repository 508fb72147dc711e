"""DLPack capsules made by hand with ctypes, right ones and wrong ones, that count how often they are released."""

import ctypes

_LEGACY, _VERSIONED = b"dltensor", b"dltensor_versioned"
FLOAT32 = (2, 32, 1)
CPU, CUDA, PINNED, ROCM = 1, 2, 3, 10


class _Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Dtype(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32), ("dtype", _Dtype),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_Deleter = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
# A capsule that is being destroyed must not become a Python object again, so it stays an address.
_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)


class _Legacy(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", _Deleter), ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi))
_name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_GetName", ctypes.pythonapi))


class Producer:
    """An object with ``__dlpack__`` over `values`, or over the memory at `address`; its description may be wrong on purpose.

    `n_exports` and `n_releases` count capsules made and managed tensors released; they have to end up equal.
    """

    def __init__(self, values=(0.0,) * 6, shape=(2, 3), *, strides=None, dtype=FLOAT32, device=(CPU, 0), ndim=None,
                 version=None, name=None, is_null=False, offset_bytes=0, has_deleter=True, keywords=("max_version",),
                 address=None, flags=0):
        self.memory = (ctypes.c_float * len(values))(*values)
        self.address = ctypes.addressof(self.memory) if address is None else address
        self.said = dict(shape=shape, strides=strides, dtype=dtype, device=device, is_null=is_null,
                         ndim=len(shape) if ndim is None else ndim, offset_bytes=offset_bytes, flags=flags)
        self.version, self.name, self.has_deleter, self.keywords = version, name, has_deleter, keywords
        self.n_exports = self.n_releases = 0
        self._kept = []

    def __dlpack_device__(self):
        return self.said["device"]

    def __dlpack__(self, **keywords):
        if set(keywords) - set(self.keywords):
            raise TypeError("unexpected keyword argument")
        self.n_exports += 1
        managed = _Versioned(*self.version) if self.version else _Legacy()
        self._fill(managed.tensor)
        if self.version:
            managed.flags = self.said["flags"]
        if self.has_deleter:
            managed.deleter = _Deleter(self._count_release)
        name = self.name if self.name is not None else _VERSIONED if self.version else _LEGACY
        destructor = _Destructor(lambda capsule: self._destroy(capsule, managed))
        capsule = _new(ctypes.addressof(managed), name, ctypes.cast(destructor, ctypes.c_void_p))
        self._kept += [managed, destructor, name]
        return capsule

    def _fill(self, tensor):
        said = self.said
        tensor.data = None if said["is_null"] else self.address
        tensor.device = _Device(*said["device"])
        tensor.dtype = _Dtype(*said["dtype"])
        tensor.ndim = said["ndim"]
        tensor.byte_offset = said["offset_bytes"]
        for name in ("shape", "strides"):
            sizes = said[name]
            if sizes is not None:
                array = (ctypes.c_int64 * max(len(sizes), 1))(*sizes)
                self._kept.append(array)
                setattr(tensor, name, array)

    def _count_release(self, address):
        self.n_releases += 1

    def _destroy(self, capsule, managed):
        """The destructor of a capsule: as in every producer, it releases the memory if no consumer has taken the capsule over."""
        if not _name_of(capsule).startswith(b"used") and self.has_deleter:
            managed.deleter(ctypes.addressof(managed))
