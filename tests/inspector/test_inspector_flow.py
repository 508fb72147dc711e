"""The flow of frames to one page, with a clock that the tests set."""

import itertools
import math

import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from gpuplot.inspector.kernel.flow import (
    BINARY_RATE,
    LONGEST_WAIT,
    LONGEST_WAIT_IN_LOOP,
    LOST_AFTER,
    REST_AFTER,
    TEXT_RATE,
    Budget,
    Flow,
    Rate,
)
from gpuplot.inspector.kernel.messages import PageViewport

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")


def look(seq=1, size=(600, 800), moving=False, visible=True):
    return PageViewport(seq, "p", (0.0, 1000.0, 0.0, 1000.0), size, moving, visible)


class Driver:
    """A flow, a clock, and frames that count up."""

    def __init__(self, **options):
        self.flow, self.now, self.frame = Flow(**options), 100.0, 0

    def look(self, *args, **fields):
        self.flow.take(look(*args, **fields), self.now)

    def plan(self, **options):
        return self.flow.plan(self.now, **options)

    def send(self, plan=None, n_bytes=480_000, seconds=0.001, ratio=1.0, **options):
        plan = plan or self.plan(**options)
        assert plan is not None
        self.frame += 1
        self.flow.sent(self.frame, plan, self.now, n_bytes=n_bytes, seconds=seconds, ratio=ratio)
        return self.frame

    def ack(self, frame, after=0.0, has_buffers=True):
        self.now += after
        return self.flow.acknowledge(frame, self.now, has_buffers)


def test_nothing_is_planned_without_a_look():
    driver = Driver()
    driver.flow.change()
    assert driver.plan() is None and driver.flow.due(driver.now) is None and not driver.flow.is_seen


def test_a_look_gets_one_frame_of_its_size():
    driver = Driver()
    driver.look(5)
    plan = driver.plan()
    assert plan.viewport.seq == 5 and plan.size == (600, 800) and plan.is_final and not plan.is_update
    driver.send(plan)
    assert driver.plan() is None


def test_the_newest_look_wins():
    driver = Driver()
    for seq in (1, 2, 3):
        driver.look(seq)
    assert driver.plan().viewport.seq == 3
    driver.send()
    assert driver.plan() is None


def test_a_look_that_came_while_another_was_drawn_is_not_forgotten():
    driver = Driver()
    driver.look(1)
    plan = driver.plan()
    driver.look(2)
    driver.send(plan)
    assert driver.plan().viewport.seq == 2


def test_at_most_two_frames_are_under_way():
    driver = Driver()
    driver.look(1)
    first = driver.send()
    driver.look(2)
    driver.send()
    driver.look(3)
    assert driver.plan() is None
    assert driver.ack(first)
    assert driver.plan().viewport.seq == 3


@pytest.mark.parametrize("limit", [1, 3])
def test_the_limit_is_the_callers(limit):
    driver = Driver(max_buffered_frames=limit)
    for seq in range(limit):
        driver.look(seq)
        driver.send()
    driver.look(limit)
    assert driver.plan() is None


def test_frames_that_nobody_acknowledges_are_lost_after_a_second():
    driver = Driver()
    driver.look(1)
    driver.send()
    driver.look(2)
    driver.send()
    driver.look(3)
    assert driver.flow.due(driver.now) == driver.now + LOST_AFTER
    driver.now += LOST_AFTER - 0.01
    assert driver.plan() is None
    driver.now += 0.02
    assert driver.plan().viewport.seq == 3


def test_a_late_or_foreign_acknowledgement_changes_nothing():
    driver = Driver()
    assert not driver.ack(99)
    driver.look(1)
    frame = driver.send()
    driver.now += 2 * LOST_AFTER
    driver.plan()
    assert not driver.ack(frame) and not driver.ack(frame)


def test_a_hidden_page_gets_nothing_until_it_is_seen():
    driver = Driver()
    driver.look(1, visible=False)
    driver.flow.change()
    driver.flow.change(is_update=True)
    assert driver.plan() is None and driver.flow.due(driver.now) is None
    driver.look(2)
    assert driver.plan().viewport.seq == 2


