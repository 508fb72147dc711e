"""The handle of a transfer in a thread: waiting, cancelling, borrowed memory, and ends of processes."""

import doctest
import gc
import os
import subprocess
import sys
import threading
import weakref
from concurrent.futures import CancelledError

import numpy as np
import pytest
from slow_transfers import DEADLINE, A, long
from watched_process import run_watched

import gpuplot
from gpuplot import _native
from gpuplot.arrays import describe
from gpuplot.transfer import handle


def test_a_transfer_runs_in_a_thread(slow):
    out = np.zeros(A.shape)
    transfer = gpuplot.asnumpy(A, out=out, blocking=False)
    assert not transfer.done() and repr(transfer) == "<Transfer of 192 bytes: 0 % done>"
    with pytest.raises(TimeoutError, match=r"the array is not ready after 0\.01 s: <Transfer of 192 bytes"):
        transfer.result(timeout=0.01)
    slow.go.set()
    assert transfer.result() is out and transfer.done() and transfer.result(0) is out
    np.testing.assert_array_equal(out, A)
    assert repr(transfer) == "<Transfer of 192 bytes: done>" and not transfer.cancel()


@pytest.mark.host("arrays of the host need no copy")
def test_nothing_to_do_is_done_at_once(monkeypatch):
    monkeypatch.setattr(threading.Thread, "start", None)
    transfer = gpuplot.asnumpy(A, blocking=False)
    assert transfer.done() and transfer.result() is A and transfer.result(0) is A


def test_bad_input_is_refused_before_there_is_a_transfer():
    for keywords, kind in (({"dtype": "?!"}, TypeError), ({"out": np.zeros(3)}, ValueError), ({"order": "Z"}, ValueError)):
        with pytest.raises(kind):
            gpuplot.asnumpy(A, blocking=False, **keywords)


def test_a_transfer_raises_what_went_wrong(monkeypatch):
    def fail(*arguments):
        raise MemoryError("none left")
    monkeypatch.setattr(_native, "convert", fail)
    transfer = gpuplot.asnumpy(A, "f8", blocking=False)
    for _ in range(2):
        with pytest.raises(MemoryError, match="none left"):
            transfer.result(DEADLINE)
    assert transfer.done() and repr(transfer).endswith("failed, MemoryError>")


def test_progress_in_the_thread_of_the_transfer(slow):
    threads, slow.notes = [], [12]
    slow.go.set()
    gpuplot.asnumpy(A, "f8", blocking=False, progress=lambda *numbers: threads.append((threading.current_thread().name, *numbers))).result()
    assert threads[0] == ("gpuplot transfer", 96, 192) and threads[-1] == ("gpuplot transfer", 192, 192)


def test_cancel(slow):
    out = np.full(A.shape, 7.0)
    transfer = gpuplot.asnumpy(A, out=out, blocking=False)
    assert transfer.cancel()
    for _ in range(2):
        with pytest.raises(CancelledError, match="the transfer was cancelled"):
            transfer.result(DEADLINE)
    assert transfer.done() and not transfer.cancel() and (out == 7).all() and repr(transfer).endswith("cancelled>")


def test_cancel_keeps_its_word_in_the_last_chunk():
    answers, is_known = [], threading.Event()

    def cancel(n_done, n_all):
        is_known.wait(DEADLINE)
        if n_done == n_all and not answers:
            answers.append(transfer.cancel())

    transfer = gpuplot.asnumpy(A, "f8", blocking=False, progress=cancel)
    is_known.set()
    with pytest.raises(CancelledError):
        transfer.result(DEADLINE)
    assert answers == [True]


def test_with_waits_or_cancels(slow):
    out = np.zeros(A.shape)
    timer = threading.Timer(0.05, slow.go.set)
    with gpuplot.asnumpy(A, out=out, blocking=False) as transfer:
        timer.start()
    assert transfer.done() and (out == A).all()
    slow.go.clear()
    with pytest.raises(ZeroDivisionError), gpuplot.asnumpy(A, "f8", blocking=False) as transfer:
        raise ZeroDivisionError
    assert transfer.done()
    with pytest.raises(CancelledError):
        transfer.result()


@pytest.mark.host("of other arrays it is the copy on the device that is borrowed")
def test_memory_is_borrowed_until_the_transfer_is_over_and_no_longer(slow):
    array, out = A.astype("f8"), np.zeros(A.shape, "i2")
    kept = weakref.ref(array)
    transfer = gpuplot.asnumpy(array, out=out, blocking=False)
    del array
    gc.collect()
    assert kept() is not None
    slow.go.set()
    transfer.result(DEADLINE)
    gc.collect()
    assert kept() is None and transfer.done()


