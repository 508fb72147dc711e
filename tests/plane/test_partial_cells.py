"""Partial results of any pieces of a plane, joined in any grouping, become the cells of the whole, on both devices."""

import itertools
import tracemalloc
import zlib

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from matrix import matrix

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane import partial_cells, reduce
from gpuplot.plane.aggs import AGGS, native_nan
from gpuplot.plane.limits import WANT_ALL, find_limits
from gpuplot.plane.native_plane import native_plane
from gpuplot.plane.partial_cells import PartialCells, PiecesOfCells, reduce_piece
from gpuplot.plane.view import choose
from gpuplot.plane.window import Span, Window

EXACT = ("max", "min", "absmax", "range", "count", "nearest")
POLICIES = ("show", "skip", "auto", "infinite")


def plane_of(rng, dtype, shape, has_marks):
    """Small numbers, or 64-bit ones that float64 rounds; a few that are not finite, or masked."""
    if dtype == "masked int64":
        return np.ma.array(plane_of(rng, "int64", shape, False), mask=rng.random(shape) < 0.2)
    if dtype in ("int64", "uint64"):
        base = 2**62 if dtype == "int64" else 2**63 + 2**61
        return (rng.integers(0, 1000, shape).astype(np.uint64) + np.uint64(base)).astype(dtype)
    array = (rng.integers(-4000, 4000, shape) / 16).astype(dtype)
    if has_marks and array.dtype.kind == "f":
        for value in (np.nan, np.inf, -np.inf):
            array[rng.random(shape) < 0.02] = value
    return array


def pieces_of(array, window, agg, cuts, put):
    """The partial results of every piece between the cuts of rows and of columns."""
    found = []
    for row0, row1 in zip(cuts[0], cuts[0][1:], strict=False):
        for col0, col1 in zip(cuts[1], cuts[1][1:], strict=False):
            piece = array[row0:row1, col0:col1]
            view = choose(piece.shape, None, describe(piece).dtype, rgb=False)
            found.append(reduce_piece(describe(put(piece)), view, window, agg, whole=array.shape, origin=(row0, col0)))
    return [part for part in found if part is not None]


def joined(parts, agg, shape, rng):
    """All of them, in a random grouping: some are joined to a grid of their own first."""
    grids = [PartialCells.of_nothing(agg, shape) for _ in range(3)]
    for part in (parts[i] for i in rng.permutation(len(parts))):
        grids[rng.integers(3)].join(part)
    for grid in grids[1:]:
        if grid.order:
            grids[0].join(grid)
    return grids[0]


def check(array, window, agg, cuts, put, rng):
    view = choose(array.shape, None, describe(array).dtype, rgb=False)
    shape = window.shape
    parts = pieces_of(array, window, agg, cuts, put)
    assert sum(part.states.size for part in parts) <= (shape[0] + len(cuts[0])) * (shape[1] + len(cuts[1]))
    whole = joined(parts, agg, shape, rng)
    turned = tuple(span.u0 > span.u1 for span in (window.rows, window.cols))
    for nan in POLICIES:
        want = reduce.Grid(window, view.shape, agg, False)
        with describe(put(array)).borrow() as tensor:
            want = _native.reduce(native_plane(tensor, view), want.rows, want.cols, agg, native_nan(nan))[0].numpy()
        got = whole.finish(nan=nan, is_reversed=turned)
        if agg in EXACT:
            assert got.tobytes() == want.tobytes(), (agg, nan)
            continue
        special = ~np.isfinite(want)
        assert got[special].tobytes() == want[special].tobytes(), (agg, nan)
        finite = np.ma.getdata(array)[np.isfinite(np.ma.getdata(array).astype(float))].astype(float)
        scale = np.abs(finite).max(initial=1) ** (2 if agg == "var" else 1) * (array.size if agg == "sum" else 1)
        np.testing.assert_allclose(got[~special], want[~special], rtol=1e-9, atol=1e-12 * scale)


DTYPES = ("float32", "float64", "float16", "uint8", "int64", "uint64", "masked int64")
VIEWS = {"whole": (0, 1), "part": (0.13, 0.71), "turned": (1, 0), "beyond": (-0.4, 1.2)}


