"""Matrices of cases (dtype x layout x agg ...): every pair of values always runs, and of the rest a share that a seed picks."""

import hashlib
import itertools
import random

import pytest

__all__ = ["choose", "matrix", "parametrize"]

# How many rows that hold one pair are compared when a cover is made; more make covers little smaller.
CANDIDATES = 24


def matrix(where=None, **axes):
    """A mark for a test whose cases are all combinations of its axes' values.

    Parameters
    ----------
    where : callable, optional
        Takes a value of each axis by name and tells whether the combination is a case; default: all are.
    **axes : iterable
        Values of each parameter of the test, or a dict whose keys are the values.

    Examples
    --------
    >>> @matrix(dtype=("uint8", "float32"), agg=("mean", "max", "std"), n_rows=range(4))
    ... def test_cells(dtype, agg, n_rows): ...
    """
    return pytest.mark.matrix(where, {name: list(values) for name, values in axes.items()})


def parametrize(metafunc, share, seed):
    """Give a test that has the mark its cases: a cover of all pairs and this share of the rest, picked by the seed."""
    for mark in metafunc.definition.iter_markers("matrix"):
        where, axes = mark.args
        rows = [row for row in itertools.product(*axes.values())
                if where is None or where(**dict(zip(axes, row, strict=True)))]
        chosen = choose(rows, share, f"{seed} {metafunc.definition.nodeid}")
        metafunc.parametrize(list(axes), [rows[i] if len(axes) > 1 else rows[i][0] for i in chosen])


def choose(rows, share, key):
    """The indices of rows to run, ascending: a cover of all pairs of values, and of the other rows this share.

    Parameters
    ----------
    rows : list of tuple
        All combinations; values of one position are compared by equality.
    share : float
        0 is the cover alone, 1 every row.
    key : str
        What the choice depends on. The same key always chooses the same rows.
    """
    if share >= 1:
        return list(range(len(rows)))
    chosen = _cover(rows, random.Random(key))
    limit = int(share * 2**32)
    chosen.update(i for i in range(len(rows)) if _hash(f"{key} {i}") < limit)
    return sorted(chosen)


def _hash(text):
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def _cover(rows, rng):
    """Indices of few rows that hold every pair of values that any row holds, found greedily."""
    columns = [_codes(column) for column in zip(*rows, strict=True)]
    pairs_of = [_pairs(row) for row in zip(*columns, strict=True)]
    holders = {}
    for i, pairs in enumerate(pairs_of):
        for pair in pairs:
            holders.setdefault(pair, []).append(i)
    missing, chosen = dict.fromkeys(rng.sample(list(holders), len(holders))), set()
    while missing:
        rows_of_pair = holders[next(iter(missing))]
        candidates = rng.sample(rows_of_pair, min(CANDIDATES, len(rows_of_pair)))
        best = max(candidates, key=lambda i: sum(pair in missing for pair in pairs_of[i]))
        chosen.add(best)
        for pair in pairs_of[best]:
            missing.pop(pair, None)
    return chosen


def _codes(column):
    """Small numbers for the values of one axis, equal for equal values; values need not be hashable."""
    known, numbers = [], []
    for value in column:
        number = next((i for i, other in enumerate(known) if other is value or other == value), len(known))
        if number == len(known):
            known.append(value)
        numbers.append(number)
    return numbers


def _pairs(row):
    """The pairs of (axis, value) that a row holds; its one value where there is one axis."""
    places = list(enumerate(row))
    return [tuple(places)] if len(places) == 1 else list(itertools.combinations(places, 2))
