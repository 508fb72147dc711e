"""`imsave` with ``blocking=False``: pixels as they were at the call, files whole or absent, in order, and ends of processes."""

import gc
import io
import os
import threading
import time
from concurrent.futures import CancelledError

import numpy as np
import pytest
from on_device import there
from PIL import Image
from watched_process import run_watched

import gpuplot
from gpuplot.arrays import frozen
from gpuplot.arrays.describe import describe
from gpuplot.picture import file_transfer, imsave

A = np.random.default_rng(0).normal(size=(60, 80)).astype("f4")
DEADLINE = 60


@pytest.fixture
def stuck(monkeypatch):
    """A disk that writes nothing until the event is set."""
    go_on, original = threading.Event(), imsave.write_png

    def write(*args, **keywords):
        assert go_on.wait(DEADLINE)
        original(*args, **keywords)

    monkeypatch.setattr(imsave, "write_png", write)
    yield go_on
    go_on.set()


@pytest.mark.parametrize("keywords", [{}, {"cmap": "magma", "width": 33}, {"origin": "lower", "dpi": 100, "metadata": {"Title": "x"}}],
                         ids=["plain", "smaller", "upside down"])
def test_the_file_is_that_of_a_call_that_waits(tmp_path, keywords):
    transfer = gpuplot.imsave(tmp_path / "a.png", A, blocking=False, **keywords)
    assert gpuplot.imsave(tmp_path / "b.png", A, **keywords) is None
    assert transfer.result(DEADLINE) == tmp_path / "a.png" and transfer.done() and transfer.wait(0) is None
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize("X", [A, (255 * abs(A[..., None]) % 255).repeat(4, 2).astype("u1"), np.ma.masked_less(A, 0)],
                         ids=["numbers", "pixels", "masked"])
def test_what_is_written_to_afterwards_is_not_in_the_picture(tmp_path, stuck, X):
    X = X.copy()
    before = io.BytesIO()
    stuck.set()
    gpuplot.imsave(before, X)
    stuck.clear()
    transfer = gpuplot.imsave(tmp_path / "a.png", X, blocking=False)
    X[...] = 0
    stuck.set()
    transfer.wait(DEADLINE)
    assert (tmp_path / "a.png").read_bytes() == before.getvalue()


def test_a_grid(tmp_path):
    images = np.random.default_rng(1).random((12, 3, 20, 30))
    transfers = [gpuplot.imsave(tmp_path / f"{name}.png", images, grid=grid, blocking=False)
                 for name, grid in (("a", True), ("b", {"nrow": 4, "padding": 1}))]
    gpuplot.imsave(tmp_path / "want.png", images, grid={"nrow": 4, "padding": 1})
    for transfer in transfers:
        transfer.wait(DEADLINE)
    assert (tmp_path / "b.png").read_bytes() == (tmp_path / "want.png").read_bytes()
    assert Image.open(tmp_path / "a.png").size == (8 * 32 + 2, 2 * 22 + 2)


def test_a_file_object(tmp_path):
    file = io.BytesIO()
    assert gpuplot.imsave(file, A, blocking=False).result(DEADLINE) is file
    gpuplot.imsave(tmp_path / "want.png", A)
    assert file.getvalue() == (tmp_path / "want.png").read_bytes()


def test_the_call_waits_for_no_disk(tmp_path, stuck):
    transfer = gpuplot.imsave(tmp_path / "a.png", A, blocking=False)
    assert not transfer.done() and repr(transfer) == f"<FileTransfer to {tmp_path / 'a.png'!r}: under way>"
    with pytest.raises(TimeoutError, match=r"the file is not ready after 0\.01 s"):
        transfer.wait(0.01)
    assert os.listdir(tmp_path) == []
    stuck.set()
    transfer.wait(DEADLINE)
    assert os.listdir(tmp_path) == ["a.png"]


# ---- a device ------------------------------------------------------------------------------------------------------------


