"""Names of dtypes, the bytes of an element, and the dtype that holds elements exactly where NumPy has none of that name."""

import functools

import numpy as np

from .. import _native
from ..errors import UnsupportedError, no_numbers
from .object_hints import dtype_hint
from .optional_imports import attribute

# Bytes of one element, for every dtype that can be drawn, in the order in which messages list them.
ITEM_BYTES = {"bool": 1, **_native.DTYPE_SIZES}

# Dtypes that NumPy lacks, and the one of NumPy that holds their elements exactly.
_WIDER = {name: "complex64" if name == "complex32" else "float32" for name in ITEM_BYTES if not hasattr(np, name) and name != "bool"}

# Dtypes of ml_dtypes and JAX with fewer than 8 bits an element, and those that hold their elements exactly, as which they are read.
_HOLDERS = {f"{sign}int{bits}": f"{sign}int8" for sign in ("", "u") for bits in (1, 2, 4)} | dict.fromkeys(
    ("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"), "float32")

# Kinds of dtype that are not numbers: objects, text, dates, records.
NOT_NUMBERS = "OSUTMmV"


def default_name(name):
    """The NumPy dtype that holds elements of a dtype exactly: the same, or float32 or complex64 where NumPy lacks it."""
    return _WIDER.get(name, name)


def is_narrow(name):
    """Whether a dtype is a float that NumPy lacks: bfloat16 or an 8-bit float."""
    return _WIDER.get(name) == "float32"


@functools.lru_cache(maxsize=256)
def holder_of(dtype):
    """The name of the dtype as which elements of fewer than 8 bits are read, in a copy; None for others, which are read in place."""
    return _HOLDERS.get(foreign_name(dtype))


@functools.lru_cache(maxsize=256)
def dtype_name(dtype):
    """Our name of a NumPy dtype, native or from ml_dtypes; UnsupportedError for what is not a number or cannot be read.

    The name of the dtype decides: kind and typestr of ml_dtypes' types are ambiguous ('<f1', '<V2').
    """
    # Where long double is float64 its dtype still has a character of its own.
    if dtype.char == "g":
        return "longdouble" if dtype.itemsize > 8 else "float64"
    if dtype.name in ITEM_BYTES and dtype.fields is None:
        return dtype.name
    if dtype.kind == "c":
        raise UnsupportedError(f"elements of {dtype} cannot be read: convert them, with X.astype('complex128')")
    if dtype.kind in NOT_NUMBERS and dtype.type.__module__ in ("numpy", "builtins"):
        raise no_numbers(dtype, dtype_hint(dtype))
    raise UnsupportedError(f"elements of {dtype} cannot be read: convert them, with X.astype('{holder_of(dtype) or 'float32'}')")


def read_as(dtype):
    """Our name of the dtype as which elements of a NumPy dtype are read, its own or that of a holder; UnsupportedError as above."""
    return holder_of(dtype) or dtype_name(dtype)


def foreign_name(dtype):
    """The name of a dtype of another library, or a str: torch.float32, tf.float32, "bfloat16"."""
    if isinstance(dtype, str):
        return dtype
    name = attribute(dtype, "name")
    return name if isinstance(name, str) else str(dtype).rpartition(".")[2]
