"""Statistics of stored elements, element by element in exact rationals: the meaning of `stats`."""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .loading import FLOAT8_FORMATS, is_masked, load

# The smallest normal number of each dtype; parts of complex dtypes are floats of half their size.
SMALLEST_NORMAL = {
    "float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022,
    "complex32": 2.0**-14, "complex64": 2.0**-126, "complex128": 2.0**-1022,
    **{name: 2.0 ** (1 - fmt.bias) for name, fmt in FLOAT8_FORMATS.items() if not fmt.is_unsigned},
}
MAX = np.finfo(np.float64).max


@dataclass(frozen=True)
class Element:
    """One element: its index in the tensor, its class, and its exact value where it is finite."""

    index: tuple
    kind: str
    value: object = None


def elements_of(stored, dtype_name=None, mask=None):
    """All elements in row-major order."""
    values = load(stored, dtype_name, mask)
    name = dtype_name or np.asarray(np.ma.getdata(stored)).dtype.name
    integers = np.asarray(np.ma.getdata(stored)) if name.startswith(("int", "uint", "bool")) else None
    return [_element(index, values[index], None if integers is None else integers[index]) for index in np.ndindex(values.shape)]


def _element(index, value, integer):
    parts = (value.real, value.imag) if isinstance(value, complex) else (float(value),)
    if is_masked(np.real(value)):
        return Element(index, "masked")
    if any(math.isnan(part) for part in parts):
        return Element(index, "nan")
    if any(math.isinf(part) for part in parts):
        return Element(index, "neg_inf" if parts == (-math.inf,) else "pos_inf")
    if integer is not None:
        number = int(integer)
    else:
        number = float(np.hypot(*parts)) if len(parts) == 2 else parts[0] + 0.0
    return Element(index, "zero" if number == 0 else "neg" if number < 0 else "pos", number)


def bin_edges(low, high, bins):
    """Edges for any finite range: NumPy's, wider ones where the range holds too few numbers, halves where it has no width."""
    low, high = float(low), float(high)
    if math.isinf(high - low):
        with np.errstate(over="ignore"):
            halves = np.histogram_bin_edges([low / 2, high / 2], bins)
        return np.array([min(max(edge, -MAX / 2), MAX / 2) * 2 for edge in halves.tolist()])
    edges = _risen(low, high, bins)
    if edges is None:
        ulp = math.ulp(max(abs(low), abs(high)))
        low, high = max(low - bins * ulp, -MAX), min(high + bins * ulp, MAX)
        edges = None if math.isinf(high - low) else _risen(low, high, bins)
    if edges is None:
        step = next(k * ulp for k in itertools.count(1) if low + bins * (k * ulp) >= high)
        edges = np.array([low + k * step for k in range(bins + 1)])
    return edges


def _risen(low, high, bins):
    try:
        edges = np.histogram_bin_edges(np.array([low, high]), bins)
    except ValueError:
        return None
    return edges if all(a < b for a, b in itertools.pairwise(edges.tolist())) else None


def histogram(elements, dtype_name, bins, value_range):
    """(counts, edges) of the finite elements."""
    numbers = [element.value for element in elements if element.value is not None]
    first, last = value_range or ((min(numbers), max(numbers)) if numbers else (0, 1))
    edges = bin_edges(first, last, bins)
    is_exact = dtype_name.startswith(("int", "uint", "bool")) and isinstance(first, int) and isinstance(last, int)
    counts = [0] * bins
    for number in numbers:
        if (first <= number <= last) if is_exact else (edges[0] <= float(number) <= edges[-1]):
            counts[next((i for i in range(bins) if float(number) < edges[i + 1]), bins - 1)] += 1
    return counts, edges


def percentile(numbers, percent):
    """NumPy's 'linear' percentile of exact numbers."""
    if not numbers:
        return math.nan
    ordered = [float(number) for number in sorted(numbers)]
    h = (len(ordered) - 1) * (percent / 100)
    k, t = math.floor(h), h - math.floor(h)
    if k >= len(ordered) - 1:
        return ordered[-1]
    a, b = ordered[k], ordered[k + 1]
    return a + (b - a) * t if t < 0.5 else b - (b - a) * (1 - t)


