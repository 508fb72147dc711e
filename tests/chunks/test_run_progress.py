"""Progress of passes over chunks: a bar on a terminal, lines in a file, a bar in a notebook, a callable; and which client reads."""

import io
import sys
import threading
import types

import numpy as np
import pytest

import gpuplot
from gpuplot.arrays import lazy_arrays, run_progress
from gpuplot.arrays.run_progress import RunProgress

pytestmark = pytest.mark.host("chunks are read by the host")


class Stream(io.StringIO):
    """Standard error, which notes when something has been written; a terminal or a file."""

    def __init__(self, is_terminal):
        super().__init__()
        self._is_terminal, self.is_written = is_terminal, threading.Event()

    def isatty(self):
        return self._is_terminal

    def flush(self):
        super().flush()
        self.is_written.set()


def chunked(monkeypatch):
    """A dask array that is read in chunks, of two tiles."""
    da = pytest.importorskip("dask.array")
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 100)
    return da.from_array(np.arange(200.0).reshape(10, 20), chunks=(10, 10))


def test_a_terminal_has_a_bar_that_goes_away(monkeypatch):
    stream = Stream(is_terminal=True)
    monkeypatch.setattr(sys, "stderr", stream)
    progress = RunProgress(True)
    progress.begin(4, is_queued=True)
    assert stream.is_written.wait(10)
    progress.tile(2, None)
    progress.end()
    bar, _, blank = stream.getvalue()[1:].partition("\r")
    assert bar == "gpuplot: [" + "." * 30 + "] waiting, 0/4 tiles"
    assert blank.strip() == "" and blank.endswith("\r")


def test_a_file_has_lines(monkeypatch):
    stream = Stream(is_terminal=False)
    monkeypatch.setattr(sys, "stderr", stream)
    progress = RunProgress(True)
    progress.begin(4)
    assert stream.is_written.wait(10)
    progress.end()
    assert stream.getvalue() == "gpuplot: [" + "." * 30 + "] reading, 0/4 tiles\n"


def test_a_bar_by_default_is_of_passes_that_take_long(monkeypatch):
    stream = Stream(is_terminal=True)
    monkeypatch.setattr(sys, "stderr", stream)
    for wish in (None, False):
        progress = RunProgress(wish)
        progress.begin(4)
        progress.end()
        assert stream.getvalue() == ""
    monkeypatch.setattr(run_progress, "LONG_SECONDS", 0.01)
    progress = RunProgress()
    progress.begin(4)
    assert stream.is_written.wait(10)
    progress.end()


def test_a_stream_that_is_closed_ends_no_draw(monkeypatch):
    stream = Stream(is_terminal=True)
    stream.close()
    monkeypatch.setattr(run_progress.TextDisplay, "__init__", lambda self, stream: vars(self).update(seconds=0, _stream=stream))
    monkeypatch.setattr(sys, "stderr", stream)
    progress = RunProgress(True)
    progress.begin(1)
    progress.end()


def test_streams_that_cannot_show_a_bar_end_no_draw(monkeypatch):
    """None in a program without a console, a closed one, and what only has write()."""
    X, closed, written = chunked(monkeypatch), io.StringIO(), []
    closed.close()
    want = gpuplot.downsample(np.asarray(X), (2, 2))
    for stream in (None, closed, types.SimpleNamespace(write=written.append)):
        monkeypatch.setattr(sys, "stderr", stream)
        for wish in (None, True):
            np.testing.assert_array_equal(gpuplot.downsample(X, (2, 2), progress=wish), want)


def test_a_notebook_has_a_bar_below_its_cell(monkeypatch):
    shown, is_shown = [], threading.Event()

    class Handle:
        def update(self, formats, raw):
            shown.append(formats)

    def display(formats, raw, display_id):
        shown.append(formats)
        is_shown.set()
        return Handle()

    ipython = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    progress = RunProgress(True)
    progress.begin(64)
    assert is_shown.wait(10)
    progress.end()
    assert shown[0] == {"text/html": '<progress value="0" max="64"></progress> reading, 0/64 tiles', "text/plain": "reading, 0/64 tiles"}
    assert shown[-1] == {"text/html": "", "text/plain": ""}


def test_a_callable_is_told_of_every_tile(monkeypatch, tmp_path):
    X = chunked(monkeypatch)
    for call in (lambda tell: gpuplot.downsample(X, (2, 2), progress=tell), lambda tell: gpuplot.to_rgba(X, (2, 2), progress=tell),
                 lambda tell: gpuplot.imsave(tmp_path / "a.png", X, progress=tell), lambda tell: gpuplot.imshow(X, progress=tell),
                 lambda tell: gpuplot.hist(X, range=(0, 200), progress=tell)):
        told = []
        call(lambda *numbers, told=told: told.append(numbers))
        assert told == [(0, 2), (1, 2), (2, 2)]
    told = []
    gpuplot.stats(X, percentiles=(), progress=lambda *numbers: told.append(numbers))
    assert len(told) >= 6 and set(told) == {(0, 2), (1, 2), (2, 2)}


def test_what_a_callable_raises_ends_the_pass(monkeypatch):
    class Enough(Exception):
        pass

    def tell(n_done, n_tiles):
        if n_done == 1:
            raise Enough

    with pytest.raises(Enough):
        gpuplot.downsample(chunked(monkeypatch), (2, 2), progress=tell)


@pytest.mark.parametrize("call", [gpuplot.stats, gpuplot.to_rgba, gpuplot.imshow, gpuplot.hist], ids=lambda f: f.__name__)
def test_wrong_wishes_are_refused_for_every_array(call):
    with pytest.raises(TypeError, match="progress='yes': give None, True, False or a callable"):
        call([[1.0, 2.0]], progress="yes")
    with pytest.raises(TypeError, match=r"client='here' is not a distributed\.Client; leave it out"):
        call([[1.0, 2.0]], client="here")
    with pytest.raises(TypeError, match="is asynchronous"):
        client = types.SimpleNamespace(get=0, gather=0, run=0, status="running", asynchronous=True)
        call([[1.0, 2.0]], client=client)


def test_a_grid_has_no_client(tmp_path):
    with pytest.raises(ValueError, match="for one array in chunks"):
        gpuplot.imsave(tmp_path / "a.png", np.zeros((3, 4, 4)), grid=True, progress=True)
