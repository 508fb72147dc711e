"""An inspector of an array in chunks answers while these are read: tiles are shown, the newest view wins, the last frame is complete."""

import signal
import threading
import time
import warnings

import numpy as np
import pytest
from inspector_fakes import Rig
from pieces import Gate, in_pieces
from pyramid_group import levels_of, pyramid_in_pieces
from slow_inspector import SIZE, WHOLE, Slow, scene_of

import gpuplot
from gpuplot.arrays.pyramids import at_level
from gpuplot.inspector.kernel.controller import Controller
from gpuplot.inspector.kernel.pages import MAX_JOINED, MAX_PAGES
from gpuplot.plane.chunks.answers import Pending
from gpuplot.plane.chunks.looks import PICTURE, Look, Reader, awaited

pytestmark = pytest.mark.host("chunks are read by the host")


@pytest.fixture
def array():
    return np.random.default_rng(4).normal(size=(5, 400, 600)).cumsum(1).astype("float32")


@pytest.fixture
def open_slow(array):
    """A function that makes a `Slow`; it is let go at the end."""
    made = []

    def open_one(**options):
        made.append(Slow(array, **options))
        return made[-1]

    yield open_one
    for slow in made:
        slow.rig.controller.close()
        slow.gate.open()


def whole_pixels(array, window=WHOLE, **options):
    return scene_of(array, **options).draw(window, SIZE).pixels[0]


def test_nothing_waits_and_the_last_frame_is_that_of_the_whole(open_slow, array):
    slow = open_slow()
    slow.look()
    slow.gate.wait_for(1)
    assert not slow.rig.heard("frame")
    slow.rig.say("set", values={"cmap": "magma"})  # answered meanwhile
    assert slow.rig.heard("state")[-1]["state"]["cmap"] == "magma"
    slow.gate.open()
    slow.until(slow.frames)
    np.testing.assert_array_equal(slow.pixels(), whole_pixels(array, cmap="magma"))
    assert slow.engine.take_reads() == {(0, row, col): 1 for row in range(4) for col in range(6)}
    state, whole = slow.rig.heard("state")[-1]["state"], scene_of(array)
    whole.draw(WHOLE, SIZE)
    assert (state["vmin"], state["vmax"], state["text"]) == (whole.vmin, whole.vmax, "")


@pytest.mark.parametrize("is_known", [False, True])
def test_a_page_that_comes_ends_the_reads_for_the_one_that_was_expected(open_slow, is_known):
    slow = open_slow()
    controller = slow.rig.controller
    if is_known:
        slow.look()
        slow.gate.wait_for(1)
    controller.expect_page()
    controller.change({"cmap": "magma"})
    slow.gate.wait_for(1)
    slow.look()
    n_begun = slow.gate.n_begun
    slow.gate.open()
    slow.until(slow.frames)
    assert sum(slow.engine.take_reads().values()) <= 24 + n_begun < 48 and list(controller._pictures) == ["p"]


def test_nothing_is_read_for_pages_that_were_dropped(open_slow):
    slow = open_slow()
    slow.look()
    slow.gate.wait_for(1)
    for k in range(MAX_PAGES):
        slow.rig.controller.receive({"k": "ready", "seq": 0, "page": f"other {k}"})
    assert not slow.rig.controller._pictures and not slow.rig.controller._reader._entries


def test_tiles_take_their_place_as_they_come(open_slow, array):
    slow = open_slow(vmin=-10, vmax=10)
    slow.engine.run = slow.engine.run_tile_by_tile
    slow.gate.open(3)
    slow.look()
    slow.until(lambda: slow.frames(is_final=False))
    part, whole = slow.pixels(), whole_pixels(array, vmin=-10, vmax=10)
    is_known = part[..., 3] > 0
    assert set(np.unique(np.nonzero(is_known)[0])) <= set(range(10)) and is_known[:10, :10].all() and not is_known[:, 30:].any()
    np.testing.assert_array_equal(part[is_known], whole[is_known])
    slow.gate.open()
    slow.until(slow.frames)
    np.testing.assert_array_equal(slow.pixels(), whole)


