"""Series on columns of pixels, sample by sample: the slow meaning of M4, of the order of x, and of what draws a line."""

import math

import numpy as np

NAN, POS_INF, NEG_INF, MASKED, FINITE = 1, 2, 4, 8, 16


def kind(value):
    """One of the five kinds; a masked value is None."""
    if value is None:
        return MASKED
    return FINITE if math.isfinite(value) else NAN if math.isnan(value) else POS_INF if value > 0 else NEG_INF


def column(values, begin, end):
    """What there is among samples begin..end-1: Python numbers, None where masked."""
    places = [i for i in range(begin, end) if kind(values[i]) == FINITE]
    has = 0
    for i in range(begin, end):
        has |= kind(values[i])
    found = {"n_finite": len(places), "has": has}
    if places:
        argmin, argmax = min(places, key=lambda i: (values[i], i)), min(places, key=lambda i: (-values[i], i))
        found |= {"first": places[0], "last": places[-1], "argmin": argmin, "argmax": argmax, "y_first": values[places[0]],
                  "y_last": values[places[-1]], "lowest": values[argmin], "highest": values[argmax]}
    return found


def bounds(xs, x0, x1, n_columns):
    """Where each of n equal columns over x0..x1 begins among sorted x, and where the last one ends: floor and clamp."""
    if x0 == x1:
        x0, x1 = x0 - 0.5, x1 + 0.5
    numbers = [min(n_columns - 1, math.floor(n_columns * (x - x0) / (x1 - x0))) if x0 <= x <= x1 else -1 if x < x0 else n_columns
               for x in xs]
    return [sum(number < k for number in numbers) for k in range(n_columns + 1)]


def drawn(values, bounds, n_neighbors=1):
    """Positions that draw the columns between the bounds, None at breaks; the nearest neighbors on either side too."""
    n = len(values)
    ranges = list(zip(bounds, bounds[1:], strict=False))
    if bounds[0] > 0:
        ranges.insert(0, (max(bounds[0] - n_neighbors, 0), bounds[0]))
    if bounds[-1] < n:
        ranges.append((bounds[-1], min(bounds[-1] + n_neighbors, n)))
    out, last = [], None
    for begin, end in ranges:
        found = column(values, begin, end)
        if not found["n_finite"]:
            continue
        if last is not None and any(kind(values[i]) != FINITE for i in range(last + 1, found["first"])):
            out.append(None)
        out += sorted({found[name] for name in ("first", "last", "argmin", "argmax")})
        last = found["last"]
    return out


def ways(values):
    """(rises, falls); neither where a sample is a NaN or masked."""
    if any(kind(value) in (NAN, MASKED) for value in values):
        return False, False
    pairs = list(zip(values, values[1:], strict=False))
    return all(a <= b for a, b in pairs), all(a >= b for a, b in pairs)


def numbers(array, mask=None):
    """Elements as Python numbers, exactly; None where masked."""
    out = np.asarray(array).tolist()
    return out if mask is None else [None if is_masked else value for value, is_masked in zip(out, mask, strict=True)]
