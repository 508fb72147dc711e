"""Draws of arrays in chunks in a window: first the previous picture, then tiles as they are read, then the complete picture."""

import pickle
import threading
import time

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backend_bases import TimerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pieces import Gate, in_pieces
from pyramid_group import Group, levels_of, pyramid_in_pieces

import gpuplot
from gpuplot.arrays import lazy_arrays
from gpuplot.arrays.describe import describe
from gpuplot.arrays.pyramids import at_level
from gpuplot.errors import GpuplotWarning
from gpuplot.mpl.images import borrowed_plane
from gpuplot.plane.chunks.answers import Answers, Failed, Pending
from gpuplot.plane.chunks.stored_preview import stored_preview
from gpuplot.plane.tensor_plane import plane_of
from gpuplot.plane.view import choose
from gpuplot.plane.window import Span
from gpuplot.plane.window import Window as PlaneWindow

pytestmark = pytest.mark.host("chunks are read by the host")


@pytest.fixture(autouse=True)
def never_gathered(monkeypatch):
    """No plane of these tests is copied at the call."""
    monkeypatch.setattr(borrowed_plane, "MAX_GATHERED_ELEMENTS", 100)


class Timer(TimerBase):
    """A timer that fires when the test says so."""

    running = []

    def _timer_start(self):
        self.running.append(self)

    def _timer_stop(self):
        if self in self.running:
            self.running.remove(self)


class Window(FigureCanvasAgg):
    """The canvas of a window whose event loop is the test."""

    _timer_cls = Timer

    def __init__(self, *args, **keywords):
        super().__init__(*args, **keywords)
        self.threads, self.n_asked = set(), 0

    def draw(self):
        self.threads.add(threading.get_ident())
        super().draw()

    def draw_idle(self):
        self.threads.add(threading.get_ident())
        self.n_asked += 1

    @property
    def pixels(self):
        self.draw()
        return np.array(self.buffer_rgba())

    def turn(self):
        """One turn of the event loop: timers, then a draw where one was asked for. Whether a timer is left."""
        before = self.n_asked
        for timer in list(Timer.running):
            timer._on_timer()
        if self.n_asked > before:
            self.draw()
        return bool(Timer.running)

    def settle(self):
        """Turns until nothing is left to come; the pixels then."""
        for _ in range(3000):
            if not self.turn():
                return self.pixels
            time.sleep(0.01)
        raise AssertionError("it never ends")


@pytest.fixture
def array():
    return np.random.default_rng(2).normal(size=(800, 600)).cumsum(0).astype("float32")


def axes(canvas=Window):
    Timer.running.clear()
    fig = Figure(figsize=(1.5, 2))
    canvas(fig)
    ax = fig.add_axes((0, 0, 1, 1))
    ax.set_axis_off()
    return fig.canvas, ax


def shown(array, canvas=Window, chunks=(100, 150), **options):
    """(canvas, image, the engine of its chunks)"""
    source, engine = in_pieces(array, chunks)
    canvas, ax = axes(canvas)
    return canvas, gpuplot.imshow(source, ax=ax, **options), engine


LOOKS = ({}, {"robust": True}, {"agg": "max", "vmin": 0}, {"norm": "symlog"}, {"limits": "pixels"}, {"alpha": 0.5},
         {"interpolation": "nearest"})


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_the_last_draw_is_that_of_one_that_waits(array, look):
    windows = [shown(array, **look, wait=wait) for wait in (False, True)]
    for limits in (None, ((100.5, 399.5), (500.5, 99.5)), ((10, 30), (50, 20)), ((-0.5, 599.5), (799.5, -0.5))):
        for _, image, _ in windows if limits else ():
            image.axes.set(xlim=limits[0], ylim=limits[1])
        (got, first, _), (want, second, _) = windows
        got.draw()
        np.testing.assert_array_equal(got.settle(), want.pixels)
        assert first.get_clim() == second.get_clim()
        np.testing.assert_array_equal(first._cells.frame.cells.numpy(), second._cells.frame.cells.numpy())


def test_a_call_and_a_draw_in_a_window_wait_for_nothing(array):
    canvas, image, engine = shown(array)
    assert not engine.reads and image.get_clim() == (None, None)
    gate = Gate(engine)
    canvas.draw()
    gate.wait_for(1)
    blank = canvas.pixels
    assert (blank[..., :3] == 255).all()
    gate.open()
    assert (canvas.settle()[..., :3] < 255).any()
    assert engine.take_reads() == dict.fromkeys(np.ndindex(8, 4), 1)
    assert canvas.threads == {threading.get_ident()}