@pytest.fixture
def slow_pyramid(array):
    """A `Slow` whose `engines` are those of three levels; the elements of levels 1 and 2 are ten more than they should be."""
    levels = levels_of(array, 3)
    sources, engines = pyramid_in_pieces([array, *(level + 10 for level in levels[1:])], 100)
    slow = Slow.__new__(Slow)
    slow.engine, slow.engines, slow._acknowledged = engines[0], engines, set()
    slow.gate, slow.rig = Gate(engines[0]), Rig(scene_of(at_level(sources, 0), vmin=-20, vmax=20))
    slow.rig.say("ready")
    slow.rig.take()
    yield slow
    slow.rig.controller.close()
    slow.gate.open()


def test_a_stored_level_is_shown_and_called_a_preview_until_chunks_are_read(slow_pyramid, array):
    slow = slow_pyramid
    slow.engine.run = slow.engine.run_tile_by_tile
    slow.look()
    slow.until(lambda: slow.frames(is_final=False))
    slow.gate.wait_for(1)
    np.testing.assert_array_equal(slow.pixels(), whole_pixels(levels_of(array, 3)[2] + 10, [0, 100, 0, 150], vmin=-20, vmax=20))
    assert slow.rig.heard("state")[-1]["state"]["text"].startswith("preview, level 2 of 3")
    slow.gate.open(7)
    want = whole_pixels(array, vmin=-20, vmax=20)
    slow.until(lambda: (slow.pixels() == want).all(-1)[:10].all())
    assert not (slow.pixels() == want).all(-1)[10:].all()
    slow.gate.open()
    slow.until(slow.frames)
    np.testing.assert_array_equal(slow.pixels(), want)
    assert slow.rig.heard("state")[-1]["state"]["text"] == ""
    assert [sum(engine.reads.values()) for engine in slow.engines] == [24, 0, 2]


def test_a_look_at_what_is_known_does_not_make_the_next_frame_another_question(array):
    """The chunks may all be read between the attempt that waits for them and the look at what is known: they were read again."""
    source, engine = in_pieces(array, (1, 100, 100))
    gate, scene, reader = Gate(engine), scene_of(awaited(source), vmin=-20, vmax=20), Reader(lambda is_over: None)
    look = Look(reader, PICTURE)
    with pytest.raises(Pending), look.attempt():
        scene.draw(WHOLE, SIZE)
    gate.open()
    assert look.wait(60)
    with look.peek():
        known = scene.draw_known(WHOLE, SIZE)
    with look.attempt():
        np.testing.assert_array_equal(scene.draw(WHOLE, SIZE).pixels, known.pixels)
    assert set(engine.take_reads().values()) == {1}
    reader.close()


def test_the_preview_is_as_sharp_as_the_window(slow_pyramid):
    slow = slow_pyramid
    slow.gate.open()
    for n, (side, level) in enumerate(((400, 2), (80, 1), (40, 0))):
        slow.look([0, side, 0, side * 3 / 2])
        slow.until(lambda n=n: len(slow.frames()) > n)
        assert [bool(engine.take_reads()) for engine in slow.engines] == [True, *(k == level for k in (1, 2))]


def test_python_and_files_read_no_other_level(slow_pyramid):
    slow = slow_pyramid
    slow.gate.open()
    scene = slow.rig.scene
    scene.draw(WHOLE, SIZE)
    scene.draw_aside(WHOLE, (7, 8))
    assert not any(engine.reads for engine in slow.engines[1:])


@pytest.mark.parametrize("dtype, has_preview", [("uint16", True), ("bool", False), ("uint8", False)])
def test_classes_have_no_preview(dtype, has_preview):
    """A level may have mixed them; integers of many values are numbers, which the cells of the level tell before all elements are known."""
    noise, factor = np.random.default_rng(1).random((400, 600)), 3 if dtype == "uint8" else 6e4
    levels = [(level * factor).astype(dtype) for level in levels_of(noise, 3)]
    sources, engines = pyramid_in_pieces(levels, 100)
    slow = Slow.__new__(Slow)
    slow.engine, slow._acknowledged, slow.gate = engines[0], set(), Gate(engines[0])
    slow.rig = Rig(scene_of(at_level(sources, 0)))
    slow.rig.say("ready")
    slow.look()
    slow.gate.wait_for(1)
    if has_preview:
        slow.until(lambda: slow.frames(is_final=False))
        assert slow.rig.heard("state")[-1]["state"]["text"].startswith("preview, level 2 of 3")
    slow.gate.open()
    slow.until(slow.frames)
    np.testing.assert_array_equal(slow.pixels(), whole_pixels(levels[0]))
    assert has_preview == bool(slow.frames(is_final=False))


