"""Objects that say anything through DLPack and the array interfaces: read as they lie in memory, or refused in one sentence.

Memory is one block of 1024 bytes. What lies inside of it, as Python's integers tell, has to be drawn with just these bytes; what
leaves it is described at most, because nobody may read it.
"""

import gc
import itertools
import math
import os

import numpy as np
from capsules import CPU, CUDA, PINNED, ROCM, Producer
from py_input import Input

from gpuplot.arrays.describe import describe
from gpuplot.errors import DeviceError
from gpuplot.transfer.asnumpy import asnumpy

N_BYTES = 1024
_CODES = {"b": (6, 8), "B": (1, 8), "H": (1, 16), "I": (1, 32), "Q": (1, 64), "h": (0, 16), "i": (0, 32), "q": (0, 64), "e": (2, 16),
          "f": (2, 32), "d": (2, 64), "F": (5, 64), "D": (5, 128)}
_TYPESTRS = ["|b1", "|u1", "<u2", "<u4", "<u8", "|i1", "<i2", ">i4", "<i8", "<f2", ">f4", "<f8", "<c8", "<c16"]

# What reading an object may raise. Everything else is a bug, and so is an empty or a broken text.
REFUSALS = (TypeError, ValueError, OverflowError, DeviceError)


class Block:
    """Memory of the host, or of the emulated device where that is built."""

    def __init__(self, emulated=None):
        self.bytes = (np.arange(N_BYTES) * 7 + np.arange(N_BYTES) // 256).astype(np.uint8)
        self.bytes[::4] &= 0x3f  # no signs: fewer NaNs
        self.device = None if emulated is None else emulated.upload(self.bytes)
        self.address = self.bytes.ctypes.data if emulated is None else self.device.pointer


def _emulated():
    """The emulated device if FUZZ_DEVICE asks for it. Without it no driver is found, and device memory is refused."""
    if os.environ.get("FUZZ_DEVICE") != "1":
        os.environ.setdefault("GPUPLOT_CUDA_DRIVER", "/nonexistent/libcuda.so.1")
        return None
    import emulated_device

    return emulated_device.load()


_emulator = _emulated()
HOST = Block()
DEVICE = Block(_emulator) if _emulator else None


def _numbers(source, n, is_wild):
    return tuple(source.integer() if is_wild else source.between(-3 if source.one_in(2) else 0, 6) for _ in range(n))


def _as_int64(n):
    """The nearest number that DLPack can say."""
    return max(-2**63, min(n, 2**63 - 1))


def _is_inside(offset, shape, strides, item_bytes):
    """Whether the elements, strides in bytes, lie in the block and are not absurd numbers; of no elements nothing is read."""
    if any(n < 0 for n in shape) or math.prod(max(n, 1) for n in shape) > 2**40:
        return False
    if any(abs(stride) >= 2**63 for stride in strides):
        return False
    if 0 in shape:
        return True
    reach = [stride * (n - 1) for n, stride in zip(shape, strides, strict=True)]
    low, high = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
    return offset + low >= 0 and offset + high + item_bytes <= N_BYTES


def _row_major(shape, item_bytes):
    return tuple(itertools.accumulate((max(n, 1) for n in shape[:0:-1]), int.__mul__, initial=item_bytes))[::-1] if shape else ()


def _elements(offset, shape, strides, dtype):
    """The elements, byte for byte."""
    starts = (offset + sum(i * stride for i, stride in zip(index, strides, strict=True)) for index in np.ndindex(shape))
    return np.frombuffer(b"".join(HOST.bytes[at:at + dtype.itemsize].tobytes() for at in starts), dtype).reshape(shape)


def _check(X, want):
    """Describes X. `want`, a function, gives its elements where all of them lie in the block; None: it must not be read."""
    try:
        source = describe(X)
    except REFUSALS as error:
        text = str(error)
        assert text.strip() and "\n" not in text, repr(text)
        assert "SystemError" not in text, text
        return False
    if want is not None and math.prod(max(n, 1) for n in source.shape) <= 4096:  # lengths beside a zero count, too
        expected = want()
        got = asnumpy(X)
        assert got.shape == expected.shape and got.dtype == expected.dtype.newbyteorder("="), (got.dtype, expected.dtype)
        if got.dtype == bool:  # which NumPy may write as 1 where 2 is stored
            got, expected = got.view("u1") != 0, expected.view("u1") != 0
        assert got.tobytes() == expected.astype(got.dtype).tobytes(), "other elements than those in memory"
    return True


# ---- DLPack ---------------------------------------------------------------------------------------------------------------------


def _dlpack(source):
    is_wild = source.one_in(4)
    code, bits = source.choice(list(_CODES.values())) if not source.one_in(16) else (source.bits(1), source.bits(1))
    lanes = 1 if not source.one_in(32) else source.bits(1)
    shape = _numbers(source, source.between(0, 4 if not source.one_in(32) else 70), is_wild)
    shape = tuple(map(_as_int64, shape))
    strides = None if source.one_in(3) else tuple(map(_as_int64, _numbers(source, len(shape), is_wild)))
    offset = source.between(0, 255) * 2 if not source.one_in(8) else source.integer() % 2**64
    kind = source.choice([CPU, CPU, CPU, CUDA, PINNED, ROCM, 13, source.between(0, 20)])
    block = DEVICE if DEVICE and kind in (CUDA, 13) else HOST
    address = block.address if not source.one_in(16) else source.bits(8)
    ndim = len(shape) if not source.one_in(32) else source.choice([-1, -2**31, 65, 2**31 - 1])
    X = Producer((), shape, strides=strides, dtype=(code, bits, lanes), device=(kind, source.between(0, 1) if source.one_in(8) else 0),
                 ndim=ndim, version=source.choice([None, None, (1, 0), (1, 1), (2, 0), (0, 8)]), offset_bytes=offset,
                 is_null=source.one_in(16), has_deleter=not source.one_in(8), address=address, flags=source.choice([0, 0, 1, 2, 4]),
                 name=source.choice([None] * 14 + [b"used_dltensor", b"tensor"]),
                 keywords=source.choice([("max_version",), (), ("stream", "max_version")]))
    item_bytes = max(bits // 8, 1)
    letter = {value: letter for letter, value in _CODES.items()}.get((code, bits))
    byte_strides = _row_major(shape, item_bytes) if strides is None else tuple(s * item_bytes for s in strides)
    is_array = letter and lanes == 1 and address == block.address and ndim == len(shape)
    is_ours = is_array and _is_inside(offset, shape, byte_strides, item_bytes)
    dtype = np.dtype({"b": "?"}.get(letter, letter)) if letter else None
    is_taken = _check(X, (lambda: _elements(offset, shape, byte_strides, dtype)) if is_ours and not X.said["is_null"] else None)
    gc.collect(0)
    is_released = X.has_deleter and X.name != b"used_dltensor"  # a capsule of that name is somebody else's to release
    assert X.n_releases == (X.n_exports if is_released else 0), (X.n_exports, X.n_releases)
    is_plain = is_ours and kind == CPU and len(shape) <= 32 and not X.said["is_null"] and X.name is None and X.version != (2, 0)
    assert is_taken or not is_plain or X.version == (0, 8), "memory that can be read was refused"


# ---- the array interfaces -------------------------------------------------------------------------------------------------------


def _interface(source, block, offset, is_wild):
    """An interface's dict, and what it means: offset, shape, byte strides, dtype and address."""
    typestr = source.choice(_TYPESTRS)
    dtype = np.dtype(typestr)
    shape = _numbers(source, source.between(0, 4), is_wild)
    strides = None if source.one_in(3) else tuple(s if is_wild else s * dtype.itemsize for s in _numbers(source, len(shape), is_wild))
    address = block.address + offset if not source.one_in(16) else source.bits(8)
    said = {"shape": shape, "typestr": typestr, "data": (address, source.one_in(2)), "version": 3}
    if strides is not None or source.one_in(2):
        said["strides"] = strides
    meant = offset, shape, _row_major(shape, dtype.itemsize) if strides is None else strides, dtype, address
    return said, meant


def _spoil(source, said):
    """One field that is anything, or missing."""
    name = source.choice(["shape", "typestr", "data", "strides", "version", "mask", "stream", "descr", "offset"])
    value = source.choice([None, source.json(), tuple(source.json() for _ in range(source.between(0, 3))), source.integer()])
    if source.one_in(4):
        said.pop(name, None)
    else:
        said[name] = value


class Speaker:
    """An object that is nothing but its interface, and keeps what it points to."""


def _array_interface(source, is_cuda):
    block = DEVICE if is_cuda and DEVICE else HOST
    offset, is_wild = source.between(0, 255) * 2, source.one_in(4)
    said, (offset, shape, strides, dtype, address) = _interface(source, block, offset, is_wild)
    is_spoiled = source.one_in(3)
    if is_spoiled:
        _spoil(source, said)
    if is_cuda and source.one_in(4):
        said["stream"] = source.choice([None, 1, 2, 0, source.integer()])
    name = "__cuda_array_interface__" if is_cuda else "__array_interface__"
    X = type("Speaker", (Speaker,), {name: said})()
    is_ours = not is_spoiled and address == block.address + offset and _is_inside(offset, shape, strides, dtype.itemsize)
    is_stream = is_cuda and said.get("stream") not in (None, 1, 2)
    if is_stream and DEVICE:
        return  # a handle that is none: a driver may do anything
    is_taken = _check(X, (lambda: _elements(offset, shape, strides, dtype)) if is_ours else None)
    assert is_taken or not is_ours or is_cuda, f"memory that can be read was refused: {said}"


def one(data):
    """One input of the fuzzer."""
    source = Input(data)
    kind = source.between(0, 2)
    if kind == 0:
        _dlpack(source)
    else:
        _array_interface(source, is_cuda=kind == 2)
