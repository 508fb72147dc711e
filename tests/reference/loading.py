"""Loading stored elements of every dtype as float64 (or complex128) values, exactly where float64 can."""

from dataclasses import dataclass

import numpy as np

# What a masked element is loaded as: a NaN that no data has.
MASKED_VALUE = np.array(0x7FF800000000BEEF, np.uint64).view(np.float64)[()]


def is_masked(values):
    """Which float64 values are masked elements."""
    return np.ascontiguousarray(values, np.float64).view(np.uint64) == MASKED_VALUE.view(np.uint64)


@dataclass(frozen=True)
class Float8Format:
    """One 8-bit float format: how its code splits into fields, and which codes are not numbers."""

    exponent_bits: int
    mantissa_bits: int
    bias: int
    nan_codes: tuple
    inf_codes: tuple = ()
    is_unsigned: bool = False


FLOAT8_FORMATS = {
    "float8_e4m3fn": Float8Format(4, 3, 7, (0x7F, 0xFF)),
    "float8_e5m2": Float8Format(5, 2, 15, (0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF), (0x7C, 0xFC)),
    "float8_e4m3fnuz": Float8Format(4, 3, 8, (0x80,)),
    "float8_e5m2fnuz": Float8Format(5, 2, 16, (0x80,)),
    "float8_e4m3b11fnuz": Float8Format(4, 3, 11, (0x80,)),
    "float8_e4m3": Float8Format(4, 3, 7, (*range(0x79, 0x80), *range(0xF9, 0x100)), (0x78, 0xF8)),
    "float8_e3m4": Float8Format(3, 4, 3, (*range(0x71, 0x80), *range(0xF1, 0x100)), (0x70, 0xF0)),
    "float8_e8m0fnu": Float8Format(8, 0, 127, (0xFF,), is_unsigned=True),
}

INTEGER_DTYPES = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64")
FLOAT_DTYPES = ("float16", "bfloat16", "float32", "float64", *FLOAT8_FORMATS)
COMPLEX_DTYPES = ("complex32", "complex64", "complex128")
DTYPES = ("bool", *INTEGER_DTYPES, *FLOAT_DTYPES, *COMPLEX_DTYPES)


def float8_value(code, fmt):
    """The number that one 8-bit code stands for."""
    if code in fmt.nan_codes:
        return np.nan
    if fmt.is_unsigned:
        return 2.0 ** (code - fmt.bias)
    sign = -1.0 if code & 0x80 else 1.0
    if code in fmt.inf_codes:
        return sign * np.inf
    mantissa = (code & ((1 << fmt.mantissa_bits) - 1)) / (1 << fmt.mantissa_bits)
    exponent = (code & 0x7F) >> fmt.mantissa_bits
    if exponent == 0:
        return sign * mantissa * 2.0 ** (1 - fmt.bias)
    return sign * (1.0 + mantissa) * 2.0 ** (exponent - fmt.bias)


def float8_table(dtype_name):
    """All 256 values of a float8 format, in order of code."""
    fmt = FLOAT8_FORMATS[dtype_name]
    return np.array([float8_value(code, fmt) for code in range(256)])


def _load_bfloat16(codes):
    """bfloat16 is the upper half of a float32."""
    codes = codes if codes.dtype.kind == "u" else codes.view(np.uint16)
    with np.errstate(invalid="ignore"):  # a signaling NaN becomes a quiet one
        return (codes.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def _load_float8(codes, dtype_name):
    codes = codes if codes.dtype == np.uint8 else codes.view(np.uint8)
    return float8_table(dtype_name)[codes]


def _load_complex32(parts):
    """Two float16 in a trailing axis of length 2: the real part first."""
    parts = parts.astype(np.float64)
    values = np.empty(parts.shape[:-1], np.complex128)
    values.real, values.imag = parts[..., 0], parts[..., 1]
    return values


def load(array, dtype_name=None, mask=None):
    """The values of stored elements: float64, or complex128 for complex dtypes.

    Parameters
    ----------
    array : array_like
        The storage. bfloat16 comes as uint16 codes and float8 as uint8 codes (or as an array of a
        2-byte or 1-byte extension dtype); complex32 as float16 with a trailing axis (real, imaginary).
    dtype_name : str, optional
        One of `DTYPES`; by default the name of the array's own dtype.
    mask : array_like of bool, optional
        True where an element is missing; a missing element is NaN. The mask of a masked array counts too.
    """
    own_mask = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    storage = np.asarray(np.ma.getdata(array))
    dtype_name = storage.dtype.name if dtype_name is None else dtype_name
    if dtype_name == "bfloat16":
        values = _load_bfloat16(storage)
    elif dtype_name in FLOAT8_FORMATS:
        values = _load_float8(storage, dtype_name)
    elif dtype_name == "complex32":
        values = _load_complex32(storage)
    elif dtype_name in ("complex64", "complex128"):
        values = storage.astype(np.complex128)
    elif dtype_name in DTYPES or dtype_name == "longdouble" or storage.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            values = storage.astype(np.float64)
    else:
        raise TypeError(f"no such element type: {dtype_name}; use one of {', '.join(DTYPES)}")
    values = np.array(values)
    for missing in (own_mask, mask):
        if missing is not None:
            here = np.broadcast_to(missing, values.shape)
            values.real[here] = MASKED_VALUE
            if values.dtype.kind == "c":
                values.imag[here] = MASKED_VALUE
    return values
