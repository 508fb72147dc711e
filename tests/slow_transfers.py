"""Conversions that last as long as a test wants: a way to hold them, and arrays that take many chunks."""

import threading
from types import SimpleNamespace

import numpy as np

from gpuplot import _native

__all__ = ["A", "DEADLINE", "endless", "hold", "long"]

A = np.arange(24, dtype="f4").reshape(4, 6)
DEADLINE = 600.0


def long(n_columns=1000, n_rows=4000):
    """An array whose conversion takes many chunks but little memory."""
    return np.broadcast_to(np.arange(n_columns, dtype="f8"), (n_rows, n_columns))


def endless(n_rows=2_000_000, n_columns=50_000):
    """(source, target) of a conversion that takes minutes but little memory: the rows of the target overlap."""
    target = np.full(n_rows + n_columns, -1.0)
    return np.broadcast_to(7.0, (n_rows, n_columns)), np.lib.stride_tricks.as_strided(target, (n_rows, n_columns), (8, 8))


def hold(monkeypatch):
    """For a fixture: conversions that begin when `go` is set and note their progress as long as `notes` has some."""
    state = SimpleNamespace(go=threading.Event(), notes=[], began=threading.Event())
    convert = _native.convert

    def wait_and_convert(tensor, out, dtype, note):
        state.began.set()
        for n_done in state.notes:
            note(n_done, out.size)
        while not state.go.wait(0.01):
            note(0, out.size)
        convert(tensor, out, dtype, note)
    monkeypatch.setattr(_native, "convert", wait_and_convert)
    yield state
    state.go.set()
