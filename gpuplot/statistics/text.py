"""Statistics -> text: one line for a tensor, a table with a line each for several."""

import math

import numpy as np

# (field, name) of the kinds of elements: NaN, then in the order of the number line, then masked ones.
KINDS = (("nan", "NaN"), ("neg_inf", "-Inf"), ("neg", "< 0"), ("zero", "0"), ("pos", "> 0"), ("pos_inf", "+Inf"),
         ("masked", "masked"))

# Digits of a number: usually, and at most, where others differ from it in later ones.
DIGITS, MAX_DIGITS = 4, 17

# Bars of 0 to 8 eighths of a line's height; a bin with elements has at least one.
_BARS = " ▁▂▃▄▅▆▇█"
_N_BARS = 8


def number(value, digits=DIGITS):
    """A number in four digits, or more; integers in full."""
    if isinstance(value, (int, np.integer, np.bool_)):
        return str(int(value))
    value = float(value)
    if math.isnan(value):
        return "NaN"
    return f"{value:.{digits}g}".replace("inf", "Inf")


def digits_between(low, high):
    """Digits in which two numbers, and those between them, are told apart; four at least.

    Examples
    --------
    >>> digits_between(0, 1), digits_between(1.00000012, 1.00000034), digits_between(2, 2)
    (4, 10, 4)
    """
    low, high = float(low), float(high)
    if not 0 < high - low < math.inf or f"{low:.{DIGITS}g}" != f"{high:.{DIGITS}g}":
        return DIGITS
    return min(MAX_DIGITS, math.ceil(math.log10(max(abs(low), abs(high))) - math.log10(high - low)) + 3)


def amount(n):
    """A count with its thousands separated."""
    return f"{int(n):,}".replace(",", "\u202f")


def percent(share):
    """A share in percent, in three digits; 100 only for all.

    Examples
    --------
    >>> percent(0.0452), percent(0.99963), percent(1.0)
    ('4.52 %', '99.9 %', '100 %')
    """
    return f"{100 * share if share == 1 else min(100 * share, 99.9):.3g} %"


def title(stats):
    """Dtype, shape and device of the tensor: ``float32 (2, 5) cpu``."""
    return f"{stats.dtype} {shape_text(stats.shape)} {stats.device}"


def shape_text(shape):
    """A shape as Python writes it."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _bars(hist):
    """A histogram as a few characters of `_BARS`."""
    parts = [int(part.sum()) for part in np.array_split(hist, min(_N_BARS, len(hist)))]
    top = max(parts)
    return "".join(_BARS[math.ceil(part * 8 / top)] if top else " " for part in parts)


def line(stats):
    """One line: title, range with a small histogram, moments, and counts of elements that are not finite."""
    parts = [title(stats), *(_slices(stats) if stats.dim is not None else _whole(stats))]
    return " · ".join(parts)


def _whole(stats):
    n = stats.neg + stats.zero + stats.pos
    if n > 1:
        digits = digits_between(stats.min, stats.max)
        yield f"{number(stats.min, digits)} {_bars(stats.hist)} {number(stats.max, digits)}"
        yield f"mean {number(stats.mean, digits)}, median {number(stats.median, digits)}, std {number(stats.std)}"
    elif n == 1:
        yield number(stats.min)
    else:
        yield "nothing finite" if stats.nan or stats.neg_inf or stats.pos_inf or stats.masked else "no elements"
    yield from _wrong(stats)


def _wrong(stats):
    """Counts of elements that are not finite, masked or subnormal, as text."""
    for field, name in (("nan", "NaN"), ("neg_inf", "-Inf"), ("pos_inf", "+Inf"), ("masked", "masked"),
                        ("subnormal", "subnormal")):
        n = int(np.sum(getattr(stats, field)))
        if n:
            yield f"{amount(n)} {name}"


def _slices(stats):
    yield f"{shape_text(stats.nan.shape)} slices, {_axes_text(stats.dim)} reduced"
    extremes = [value for name in ("min", "max") for value in getattr(stats, name).ravel() if value == value]
    if extremes:
        yield f"{number(min(extremes))} to {number(max(extremes))}"
    yield from _wrong(stats)


def remaining_axes(stats):
    """The axes that were not reduced, of which each slice has an index: ``axis 0``, ``axes 0, 2``."""
    return _axes_text([axis for axis in range(len(stats.shape)) if axis not in stats.dim])


def _axes_text(axes):
    return f"{'axis' if len(axes) == 1 else 'axes'} {', '.join(map(str, axes))}"


def facts(stats):
    """Yields (name, text) of all single numbers; the percentile 50 is left out, as it is the median."""
    digits = digits_between(stats.min, stats.max)
    yield from ((name, number(getattr(stats, name), DIGITS if name in ("std", "l2") else digits))
                for name in ("min", "max", "mean", "median", "std", "absmax", "l2"))
    yield from ((f"{percent:g}%", number(value, digits)) for percent, value in stats.percentiles.items() if percent != 50)
    for name in ("argmin", "argmax", "first_nan"):
        if getattr(stats, name) is not None:
            yield name, shape_text(getattr(stats, name))
    if stats.subnormal:
        yield "subnormal", amount(stats.subnormal)


def table(stats_table):
    """A line for each tensor, worst first, names aligned."""
    if not stats_table:
        return "no tensors" + _skipped(stats_table)
    width = max(map(len, stats_table))
    lines = [f"{name:{width}}  {line(stats)}" for name, stats in stats_table.items()]
    return "\n".join(lines) + _skipped(stats_table)


def comparisons(comparison_table):
    """A line for each name: what could not be compared, the tensors that were, and the names that one of the two has alone."""
    lines = [*comparison_table.skipped.items(), *((name, _difference(found)) for name, found in comparison_table.items()),
             *alone(comparison_table)]
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:{width}}  {said}" for name, said in lines)


def alone(comparison_table):
    """Yields (name, text) of the names that one of the two has alone."""
    for title, names in zip(comparison_table.titles, (comparison_table.only_a, comparison_table.only_b), strict=True):
        yield from ((name, f"in {title} alone") for name in names)


def _difference(found):
    return f"{dtypes_text(found)} {shape_text(found.shape)} \u00b7 {equal_text(found) if found.is_equal else found}"


def equal_text(found):
    """What is said of a `Comparison` without a difference."""
    return f"equal, but for {amount(found.masked)} masked" if found.masked else "equal"


def dtypes_text(found):
    """The dtype of both tensors of a `Comparison`, or the two."""
    return " and ".join(dict.fromkeys(found.dtypes))


def _skipped(stats_table):
    return "".join(f"\n{name}: {reason}" for name, reason in stats_table.skipped.items())
