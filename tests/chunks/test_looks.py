"""Looks at chunks: which is read first, and which is the same work as another."""

import itertools

import numpy as np
import pytest
from pieces import Gate, in_pieces

from gpuplot.plane.chunks.answers import Pending
from gpuplot.plane.chunks.looks import PANEL, PICTURE, Look, Reader, awaited, is_same

pytestmark = pytest.mark.host("chunks are read by the host")


def test_a_picture_goes_before_a_panel():
    array = np.zeros((400, 600), "float32")
    source, engine = in_pieces(array, (100, 100))
    gate, source, order = Gate(engine), awaited(source), []
    reader = Reader(lambda is_over: None)

    def job(elements, index):
        return [index]

    def attempt(look, tiles):
        try:
            with look.attempt():
                return source.run(tiles, job, lambda found: list(itertools.chain(*found)))
        except Pending:
            return None

    panel, picture = Look(reader, PANEL), Look(reader, PICTURE)
    assert attempt(panel, [[(0, 0), (1, 0), (2, 0)]]) is None
    gate.wait_for(1)
    assert attempt(picture, [[(3, 3)]]) is None
    engine.chunk, chunk = lambda index: order.append(index) or array[:100, :100], engine.chunk
    gate.open()
    assert picture.wait(60) and attempt(picture, [[(3, 3)]]) == [[(3, 3)]]
    assert panel.wait(60) and attempt(panel, [[(0, 0), (1, 0), (2, 0)]]) == [[(0, 0), (1, 0), (2, 0)]]
    assert order == [(3, 3), (2, 0), (1, 0), (0, 0)]  # the panel's were begun anew
    assert chunk


def test_equal_work_is_known():
    class Odd:
        def __init__(self, value):
            self.value = value

    same = [(1, 1), ([1, "a"], [1, "a"]), ({"a": np.arange(3)}, {"a": np.arange(3)}), (np.nan, float("nan")), (Odd((1, 2)), Odd((1, 2)))]
    other = [(1, 1.0), ([1], [1, 2]), ({"a": 1}, {"b": 1}), (np.arange(3), np.arange(3.0)), (Odd(1), Odd(2)), (lambda: 1, lambda: 1)]
    assert all(is_same(a, b) for a, b in same) and not any(is_same(a, b) for a, b in other)