@matrix(dtype=DTYPES, agg=AGGS, view=tuple(itertools.pairwise((*VIEWS, "whole"))), has_marks=(False, True), is_turned=(False, True))
def test_pieces(put, dtype, agg, view, has_marks, is_turned):
    """Cells narrower and wider than pieces, and pieces that no cell touches."""
    rng = np.random.default_rng(zlib.crc32(f"{dtype} {agg} {view}".encode()))
    array = plane_of(rng, dtype, (61, 83), has_marks)
    array = array.T if is_turned else array
    n, m = array.shape
    for cells in ((5, 7), (30, 40), (90, 100)):
        window = Window(*(Span(VIEWS[name][0] * size, VIEWS[name][1] * size, count)
                          for name, size, count in zip(view, (n, m), cells, strict=True)))
        check(array, window, agg, ((0, n // 3, n // 3 + 1, n), (0, m // 2, m - 9, m)), put, rng)


@matrix(dtype=("int64", "uint64"), agg=AGGS)
def test_pieces_with_and_without_a_mask(put, dtype, agg):
    """Masked 64-bit integers are compared as float64, others exactly: joined they are the cells of the whole, which is masked."""
    rng = np.random.default_rng(zlib.crc32(f"{dtype} {agg}".encode()))
    array = np.ma.array(plane_of(rng, dtype, (61, 83), False), mask=rng.random((61, 83)) < 0.2)
    array[:, 41:] = array.data[:, 41:]

    def put_bare(part):
        return put(part if np.ma.is_masked(part) else np.ma.getdata(part))

    for cells in ((5, 7), (30, 40), (90, 100)):
        window = Window(Span(-9, 55.5, cells[0]), Span(3, 83, cells[1]))
        check(array, window, agg, ((0, 7, 30, 61), (0, 41, 60, 83)), put_bare, rng)


@given(st.data())
@examples(60)
def test_any_cut(data):
    """Any shape, window and cuts."""
    n, m = data.draw(st.tuples(st.integers(1, 40), st.integers(1, 40)))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    array = plane_of(rng, data.draw(st.sampled_from(DTYPES)), (n, m), data.draw(st.booleans()))
    cuts = [sorted({0, size, *data.draw(st.lists(st.integers(0, size), max_size=4))}) for size in (n, m)]
    spans = []
    for size in (n, m):
        u0, u1 = data.draw(st.tuples(st.floats(-size, size), st.floats(0.5, 2 * size)))
        spans.append(Span(u0, u0 + u1, data.draw(st.integers(1, 30))))
    check(array, Window(*spans), data.draw(st.sampled_from(AGGS)), cuts, lambda piece: piece, rng)


def test_repeated_elements_count_as_often(put):
    """Pieces whose rows share their memory have the weights of all."""
    row = np.random.default_rng(0).normal(size=(1, 50)).astype(np.float32)
    array = np.broadcast_to(row, (40, 50))
    for agg in AGGS:
        window = Window(Span(0, 40, 3), Span(0, 50, 6))
        check(array, window, agg, ((0, 7, 40), (0, 21, 50)), put, np.random.default_rng(1))


def test_one_state_has_several_ends():
    """Means and sums are one kind of partial result, and so are extremes and moments; a policy may be asked for after another."""
    array = np.array([[1.0, np.nan, 3.0, np.inf, 5.0, 9.0]])
    window = Window(Span(0, 1, 1), Span(0, 6, 3))
    view = choose(array.shape, None, "float64", rgb=False)
    for kind in (("mean", "sum"), ("max", "min", "absmax", "range"), ("std", "var")):
        found = reduce_piece(describe(array), view, window, kind[0])
        for agg in kind:
            for nan in ("show", "skip"):
                np.testing.assert_array_equal(found.finish(agg, nan), gpuplot.downsample(array, (1, 3), agg=agg, nan=nan))


@pytest.mark.parametrize("agg", AGGS)
def test_a_cell_ends_the_same_beside_any_others(agg):
    """Also of more cells than one thread ends; those without elements, or of scaled ones, are ended one by one."""
    rng = np.random.default_rng(zlib.crc32(agg.encode()))
    array = plane_of(rng, "float64", (1203, 1001), True)
    array[:50] *= 7e305
    window = Window(Span(0, 1203, 601), Span(0, 1001, 500))
    cells = reduce_piece(describe(array), choose(array.shape, None, "float64", rgb=False), window, agg)
    want = cells.finish(nan="skip")
    others = rng.random(want.shape) < 0.001
    cells.states[others] = PartialCells.of_nothing(agg, (1, 1)).states[0, 0]
    got = cells.finish(nan="skip")
    assert got[~others].tobytes() == want[~others].tobytes() and np.isnan(got[others]).all()
    alone = [PartialCells(agg, np.array(cells.states[at:at + 1, at:at + 1]), order=cells.order).finish(nan="skip")[0, 0]
             for at in range(500)]
    np.testing.assert_array_equal(np.diagonal(got), alone)


@pytest.mark.parametrize(("dtype", "is_mixed"), [("float64", False), ("int64", False), ("int64", True)])
@pytest.mark.parametrize("agg", AGGS)
def test_bands_of_rows_are_as_the_whole(agg, dtype, is_mixed, monkeypatch):
    """Of any height, also where pieces have fewer rows or compare extremes in different orders, and in every direction."""
    rng = np.random.default_rng(zlib.crc32(agg.encode()))
    array = plane_of(rng, dtype, (61, 83), True)
    window = Window(Span(-9, 55.5, 31), Span(3, 83, 20))
    cuts = (0, 7, 30, 31, 61), (0, 40, 83)
    parts = pieces_of(array, window, agg, cuts, lambda piece: piece)
    if is_mixed:
        parts[::2] = pieces_of(array.astype(float), window, agg, cuts, lambda piece: piece)[::2]
    whole = PartialCells.of_nothing(agg, window.shape)
    for part in parts:
        whole.join(part)
    for n_rows, nan, is_reversed in ((1, "show", (False, False)), (7, "skip", (True, False)), (31, "auto", (True, True))):
        monkeypatch.setattr(partial_cells, "BAND_BYTES", n_rows * 20 * whole.states.itemsize)
        got = PiecesOfCells(agg, window.shape, parts).finish(agg, nan, is_reversed)
        assert got.tobytes() == whole.finish(agg, nan, is_reversed).tobytes()


def test_pieces_are_joined_in_little_memory():
    """Beside the pieces there are the cells and one band of rows."""
    array, n_cells = np.ones((4000, 500), np.float32), 2000 * 500
    parts = pieces_of(array, Window(Span(0, 4000, 2000), Span(0, 500, 500)), "mean", ((0, 2000, 4000), (0, 500)), lambda piece: piece)
    pieces = PiecesOfCells("mean", (2000, 500), parts)
    tracemalloc.start()
    try:
        pieces.finish("mean", "show")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * n_cells + 1.5 * partial_cells.BAND_BYTES


def test_what_cannot_be_joined():
    grid = PartialCells.of_nothing("mean", (2, 2))
    for agg in ("max", "count", "nope"):
        with pytest.raises(ValueError, match="does not fit partial results of mean, but mean, sum do"):
            grid.join(PartialCells(agg, grid.states))
        with pytest.raises(ValueError, match="does not fit"):
            grid.finish(agg)
    with pytest.raises(ValueError, match="outside"):
        grid.join(PartialCells("mean", np.zeros((2, 2), grid.states.dtype), (1, 0)))
    assert (grid.finish().view(np.uint64) == _native.EMPTY_BITS).all()


def test_a_piece_that_no_cell_touches():
    array = np.ones((10, 10))
    view = choose((10, 10), None, "float64", rgb=False)
    window = Window(Span(0, 10, 5), Span(0, 10, 5))
    assert reduce_piece(describe(array), view, window, whole=(10, 40), origin=(0, 20)) is None


@pytest.mark.parametrize("mark", [None, np.nan, np.inf, -np.inf, "masked"], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float16", "int64", "uint8"])
@pytest.mark.parametrize("op", [None, "mean", "max"])
@pytest.mark.parametrize("agg", ["mean", "max", "std", "nearest"])
def test_counts_of_elements_that_come_with_cells(agg, op, dtype, mark):
    """Of finite elements alone they are known without a pass of their own; the same as those of such a pass."""
    array = (np.arange(3 * 40 * 50).reshape(3, 40, 50) % 97).astype(dtype)
    if mark == "masked":
        array = np.ma.array(array, mask=array == 5)
    elif mark is not None:
        if dtype[0] != "f":
            pytest.skip("integers are finite")
        array[1, 7, 9] = mark
    source = describe(array)
    view = choose(array.shape, None, source.dtype, rgb=False, **({"reduce": {0: op}} if op else {"index": {0: 1}}))
    for window in (Window(Span(0.0, 40.0, 7), Span(0.0, 50.0, 9)), Window(Span(3.0, 38.0, 7), Span(0.0, 50.0, 9))):
        for nan in ("show", "skip"):
            wanted = find_limits(source, view, WANT_ALL, nan=nan)
            found = reduce_piece(source, view, window, agg, nan, want=WANT_ALL).limits.finish()
            np.testing.assert_array_equal(found, wanted)
            frame = reduce.reduce_view(source, view, window, agg, nan, WANT_ALL)
            np.testing.assert_array_equal(frame.limits, wanted)
