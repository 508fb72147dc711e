"""The slow meaning of casts: each element as an exact number of Python, rounded once into the table of the target's values."""

import bisect
import functools
import math

import numpy as np

from .loading import COMPLEX_DTYPES, FLOAT8_FORMATS, INTEGER_DTYPES, load

# Storage as in loading.py: codes for floats that NumPy lacks, a trailing axis of two float16 for complex32.
STORAGE = {"bfloat16": np.dtype(np.uint16), **{name: np.dtype(np.uint8) for name in FLOAT8_FORMATS}}
NARROW_FLOATS = ("float16", "bfloat16", *FLOAT8_FORMATS)

# What becomes of numbers that are too large, where it is not Inf: the formats have none.
_NAN_CODES = {"float8_e4m3fn": 0x7F, "float8_e4m3fnuz": 0x80, "float8_e5m2fnuz": 0x80, "float8_e4m3b11fnuz": 0x80,
              "float8_e8m0fnu": 0xFF}


def storage_dtype(name):
    """The NumPy dtype that elements are stored in."""
    return STORAGE.get(name) or np.dtype(name)


@functools.cache
def magnitudes(name):
    """All finite values from zero up, in order of code, and the value that would follow the largest one."""
    n_codes = 0x8000 if name in ("float16", "bfloat16") else 0xFF if name == "float8_e8m0fnu" else 0x80
    codes = np.arange(n_codes, dtype=np.uint16 if n_codes == 0x8000 else np.uint8)
    values = load(codes.view(np.float16) if name == "float16" else codes, name)
    values = [float(value) for value in values if math.isfinite(value)]
    beyond = 2 * values[-1] if name == "float8_e8m0fnu" else 2 * values[-1] - values[-2]
    return values, beyond


def _nearest(magnitude, name):
    """The index of the value nearest to a number that is not negative; of two, the even one; None: it is too large.

    Python compares integers with floats exactly, and the middle of two values of a narrow format is a float64.
    """
    values, beyond = magnitudes(name)
    at = bisect.bisect_right(values, magnitude)
    if at == 0:
        return 0
    low, high = values[at - 1], values[at] if at < len(values) else beyond
    middle = (low + high) / 2
    # A bare exponent has no last bit of a mantissa to be even: halves are rounded up.
    is_up = magnitude > middle or (magnitude == middle and (name == "float8_e8m0fnu" or (at - 1) % 2 == 1))
    return at - 1 + is_up if at - 1 + is_up < len(values) else None


def _narrow_code(number, name):
    """The code of a number in a format of at most 16 bits."""
    n_bits = 8 * storage_dtype(name).itemsize
    sign = 1 << (n_bits - 1) if math.copysign(1, number) < 0 and name != "float8_e8m0fnu" else 0
    infinity = {"float16": 0x7C00, "bfloat16": 0x7F80, "float8_e5m2": 0x7C, "float8_e4m3": 0x78, "float8_e3m4": 0x70}.get(name)
    nan = _NAN_CODES.get(name, (infinity or 0) + 1)
    if math.isnan(number) or (name == "float8_e8m0fnu" and number <= 0):
        return nan | sign
    code = None if math.isinf(number) else _nearest(abs(number), name)
    if code is None:
        return (nan if infinity is None else infinity) | sign
    return code if code == 0 and name.endswith("fnuz") else code | sign


def _integer(number, name):
    """Integers wrap; floats are truncated and saturated, NaN is 0."""
    info = np.iinfo(name)
    if isinstance(number, int):
        n_values = int(info.max) - int(info.min) + 1
        return (number - int(info.min)) % n_values + int(info.min)
    if math.isnan(number):
        return 0
    if math.isinf(number):
        return int(info.max if number > 0 else info.min)
    return min(max(math.trunc(number), int(info.min)), int(info.max))


def _float32(number):
    """Rounded once, from an integer of any size, too."""
    return np.float32(number) if isinstance(number, float) else np.float32(np.uint64(number) if number >= 2**63 else np.int64(number))


def _cast_number(number, name):
    """One exact number (an int of Python, or a float) as stored in a real dtype."""
    if name == "bool":
        return number != 0
    if name in INTEGER_DTYPES:
        return _integer(number, name)
    if name == "float32":
        return _float32(number)
    if name == "longdouble":
        return np.longdouble(number) if isinstance(number, float) else np.longdouble(str(number))
    if name == "float64":
        return float(number)  # from an int, too, Python rounds once, to the nearest
    return _narrow_code(number, name)


def _exact_numbers(stored, name):
    """Elements as ints and floats of Python, which lose nothing; long doubles are read as float64."""
    if name == "bool" or name in INTEGER_DTYPES:
        return [int(value) for value in stored.ravel()]
    return [float(value) for value in load(stored, name).ravel()]


def cast_real(stored, from_name, to_name):
    """Elements of a real dtype, as stored in another."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = [_cast_number(number, to_name) for number in _exact_numbers(stored, from_name)]
    out = np.array(values, np.uint16 if to_name == "float16" else storage_dtype(to_name))
    return (out.view(np.float16) if to_name == "float16" else out).reshape(stored.shape)


def convert(stored, from_name, to_name, mask=None):
    """Stored elements as another dtype, C-ordered and in native byte order; True in `mask`: NaN where `to_name` has one."""
    is_complex = from_name in COMPLEX_DTYPES
    if is_complex and to_name not in COMPLEX_DTYPES:
        raise TypeError(f"{from_name} elements lose a part as {to_name}")
    if from_name == to_name:
        out = np.array(stored, stored.dtype.newbyteorder("="), order="C")
    elif to_name in COMPLEX_DTYPES:
        part = "float32" if to_name == "complex64" else "float64"
        values = load(stored, from_name) if is_complex else None
        out = np.zeros(values.shape if is_complex else stored.shape, to_name)
        out.real = cast_real(values.real, "float64", part) if is_complex else cast_real(stored, from_name, part)
        out.imag = cast_real(values.imag, "float64", part) if is_complex else 0
    else:
        out = cast_real(stored, from_name, to_name)
    if mask is not None and (to_name in COMPLEX_DTYPES or "float" in to_name or to_name == "longdouble"):
        out[mask] = nan_of(to_name)
    return out


def nan_of(name):
    """A NaN as stored."""
    if name in STORAGE:
        return _narrow_code(math.nan, name)
    return complex(math.nan, math.nan) if name in COMPLEX_DTYPES else math.nan


def differing(got, want, name):
    """Where two stored arrays differ; NaNs of any sign and payload are alike, zeros of two signs are not."""
    if name in STORAGE or name == "float16":
        got_values, want_values = load(got, name), load(want, name)
        is_nan = np.isnan(got_values) & np.isnan(want_values)
        return ~is_nan & (got.view(f"u{got.itemsize}") != want.view(f"u{got.itemsize}"))
    if name in COMPLEX_DTYPES:
        part = "float32" if name == "complex64" else "float64"
        return differing(got.real.copy(), want.real.copy(), part) | differing(got.imag.copy(), want.imag.copy(), part)
    if "float" in name or name == "longdouble":
        return ~((np.isnan(got) & np.isnan(want)) | ((got == want) & (np.signbit(got) == np.signbit(want))))
    return got != want
