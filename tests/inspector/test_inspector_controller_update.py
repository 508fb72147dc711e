"""The inspector's controller while a loop updates its tensor: budgets, timers, threads, and failures."""

import gc
import threading
import warnings
import weakref

import pytest
from inspector_fakes import FakeHost, Rig

import gpuplot
from gpuplot.inspector.kernel.pages import MAX_JOINED

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

PATIENCE = 600.0


@pytest.fixture
def rig():
    return Rig()


def run_loop(rig):
    """Five seconds of a loop that takes 5 ms a step, whose acknowledgements are not read."""
    for i in range(1000):
        rig.controller.update(i % 256)
        rig.now += 0.005


# ---- update from a loop -----------------------------------------------------------------------------------------------------


def test_update_without_a_page_only_stores(rig):
    for i in range(100):
        rig.controller.update(i)
    assert rig.scene.value == 99 and not rig.scene.called("draw") and not rig.sent and not rig.host.timers


def test_what_is_displayed_is_drawn_before_any_page_has_spoken(rig):
    """In the cell that shows it, a kernel without a thread for messages hears of the page when the cell has ended."""
    rig.controller.expect_page()
    assert not rig.sent
    run_loop(rig)
    frames = rig.take("frame")
    assert 20 <= len(frames) <= 27  # five a second: nobody knows how buffers arrive
    for frame in frames:
        assert (frame["page"], frame["seq"], frame["window"], frame["size"]) == (None, None, [0, 100, 0, 200], [480, 960])
    rig.now += 1
    rig.host.ring()
    [last] = rig.take("frame")
    assert last["version"] == rig.scene.version
    rig.look(size=[50, 100])
    rig.now += 1
    rig.controller.update(0)
    assert {(frame["page"], *frame["size"]) for frame in rig.heard("frame")} == {("p", 50, 100)}


def test_what_is_displayed_once_more_is_drawn_for_the_new_page_too(rig):
    """The first one's words, and those of the second, wait behind the cell that displays it again and goes on in a loop."""
    rig.look()
    rig.ack(rig.take("frame")[0])
    rig.controller.expect_page()
    run_loop(rig)
    frames = rig.take("frame")
    assert 20 <= len(frames) <= 27 and {frame["page"] for frame in frames} == {None}
    rig.ack(frames[0])
    [last] = rig.take("frame")
    assert (last["page"], last["version"]) == ("p", rig.scene.version)
    for i in range(100):
        rig.controller.update(i)
        rig.now += 0.01
    assert 12 <= len(rig.take("frame")) <= 16  # the rate of before


def test_another_display_and_the_end_of_all_pages_leave_nobody_to_draw_for(rig):
    rig.look()
    rig.controller.expect_page()
    rig.say("gone")
    rig.take()
    rig.controller.update(3)
    assert not rig.heard("frame")


def test_an_item_without_a_picture_is_no_problem_for_a_page_that_is_expected(rig):
    rig.scene.state = lambda: {"version": rig.scene.version, "kind": "text", "plane": [0, 0]}
    rig.controller.expect_page()
    rig.controller.update(3)
    [frame] = rig.heard("frame")
    assert frame["size"] == [1, 1] and rig.heard("state")


def test_update_draws_within_its_budget_and_the_last_tensor_comes_by_itself(rig):
    rig.look()
    rig.take()
    run_loop(rig)
    n_frames = len(rig.heard("frame"))
    assert 60 <= n_frames <= 77
    rig.now += 1
    rig.take()
    rig.host.ring()
    [frame] = rig.heard("frame")
    assert frame["version"] == rig.scene.version
    rig.now += 100
    rig.host.ring()
    assert len(rig.heard("frame")) == 1