def test_moving_frames_keep_a_distance_and_resting_ones_do_not():
    driver = Driver(throttle=0.033)
    driver.look(1, moving=True)
    frame = driver.send()
    driver.now += 0.010
    driver.ack(frame)
    driver.look(2, moving=True)
    assert driver.plan() is None
    assert driver.flow.due(driver.now) == pytest.approx(driver.now + 0.023)
    driver.now += 0.024
    assert driver.plan().viewport.seq == 2
    driver.look(3, moving=False)
    driver.send()
    driver.look(4, moving=False)
    assert driver.plan().viewport.seq == 4


def drag(driver, n, *, bytes_per_second=1e9, draw=0.001, ratio=0.3):
    """A hand that moves: looks every 50 ms or when the frame before has come; the sizes of the frames."""
    sizes = []
    for seq in range(n):
        driver.look(seq, moving=True)
        driver.now += 0.05
        plan = driver.plan()
        n_bytes = int(plan.size[0] * plan.size[1] * (ratio if plan.is_deflated else 1))
        frame = driver.send(plan, n_bytes=n_bytes, seconds=draw, ratio=ratio if plan.is_deflated else 1.0)
        driver.ack(frame, after=0.002 + n_bytes / bytes_per_second)
        sizes.append(plan.size)
    driver.now += 0.05
    return sizes


def test_a_slow_channel_costs_resolution_while_the_hand_moves_and_ends_on_a_full_frame():
    driver = Driver()
    drag(driver, 8, bytes_per_second=1.6e6)
    driver.look(20, moving=True)
    plan = driver.plan()
    assert not plan.is_final and plan.size[0] < 600 and plan.size[0] >= 150
    driver.ack(driver.send(plan, n_bytes=30_000), after=0.02)
    driver.look(21, moving=False)
    last = driver.plan()
    assert last.is_final and last.size == (600, 800)
    driver.send(last)
    assert driver.plan() is None and driver.flow.due(driver.now) is None


def test_a_hand_that_stops_without_a_word_gets_its_full_frame():
    driver = Driver()
    drag(driver, 8, bytes_per_second=1.6e6)
    driver.look(20, moving=True)
    driver.ack(driver.send(n_bytes=30_000), after=0.02)
    assert driver.plan() is None
    assert driver.flow.due(driver.now) == pytest.approx(driver.now - 0.02 + REST_AFTER)
    driver.now += REST_AFTER
    assert driver.plan().is_final and driver.plan().viewport.seq == 20


def test_a_fast_channel_keeps_full_resolution():
    driver = Driver()
    assert drag(driver, 8, bytes_per_second=1e8) == [(600, 800)] * 8


def test_fewer_pixels_are_not_tried_where_they_do_not_help():
    """A reduction reads every element whatever the size of its picture."""
    driver = Driver()
    sizes = drag(driver, 12, draw=0.15)
    assert min(sizes) < (600, 800)
    assert sizes[-6:] == [(600, 800)] * 6


def test_slow_channels_get_deflated_frames_and_fast_ones_do_not():
    driver = Driver()
    driver.look(0)
    assert not driver.plan().is_deflated
    drag(driver, 8, bytes_per_second=1.6e6)
    driver.look(10)
    assert driver.plan().is_deflated
    drag(driver, 20, bytes_per_second=2e8)
    driver.look(11)
    assert not driver.plan().is_deflated


def test_what_does_not_shrink_is_not_deflated_again_for_a_while():
    driver = Driver()
    drag(driver, 8, bytes_per_second=1.6e6)
    driver.look(10)
    plan = driver.plan()
    assert plan.is_deflated
    driver.ack(driver.send(plan, ratio=1.0), after=0.3)
    driver.look(11)
    assert not driver.plan().is_deflated


def test_buffers_that_do_not_arrive_as_binary_are_deflated_from_then_on():
    driver = Driver()
    driver.look(1)
    driver.ack(driver.send(), after=0.1, has_buffers=False)
    driver.look(2)
    assert driver.flow.is_text and driver.plan().is_deflated
    assert Driver(is_text=True).flow.is_text