def test_tiles_take_the_place_of_what_was_drawn_before(array):
    canvas, image, engine = shown(array, progress=False)
    canvas.draw()
    whole = canvas.settle()
    image.axes.set(xlim=(-0.5, 299.5), ylim=(399.5, -0.5))
    engine.run = one_tile_at_a_time(engine, gate := Gate(engine, 4))
    canvas.draw()
    gate.wait_for(5)
    for _ in range(200):
        canvas.turn()
        if len(image.plane.answers.question.tiles) == 4:
            break
        time.sleep(0.01)
    part = canvas.pixels
    gate.open()
    all_of_it = canvas.settle()
    new, old = (part == all_of_it).all(-1), (part == np.kron(whole[:100, :75], np.ones((2, 2, 1), "u1"))).all(-1)
    assert 0.1 < new.mean() < 0.9
    assert (new | old).mean() > 0.95


# ---- a stored level of a pyramid, meanwhile ------------------------------------------------------------------------------


@pytest.fixture
def pyramid(array):
    """(levels in chunks, the engine of each, what waiting draws); levels other than 0 are ten more than they should be."""
    levels = levels_of(array, 3)
    sources, engines = pyramid_in_pieces([array, *(level + 10 for level in levels[1:])], 100)
    want, *_ = shown(array, wait=True, vmin=-20, vmax=20)
    return sources, engines, want.pixels


def shown_pyramid(sources, **options):
    canvas, ax = axes()
    image = gpuplot.imshow(sources, level=0, ax=ax, vmin=-20, vmax=20, aspect="auto", **options)
    return canvas, image


def settled_until(canvas, is_so):
    for _ in range(1000):
        canvas.turn()
        if is_so():
            return canvas.pixels
        time.sleep(0.01)
    raise AssertionError("it never comes")


def test_a_stored_level_is_shown_and_called_a_preview_until_chunks_are_read(pyramid, array):
    sources, engines, want = pyramid
    preview, *_ = shown(levels_of(array, 3)[2] + 10, wait=True, vmin=-20, vmax=20)
    canvas, image = shown_pyramid(sources, progress=False)
    engines[0].run = one_tile_at_a_time(engines[0], gate := Gate(engines[0], 8))
    canvas.draw()
    gate.wait_for(9)
    part = settled_until(canvas, lambda: len(image.plane.answers.question.tiles) == 8)
    assert image._incomplete_text == "preview, level 2 of 3"
    is_new, is_preview = (part == want).all(-1), (part == preview.pixels).all(-1)
    assert 0.15 < is_new.mean() < 0.5 < is_preview.mean() < 0.85 and (is_new | is_preview)[:170].mean() > 0.99  # below is the text
    gate.open()
    np.testing.assert_array_equal(canvas.settle(), want)
    assert image._incomplete_text == "" and [sum(engine.reads.values()) for engine in engines[1:]] == [0, 4]


def test_the_preview_is_as_sharp_as_the_window(pyramid):
    sources, engines, _ = pyramid
    canvas, image = shown_pyramid(sources, progress=False)
    for width, level in ((600, 2), (400, 1), (200, 0), (900, 2)):
        for engine in engines:
            engine.take_reads()
        image.axes.set(xlim=(-0.5, width - 0.5), ylim=(width * 4 / 3, 0))
        canvas.draw()
        canvas.settle()
        assert [bool(engine.reads) for engine in engines] == [True, *(k == level for k in (1, 2))]


@pytest.mark.parametrize("how", [{"wait": True}, {"wait": True, "robust": True}])
def test_what_waits_reads_no_other_level(pyramid, how, tmp_path):
    sources, engines, _ = pyramid
    canvas, _ = shown_pyramid(sources, **how)
    canvas.draw()
    canvas.figure.savefig(tmp_path / "a.png")
    gpuplot.to_rgba(sources, (5, 6), level=0)
    assert not engines[1].reads and not engines[2].reads


@pytest.mark.parametrize("agg, has_preview", [("max", True), ("sum", False), ("count", False), ("std", False), ("range", False)])
def test_what_depends_on_the_number_of_elements_has_no_preview(pyramid, agg, has_preview):
    sources, engines, _ = pyramid
    canvas, _ = shown_pyramid(sources, progress=False, agg=agg)
    canvas.draw()
    canvas.settle()
    assert any(bool(engine.reads) for engine in engines[1:]) == has_preview