@pytest.mark.parametrize("answers_beside_cells", [False, True])
def test_a_page_that_was_not_heard_for_long_has_its_frame_with_the_first_word(answers_beside_cells):
    """The network was cut for an hour, and the host does not tell the page when it is there again."""
    rig = Rig(host=FakeHost(answers_beside_cells=answers_beside_cells))
    rig.look()
    for i in range(7200):
        rig.controller.update(i % 256)
        rig.now += 0.5
    rig.take()
    rig.say("set", values={"cmap": "gray"})
    assert len(rig.take("frame")) == 1
    rig.now += 1
    rig.controller.update(3)
    assert len(rig.take("frame")) == 1


def test_update_with_text_channels_keeps_a_smaller_budget():
    rig = Rig(host=FakeHost(is_text=True))
    rig.look()
    rig.take()
    run_loop(rig)
    assert 20 <= len(rig.heard("frame")) <= 27


def test_a_page_whose_buffers_do_not_arrive_gets_the_smaller_budget_from_then_on(rig):
    rig.look()
    rig.ack(rig.take("frame")[0], buffers=False)
    run_loop(rig)
    assert 20 <= len(rig.heard("frame")) <= 28


def test_slow_drawing_takes_a_tenth_of_a_loops_time(rig):
    rig.look()
    spent = []

    def draw_slowly():
        rig.now += 0.05
        spent.append(0.05)

    rig.scene.on_draw = draw_slowly
    began = rig.now
    while rig.now < began + 20:
        rig.controller.update(1)
        rig.now += 0.01
    assert 0.05 < sum(spent) / (rig.now - began) <= 0.11


def test_update_waits_for_acknowledgements_where_they_are_read_beside_the_cell():
    rig = Rig(host=FakeHost(answers_beside_cells=True))
    rig.look()
    for i in range(40):
        rig.controller.update(i)
        rig.now += 0.02
    assert len(rig.take("frame")) == 2
    rig.ack({"id": 1})
    assert len(rig.heard("frame")) == 1


def test_a_bad_tensor_is_the_callers_error_and_changes_nothing(rig):
    rig.look()
    with pytest.raises(TypeError, match="not a tensor"):
        rig.controller.update("text")
    assert rig.scene.value == 0
    rig.controller.update(3)
    assert rig.scene.value == 3


def test_what_goes_wrong_while_an_update_is_drawn_is_one_warning(rig):
    rig.look()
    rig.scene.problem = gpuplot.DeviceError("gone")
    with pytest.warns(gpuplot.GpuplotWarning, match="cannot draw the tensor of update.*gone") as caught:
        for _ in range(50):
            rig.now += 1
            rig.controller.update(1)
    assert len(caught) == 1
    assert rig.heard("error")


def test_observers_hear_of_an_update_when_it_is_drawn(rig):
    rig.controller.update(1)
    assert rig.changes == [] and rig.controller.has_unsynced_update
    rig.look()
    assert rig.changes == [rig.scene.version]


def test_panels_beside_a_loop_are_answered_now_and_then_and_the_newest_question_wins(rig):
    rig.look()
    asked, counted = [], []

    def count(region, window):
        counted.append(rig.now)
        rig.now += 0.1
        return {"counts": [], "low": 0.0, "high": 1.0, "n_outside": 0}

    rig.scene.histogram = count
    began = rig.now
    while rig.now < began + 10:
        rig.controller.update(1)
        rig.now += 0.02
        asked.append(rig.say("histogram", region="view"))
        rig.host.ring()
    answered = [answer["seq"] for answer in rig.heard("histogram")]
    assert 5 <= len(counted) <= 11 and answered == sorted(set(answered)) and len(answered) <= MAX_JOINED * len(counted)
    rig.now += 5
    rig.host.ring()
    assert rig.heard("histogram")[-1]["seq"] == asked[-1]
    rig.say("histogram", region="view")
    rig.say("histogram", region="view")
    assert len(rig.heard("histogram")) >= len(answered) + 2