def root(number):
    """The square root of a rational of any size, to float64; infinite beyond it."""
    if number == 0:
        return 0.0
    shift = (number.denominator.bit_length() - number.numerator.bit_length()) // 2 + 64
    scaled = number * (Fraction(4) ** shift)
    try:
        return math.ldexp(math.isqrt(scaled.numerator // scaled.denominator), -shift)
    except OverflowError:
        return math.inf


def statistics(elements, dtype_name, bins=64, value_range=None, percentiles=(1, 2, 50, 98, 99)):
    """All fields that say something about these elements, as a dict; `scale` is the mean magnitude, for tolerances."""
    kinds = ("nan", "neg_inf", "neg", "zero", "pos", "pos_inf")
    found = {kind: sum(element.kind == kind for element in elements) for kind in kinds}
    finite = [element for element in elements if element.value is not None]
    numbers = [element.value for element in finite]
    exact = [Fraction(number) for number in numbers]
    n = len(numbers)
    smallest = SMALLEST_NORMAL.get(dtype_name, 0.0)
    mean = sum(exact) / n if n else None
    hist, edges = histogram(elements, dtype_name, bins, value_range)
    first = {kind: next((e.index for e in elements if e.value is not None and e.value == kind(numbers)), None) if n else None
             for kind in (min, max)}
    return found | {
        "subnormal": sum(0 < abs(number) < smallest for number in numbers),
        "min": min(numbers) if n else math.nan, "max": max(numbers) if n else math.nan,
        "mean": float(mean) if n else math.nan,
        "median": percentile(numbers, 50),
        "std": root(sum((x - mean) ** 2 for x in exact) / (n - 1)) if n > 1 else math.nan,
        "absmax": max(map(abs, numbers)) if n else math.nan,
        "l2": root(sum(x * x for x in exact)) if n else math.nan,
        "argmin": first[min], "argmax": first[max],
        "first_nan": next((element.index for element in elements if element.kind == "nan"), None),
        "hist": hist, "bin_edges": edges,
        "percentiles": {percent: percentile(numbers, percent) for percent in percentiles},
        "scale": float(sum(map(abs, exact)) / n) if n else 0.0,
    }


def touched(limits, n):
    """Elements of an axis of n that a part of it touches."""
    low, high = sorted(limits)
    low, high = (round(u) if abs(u - round(u)) <= n * 2.0**-46 else u for u in (low, high))
    return [j for j in range(n) if j < high and j + 1 > low]


def in_region(index, shape, region):
    """Whether an element is touched by a region of the last two axes; a tensor of fewer axes is one row."""
    if region is None:
        return True
    plane, place = ((1, 1, *shape))[-2:], ((0, 0, *index))[-2:]
    return all(at in touched(limits, n) for at, limits, n in zip(place, region, plane, strict=True))


def slices(elements, shape, dim, region):
    """{index along the axes that remain: elements}, for every such index that the region touches."""
    dim = range(len(shape)) if dim is None else dim if isinstance(dim, tuple) else (dim,)
    kept = [axis for axis in range(len(shape)) if axis not in {axis % len(shape) for axis in dim}]
    places = [range(shape[axis]) for axis in kept]
    if region is not None:
        places = [touched(region[axis - len(shape)], shape[axis]) if axis >= len(shape) - 2 else places[i]
                  for i, axis in enumerate(kept)]
    found = {place: [] for place in itertools.product(*places)}
    for element in elements:
        if in_region(element.index, shape, region):
            found[tuple(element.index[axis] for axis in kept)].append(element)
    return found


def _is_close(found, number, magnitude):
    """Whether a percentile differs by no more than its interpolation rounds."""
    return abs(found - number) <= 1e-14 * magnitude or (found != found and number != number)


def assert_statistics(got, want, dtype_name):
    """Holds what was found (a dict) against `statistics`: equal where it is exact, within the tolerances where it is not."""
    scale, is_computed = want["scale"], dtype_name.startswith("complex")  # magnitudes are rounded
    magnitude = float(want["absmax"]) if want["absmax"] == want["absmax"] else 0.0
    for name, value in want.items():
        if name in ("mean", "std", "l2"):
            slack = max(1e-6 * abs(value), 1e-12 * scale) if name == "mean" else 1e-6 * abs(value) + 1e-12 * scale
            slack += 1e-322  # among the smallest numbers a rounding is more than a part of them
            is_same = got[name] == value or (got[name] != got[name] and value != value)
            assert is_same or abs(got[name] - value) <= slack, (name, got[name], value)
        elif name == "percentiles":
            assert list(got[name]) == list(value)
            for percent, number in value.items():
                assert _is_close(got[name][percent], number, magnitude), (percent, got[name][percent], number)
        elif name == "median":
            assert _is_close(got[name], value, magnitude), (name, got[name], value)
        elif is_computed and name in ("min", "max", "absmax", "bin_edges"):
            np.testing.assert_allclose(got[name], value, 1e-12, 1e-12 * scale, err_msg=name)
        elif name in ("hist", "bin_edges"):
            assert np.asarray(got[name]).tolist() == np.asarray(value).tolist(), name
        elif name != "scale":
            assert got[name] == value or (got[name] != got[name] and value != value), (name, got[name], value)


def fields_at(stats, place):
    """The fields of gpuplot's statistics of one slice, or of all elements, as `assert_statistics` takes them."""
    of_tensor = ("shape", "dtype", "device", "nbytes", "numel", "dim")
    fields = {name: getattr(stats, name) for name in stats.__dataclass_fields__ if name not in of_tensor}
    if stats.dim is None:
        return fields
    percentiles = {percent: values[place] for percent, values in fields.pop("percentiles").items()}
    return {name: value[place] for name, value in fields.items()} | {"percentiles": percentiles}