def test_what_was_drawn_stays_below_tiles_and_goes_with_another_slice(open_slow, array):
    slow = open_slow(vmin=-10, vmax=10)
    slow.gate.open()
    slow.look()
    slow.until(slow.frames)
    scene, before = slow.rig.scene, slow.pixels()
    below = scene._preview.pixels(scene._view_state, _viewport(WHOLE), [None])
    np.testing.assert_array_equal(below[0], before)
    zoomed = scene._preview.pixels(scene._view_state, _viewport([0, 200, 0, 300]), [None])[0]
    np.testing.assert_array_equal(zoomed[::2, ::2], before[:20, :30])
    scene.change({"index": {0: 1}})
    assert not scene._preview.pixels(scene._view_state, _viewport(WHOLE), [None]).any()


def _viewport(window):
    from gpuplot.inspector.model.viewport import Viewport

    return Viewport(tuple(map(float, window)), tuple(SIZE))


def test_of_several_views_the_newest_is_read(open_slow, array):
    slow = open_slow(vmin=-10, vmax=10)
    slow.look()
    slow.gate.wait_for(1)
    for corner in (0, 100, 200):
        slow.look([corner, corner + 100, corner, corner + 100])
    slow.gate.open()
    slow.until(slow.frames)
    np.testing.assert_array_equal(slow.pixels(), whole_pixels(array, [200, 300, 200, 300], vmin=-10, vmax=10))
    assert slow.engine.take_reads() == {(0, 3, 5): 1, (0, 2, 2): 1}  # what had begun, and what is seen


def test_a_slider_shows_the_last_slice(open_slow, array):
    slow = open_slow(limits="elements")
    slow.gate.open()
    slow.look()
    slow.until(slow.frames)
    slow.gate.open(0)
    slow.engine.take_reads()
    for k in (1, 2, 1):
        slow.rig.say("set", values={"index": {"0": k}})
    slow.rig.take()
    slow.gate.open()
    slow.until(slow.frames)
    np.testing.assert_array_equal(slow.pixels(), whole_pixels(array, index={0: 1}, limits="elements"))
    assert slow.rig.heard("state")[-1]["state"]["vmax"] == float(array[1].max())
    assert max(slow.engine.take_reads().values()) == 1 or slow.gate.n_begun < 3 * 24 + 3


def test_limits_that_need_more_passes_come_after_the_picture(open_slow, array):
    slow = open_slow(robust=True, limits="elements")
    slow.look()
    slow.gate.open(24)  # cells and the range
    slow.until(lambda: slow.frames(is_final=False))
    assert (slow.pixels()[..., 3] == 255).all() and not slow.frames()
    slow.gate.open()
    slow.until(slow.frames)
    np.testing.assert_array_equal(slow.pixels(), whole_pixels(array, robust=True, limits="elements"))


def test_questions_are_answered_when_their_chunks_are_there(open_slow, array):
    slow, whole = open_slow(vmin=-10, vmax=10), scene_of(array, vmin=-10, vmax=10)
    whole.draw(WHOLE, SIZE)
    slow.look()
    slow.rig.say("stats", region="slice")
    slow.rig.say("hover", row=150.0, col=150.0, facet=0)
    slow.rig.say("values", box=[100, 102, 100, 102], facet=0)
    slow.rig.now += 1
    slow.rig.host.ring()
    assert not slow.rig.heard("hover") and not slow.rig.heard("stats") and not slow.rig.heard("values")
    assert len(slow.rig.heard("later")) == 2  # a page waits for no answer to "hover"
    slow.gate.open()
    slow.until(lambda: all(slow.rig.heard(kind) for kind in ("frame", "hover", "stats", "values")))
    assert slow.rig.heard("values")[-1]["texts"] == whole.values((100, 102, 100, 102))
    assert slow.rig.heard("stats")[-1]["kind_counts"] == whole.stats("slice")["kind_counts"]
    assert not slow.rig.heard("error")