def test_a_question_that_is_asked_twice_beside_a_loop_is_answered_twice(rig):
    """The readout and the table of a selection ask the same."""
    rig.look()
    rig.controller.update(1)
    rig.controller._query_budget.spend(rig.now, 10.0)
    asked = [rig.say("stats", region="selection"), rig.say("stats", region="selection")]
    assert not rig.heard("stats")
    rig.now += 5
    rig.host.ring()
    assert [answer["seq"] for answer in rig.heard("stats")] == asked and not rig.heard("error")


def test_a_question_that_was_put_off_ends_with_its_page(rig):
    rig.look()
    rig.controller.update(1)
    rig.say("stats", region="view")
    rig.say("stats", region="all")
    rig.scene.problem = ValueError("no")
    rig.say("gone")
    rig.now += 10
    rig.host.ring()
    assert len(rig.heard("stats")) == 1 and not rig.heard("error")


# ---- threads ------------------------------------------------------------------------------------------------------------


def test_update_never_waits_for_a_thread_that_draws(rig):
    draws, done = threading.Event(), threading.Event()

    def draw():
        rig.scene.on_draw = lambda: None
        draws.set()
        assert done.wait(PATIENCE)

    rig.scene.on_draw = draw
    page = threading.Thread(target=rig.look)
    page.start()
    assert draws.wait(PATIENCE)
    rig.controller.update(5)  # would never return if it waited
    rig.controller.update(6)
    assert rig.scene.value == 0
    done.set()
    page.join(PATIENCE)
    assert rig.scene.value == 6
    assert rig.heard("frame")[-1]["version"] == rig.scene.version


def test_update_never_waits_for_a_question_and_its_tensor_is_taken_after_it(rig):
    """A tensor that came while Python asked something was shown at the next event, after the last one of a loop never."""
    rig.look()

    def ask(scene):
        loop = threading.Thread(target=rig.controller.update, args=(7,))
        loop.start()
        loop.join(PATIENCE)
        assert not loop.is_alive() and scene.value == 0

    rig.controller.ask(ask)
    assert rig.scene.value == 7 and rig.heard("frame")[-1]["version"] == rig.scene.version


def test_a_question_is_asked_after_an_update_that_is_still_queued(rig):
    """Another thread had released the lock but not yet applied what was queued, and traits told old limits."""
    rig.look()
    thread_holds, done = threading.Event(), threading.Event()

    def hold():
        with rig.controller._lock:
            thread_holds.set()
            done.wait(PATIENCE)

    holder = threading.Thread(target=hold)
    holder.start()
    assert thread_holds.wait(PATIENCE)
    rig.controller.update(7)
    done.set()
    holder.join(PATIENCE)
    assert rig.scene.value == 0 and rig.controller.has_unsynced_update
    assert rig.controller.ask(lambda scene: scene.value, is_sync=True) == 7
    assert not rig.controller.has_unsynced_update
    rig.now += 1
    rig.host.ring()
    assert rig.heard("frame")[-1]["version"] == rig.scene.version


def test_a_question_within_a_change_applies_no_update(rig):
    rig.look()

    def ask(scene):
        loop = threading.Thread(target=rig.controller.update, args=(7,))
        loop.start()
        loop.join(PATIENCE)
        return rig.controller.ask(lambda scene: scene.value)

    assert rig.controller.ask(ask) == 0 and rig.scene.value == 7


def test_a_timer_that_could_not_be_set_is_set_by_whoever_has_the_lock(rig):
    """After its frame `update` waited for the lock to set the timer: as long as another thread was drawing."""
    rig.look()
    rig.controller.update(1)
    rig.controller.update(2)
    assert len(rig.host.timers) == 1
    rig.host.timers.clear()
    rig.controller._timer = None
    asks, done = threading.Event(), threading.Event()

    def ask(scene):
        asks.set()
        assert done.wait(PATIENCE)

    other = threading.Thread(target=rig.controller.ask, args=(ask,))
    other.start()
    assert asks.wait(PATIENCE)
    rig.controller._flush()  # would never return if it waited
    assert not rig.host.timers
    done.set()
    other.join(PATIENCE)
    assert len(rig.host.timers) == 1