def test_tensors_of_a_device_whose_library_is_not_known(tmp_path, emulated):
    X = there(A)
    transfer = gpuplot.imsave(tmp_path / "a.png", X, blocking=False)
    gpuplot.imsave(tmp_path / "b.png", X)
    transfer.wait(DEADLINE)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_copy_on_a_device_is_reduced_by_the_thread(tmp_path, emulated, monkeypatch):
    threads, original = [], imsave.RenderSpec.rgba

    def rgba(self, window):
        threads.append(threading.current_thread().name)
        return original(self, window)

    monkeypatch.setattr(imsave, "freeze", lambda X, source, stream: frozen.Frozen(describe(X), None, source.nbytes))
    monkeypatch.setattr(imsave.RenderSpec, "rgba", rgba)
    gpuplot.imsave(tmp_path / "a.png", there(A), blocking=False).wait(DEADLINE)
    assert threads == ["gpuplot transfer"]
    gpuplot.imsave(tmp_path / "b.png", A)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


# ---- errors --------------------------------------------------------------------------------------------------------------


def test_errors_come_with_wait_and_result(tmp_path):
    transfer = gpuplot.imsave(tmp_path / "no/a.png", A, blocking=False)
    for ask in (transfer.wait, transfer.result):
        with pytest.raises(FileNotFoundError, match="No such file"):
            ask(DEADLINE)
    assert repr(transfer).endswith("failed, FileNotFoundError>")


def test_an_error_that_nobody_asks_for_is_a_warning(tmp_path):
    with pytest.warns(gpuplot.GpuplotWarning, match=r"a\.png'\) was not written: .*No such file"):
        transfer = gpuplot.imsave(tmp_path / "no/a.png", A, blocking=False)
        while not transfer.done():
            time.sleep(0.001)
        transfer._thread.join()
        del transfer
        gc.collect()


@pytest.mark.filterwarnings("error")
def test_nothing_is_said_of_what_was_asked_for_or_went_well(tmp_path):
    transfers = [gpuplot.imsave(tmp_path / name, A, blocking=False) for name in ("a.png", "no/a.png")]
    transfers[0].wait(DEADLINE)
    with pytest.raises(FileNotFoundError):
        transfers.pop().wait(DEADLINE)
    del transfers
    gc.collect()


@pytest.mark.parametrize(("keywords", "text"), [({"cmap": "nocmap"}, "nocmap"), ({"width": 0}, "width"), ({"grid": {"nrow": 0}}, "nrow")])
def test_bad_input_is_refused_by_the_call(tmp_path, keywords, text):
    with pytest.raises(ValueError, match=text):
        gpuplot.imsave(tmp_path / "a.png", A, blocking=False, **keywords)
    with pytest.raises(ValueError, match="blocking='no' is not one of True, False"):
        gpuplot.imsave(tmp_path / "a.png", A, blocking="no")
    assert file_transfer._room._n_files == 0


def test_what_is_cancelled_leaves_the_old_file(tmp_path, stuck):
    (tmp_path / "a.png").write_bytes(b"old")
    first, second = (gpuplot.imsave(tmp_path / "a.png", A, blocking=False) for _ in range(2))
    assert second.cancel()
    stuck.set()
    first.wait(DEADLINE)
    with pytest.raises(CancelledError):
        second.wait(DEADLINE)
    assert Image.open(tmp_path / "a.png").size == (80, 60)


def test_what_is_being_written_is_not_cancelled():
    """It was called cancelled, and the whole file was there."""
    answers = []

    class File(io.BytesIO):
        def write(self, data):
            answers.append(transfer.cancel())
            return super().write(data)

    file = File()
    transfer = file_transfer.FileTransfer(file, lambda: A, lambda rgba: file.write(b"all"), 0)
    assert transfer.start().result(DEADLINE) is file and answers == [False] and file.getvalue() == b"all"


# ---- several -------------------------------------------------------------------------------------------------------------