def test_the_pointer_asks_for_the_newest_place(open_slow, array):
    slow = open_slow(vmin=-10, vmax=10)
    for row in (50.0, 150.0, 250.0):
        slow.rig.say("hover", row=row, col=50.0, facet=0)
    slow.gate.open()
    slow.until(lambda: slow.rig.heard("hover"))
    assert [answer["index"] for answer in slow.rig.heard("hover")] == ["[0, 250, 50]"]
    assert len(slow.engine.take_reads()) == 2


def test_a_younger_question_takes_the_place_of_the_older(open_slow):
    slow = open_slow(vmin=-10, vmax=10)
    first = slow.rig.say("values", box=[100, 102, 100, 102], facet=0)
    slow.rig.say("values", box=[200, 202, 100, 102], facet=0)
    assert [error["seq"] for error in slow.rig.heard("error")] == [first]
    slow.gate.open()
    slow.until(lambda: slow.rig.heard("values"))
    assert slow.rig.heard("values")[0]["box"] == [200, 202, 100, 102]


@pytest.mark.parametrize("kind", ["stats", "values", "next"])
def test_a_question_that_is_asked_twice_is_read_once_and_answered_twice(open_slow, kind):
    """The readout and the table of a selection refused each other, and the table kept the numbers from before."""
    fields = {"stats": {"region": "slice"}, "values": {"box": [100, 102, 100, 102], "facet": 0}, "next": {"step": 1}}[kind]
    slow = open_slow(vmin=-10, vmax=10)
    asked = [slow.rig.say(kind, **fields), slow.rig.say(kind, **fields)]
    slow.rig.now += 1
    slow.rig.host.ring()  # a panel's question waits for the picture first
    asked.append(slow.rig.say(kind, **fields))
    slow.rig.now += 1
    slow.rig.host.ring()
    assert set(asked) <= {later["seq"] for later in slow.rig.heard("later")}
    slow.gate.open()
    name = "jump" if kind == "next" else kind
    slow.until(lambda: len(slow.rig.heard(name)) == 3)
    assert sorted(answer["seq"] for answer in slow.rig.heard(name)) == asked and not slow.rig.heard("error")


def test_questions_that_are_asked_without_end_are_answered_a_few_times(open_slow):
    slow = open_slow(vmin=-10, vmax=10)
    asked = [slow.rig.say("next", step=1) for _ in range(10)]
    assert [error["seq"] for error in slow.rig.heard("error")] == asked[:2]
    slow.gate.open()
    slow.until(lambda: len(slow.rig.heard("jump")) == MAX_JOINED)


def test_an_error_is_told_to_all_that_asked(open_slow):
    slow = open_slow(vmin=-10, vmax=10)
    asked = [slow.rig.say("next", step=1) for _ in range(2)]
    slow.engine.chunk = None
    slow.gate.open()
    slow.until(lambda: len(slow.rig.heard("error")) == 2)
    assert sorted(error["seq"] for error in slow.rig.heard("error")) == asked


def test_numbers_of_each_facet_are_answered(open_slow):
    """Only those of the last one were, and the page shows none before all are there."""
    slow = open_slow(vmin=-10, vmax=10, columns=0)
    asked = [slow.rig.say("values", box=[100, 102, 100, 102], facet=facet) for facet in range(5)]
    slow.gate.open()
    slow.until(lambda: len(slow.rig.heard("values")) == 5)
    assert sorted(answer["seq"] for answer in slow.rig.heard("values")) == asked and not slow.rig.heard("error")


def test_python_waits_and_pages_are_answered_meanwhile(open_slow, array):
    slow, found = open_slow(limits="elements"), []
    thread = threading.Thread(target=lambda: found.append(slow.rig.controller.ask(lambda scene: scene.vmax)), daemon=True)
    thread.start()
    slow.gate.wait_for(1)
    slow.rig.say("set", values={"cmap": "magma"})
    assert slow.rig.heard("state") and not found
    slow.gate.open()
    thread.join(60)
    assert found == [float(array[0].max())]