@pytest.mark.parametrize("error", [RuntimeError("CUDA error: an illegal memory access"), gpuplot.DeviceError("driver"), MemoryError(),
                                   AttributeError("x"), NotImplementedError("layout")])
def test_what_the_library_of_a_tensor_says_does_not_end_the_loop(rig, error):
    def update(X, name=None):
        raise error

    rig.scene.update = update
    with pytest.warns(gpuplot.GpuplotWarning, match="cannot show the tensor of update"):
        for _ in range(3):
            rig.controller.update(1)


def test_an_update_during_close_keeps_nothing(rig):
    class Tensor:
        pass

    X = Tensor()
    gone = weakref.ref(X)

    def close():
        other = threading.Thread(target=rig.controller.update, args=(X,))  # noqa: F821
        other.start()
        other.join(PATIENCE)
        assert not other.is_alive()

    rig.scene.close = close
    was_open = rig.controller.check_open
    rig.controller.check_open = lambda: None  # as for an update that looked before
    rig.controller.close()
    rig.controller.check_open = was_open
    del X, close
    rig.scene.close = None
    gc.collect()
    assert gone() is None
    with pytest.raises(RuntimeError, match="was closed"):
        rig.controller.update(1)


def test_a_bad_tensor_that_another_thread_takes_is_a_warning_and_the_next_ones_are_shown(rig):
    draws, done = threading.Event(), threading.Event()

    def draw():
        draws.set()
        assert done.wait(PATIENCE)

    rig.scene.on_draw = draw
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        page = threading.Thread(target=rig.look)
        page.start()
        assert draws.wait(PATIENCE)
        for X, name in ((1, None), ("text", "a"), (2, "b"), (3, None)):
            rig.controller.update(X, name)
        done.set()
        page.join(PATIENCE)
    assert rig.scene.called("update") == [("text", "a"), (2, "b"), (3, None)]
    assert [warning.category for warning in caught] == [gpuplot.GpuplotWarning]


def test_many_threads_at_once_end_on_the_last_tensor():
    rig = Rig()
    rig.look()
    problems = []

    def loop(k):
        try:
            for i in range(300):
                rig.controller.update(k)
                if i % 50 == 0:
                    rig.controller.receive({"k": "viewport", "seq": 10 * i + k, "page": f"page {k}", "window": [0, 1, 0, 1],
                                            "size": [8, 8], "moving": bool(i % 2), "visible": True})
                    rig.controller.change({"vmin": k})
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=loop, args=(k,)) for k in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert problems == []
    rig.controller.update(200)
    rig.now += 10
    rig.host.ring()
    assert rig.scene.value == 200
    versions = [frame["version"] for frame in rig.heard("frame")]
    assert versions == sorted(versions) and versions[-1] == rig.scene.version


def test_nothing_is_sent_while_the_lock_is_held():
    """Sending may wait for locks of the host, whose holders may wait for ours."""
    rig = Rig()
    held = []

    def take():
        held.append(rig.controller._lock.acquire(timeout=PATIENCE))
        if held[-1]:
            rig.controller._lock.release()

    def send(message, buffers):
        other = threading.Thread(target=take)
        other.start()
        other.join(PATIENCE)

    rig.controller._outbox._send = send
    rig.look()
    assert held and all(held)


def test_a_channel_that_fails_is_one_warning_and_nothing_else(rig):
    def send(message, buffers):
        raise RuntimeError("closed")

    rig.controller._outbox._send = send
    with pytest.warns(gpuplot.GpuplotWarning, match="RuntimeError: closed") as caught:
        rig.look()
        rig.controller.update(1)
        rig.say("ready")
    assert len(caught) == 1