@pytest.mark.parametrize("reduce, n_pages, has_preview", [("mean", 2, True), ("sum", 4, True), ("sum", 2, False), ("norm", 2, False)])
def test_a_level_with_fewer_pages_is_no_preview_of_their_sum(reduce, n_pages, has_preview):
    levels = [np.ones((4, 64, 64)), np.ones((n_pages, 16, 16))]
    sources, _ = pyramid_in_pieces(levels, 64)
    source = describe(at_level(sources, 0))
    plane = plane_of(source, choose(source.shape, None, source.dtype, reduce={0: reduce}), "auto")
    preview = stored_preview(plane, PlaneWindow(Span(0.0, 64.0, 8), Span(0.0, 64.0, 8)), "mean")
    assert (preview is not None) == has_preview
    assert preview is None or (preview.frame.cells.numpy() == {"mean": 1, "sum": 4}[reduce]).all()


def test_a_level_that_cannot_be_read_is_no_preview(pyramid):
    sources, engines, want = pyramid

    def fails(index):
        raise OSError("the disk is gone")

    engines[2].chunk = fails
    canvas, _ = shown_pyramid(sources, progress=False)
    canvas.draw()
    np.testing.assert_array_equal(canvas.settle(), want)


@pytest.mark.parametrize("wait", [False, True])
def test_a_group_of_zarr_is_read_at_one_more_level_for_a_preview(array, wait, monkeypatch):
    pytest.importorskip("dask")
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 100)
    group = Group.of(levels_of(array, 4))
    canvas, ax = axes()
    gpuplot.imshow(group, ax=ax, vmin=-20, vmax=20, aspect="auto", wait=wait)
    canvas.draw()
    got = canvas.settle()
    want, *_ = shown(array, wait=True, vmin=-20, vmax=20)
    assert np.abs(got.astype(int) - want.pixels).max() <= 1
    assert [group[str(k)].reads > 0 for k in range(4)] == [True, False, not wait, False]


def test_another_view_gives_up_a_preview(pyramid):
    sources, engines, _ = pyramid
    canvas, image = shown_pyramid(sources, progress=False)
    gate = Gate(engines[2])
    canvas.draw()
    gate.wait_for(1)
    image.axes.set(xlim=(0, 140), ylim=(187, 0))  # needs no preview
    canvas.draw()
    gate.open()
    canvas.settle()
    assert gate.n_begun == 1 and sum(engines[0].reads.values()) == 4


def one_tile_at_a_time(engine, gate):
    def run(tiles, work, join, watch):
        watch.begin(len(tiles))
        joined = []
        for k, tile in enumerate(tiles):
            watch.tick()
            joined.append(join([work(engine.chunk(index), index) for index in tile]))
            watch.tile(k, joined[-1])
        watch.end()
        return joined

    return run


def test_the_newest_view_wins(array):
    canvas, image, engine = shown(array)
    canvas.draw()
    canvas.settle()
    engine.run = one_tile_at_a_time(engine, gate := Gate(engine))
    others = set(threading.enumerate())
    for limits in ((0, 500), (100, 550), (200, 600)):
        image.axes.set_xlim(limits)
        canvas.draw()
        gate.wait_for(1)
        assert gate.n_begun == 1, "one question at a time"
        assert len([thread for thread in set(threading.enumerate()) - others if thread.name == "gpuplot-chunks"]) == 1
    gate.open()
    got = canvas.settle()
    assert gate.n_begun <= 1 + 32, "the view before was given up after the chunk that had begun, that between was never read"
    want, other, _ = shown(array, wait=True)
    other.axes.set_xlim(200, 600)
    np.testing.assert_array_equal(got, want.pixels)


def test_a_part_with_limits_reads_no_more_than_is_seen(array):
    source, engine = in_pieces(array, (100, 150))
    pixels = []
    for wait in (False, True):
        canvas, ax = axes()
        ax.set(xlim=(-0.5, 299.5), ylim=(399.5, -0.5), autoscale_on=False)
        image = gpuplot.imshow(source, ax=ax, vmin=0, vmax=9, wait=wait)
        image.axes.set(xlim=(-0.5, 299.5), ylim=(399.5, -0.5))
        canvas.draw()
        pixels.append(canvas.settle())
        assert wait or engine.take_reads() == dict.fromkeys(np.ndindex(4, 2), 1)
    np.testing.assert_array_equal(*pixels)


