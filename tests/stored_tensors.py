"""Tensors for tests: every dtype in storage form, every memory layout, and the Source that hands them to gpuplot."""

import mmap

import numpy as np

from gpuplot import _native
from gpuplot.arrays.describe import Source
from gpuplot.arrays.dtypes import ITEM_BYTES
from gpuplot.plane.view import choose

PLAIN = ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
         "complex64", "complex128")
CODED = {"bfloat16": np.uint16, **{name: np.uint8 for name in (
    "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3b11fnuz", "float8_e4m3",
    "float8_e3m4", "float8_e8m0fnu")}}
REAL = tuple(name for name in (*PLAIN, *CODED) if not name.startswith("complex"))


def storage_of(rng, dtype, shape, n_bad=0):
    """Random elements as stored (codes for dtypes that NumPy lacks), `n_bad` of them NaN or infinite if it is a float."""
    if dtype in CODED:
        codes = rng.integers(0, 256 if CODED[dtype] is np.uint8 else 65536, shape).astype(CODED[dtype])
        return _finite_codes(rng, codes, dtype, n_bad)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype.startswith(("int", "uint")):
        info = np.iinfo(dtype)
        low, high = max(info.min, -(2**40)), min(info.max, 2**40)
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)
    values = rng.normal(size=shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.normal(size=shape)
    values = np.asarray(values, dtype)
    _spoil(rng, values, n_bad)
    return values


def _finite_codes(rng, codes, dtype, n_bad):
    """Random codes with all but `n_bad` of the non-finite ones replaced by the code of 1 (or a small number)."""
    import reference

    values = reference.load(codes, dtype)
    bad = np.flatnonzero(~np.isfinite(values) | (np.abs(values) > 1e30) | ((values != 0) & (np.abs(values) < 1e-30)))
    codes.flat[bad] = 0x38 if CODED[dtype] is np.uint8 and dtype != "float8_e8m0fnu" else 0x3F80 if dtype == "bfloat16" else 0x7F
    if n_bad and codes.size:
        nan_code = {"bfloat16": 0x7FC0, "float8_e4m3fnuz": 0x80, "float8_e5m2fnuz": 0x80, "float8_e4m3b11fnuz": 0x80,
                    "float8_e8m0fnu": 0xFF}.get(dtype, 0x7F)
        codes.flat[rng.integers(0, codes.size, n_bad)] = nan_code
    return codes


def _spoil(rng, values, n_bad):
    if values.size and n_bad:
        values.flat[rng.integers(0, values.size, n_bad)] = rng.choice([np.nan, np.inf, -np.inf], n_bad)


def as_source(stored, dtype):
    """What to hand to gpuplot for stored elements of a dtype: the array itself where NumPy has the dtype."""
    if dtype not in CODED:
        return stored
    return Source(stored, lambda array: _native.Tensor.from_array(array, dtype), stored.shape, dtype)


def elements(source):
    """The stored bytes of a tensor's plane as the native layer finds them, (rows, columns, bytes of an element)."""
    view = choose(source.shape, None, source.dtype, rgb=False)
    out = np.empty((*view.shape, ITEM_BYTES[source.dtype]), np.uint8)
    with source.borrow() as tensor:
        return _native.gather(_native.Plane(tensor, view.uses, view.stage_ops, view.component), out)


def stored_bytes(values):
    """The bytes of an ndarray as `elements` has them, one row if it has one axis or none."""
    plane = np.atleast_2d(values)
    return np.ascontiguousarray(plane).view(np.uint8).reshape(*plane.shape, plane.itemsize)


def windows(values, shape):
    """An array of any shape in little memory: one step along any axis is one element on, and values repeat. Unlike those of
    `numpy.broadcast_to`, which are read once, all of its elements are looked at.
    """
    n = sum(shape) - len(shape) + 1
    values = np.resize(values, n)
    return np.lib.stride_tricks.as_strided(values, shape, [values.itemsize] * len(shape), writeable=False)


def endless_row():
    """A row of 2^34 zeros, whose pages are never allocated."""
    return np.frombuffer(mmap.mmap(-1, 2**36, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ), "f4")


def _strided(array):
    big = np.zeros([2 * n + 1 for n in array.shape], array.dtype)
    part = big[tuple(slice(1, 1 + 2 * n, 2) for n in array.shape)]
    part[...] = array
    return part


def _reversed(array):
    turn = (slice(None, None, -1),) * array.ndim
    return np.ascontiguousarray(array[turn])[turn]


def _unaligned(array):
    raw = np.zeros(array.nbytes + 1, np.uint8)
    part = raw[1:].view(np.uint8)[:array.nbytes].view(array.dtype).reshape(array.shape)
    part[...] = array
    return part


def _swapped(array):
    return array.astype(array.dtype.newbyteorder("S"))


LAYOUTS = {
    "C": np.ascontiguousarray, "F": np.asfortranarray, "strided": _strided, "reversed": _reversed, "unaligned": _unaligned,
    "swapped": _swapped,
}
