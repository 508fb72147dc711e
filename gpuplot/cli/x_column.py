"""Which curve of a file is the x of the others: one that is named after steps or time, and rises, or that has dates."""

import re

import numpy as np

from ..notices import warn

# The last word of a name, such as that of "trainer/global_step", of what is counted upwards or is time.
COUNTERS = frozenset({"step", "steps", "epoch", "epochs", "iter", "iters", "iteration", "iterations"})
WORDS = COUNTERS | {"time", "timestamp", "date", "datetime", "index"}


def is_dates(column):
    """Whether a column has points in time, an array of datetime64, and no numbers."""
    return isinstance(column, np.ndarray)


def array_of(column):
    """The elements of a `Source` in host memory, or of a column of dates; None of others."""
    return column if is_dates(column) else column.array


def is_masked(column):
    """Whether elements of a column may be masked."""
    return isinstance(column, np.ma.MaskedArray) if is_dates(column) else column.is_masked


def with_x_first(curves):
    """The curves of a file, {name: column}, with that first which is the x of the others; None where none is.

    Of several candidates it is the one with the most distinct values, of equals one named after a count, such as a step. A notice names
    the others, which are not drawn.
    """
    if len({column.shape for column in curves.values()}) > 1:
        return None
    kinds = {name: (_n_values(column), _last_word(name) in COUNTERS) for name, column in curves.items()
             if is_dates(column) or (_last_word(name) in WORDS and _rises(column))}
    if not kinds or len(kinds) == len(curves):
        return None
    x, *others = sorted(kinds, key=kinds.get, reverse=True)
    if others:
        warn(f"{x} is what lines are drawn over, and {', '.join(others)}, of the same kind, is left out: name columns to choose, "
             "FILE#X FILE#Y")
    return {x: curves[x]} | {name: column for name, column in curves.items() if name not in kinds}


def _last_word(name):
    """The last word of a name in lower case, "step" of "globalStep" or "trainer/global_step"."""
    return re.split(r"[^a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower().strip())[-1]


def _rises(column):
    """Whether numbers never fall, and are not all equal."""
    array = array_of(column)
    if array is None or array.dtype.kind not in "iuf":
        return False
    numbers = np.ma.compressed(array) if is_masked(column) else array
    return len(numbers) > 1 and bool((numbers[1:] >= numbers[:-1]).all() and numbers[0] < numbers[-1])


def _n_values(column):
    return len(np.unique(np.ma.compressed(array_of(column))))
