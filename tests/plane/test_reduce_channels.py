"""`_native.reduce_channels`: channels that lie beside each other are reduced together, with the bits of each by itself."""

import numpy as np
import pytest
from matrix import matrix

from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane.native_plane import native_plane
from gpuplot.plane.view import choose

SHAPES = {"some cells": ((40, 300), (7, 33)),
          "rows that pieces cut": ((3, 200_000), (1, 2)),
          "columns that pieces cut": ((70_000, 9), (2, 3)),
          "single elements": ((12, 20), (12, 20)),
          "more cells than elements": ((3, 4), (9, 10))}


def random_elements(shape, dtype, has_bad):
    rng = np.random.default_rng(3)
    elements = (rng.normal(2, 1, shape) * 50).astype(dtype)
    if has_bad:
        elements.reshape(-1)[rng.integers(0, elements.size, 9)] = [np.nan, np.inf, -np.inf] * 3
    return elements


def planes_and_axes(tensor, source, shape, parts, begins=(0, 0)):
    view = choose(source.shape, None, source.dtype, rgb=-1)
    rows, cols = (_native.Axis(n, begin, n, n_cells) for n, begin, n_cells in zip(view.shape, begins, shape, strict=True))
    return tuple(native_plane(tensor, view, component="channel", **part) for part in parts), rows, cols


def bits(cells):
    return None if cells is None else cells.numpy().tobytes()


@matrix(agg=("mean", "max", "std", "sum", "nearest"), shape=SHAPES, dtype=("uint8", "float32", "float64", "int64"), has_bad=(False, True),
        splits_nan=(False, True), mask=(None, 0.0, 0.01), layout=("together", "turned", "backwards", "apart"),
        where=lambda dtype, has_bad, **_: not has_bad or dtype.startswith("float"))
def test_the_bits_of_each_channel_alone(agg, shape, dtype, has_bad, splits_nan, mask, layout):
    size, n_cells = SHAPES[shape]
    elements = random_elements((*size, 4), dtype, has_bad)
    elements = {"together": elements,
                "turned": np.ascontiguousarray(elements.swapaxes(0, 1)).swapaxes(0, 1),
                "backwards": elements[::-1, ::-1],
                "apart": np.ascontiguousarray(elements.transpose(2, 0, 1)).transpose(1, 2, 0)}[layout]
    source = describe(elements if mask is None else np.ma.masked_array(elements, np.random.default_rng(4).random(elements.shape) < mask))
    parts = [{"channel": k, "is_alpha_weighted": agg == "mean" and k < 3} for k in range(4)]
    with source.borrow() as tensor:
        planes, rows, cols = planes_and_axes(tensor, source, n_cells, parts)
        found = _native.reduce_channels(planes, rows, cols, agg, "show", splits_nan)
        for plane, (cells, without_nan) in zip(planes, found, strict=True):
            alone = _native.reduce(plane, rows, cols, agg, "show", splits_nan=splits_nan)
            assert bits(cells) == bits(alone[0])
            if splits_nan and np.isnan(cells.numpy()).any():
                _native.fill_without_nan(cells, without_nan)
                _native.fill_without_nan(alone[0], alone[2])
                assert bits(without_nan) == bits(alone[2])


@pytest.mark.parametrize("begins", [(0, 0), (40, 300), (-40, -300)])
def test_reversed_axes_and_cells_beyond_the_elements(begins):
    """A begin beyond the end turns an axis round; cells before the first element are empty."""
    source = describe(random_elements((40, 300, 3), "float64", True))
    with source.borrow() as tensor:
        planes, rows, cols = planes_and_axes(tensor, source, (6, 7), [{"channel": k} for k in range(3)])
        rows, cols = (_native.Axis(n, begin, n if begin <= 0 else 0, 7) for n, begin in zip((40, 300), begins, strict=True))
        for plane, (cells, _) in zip(planes, _native.reduce_channels(planes, rows, cols, "mean", "show", False), strict=True):
            assert bits(cells) == bits(_native.reduce(plane, rows, cols)[0])


def test_sums_beyond_float64_are_mended():
    """The mean of elements whose sum is beyond the range of float64."""
    source = describe(np.full((4, 6, 3), 1.5e308))
    with source.borrow() as tensor:
        planes, rows, cols = planes_and_axes(tensor, source, (1, 2), [{"channel": k} for k in range(3)])
        for cells, _ in _native.reduce_channels(planes, rows, cols, "mean", "show", False):
            assert (cells.numpy() == 1.5e308).all()


def test_what_it_refuses():
    source = describe(np.zeros((4, 6, 3)))
    with source.borrow() as tensor:
        planes, rows, cols = planes_and_axes(tensor, source, (1, 2), [{"channel": k} for k in range(3)])
        with pytest.raises(ValueError, match="0 planes: give 1 to 4"):
            _native.reduce_channels((), rows, cols, "mean", "show", False)
        with pytest.raises(ValueError, match="5 planes: give 1 to 4"):
            _native.reduce_channels(planes[:1] * 5, rows, cols, "mean", "show", False)
        with pytest.raises(TypeError, match="a tuple of Plane"):
            _native.reduce_channels(list(planes), rows, cols, "mean", "show", False)
        with pytest.raises(ValueError, match="axes of 6 x 4 elements for a plane of 4 x 6"):
            _native.reduce_channels(planes, cols, rows, "mean", "show", False)
