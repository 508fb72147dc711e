"""Progress of transfers: callables, bars, and Ctrl-C between two chunks."""

import functools
import sys
import threading
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from slow_transfers import DEADLINE, A, endless, long

import gpuplot
from gpuplot import _native
from gpuplot.arrays import describe
from gpuplot.transfer import progress
from gpuplot.transfer.progress import TransferProgress


def test_a_callable_is_told_bytes_and_the_end():
    told = []
    found = gpuplot.asnumpy(long().T, "f4", progress=lambda *numbers: told.append(numbers))
    assert told[-1] == (found.nbytes, found.nbytes)
    assert [n for _, n in told] == [found.nbytes] * len(told)
    assert sorted(told) == told and all(type(n) is int for numbers in told for n in numbers)


@pytest.mark.host("arrays of the host need no copy")
def test_a_callable_is_told_the_end_of_nothing():
    told = []
    assert gpuplot.asnumpy(A, progress=lambda *numbers: told.append(numbers)) is A
    gpuplot.asnumpy(np.zeros((0, 3)), "i2", progress=lambda *numbers: told.append(numbers))
    assert told == [(96, 96), (0, 0)]


def test_an_exception_of_the_callable_ends_the_transfer(slow):
    slow.notes = [6]
    out, error = np.full(A.shape, 7.0), ZeroDivisionError("enough")

    def refuse(n_done, n_bytes):
        assert (n_done, n_bytes) == (48, 192)
        raise error
    with pytest.raises(ZeroDivisionError, match="enough"):
        gpuplot.asnumpy(A, out=out, progress=refuse)
    assert (out == 7).all()


def test_the_native_layer_asks_and_stops():
    """What the callable raises comes out as it is, and the array stays as far as it was written."""
    (x, out), told = endless(), []

    def stop(n_done, n):
        told.append((n_done, n))
        raise RuntimeError("stop here")
    with describe.describe(x).borrow() as borrowed, pytest.raises(RuntimeError, match="stop here"):
        _native.convert(borrowed, out, "float64", stop)
    assert len(told) == 1 and told[0][1] == x.size and 0 < told[0][0] < x.size
    assert out[0, 0] == 7 and out[-1, -1] == -1


class Bar:
    """As tqdm's."""

    made, disable = [], False

    def __init__(self, **keywords):
        self.keywords, self.n, self.is_closed, self.start_t = keywords, 0, False, 100.0
        Bar.made.append(self)

    def update(self, n):
        self.n += n

    def close(self):
        self.is_closed = True


@pytest.fixture
def bars(monkeypatch):
    """tqdm is installed; the list of its bars."""
    module = ModuleType("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    monkeypatch.setattr(Bar, "made", [])
    return Bar.made


def test_true_shows_a_bar(bars, slow):
    slow.notes = [6, 12]
    slow.go.set()
    gpuplot.asnumpy(A, "f8", progress=True)
    [bar] = bars
    assert bar.is_closed and bar.n == 192 and bar.keywords == {"total": 192, "desc": "asnumpy", "unit": "B", "unit_scale": True,
                                                               "leave": False}


@pytest.mark.parametrize("seconds, n_done, is_long", [(0.2, 0, False), (0.4, 60, False), (0.4, 30, True), (0.4, 0, True),
                                                      (3.0, 99, True), (0.95, 96, False)])
def test_a_bar_appears_where_a_transfer_looks_long(bars, monkeypatch, seconds, n_done, is_long):
    clock = SimpleNamespace(now=50.0)
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock.now)
    with TransferProgress(None, 1000) as followed:
        clock.now += seconds
        followed.note(n_done, 100)
    assert len(bars) == is_long
    for bar in bars:
        assert bar.n == 1000 and bar.start_t == 100.0 - seconds


def test_no_bar_where_none_is_wanted(bars, monkeypatch):
    monkeypatch.setattr(progress, "LONG_SECONDS", -1.0)
    monkeypatch.setattr(progress, "LOOK_SECONDS", -1.0)
    for wish in (False, lambda *numbers: None):
        with TransferProgress(wish, 10) as followed:
            followed.note(1, 10)
    gpuplot.asnumpy(A, "f8", blocking=False).result()
    assert bars == []


def test_without_tqdm_there_is_no_bar_and_no_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(progress, "LOOK_SECONDS", -1.0)
    with TransferProgress(None, 10) as followed:
        followed.note(0, 10)
        followed.note(1, 10)
    with pytest.raises(ImportError, match="progress=True shows a bar of tqdm, which cannot be imported"):
        gpuplot.asnumpy(A, progress=True)


@pytest.mark.parametrize("method", ["__init__", "update", "close"])
def test_a_bar_that_fails_ends_no_transfer_that_did_not_ask_for_it(bars, monkeypatch, method):
    def fail(*arguments, **keywords):
        raise OSError("the terminal is gone")
    monkeypatch.setattr(Bar, method, fail)
    monkeypatch.setattr(progress, "LOOK_SECONDS", -1.0)
    with TransferProgress(None, 10) as followed:
        followed.note(0, 10)
        followed.note(1, 10)
    assert followed.n_done == 10
    with pytest.raises(OSError, match="the terminal is gone"), TransferProgress(True, 10) as followed:
        followed.note(1, 10)


def test_bars_of_tqdm_that_are_switched_off(monkeypatch):
    """As TQDM_DISABLE=1 does: such a bar has no clock."""
    tqdm = pytest.importorskip("tqdm")
    monkeypatch.setattr(progress, "_bar_type", lambda: functools.partial(tqdm.tqdm, disable=True))
    np.testing.assert_array_equal(gpuplot.asnumpy(A, "f8", progress=True), A)


def test_the_bar_of_tqdm_itself(capsys):
    pytest.importorskip("tqdm")
    gpuplot.asnumpy(A, "f8", progress=True)
    assert "asnumpy" in capsys.readouterr().err


@pytest.mark.parametrize("wish", ["yes", 3, [1]])
def test_what_is_no_progress(wish):
    with pytest.raises(TypeError, match="is neither None, True, False nor a callable"):
        gpuplot.asnumpy(A, progress=wish)


# ---- Ctrl-C ------------------------------------------------------------------------------------------------------------


def test_ctrl_c_stops_a_transfer(ctrl_c):
    (x, out), told, begun = endless(), [], threading.Event()

    def note(*numbers):
        told.append(numbers)
        begun.set()

    user = threading.Thread(target=lambda: begun.wait(DEADLINE) and ctrl_c())
    with pytest.raises(KeyboardInterrupt), describe.describe(x).borrow() as borrowed:
        user.start()
        _native.convert(borrowed, out, "float64", note)
    user.join()
    assert out[-1, -1] == -1 and all(n_done < n for n_done, n in told)
    np.testing.assert_array_equal(gpuplot.asnumpy(long(), "f4"), long())


def test_ctrl_c_while_waiting_leaves_the_transfer_running(slow, ctrl_c):
    transfer = gpuplot.asnumpy(A, "f8", blocking=False)
    slow.began.wait(DEADLINE)
    timer = threading.Timer(0.1, ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        transfer.result(DEADLINE)
    assert not transfer.done()
    slow.go.set()
    np.testing.assert_array_equal(transfer.result(DEADLINE), A)