def test_files_are_whole(array, tmp_path):
    canvas, *_ = shown(array)
    canvas.draw()
    canvas.figure.savefig(tmp_path / "a.png", dpi=100)
    want, *_ = shown(array, wait=True)
    want.figure.savefig(tmp_path / "b.png", dpi=100)
    np.testing.assert_array_equal(plt.imread(tmp_path / "a.png"), plt.imread(tmp_path / "b.png"))
    canvas.settle()


def test_figures_without_an_event_loop_wait(array):
    canvas, image, engine = shown(array, FigureCanvasAgg)
    assert engine.reads and None not in image.get_clim()
    canvas.draw()
    assert image.plane.answers.question is None
    for options in ({"colorbar": True}, {"center": "auto"}, {"wait": True}):
        canvas, image, engine = shown(array, **options)
        assert engine.reads and None not in image.get_clim()


def test_a_chunk_that_fails_is_said_in_the_picture(array):
    canvas, image, engine = shown(array)
    canvas.draw()
    before = canvas.settle()
    chunk = engine.chunk

    def fails(index):
        if index == (2, 1):
            raise gpuplot.ChunkError("chunk (2, 1), X[200:300, 150:300] of 58.6 KB cannot be read: the disk is gone", index)
        return chunk(index)

    engine.chunk = fails
    image.update()
    with pytest.warns(GpuplotWarning, match=r"the picture is not complete: chunk \(2, 1\).*the disk is gone") as told:
        canvas.draw()
        after = canvas.settle()
    assert len(told) == 1, "once"
    np.testing.assert_array_equal(after[:100], before[:100])
    assert (after[100:] != before[100:]).any(), "the text, above the frame before"
    with pytest.raises(gpuplot.ChunkError, match="the disk is gone"):
        canvas.figure.savefig("/dev/null", format="png")
    engine.chunk = chunk
    image.update()
    canvas.draw()
    np.testing.assert_array_equal(canvas.settle(), before)


def test_an_image_that_is_removed_gives_up(array):
    canvas, image, engine = shown(array)
    engine.run = one_tile_at_a_time(engine, gate := Gate(engine))
    canvas.draw()
    gate.wait_for(1)
    answers = image.plane.answers
    image.remove()
    gate.open()
    canvas.settle()
    for _ in range(500):
        if answers.question is None:
            break
        time.sleep(0.01)
    assert gate.n_begun == 1


def test_a_pickle_of_a_picture_that_is_not_complete(array):
    canvas, image, _ = shown(array)
    canvas.draw()
    twin = pickle.loads(pickle.dumps(image))
    assert twin.plane is not None
    canvas.settle()


def test_other_choices_are_refused():
    with pytest.raises(ValueError, match="wait='never' is not one of 'auto', True, False"):
        gpuplot.imshow(np.zeros((3, 4)), wait="never")


# ---- questions -----------------------------------------------------------------------------------------------------------


def answered(answers, key, find):
    """The answer, as soon as it is there."""
    for _ in range(3000):
        try:
            with answers.without_waiting():
                return answers.ask(key, find)
        except Pending:
            time.sleep(0.01)
    raise AssertionError("it never comes")


def test_one_question_runs_and_one_waits():
    answers, begun, may_end = Answers(), [], threading.Event()

    def find(watch, key):
        begun.append(key)
        may_end.wait(60)
        watch.tick()
        return key

    with answers.without_waiting():
        for key in ("a", "b", "c"):
            with pytest.raises(Pending):
                answers.ask(key, lambda watch, key=key: find(watch, key))
    may_end.set()
    assert answered(answers, "c", lambda watch: find(watch, "c")) == "c"
    assert begun in (["a", "c"], ["c"])


def test_answers_are_of_the_thread_that_waits_for_none():
    answers, found = Answers(), []
    with answers.without_waiting():
        other = threading.Thread(target=lambda: found.append(answers.ask("a", lambda watch: (1, watch))))
        other.start()
        other.join()
    assert found == [(1, None)]
    assert answers.ask("a", lambda watch: 2) == 2


def test_errors_are_kept_until_something_changes():
    answers = Answers()

    def fail(watch):
        raise OSError("gone")

    with pytest.raises(Failed) as told:
        answered(answers, "a", fail)
    error = told.value.__cause__
    assert isinstance(error, OSError) and answers.is_new_error(error) and not answers.is_new_error(error)
    assert answers.ask("a", lambda watch: 3) == 3, "who waits tries again"
    answers.forget()
    assert answered(answers, "a", lambda watch: 4) == 4