# ---- update() from a loop ---------------------------------------------------------------------------------------------


def test_an_update_waits_until_it_is_paid_for_and_a_look_does_not():
    driver = Driver()
    driver.look(1)
    driver.ack(driver.send(), after=0.01)
    driver.flow.change(is_update=True)
    assert driver.plan(is_paid=False) is None
    assert driver.flow.due(driver.now, is_paid_at=driver.now + 3) == driver.now + 3
    plan = driver.plan(is_paid=True)
    assert plan.is_update and plan.is_final
    driver.look(2)
    plan = driver.plan(is_paid=False)
    assert plan is not None and not plan.is_update


def test_a_loop_that_keeps_acknowledgements_from_being_read_is_held_by_its_budget_alone():
    driver = Driver()
    driver.look(1)
    driver.send()
    for _ in range(90):
        driver.now += 0.07
        driver.flow.change(is_update=True)
        assert driver.plan(is_loop=True) is not None
        driver.send(is_loop=True)
    assert len(driver.flow._in_flight) <= 16


def test_a_loop_beside_which_acknowledgements_are_read_waits_for_them():
    driver = Driver()
    driver.look(1)
    first = driver.send()
    driver.now += 0.01
    second = driver.send(driver.flow.plan(driver.now) or changed(driver))
    driver.ack(first, after=0.05)
    driver.flow.change(is_update=True)
    driver.send(is_loop=True)
    driver.ack(999, after=0.01)  # the page is heard, and is behind
    driver.flow.change(is_update=True)
    assert driver.plan(is_loop=True) is None
    driver.ack(second)
    assert driver.plan(is_loop=True) is not None


def frames_to_nobody(driver, seconds, is_loop):
    """Times of the frames that a page gets in a loop of 20 steps a second, none of which it answers."""
    began, times = driver.now, []
    while driver.now < began + seconds:
        driver.now += 0.05
        driver.flow.change(is_update=True)
        if (plan := driver.plan(is_loop=is_loop)) is not None:
            driver.send(plan)
            times.append(driver.now)
    return times


@pytest.mark.parametrize(("is_loop", "in_an_hour", "most"), [(False, 250, LONGEST_WAIT), (True, 2000, LONGEST_WAIT_IN_LOOP)])
def test_a_page_that_is_not_heard_gets_ever_fewer_frames_but_never_none(is_loop, in_an_hour, most):
    driver = Driver()
    driver.look(1)
    times = frames_to_nobody(driver, 3600, is_loop)
    assert len(times) < in_an_hour
    assert max(later - earlier for earlier, later in itertools.pairwise(times)) <= most + 1.1
    assert 3600 / (most + 1.1) - 1 <= len(times)
    assert len(driver.flow._in_flight) <= 16


def test_the_first_seconds_of_a_loop_beside_which_nothing_is_read_are_as_frequent_as_ever():
    driver = Driver()
    driver.look(1)
    assert len(frames_to_nobody(driver, 5, is_loop=True)) >= 100


@pytest.mark.parametrize("is_loop", [False, True])
@pytest.mark.parametrize("word", ["viewport", "late acknowledgement"])
def test_any_word_of_a_page_that_was_silent_gets_it_a_frame_at_once(is_loop, word):
    driver = Driver()
    driver.look(1)
    frames_to_nobody(driver, 1000, is_loop)
    frame = driver.send(changed(driver, after=40))
    driver.flow.change(is_update=True)
    driver.now += 2 * LOST_AFTER
    assert driver.plan(is_loop=is_loop) is None
    if word == "viewport":
        driver.look(2)
    else:
        driver.ack(frame)
    assert driver.plan(is_loop=is_loop) is not None


def test_a_page_that_had_nothing_to_answer_is_not_taken_for_silent():
    driver = Driver()
    driver.look(1)
    driver.ack(driver.send(), after=0.01)
    driver.now += 10_000
    driver.send(changed(driver))
    driver.now += LOST_AFTER
    assert changed(driver) is not None