def test_ctrl_c_ends_the_wait_alone(open_slow, array):
    slow = open_slow(limits="elements")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        def press():
            slow.gate.wait_for(1)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        threading.Thread(target=press, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            slow.rig.controller.ask(lambda scene: scene.vmax)
    finally:
        signal.signal(signal.SIGINT, before)
    slow.look()
    slow.gate.open()
    slow.until(slow.frames)
    np.testing.assert_array_equal(slow.pixels(), whole_pixels(array, limits="elements"))


def test_close_waits_for_no_chunk(open_slow):
    slow, raised = open_slow(limits="elements"), []

    def ask():
        try:
            slow.rig.controller.ask(lambda scene: scene.vmax)
        except RuntimeError as error:
            raised.append(str(error))

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    slow.look()
    slow.gate.wait_for(1)
    slow.rig.controller.close()  # the gate is shut
    thread.join(60)
    assert "was closed" in raised[0]
    assert slow.rig.heard("closed")


def test_a_page_that_goes_gives_up_what_it_looked_at(open_slow):
    slow = open_slow(vmin=-10, vmax=10)
    slow.look()
    slow.gate.wait_for(1)
    slow.rig.say("gone")
    slow.gate.open()
    for _ in range(100):
        slow.rig.host.ring()
        if slow.rig.controller._reader._running is None:
            break
        time.sleep(0.02)
    assert len(slow.engine.take_reads()) == 1 and not slow.rig.heard("frame")


def test_chunks_that_cannot_be_read_are_told_of(open_slow):
    slow = open_slow(vmin=-10, vmax=10)

    def fails(index):
        raise OSError("the disk is gone")

    slow.engine.chunk = fails
    slow.look()
    slow.until(lambda: slow.rig.heard("state") and "disk" in slow.rig.heard("state")[-1]["state"]["text"])
    slow.until(slow.frames)
    assert not slow.pixels().any()


def test_how_far_it_is_is_told_after_a_second(open_slow):
    slow = open_slow(vmin=-10, vmax=10)
    slow.look()
    slow.gate.wait_for(1)
    slow.rig.now += 2
    slow.look()
    assert slow.rig.heard("state")[-1]["state"]["text"].startswith("reading, 0/")
    slow.gate.open()
    slow.until(slow.frames)
    assert slow.rig.heard("state")[-1]["state"]["text"] == ""


def test_a_notebook_gets_its_inspector_before_a_chunk_is_read(array):
    source, engine = in_pieces(array, (1, 100, 100))
    gate = Gate(engine)
    with warnings.catch_warnings(action="ignore"):  # that no notebook is there
        w = gpuplot.inspect(source, limits="elements", center=None)
    assert gate.n_begun == 0 and "float32" in repr(w) and w.index == {0: 0} and gate.n_begun == 0
    w.index = {0: 2}
    w.vmin = None
    assert gate.n_begun == 0
    gate.open()
    assert (w.vmin, w.vmax) == (float(array[2].min()), float(array[2].max()))
    w.index = {0: 1}
    assert w.vmax == float(array[1].max())
    w.close()


def test_the_still_is_left_out_where_it_takes_long(array, monkeypatch):
    from gpuplot.inspector import widget

    monkeypatch.setattr(widget, "STILL_SECONDS", 0.1)
    source, engine = in_pieces(array, (1, 100, 100))
    gate = Gate(engine)
    with warnings.catch_warnings(action="ignore"):
        w = gpuplot.inspect(source)
    data, _ = w._repr_mimebundle_()
    assert "image/png" not in data
    monkeypatch.setattr(widget, "STILL_SECONDS", 600)
    gate.open()
    data, _ = w._repr_mimebundle_()
    assert "image/png" in data
    w.close()


def test_a_controller_that_is_gone_is_not_called(array):
    slow = Slow(array, vmin=-10, vmax=10)
    slow.look()
    slow.gate.wait_for(1)
    assert isinstance(slow.rig.controller, Controller)
    note = slow.rig.controller._reader._on_news
    slow.rig = None
    slow.gate.open()
    note(True)
