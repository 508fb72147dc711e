"""Partial results that cross to another process come back to the bit, in a third of their bytes where no element is missing."""

import itertools
import pickle

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from gpuplot.arrays.describe import describe
from gpuplot.plane.aggs import AGGS
from gpuplot.plane.cell_states import STATE, packed, packed_bytes, unpacked
from gpuplot.plane.partial_cells import PartialCells, reduce_piece
from gpuplot.plane.view import choose
from gpuplot.plane.window import Span, Window

# Bytes of a pickle besides its cells, rows and columns.
OVERHEAD_BYTES = 1500

HARD = [0.0, -0.0, 1.0, 1.0 + 2**-52, -1.0, 1e-310, 5e-324, 1.7e308, -1.7e308, np.inf, -np.inf, np.nan, -np.nan]


def bytes_of(array, agg, cells):
    """The pickled length of the partial cells of one piece, less what does not grow with them; they must be the same afterwards."""
    window = Window(Span(0.3, array.shape[0] - 0.7, cells[0]), Span(1.1, array.shape[1] - 2.2, cells[1]))
    part = reduce_piece(describe(array), choose(array.shape, None, describe(array).dtype, rgb=False), window, agg)
    message = pickle.dumps(part, 5)
    back = pickle.loads(message)
    assert back.states.tobytes() == part.states.tobytes()
    assert (back.agg, back.place, back.order, back.joined) == (part.agg, part.place, part.order, part.joined)
    back.join(part)  # memory that may be written
    return len(message) - OVERHEAD_BYTES - 17 * 8 * sum(part.states.shape)


@pytest.mark.parametrize("cells", [(20, 30), (90, 120), (200, 240)])
@pytest.mark.parametrize("agg", AGGS)
def test_no_more_crosses_than_there_is_to_say(agg, cells):
    rng, n_cells = np.random.default_rng(1), cells[0] * cells[1]
    array = rng.normal(size=(150, 170)).astype("f4")
    if agg in ("mean", "sum"):
        assert bytes_of(array, agg, cells) <= 9 * n_cells
    assert bytes_of(array, agg, cells) <= packed_bytes(agg) * n_cells
    array[rng.random(array.shape) < 0.1] = np.nan
    assert bytes_of(array, agg, cells) <= packed_bytes(agg) * n_cells
    assert bytes_of(np.full((150, 170), 3, "u1"), agg, cells) <= 3 * n_cells


@given(st.data())
@examples(80)
def test_any_states(data):
    """Planes that are equal along no axis, one or both, products of rows and columns, and these with some other cells."""
    n_rows, n_cols = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    states = np.empty((n_rows, n_cols), STATE)

    def values(*shape):
        return rng.choice(HARD, shape) if data.draw(st.booleans()) else rng.random(shape) + 0.5

    for name in ("a", "b", "c"):
        with np.errstate(all="ignore"):
            states[name] = values(*data.draw(st.sampled_from([(n_rows, n_cols), (1, n_cols), (n_rows, 1), (1, 1)])))
            states[name] *= values(n_rows, 1) if data.draw(st.booleans()) else 1
        if data.draw(st.booleans()):
            states[name][rng.integers(n_rows), rng.integers(n_cols)] = rng.choice(HARD)
        states[name].view("i8")[:] += rng.integers(-130, 130, states.shape) * data.draw(st.integers(0, 1))
    states["has"] = rng.integers(0, 256, states.shape)
    assert unpacked(packed(states)).tobytes() == states.tobytes()


def test_joined_pieces_cross_as_one():
    """The weights of cells that several pieces share are a product of rows and columns but for some last bits, too."""
    array = np.random.default_rng(2).normal(size=(640, 640)).astype("f4")
    window = Window(Span(3.3, 630.1, 90), Span(7.7, 601.2, 110))
    parts = []
    for row, col in itertools.product(range(0, 640, 160), repeat=2):
        piece = array[row:row + 160, col:col + 160]
        parts.append(reduce_piece(describe(piece), choose(piece.shape, None, "float32"), window, whole=array.shape, origin=(row, col)))
    whole = PartialCells.together(parts)
    message = pickle.dumps(whole, 5)
    assert pickle.loads(message).states.tobytes() == whole.states.tobytes()
    assert len(message) <= 9 * 90 * 110 + 17 * 8 * 200 + OVERHEAD_BYTES
