"""Limits of lines beside those of the samples that NumPy finds finite."""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from gpuplot.arrays.describe import describe
from gpuplot.plane import line_limits
from gpuplot.plane.lines import LineSet


@st.composite
def lines_with_gaps(draw):
    """(x or None, y, axis): x for all lines goes some way or none, or each line has its own."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    others, length = draw(st.lists(st.integers(1, 4), max_size=2)), draw(st.integers(1, 70))
    axis = draw(st.integers(0, len(others)))
    y = rng.normal(size=(*others[:axis], length, *others[axis:])).astype(draw(st.sampled_from(("f2", "f4", "f8"))))
    y[rng.random(y.shape) < draw(st.sampled_from((0.0, 0.3, 1.0)))] = np.nan
    begin, end = sorted(rng.integers(0, length + 1, 2))
    np.moveaxis(y, axis, 0)[:begin] = np.inf
    np.moveaxis(y, axis, 0)[end:] = np.nan
    x = np.sort(rng.normal(size=length)) if draw(st.booleans()) else np.sort(rng.integers(-3, 4, length)) / 2
    own = rng.normal(size=y.shape)
    own[rng.random(y.shape) < draw(st.sampled_from((0.0, 0.2)))] = np.nan
    return draw(st.sampled_from((None, x, x[::-1], own))), y, axis


def limits_of(numbers):
    """(smallest, largest, smallest positive), NaN for none."""
    positive = numbers[numbers > 0]
    none = [np.nan, np.nan]
    return [*([numbers.min(), numbers.max()] if numbers.size else none), positive.min() if positive.size else np.nan]


@given(lines_with_gaps())
@examples(300)
def test_limits_are_those_of_finite_samples(case):
    x, y, axis = case
    lines = LineSet.of(describe(y), axis, None if x is None else describe(x))
    x = np.arange(y.shape[axis], dtype=float) if x is None else x
    x = x if x.shape == y.shape else np.broadcast_to(np.expand_dims(x, tuple(range(1, y.ndim - axis))), y.shape)
    is_finite = np.isfinite(x) & np.isfinite(y)
    for got, want in zip(lines.limits(), (x[is_finite], y[is_finite]), strict=True):
        np.testing.assert_array_equal([got.min, got.max, got.min_positive], limits_of(want.astype(float)))


def test_a_shared_x_that_neither_rises_nor_falls_counts_whole():
    """Whether any line has a y there would have to be asked for each of its samples."""
    y = np.array([[1, np.nan, 2, 3], [4, np.nan, 5, 6]])
    x, of_y = LineSet.of(describe(y), 1, describe(np.array([1.0, 7.0, 2.0, -1.0]))).limits()
    assert (x.min, x.max, x.min_positive) == (-1, 7, 1) and (of_y.min, of_y.max) == (1, 6)


@pytest.mark.parametrize("gap", [0, 1, 3000])
def test_samples_are_read_as_far_as_gaps_reach(gap, monkeypatch):
    y = np.ones((3, 10_000), "f4")
    y[:, 5] = y[:, :gap] = np.nan
    read = []

    class Counted:
        def __init__(self, plane):
            self._plane, self.shape = plane, plane.shape

        def crop(self, row0, row1, col0, col1):
            read.append((row1 - row0) * (col1 - col0))
            return self._plane.crop(row0, row1, col0, col1)

    planes = line_limits.planes_of_lines
    monkeypatch.setattr(line_limits, "planes_of_lines", lambda *args: [Counted(plane) for plane in planes(*args)])
    x, _ = LineSet.of(describe(y), 1).limits()
    assert (x.min, x.max) == (gap, 9999) and sum(read) < 3 * 2 * (6 * gap + 10)
