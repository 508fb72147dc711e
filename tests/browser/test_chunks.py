"""A page of an inspector of an array in chunks: what was seen stays, tiles come, and it answers all the while."""

import warnings

import numpy as np
import pytest
from pieces import Gate, in_pieces

import gpuplot

from .bridge import Bridge


class Recorded(Bridge):
    """A bridge that keeps the frames that have come."""

    frames = later = ()

    def deliver(self, content, buffers=()):
        self.frames = (*self.frames, content) if content["k"] == "frame" else self.frames
        self.later = (*self.later, content) if content["k"] == "later" else self.later
        super().deliver(content, buffers)


@pytest.fixture
def slow(page):
    """(a page that waits for its first frame, its inspector, the gate before its chunks)."""
    rows, cols = np.ogrid[:800, :1200]
    array = (np.sin(rows / 60) * np.cos(cols / 90)).astype("float32")
    source, engine = in_pieces(array, (100, 100))
    engine.run = engine.run_tile_by_tile
    gate = Gate(engine)
    with warnings.catch_warnings(action="ignore"):  # that no notebook is there
        widget = gpuplot.inspect(source, vmin=-1, vmax=1, cmap="viridis")
    yield Recorded(page, widget), widget, gate
    widget.close()
    gate.open()


def known(view):
    """The share of the canvas that has been painted."""
    return (view.pixels(".gp-canvas")[..., 3] > 0).mean()


def is_drawn(view, share):
    """A condition: at least this share of the canvas is painted."""
    return lambda: any(ack["drawn"] for ack in view.sent("ack")) and known(view) >= share


def test_tiles_appear_and_the_page_answers_before_the_picture_is_whole(slow):
    view, widget, gate = slow
    view.talk(lambda: view.handled("viewport"), "the viewport")  # before it, the histogram would read what the gate lets through
    gate.open(30)
    view.talk(is_drawn(view, 0.05), "the first tiles")
    assert 0.05 < known(view) < 0.6
    view.talk(lambda: len(view.later) == 2, "that histogram and statistics take long")
    widget.cmap = "magma"
    assert widget.cmap == "magma" and known(view) < 0.6
    gate.open()
    view.talk(is_drawn(view, 0.9), "the whole picture")
    view.talk(lambda: view.frames[-1]["final"], "the last frame")
    assert not view.frames[0]["final"]


def test_the_old_picture_is_seen_until_the_new_one_comes(slow):
    view, widget, gate = slow
    gate.open()
    view.talk(is_drawn(view, 0.9), "the whole picture")
    gate.open(0)
    widget.view = ((200.0, 600.0), (300.0, 900.0))
    view.talk(lambda: view.sent("viewport")[-1]["window"][0] > 0, "the new window")
    assert known(view) > 0.9
    before = view.pixels(".gp-canvas")[..., :3].astype(int)
    gate.open()
    view.talk(lambda: view.frames[-1]["window"][0] > 0 and view.frames[-1]["final"], "the new frame")
    view.talk(lambda: len(view.sent("ack")) == len(view.frames), "the new picture")
    after = view.pixels(".gp-canvas")[..., :3].astype(int)
    assert before.shape == after.shape and np.abs(before - after).mean() < 12  # the same part, sharper
