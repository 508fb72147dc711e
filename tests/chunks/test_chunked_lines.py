"""Densities of lines in chunks equal those of the whole array, bit for bit; only visible chunks are read, each once."""

import itertools
from unittest import mock

import matplotlib.pyplot as plt
import numpy as np
import pytest
from chunked_arrays import numbers
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from pieces import in_pieces

import gpuplot
from gpuplot.arrays.describe import describe
from gpuplot.errors import UnsupportedError
from gpuplot.plane import line_parts
from gpuplot.plane.chunks import chunked_lines
from gpuplot.plane.chunks.chunked_lines import line_set
from gpuplot.plane.line_parts import Filled
from gpuplot.plane.lines import LineAxis, Lines, LineSet, counts_of
from gpuplot.plane.sorted_lines import FilledRows

pytestmark = pytest.mark.host("chunks are read by the host")


def sizes_of(draw, n):
    return np.diff(sorted({0, n, *draw(st.lists(st.integers(0, n), max_size=4))})).tolist()


@st.composite
def cut_lines(draw):
    """(lines of the whole, the same in chunks, axes of cells)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = tuple(draw(st.lists(st.integers(1, 8), max_size=2)))
    axis, length = draw(st.integers(0, len(shape))), draw(st.integers(1, 60))
    shape = (*shape[:axis], length, *shape[axis:])
    dtype = draw(st.sampled_from(("float32", "float64", "float16", "int16", "uint8", "masked")))
    kind = draw(st.sampled_from(("none", "rises", "falls", "steps", "neither", "own")))
    array, chunks = numbers(rng, dtype, shape, draw(st.sampled_from((0.0, 0.1, 0.8)))), [sizes_of(draw, n) for n in shape]
    y = in_pieces(array, chunks)[0]
    x = {"none": None, "rises": np.sort(rng.normal(size=length)), "falls": np.sort(rng.normal(size=length))[::-1],
         "steps": np.sort(rng.integers(-2, 3, length)) / 2, "neither": rng.normal(size=length),
         "own": rng.normal(size=shape).cumsum(axis)}[kind]
    if kind == "own":
        whole_x, x = describe(x), in_pieces(x, chunks)[0]
    else:
        whole_x = x = None if x is None else describe(x)
    low, high = (0, length - 1) if kind == "none" else (-2, 2)
    first, last = sorted(rng.uniform(low - 1, high + 1, 2)) if draw(st.booleans()) else (low, high)
    n_columns = draw(st.sampled_from((1, 7, 40, 64, 300)))
    columns, rows = LineAxis(first, max(last, first + 0.1), n_columns), LineAxis(-80.0, 90.0, draw(st.integers(1, 30)))
    return LineSet.of(describe(array), axis, whole_x), line_set(y, axis, x), columns, rows


@given(cut_lines(), st.booleans(), st.sampled_from((1, 300, 3000, 2**26)))
@examples(250)
def test_any_cut_gives_the_counts_of_the_whole(case, normalize, most_bytes):
    whole, cut, columns, rows = case
    with mock.patch.object(chunked_lines, "MAX_FILLED_BYTES", most_bytes):
        got, want = (Lines((lines,)).cells(columns, rows, normalize).numpy() for lines in (cut, whole))
    np.testing.assert_array_equal(got.view(np.uint64), want.view(np.uint64))
    for got, want in zip(cut.limits(), whole.limits(), strict=True):
        np.testing.assert_array_equal([got.min, got.max, got.min_positive], [want.min, want.max, want.min_positive])


@pytest.mark.parametrize("has_x", [False, True])
@pytest.mark.parametrize("chunks", [(100, (2, 1, 0)), ((0, 150, 0, 150), 2)], ids=str)
def test_chunks_without_elements_are_left_out(chunks, has_x):
    """One of no lines stopped the picture."""
    y, columns, rows = np.arange(900.0).reshape(300, 3) % 83, LineAxis(0.0, 299.0, 50), LineAxis(0.0, 83.0, 30)
    x = np.repeat(np.arange(300.0), 3).reshape(y.shape) if has_x else None
    cut, whole = (line_set(of(y), 0, None if x is None else of(x)) for of in (lambda array: in_pieces(array, chunks)[0], describe))
    np.testing.assert_array_equal(cut.counts(columns, rows, False), counts_of(Lines((whole,)).cells(columns, rows)))


@pytest.mark.parametrize("x, y, n", [(None, [69.0, np.nan, 29.0], 1), (None, [500.0, np.nan, np.nan, -500.0], 2),
                                     ([0.0, 1.0, 2.0, 0.0], [69.0, np.nan, 29.0, 29.0], 3)])
def test_lines_in_several_chunks_with_missing_samples(x, y, n):
    """Of a line whose x rises or falls all rows of a column between its lowest and highest are filled, also where samples are missing."""
    y, columns, rows = np.array(y), LineAxis(0.0, 2.0, 1), LineAxis(-80.0, 90.0, 6)
    x = None if x is None else describe(np.array(x))
    cut = line_set(in_pieces(y, ((n, len(y) - n),))[0], 0, x)
    np.testing.assert_array_equal(cut.counts(columns, rows, False), counts_of(Lines((LineSet.of(describe(y), 0, x),)).cells(columns, rows)))


def test_a_part_of_a_line_with_its_own_x_has_the_columns_that_it_touches(monkeypatch):
    """Of a thousand columns a twentieth of a line touches fifty or two more, which a power of two holds."""
    walk, columns, rows = np.arange(4000.0) % 37, LineAxis(0.0, 3999.0, 1000), LineAxis(0.0, 40.0, 30)
    widths, filled = [], line_parts._filled
    monkeypatch.setattr(line_parts, "_filled", lambda line, columns, rows: widths.append(columns.n_cells) or filled(line, columns, rows))
    x = np.arange(4000.0)
    cut = line_set(in_pieces(walk, (200,))[0], 0, in_pieces(x, (200,))[0])
    want = Lines((LineSet.of(describe(walk), 0, describe(x)),)).cells(columns, rows)
    np.testing.assert_array_equal(cut.counts(columns, rows, False), counts_of(want))
    assert widths == [64] * 20 + [1000]  # the last ones are the strokes between chunks


@pytest.mark.parametrize("step", [1, -1])
def test_a_part_of_a_sorted_line_has_the_columns_that_it_touches(step, monkeypatch):
    walks, columns, rows = np.arange(12000.0).reshape(3, 4000) % 37, LineAxis(0.0, 3999.0, 1000), LineAxis(0.0, 40.0, 30)
    x, widths, rows_of = describe(np.arange(4000.0)[::step]), [], FilledRows.of

    def noting(*args):
        found = rows_of(*args)
        widths.append(found.rows.shape[1])
        return found

    monkeypatch.setattr(FilledRows, "of", noting)
    cut, whole = line_set(in_pieces(walks, (2, 200))[0], 1, x), LineSet.of(describe(walks), 1, x)
    np.testing.assert_array_equal(cut.counts(columns, rows, False), counts_of(Lines((whole,)).cells(columns, rows)))
    assert len(widths) == 2 * (20 + 19)  # chunks of two lines and of one, and the strokes between chunks
    assert max(widths) <= 53 and sorted(widths)[37] <= 4


def pixels_of(*args, xlim=None, scale="linear", **options):
    figure, ax = plt.subplots()
    ax.set_xscale(scale)
    image = gpuplot.plot(*args, ax=ax, density=True, **options)
    ax.set_xlim(xlim)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba()).copy(), image


@pytest.mark.parametrize("normalize", [False, True])
def test_many_lines_and_a_line_in_many_chunks(normalize):
    walks = np.random.default_rng(1).normal(size=(60, 4000)).cumsum(1).astype("float32")
    source, engine = in_pieces(walks, (7, 4000))
    got, image = pixels_of(source, x=1, normalize=normalize)
    np.testing.assert_array_equal(got, pixels_of(walks, x=1, normalize=normalize)[0])
    assert image.n_lines == 60
    assert engine.take_reads() == dict.fromkeys(itertools.product(range(9), range(1)), 2)  # limits and lines
    image.axes.set_xlim(1000, 1100)
    image.figure.canvas.draw()
    image.set_cmap("magma")
    image.figure.canvas.draw()
    assert engine.take_reads() == dict.fromkeys(itertools.product(range(9), range(1)), 1)

    one, engine = in_pieces(walks[0], (100,))
    np.testing.assert_array_equal(pixels_of(one, normalize=normalize)[0], pixels_of(walks[0], normalize=normalize)[0])
    assert set(engine.take_reads().values()) == {2}


# By whether each line has an x of its own: bytes of a line that lies in eight chunks along the axis, on 100 columns and 80 rows.
BYTES_OF_LINE = {True: 8 * 82 * 13, False: 8 * 100}


@pytest.mark.parametrize("is_own", [False, True])
@pytest.mark.parametrize("chunks, n_reads", [((10, 50), 1), ((100, 50), 5)])
def test_hundreds_of_lines_in_several_chunks_are_counted_in_batches(chunks, n_reads, is_own, monkeypatch):
    """Each chunk is read once, or as often as a batch takes a part of its lines, and no result is larger than a batch."""
    walks = np.random.default_rng(1).normal(size=(300, 400)).cumsum(1).astype("float32")
    x = np.broadcast_to(np.arange(400.0), walks.shape)
    columns, rows, sizes, kind = LineAxis(0.0, 399.0, 100), LineAxis(-40.0, 40.0, 80), [], Filled if is_own else FilledRows
    together, field = kind.together, "bits" if is_own else "rows"
    monkeypatch.setattr(chunked_lines, "MAX_FILLED_BYTES", 20 * BYTES_OF_LINE[is_own])
    monkeypatch.setattr(kind, "together", lambda parts: sizes.append(sum(getattr(part, field).nbytes for part in parts)) or together(parts))
    source, engine = in_pieces(walks, chunks)
    got = line_set(source, 1, in_pieces(x, chunks)[0] if is_own else None).counts(columns, rows, False)
    want = LineSet.of(describe(walks), 1, describe(x) if is_own else None)
    np.testing.assert_array_equal(got, counts_of(Lines((want,)).cells(columns, rows)))
    assert set(engine.take_reads().values()) == {n_reads}
    # Neighboring parts share columns: a byte, of eight, or two, beside those of the strokes between.
    assert 0 < max(sizes) <= 1.7 * 20 * BYTES_OF_LINE[is_own]


@pytest.mark.parametrize("scale, xlim, seen", [("linear", (1510, 1590), [15]), ("linear", (1510, 1599.5), [15, 16]),
                                               ("linear", (1490, 1700), [14, 15, 16, 17]), ("log", (150, 390), [1, 2, 3])])
def test_only_chunks_that_are_seen_are_read(scale, xlim, seen):
    walk = np.random.default_rng(1).normal(size=4000).cumsum()
    for x in (None, np.arange(4000.0)):
        args = [one for one in (x, walk) if one is not None]
        source, engine = in_pieces(walk, (100,))
        image = pixels_of(*args[:-1], source, scale=scale)[1]
        engine.take_reads()
        image.axes.set_xlim(xlim)
        image.figure.canvas.draw()
        assert engine.take_reads() == {(k,): 1 for k in seen}
        got = np.asarray(image.figure.canvas.buffer_rgba())
        np.testing.assert_array_equal(got, pixels_of(*args, scale=scale, xlim=xlim)[0])


def test_x_and_y_in_equal_chunks_in_no_order():
    x, y = np.random.default_rng(1).normal(size=(2, 5000))
    (of_x, x_engine), (of_y, y_engine) = in_pieces(x, (700,)), in_pieces(y, (700,))
    np.testing.assert_array_equal(pixels_of(of_x, of_y)[0], pixels_of(x, y)[0])
    assert x_engine.take_reads() == {(k,): 2 for k in range(8)} and y_engine.take_reads() == {(k,): 2 for k in range(8)}


def test_other_tensors_and_mixtures():
    walks = np.random.default_rng(1).normal(size=(6, 500)).cumsum(1)
    source, engine = in_pieces(walks, (2, 500))
    both = pixels_of(np.arange(500.0), source, np.arange(500.0), walks + 9, x=1)[0]
    np.testing.assert_array_equal(both, pixels_of(np.arange(500.0), walks, np.arange(500.0), walks + 9, x=1)[0])
    image = pixels_of(source, x=1)[1]
    engine.take_reads()
    image.update()
    image.figure.canvas.draw()
    assert set(engine.take_reads().values()) == {2}
    with pytest.raises(ValueError, match="show it with set_data"):
        image.update(walks)
    image.set_data(None, walks)
    image.figure.canvas.draw()
    assert engine.take_reads() == {}


def test_what_cannot_be_joined_is_refused_before_a_chunk_is_read():
    source, engine = in_pieces(np.zeros((80, 60), "float32"), (30, 30))
    with pytest.raises(UnsupportedError, match=r"x and y have different chunks"):
        gpuplot.plot(in_pieces(np.zeros((80, 60)), (80, 60))[0], source, x=1, density=True)
    with pytest.raises(UnsupportedError, match=r"x is in memory|y is in chunks and x in memory"):
        gpuplot.plot(np.zeros((80, 60)), source, x=1, density=True)
    assert engine.take_reads() == {}
