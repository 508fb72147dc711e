"""Threads and event loops of kernels: where messages are handled and sent, and delayed calls."""

import asyncio
import threading
import types

import pytest

from gpuplot.inspector.kernel.hosts import Host

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

PATIENCE = 600


class Loop:
    """An event loop on a thread of that name, as kernels have them for subshells."""

    def __init__(self, name):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, name=name, daemon=True)
        self.thread.start()

    def run(self, function):
        """Calls a function on the thread; its result."""
        async def call():
            return function()

        return asyncio.run_coroutine_threadsafe(call(), self.loop).result(PATIENCE)

    def end(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE)
        self.loop.close()


@pytest.fixture
def loops():
    made = []

    def make(name):
        made.append(Loop(name))
        return made[-1]

    yield make
    for loop in made:
        if not loop.loop.is_closed():
            loop.end()


def thread_of(host):
    """The name of the thread on which a host sends."""
    names, done = [], threading.Event()

    def note():
        names.append(threading.current_thread().name)
        done.set()

    host.send(note)
    assert done.wait(PATIENCE)
    return names[0]


def test_messages_are_sent_from_here_until_one_came_in_on_a_subshell(loops):
    host, here = Host(), threading.current_thread().name
    assert thread_of(host) == here
    loops("other").run(host.note_handler)
    assert thread_of(host) == here and not host.answers_beside_cells
    subshell = loops("subshell-1")
    subshell.run(host.note_handler)
    assert thread_of(host) == "subshell-1" and host.answers_beside_cells
    assert subshell.run(lambda: host.answers_beside_cells) is False


def test_a_later_message_on_the_main_thread_does_not_lead_back(loops):
    host = Host()
    loops("subshell-1").run(host.note_handler)
    loops("MainThread").run(host.note_handler)
    host.note_handler()
    assert thread_of(host) == "subshell-1"


def test_a_newer_subshell_takes_over_and_one_that_ended_is_left(loops):
    host = Host()
    for name in ("subshell-1", "subshell-2"):
        loop = loops(name)
        loop.run(host.note_handler)
        assert thread_of(host) == name
    loop.end()
    assert thread_of(host) == threading.current_thread().name


def test_what_kernels_do_with_routes_is_switched_off_where_it_is_there():
    comm = types.SimpleNamespace(_reply_subshell_for=lambda data, default: "the cell's")
    Host().attach(comm)
    assert comm._reply_subshell_for({}, "the page's") == "the page's"
    other = types.SimpleNamespace()
    Host().attach(other)
    assert vars(other) == {}


def test_messages_beside_a_cell_are_no_end_of_that_cell(loops):
    told, got = [], []

    class Comm:
        _msg_callback = staticmethod(got.append)

        def handle_msg(self, message):
            told.append(message)
            self._msg_callback(message)

    comm = Comm()
    Host().attach(comm)
    comm.handle_msg("between cells")
    loops("subshell-1").run(lambda: comm.handle_msg("beside a cell"))
    assert got == ["between cells", "beside a cell"] and told == ["between cells"]


def test_marimo_s_buffers_become_text():
    def is_text(module):
        host = Host()
        host.attach(type("Comm", (), {"__module__": module})())
        return host.is_text

    assert is_text("marimo._plugins.ui._impl.comm")
    assert not is_text("ipykernel.comm.comm") and not is_text("marimonade")


def test_later_comes_on_the_thread_that_handles_messages(loops):
    host, done, names = Host(), threading.Event(), []
    loops("subshell-1").run(host.note_handler)

    def call():
        names.append(threading.current_thread().name)
        done.set()

    host.call_later(0.01, call)
    assert done.wait(PATIENCE) and names == ["subshell-1"]


def test_what_was_to_come_later_can_be_forgotten(loops):
    """On a loop that has no time until it was forgotten: it is then too late for it, however slow the machine."""
    host, called, done, forgotten = Host(), [], threading.Event(), threading.Event()
    subshell = loops("subshell-1")
    subshell.run(host.note_handler)
    subshell.loop.call_soon_threadsafe(forgotten.wait, PATIENCE)
    forget = host.call_later(0.0, lambda: called.append(1))
    forget()
    forgotten.set()
    host.call_later(0.05, done.set)
    assert done.wait(PATIENCE) and called == []


def test_what_was_to_come_later_without_a_loop_can_be_forgotten():
    before = set(threading.enumerate())
    forget = Host().call_later(PATIENCE, lambda: None)
    [timer] = set(threading.enumerate()) - before
    forget()
    timer.join(PATIENCE / 2)
    assert not timer.is_alive()


def test_later_comes_where_no_loop_is_known_or_it_has_ended(loops):
    host = Host()
    for end in (False, True):
        if end:
            loop = loops("subshell-1")
            loop.run(host.note_handler)
            loop.end()
        done = threading.Event()
        host.call_later(0.01, done.set)
        assert done.wait(PATIENCE)