def changed(driver, after=0.0):
    driver.now += after
    driver.flow.change(is_update=True)
    return driver.plan()


def test_a_frame_that_could_not_be_drawn_is_not_tried_again_until_something_changes():
    driver = Driver()
    driver.look(1)
    driver.flow.failed()
    assert driver.plan() is None and driver.flow.due(driver.now) is None
    driver.flow.change()
    assert driver.plan() is not None


@pytest.mark.parametrize(("n_bytes", "seconds", "wait"), [(1000, 0.0001, 1 / 15), (6_000_000, 0.001, 0.2), (1000, 0.05, 0.5)])
def test_a_budget_is_spent_on_frames_bytes_and_time(n_bytes, seconds, wait):
    budget = Budget(BINARY_RATE)
    assert budget.allows(-1e9)
    budget.spend(10.0, n_bytes, seconds)
    assert budget.due == pytest.approx(10 + wait)
    assert not budget.allows(10 + 0.99 * wait) and budget.allows(10 + 1.01 * wait)


def test_text_costs_more():
    assert TEXT_RATE.fps == 5 and TEXT_RATE.bytes_per_second == 5e6
    assert (BINARY_RATE.fps, BINARY_RATE.bytes_per_second, BINARY_RATE.share) == (15, 30e6, 0.1)


@examples(150)
@given(st.lists(st.tuples(st.floats(0, 0.2), st.integers(1, 3_000_000), st.floats(0, 0.2)), min_size=5, max_size=60))
def test_a_loop_never_spends_more_than_its_rate(steps):
    rate = Rate(fps=15, bytes_per_second=30e6, share=0.1)
    budget, now, frames, n_bytes, drawing = Budget(rate), 0.0, 0, 0, 0.0
    for pause, size, seconds in steps:
        now += pause
        if budget.allows(now):
            now += seconds
            budget.spend(now, size, seconds)
            frames, n_bytes, drawing = frames + 1, n_bytes + size, drawing + seconds
    last = max((size for _, size, _ in steps), default=0)
    longest = max(seconds for *_, seconds in steps)
    assert frames <= now * rate.fps + 2
    assert n_bytes <= now * rate.bytes_per_second + 2 * last
    assert drawing <= now * rate.share + 2 * longest


# ---- any order of anything --------------------------------------------------------------------------------------------

EVENTS = st.one_of(
    st.tuples(st.just("viewport"), st.booleans(), st.booleans()), st.tuples(st.just("ack"), st.integers(0, 5)),
    st.tuples(st.just("change"), st.booleans()), st.tuples(st.just("wait"), st.floats(0, 0.6)),
    st.tuples(st.just("pump"), st.booleans()), st.tuples(st.just("fail")))


@examples(300)
@given(st.lists(EVENTS, max_size=80), st.integers(1, 3))
def test_whatever_happens_frames_are_bounded_and_the_last_one_comes(events, limit):
    driver, sent = Driver(max_buffered_frames=limit), []
    for event, *args in events:
        if event == "viewport":
            driver.look(len(sent), moving=args[0], visible=args[1])
        elif event == "ack":
            driver.ack(sent[-args[0]] if 0 < args[0] <= len(sent) else -1)
        elif event == "change":
            driver.flow.change(is_update=args[0])
        elif event == "wait":
            driver.now += args[0]
        elif event == "fail":
            driver.flow.failed()
        elif (plan := driver.plan(is_paid=args[0])) is not None:
            assert driver.flow.viewport.visible
            assert 1 <= plan.size[0] <= 600 and 1 <= plan.size[1] <= 800
            sent.append(driver.send(plan))
            assert len(driver.flow._in_flight) <= limit
    driver.look(10_000)
    driver.now += LOST_AFTER
    plan = driver.plan()
    assert plan.viewport.seq == 10_000 and plan.is_final
    driver.send(plan)
    for _ in range(4):
        driver.now += LOST_AFTER
        if (plan := driver.plan()) is not None:
            driver.send(plan)
    due = driver.flow.due(driver.now)
    assert due is None or due == math.inf