def test_files_of_one_name_are_written_in_order(tmp_path):
    os.symlink("a.png", tmp_path / "b.png")
    (tmp_path / "a.png").write_bytes(b"")
    transfers = [gpuplot.imsave(tmp_path / ("a.png", "b.png")[k % 2], np.full((200, 300), k), vmin=0, vmax=99, cmap="gray",
                                blocking=False) for k in range(40)]
    for transfer in transfers:
        transfer.wait(DEADLINE)
    gpuplot.imsave(tmp_path / "want.png", np.full((200, 300), 39), vmin=0, vmax=99, cmap="gray")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "want.png").read_bytes() and os.path.islink(tmp_path / "b.png")
    assert file_transfer._newest == {} and file_transfer._room._n_files == file_transfer._room._n_bytes == 0


@pytest.mark.parametrize("limit", [{"MAX_FILES": 2}, {"MAX_BYTES": 2 * 4 * A.size}], ids=["number", "bytes"])
def test_a_call_without_room_waits(tmp_path, stuck, monkeypatch, limit):
    [(name, value)] = limit.items()
    monkeypatch.setattr(file_transfer, name, value)
    began = []

    def save_some():
        for k in range(4):
            gpuplot.imsave(tmp_path / f"{k}.png", A, blocking=False)
            began.append(k)

    thread = threading.Thread(target=save_some)
    thread.start()
    while len(began) < 2:
        time.sleep(0.001)
    thread.join(0.2)
    assert began == [0, 1] and thread.is_alive()
    stuck.set()
    thread.join(DEADLINE)
    while file_transfer._room._n_files:
        time.sleep(0.001)
    assert sorted(os.listdir(tmp_path)) == [f"{k}.png" for k in range(4)]


def test_one_file_of_any_size_has_room(tmp_path, monkeypatch):
    monkeypatch.setattr(file_transfer, "MAX_BYTES", 1)
    gpuplot.imsave(tmp_path / "a.png", A, blocking=False).wait(DEADLINE)


# ---- ends of processes ---------------------------------------------------------------------------------------------------


def test_the_end_of_a_program_waits_for_files(tmp_path):
    run_watched(f"""
        import numpy as np, gpuplot
        for k in range(6):
            gpuplot.imsave(f"{tmp_path}/{{k}}.png", np.random.default_rng(k).normal(size=(900, 900)), blocking=False)
    """)
    assert [Image.open(tmp_path / f"{k}.png").size for k in range(6)] == [(900, 900)] * 6


@pytest.mark.parametrize("is_first", [True, False], ids=["first", "later"])
def test_files_that_are_begun_at_the_end_are_written(tmp_path, is_first):
    """What a function of atexit began was lost silently: the one that waits for files had run, or came too late to be called."""
    run_watched(f"""
        import atexit, numpy as np
        atexit.register(lambda: gpuplot.imsave("{tmp_path}/a.png", np.eye(900), blocking=False))
        import gpuplot
        if not {is_first}:
            gpuplot.imsave("{tmp_path}/b.png", np.eye(9), blocking=False).wait()
    """)
    assert Image.open(tmp_path / "a.png").size == (900, 900)


def test_what_takes_too_long_is_given_up(tmp_path):
    run_watched(f"""
        import threading, numpy as np, gpuplot
        from gpuplot.picture import imsave
        from gpuplot.transfer import handle
        handle.EXIT_SECONDS = 0.2
        imsave.write_png = lambda *args, **keywords: threading.Event().wait()
        gpuplot.imsave("{tmp_path}/a.png", np.eye(9), blocking=False)
    """)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_writes_files_of_its_own(tmp_path):
    printed = run_watched(f"""
        import os, sys, threading, numpy as np, gpuplot
        from gpuplot.picture import imsave
        go_on, write = threading.Event(), imsave.write_png
        imsave.write_png = lambda *args, **keywords: (go_on.wait(), write(*args, **keywords))
        transfer = gpuplot.imsave("{tmp_path}/a.png", np.eye(9), blocking=False)
        child = os.fork()
        if not child:
            try:
                transfer.wait()
            except RuntimeError as error:
                print("before the fork" in str(error))
            go_on.set()
            gpuplot.imsave("{tmp_path}/a.png", np.eye(5), blocking=False).wait()
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)
        go_on.set()
        transfer.wait()
    """, PYTHONWARNINGS="ignore")
    assert printed == "True\n" and Image.open(tmp_path / "a.png").size == (9, 9)
