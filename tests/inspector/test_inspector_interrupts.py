"""Ctrl-C while the inspector works: it is raised, but nothing is left half done."""

import signal
import threading

import pytest
from inspector_fakes import FakeHost, Rig

from gpuplot.inspector.kernel.interrupts import uninterrupted

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

PATIENCE = 600.0


def interrupt():
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def handler():
    """The handler that Python starts with, whatever runs the tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


class InterruptedHost(FakeHost):
    """A user presses Ctrl-C just before each message is sent."""

    def send(self, function):
        interrupt()
        function()


def is_answering(rig):
    """Whether another thread, such as the one that hears pages, gets the lock."""
    rig.take()
    thread = threading.Thread(target=rig.say, args=("ready",), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return not thread.is_alive() and bool(rig.heard("state"))


def test_an_interrupt_waits_for_the_end_of_the_block():
    steps = []
    with pytest.raises(KeyboardInterrupt):
        with uninterrupted():
            interrupt()
            steps.append(1)
    assert steps == [1]


def test_whoever_insists_comes_through_at_once():
    steps = []
    with pytest.raises(KeyboardInterrupt):
        with uninterrupted():
            interrupt()
            interrupt()
            steps.append(1)
    assert steps == []


def test_the_outermost_block_counts():
    steps = []
    with pytest.raises(KeyboardInterrupt):
        with uninterrupted():
            with uninterrupted():
                interrupt()
            steps.append(1)
    assert steps == [1]


def test_nothing_changes_without_an_interrupt_nor_when_the_block_fails():
    with pytest.raises(ZeroDivisionError), uninterrupted():
        1 / 0  # noqa: B018
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("usual", [signal.SIG_IGN, signal.SIG_DFL])
def test_a_system_that_handles_interrupts_itself_is_left_alone(usual):
    signal.signal(signal.SIGINT, usual)
    with uninterrupted():
        assert signal.getsignal(signal.SIGINT) is usual
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_other_threads_leave_the_handler_alone():
    seen = []

    def work():
        with uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(PATIENCE)
    assert seen == [signal.default_int_handler]


def test_a_handler_that_is_set_inside_a_block_stays_and_may_put_back_what_it_found():
    """As a debugger does, whose user goes on."""
    heard = []
    with uninterrupted():
        found = signal.signal(signal.SIGINT, lambda *interrupt: heard.append(interrupt))
    interrupt()
    assert len(heard) == 1
    signal.signal(signal.SIGINT, found)
    with pytest.raises(KeyboardInterrupt):
        interrupt()
    steps = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        interrupt()
        steps.append(1)
    assert steps == [1]


def test_a_thread_that_is_only_taken_for_the_main_one_does_nothing(monkeypatch):
    """Where Python is a part of a program that imports `threading` on another thread than it began on."""
    steps = []

    def work():
        with uninterrupted():
            steps.append(1)

    monkeypatch.setattr(threading, "main_thread", threading.current_thread)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join(PATIENCE)
    assert steps == [1]


def test_an_update_that_is_interrupted_while_it_draws_is_whole():
    rig = Rig()
    rig.look()
    rig.take()
    rig.scene.on_draw = interrupt
    with pytest.raises(KeyboardInterrupt):
        rig.controller.update(7)
    assert rig.scene.value == 7 and len(rig.heard("frame")) == 1
    rig.scene.on_draw = lambda: None
    assert is_answering(rig)


def test_a_change_that_is_interrupted_while_it_is_sent_is_whole():
    rig = Rig(host=InterruptedHost())
    with pytest.raises(KeyboardInterrupt):
        rig.controller.change({"cmap": "gray"})
    assert rig.scene.settings == {"cmap": "gray"} and len(rig.heard("state")) == 1
    rig.controller.host = FakeHost()
    assert is_answering(rig)
