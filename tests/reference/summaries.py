"""What there is among the elements of a plane, one after the other: the slow meaning of summaries, histograms and finds."""

import bisect
import math

import numpy as np

from . import loading

FIELDS = ("n_nan", "n_neg_inf", "n_neg", "n_zero", "n_pos", "n_pos_inf", "n_masked", "n_subnormal", "min", "max", "mean", "m2",
          "sum_of_squares", "argmin", "argmax", "first_nan", "scale")
KINDS = {"nan": 1, "pos_inf": 2, "neg_inf": 4, "masked": 8, "finite": 16}
# Of a complex dtype that of its part.
SMALLEST_NORMAL = {
    "float64": 2.0**-1022, "float32": 2.0**-126, "bfloat16": 2.0**-126, "float16": 2.0**-14, "complex128": 2.0**-1022,
    "complex64": 2.0**-126, "complex32": 2.0**-14,
    **{name: 0.0 if f.is_unsigned else 2.0 ** (1 - f.bias) for name, f in loading.FLOAT8_FORMATS.items()},
}


class _Masked(float):
    """What a masked element is: a NaN to every sum and comparison."""


MASKED = _Masked("nan")


def elements(array, dtype_name=None, mask=None):
    """The elements of a 2-D array in row-major order: exact ints of integer dtypes, else floats; MASKED where masked."""
    dtype_name = dtype_name or array.dtype.name
    if dtype_name in loading.INTEGER_DTYPES or dtype_name == "bool":
        found = [int(x) for x in array.ravel()]
    else:
        found = [float(x) for x in loading.load(array, dtype_name).ravel()]
    missing = np.zeros(array.shape, bool) if mask is None else np.asarray(mask, bool)
    return [MASKED if is_missing else x for x, is_missing in zip(found, missing.ravel(), strict=True)]


def kind(x):
    """'nan', 'pos_inf', 'neg_inf', 'masked' or 'finite'."""
    if x is MASKED:
        return "masked"
    if math.isfinite(x):
        return "finite"
    return "nan" if math.isnan(x) else "pos_inf" if x > 0 else "neg_inf"


def scale_of(largest):
    """The power of two by which elements up to this magnitude are multiplied, so that sums of their squares are in float64's range."""
    return 2.0**-600 if largest > 2.0**480 else 2.0**600 if largest < 2.0**-390 else 1.0


def summary(xs, smallest_normal=0.0):
    """The fields of a summary, by name; `m2` and `sum_of_squares` are those of elements times `scale`."""
    kinds = [kind(x) for x in xs]
    finite = [(x, at) for at, x in enumerate(xs) if kinds[at] == "finite"]
    values = [x for x, _ in finite]
    found = {
        "n_nan": kinds.count("nan"), "n_neg_inf": kinds.count("neg_inf"), "n_pos_inf": kinds.count("pos_inf"),
        "n_masked": kinds.count("masked"),
        "n_neg": sum(x < 0 for x in values), "n_zero": sum(x == 0 for x in values), "n_pos": sum(x > 0 for x in values),
        "n_subnormal": sum(0 < abs(x) < smallest_normal for x in values),
        "first_nan": kinds.index("nan") if "nan" in kinds else -1,
        "min": math.nan, "max": math.nan, "mean": math.nan, "m2": 0.0, "sum_of_squares": 0.0, "argmin": -1, "argmax": -1,
        "scale": 1.0,
    }
    if finite:
        low, high = min(values), max(values)
        singles = [float(x) for x in values]
        scale = scale_of(max(map(abs, singles)))
        scaled = [x * scale for x in singles]
        mean = math.fsum(scaled) / len(scaled)
        found |= {
            "min": float(low) + 0.0, "max": float(high) + 0.0, "mean": mean / scale, "scale": scale,
            "m2": math.fsum((x - mean) ** 2 for x in scaled), "sum_of_squares": math.fsum(x * x for x in scaled),
            "argmin": next(at for x, at in finite if x == low), "argmax": next(at for x, at in finite if x == high),
        }
    return found


def histogram(xs, edges, integer_range=None):
    """How many elements lie in each bin; the last one is closed. With a range of integers it alone says what counts."""
    counts = [0] * (len(edges) - 1)
    for x in xs:
        value = float(x)
        if integer_range is None:
            does_count = edges[0] <= value <= edges[-1]
        else:
            does_count = not math.isnan(value) and integer_range[0] <= x <= integer_range[1]
        if does_count:
            counts[min(max(bisect.bisect_right(edges, value) - 1, 0), len(counts) - 1)] += 1
    return counts


def find(xs, kinds, start=0, backwards=False):
    """The first position from start on whose kind is one of the bits, or -1."""
    steps = range(start, -1, -1) if backwards else range(start, len(xs))
    return next((at for at in steps if KINDS[kind(xs[at])] & kinds), -1)