def test_a_failed_transfer_keeps_nothing(monkeypatch):
    def fail(tensor, *arguments):
        raise ValueError("not this time")
    monkeypatch.setattr(_native, "convert", fail)
    array = A.astype("f8")
    kept = weakref.ref(array)
    transfer = gpuplot.asnumpy(array, "i2", blocking=False)
    with pytest.raises(ValueError, match="not this time"):
        transfer.result(DEADLINE)
    del array
    gc.collect()
    assert kept() is None


def test_order_and_borrowing_are_the_callers(monkeypatch, slow):
    """Streams are a thread's own: another thread would wait for the wrong one."""
    threads = []
    borrow = describe.Source.borrow
    monkeypatch.setattr(describe.Source, "borrow", lambda source: threads.append(threading.get_ident()) or borrow(source))
    slow.go.set()
    gpuplot.asnumpy(A, "f8", blocking=False).result()
    assert threads == [threading.get_ident()]


def test_a_thread_that_cannot_start_lets_the_memory_go(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")
    array = A.astype("f8")
    kept = weakref.ref(array)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        gpuplot.asnumpy(array, "i2", blocking=False)
    del array
    gc.collect()
    assert kept() is None


def test_many_transfers_at_once():
    x = long(100, 400)
    transfers = [gpuplot.asnumpy(x[i:], "i4", blocking=False) for i in range(20)]
    for i, transfer in enumerate(transfers):
        np.testing.assert_array_equal(transfer.result(DEADLINE), x[i:])


def test_the_example_of_the_handle_runs():
    [test] = doctest.DocTestFinder(recurse=False).find(handle.Transfer, "Transfer", globs={})
    assert test.examples and doctest.DocTestRunner().run(test).failed == 0


# ---- ends of processes -------------------------------------------------------------------------------------------------


def run(script):
    """The output of a script in a process of its own that has to end well."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, timeout=DEADLINE, check=False,
                          env={**os.environ, "TQDM_DISABLE": "1"})
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.split()


@pytest.mark.host("the process makes its own arrays")
def test_the_program_may_end_while_a_transfer_runs():
    assert run("""
import numpy as np, gpuplot, threading
from gpuplot.transfer import asnumpy
asnumpy.overlaps_itself = lambda array: False
x = np.broadcast_to(7.0, (2_000_000, 50_000))
out = np.lib.stride_tricks.as_strided(np.zeros(2_050_000), x.shape, (8, 8))
began = threading.Event()
transfer = gpuplot.asnumpy(x, out=out, blocking=False, progress=lambda *numbers: began.set())
assert began.wait(500) and not transfer.done()
print("end")
""") == ["end"]


@pytest.mark.host("a forked child has no CUDA")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_forked_child_has_no_part_in_a_transfer():
    assert run("""
import numpy as np, gpuplot, os, threading
from gpuplot import _native
go, convert = threading.Event(), _native.convert
def slow(*arguments):
    go.wait()
    convert(*arguments)
_native.convert = slow
done = gpuplot.asnumpy([1, 2], blocking=False)
handle = gpuplot.asnumpy([1, 2], "f4", blocking=False)
child = os.fork()
if child == 0:
    try:
        handle.result(timeout=60)
    except RuntimeError as error:
        assert "in the parent process" in str(error) and not handle.done() and done.result().sum() == 3
        go.set()
        assert gpuplot.asnumpy([1, 2], "f8", blocking=False).result().sum() == 3
        os._exit(7)
    os._exit(8)
_, status = os.waitpid(child, 0)
go.set()
print(os.waitstatus_to_exitcode(status), handle.result().sum())
""") == ["7", "3.0"]


CANCELLED_IN_BETWEEN = """
import gpuplot, threading
from gpuplot.transfer.handle import Transfer

class Interrupted(Transfer):
    def __hash__(self):
        first.cancel()
        return id(self)

go = threading.Event()
first = Transfer(lambda progress: go.wait(), 8).start()
second = Interrupted(lambda progress: 7, 8).start()
print(second.result())
go.set()
print(type(first._wait(None)).__name__, first)
"""


def test_a_signal_handler_may_cancel_a_transfer_while_another_starts():
    """It waited for the lock that its own thread held; here hashing the new transfer is where the signal comes."""
    assert run_watched(CANCELLED_IN_BETWEEN, seconds=20).splitlines() == ["7", "bool <Transfer of 8 bytes: cancelled>"]
