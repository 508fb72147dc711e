"""`Recorder`: pictures and statistics of tensors, and numbers, by step of a loop, written by a thread."""

from __future__ import annotations

import io
import math
import numbers
import operator
import os
import re
import time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np

from ..arrays.describe import describe
from ..arrays.frozen import freeze
from ..arrays.scalars import number_in
from ..arrays.tensor_tree import named_tensors, pairs_in_list
from ..choices import check_flag
from ..dtype_classes import is_complex
from ..errors import UnsupportedError, value_text
from ..notices import once, warn
from ..options import bare
from ..picture.imsave import begin_imsave
from ..picture.png import write_to_path
from ..statistics.stats import stats
from ..transfer.asnumpy import asnumpy
from .page import page
from .picture_options import are_several, check_image, usual_size, with_limits
from .queue import Room, WorkQueue
from .records import PICTURES, Records, is_range, suffix
from .unclosed import close_at_exit, close_earlier, forget

if TYPE_CHECKING:
    from types import TracebackType

    from .. import typing as t

PAGE = "index.html"

# Seconds between two writes of the page while records come in, at least; and how many times longer than the last write this is.
PAGE_SECONDS, PAGE_SHARE = 5.0, 50

# Numbers of the page are exact up to this one.
MAX_STEP = 2**53

# Bytes of a name in the names of its files: file systems allow 255, or 143, with the step and what tells names apart.
MAX_STEM_BYTES = 80

_NUMBERS = ("nan", "neg_inf", "neg", "zero", "pos", "pos_inf", "masked", "min", "max", "mean", "median", "std", "absmax", "l2")


class _Work(NamedTuple):
    """How a tensor becomes a record: ``save(compute(X, stream))``."""

    compute: Any
    save: Any
    are_several: bool = False  # whether X is a collection
    # Whether the result is small: such results of X in host memory, as the losses of a run that has ended, need no place in the queue.
    are_numbers: bool = False


@bare
class Recorder:
    """Writes pictures and statistics of tensors, and numbers, step by step, to a folder with a web page that has a slider of steps.

    A tensor in host memory is reduced to pixels, or numbers, before the call returns; a thread compresses and writes these. Of a torch or
    CuPy tensor on a GPU a copy is queued on its stream, and the thread reads the copy later; arrays of JAX and TensorFlow, which are
    never written to, need no copy. So the loop does not wait for a GPU, except for tensors of other libraries and for those given with
    `stream`. Pictures, and records of tensors on a GPU, are dropped, and counted, when the thread cannot keep up; numbers that were found
    at once wait for it.

    Parameters
    ----------
    folder : path-like
        Created if missing; a folder of an earlier recorder is continued, and that recorder closed if it is of this program. Each process
        needs a folder of its own.
    every : int, default: 1
        Only steps that are multiples of it are recorded.
    wait : bool, default: False
        Whether a call waits, instead of dropping its record, when too many records are pending.
    max_pending : int, default: 32
        The most pictures and records of tensors on a GPU that may be pending; what one call of `stats` records of a model counts once.
    max_bytes : int, default: 2**28
        The most memory for copies of tensors on their devices, in bytes; one copy of any size is always allowed.

    Attributes
    ----------
    n_recorded, n_dropped : int
        Records that were taken, and records that were dropped because too many were pending.

    Raises
    ------
    ValueError
        A folder of other files, an `every` below 1.
    RuntimeError
        Another process records in the folder.
    OSError
        The folder cannot be made or written to.

    Examples
    --------
    >>> import numpy as np, gpuplot
    >>> with gpuplot.Recorder("run", every=100) as record:
    ...     for step in range(1000):
    ...         weights = np.random.default_rng(step).normal(size=(64, 64))
    ...         if record.wants(step):
    ...             is_taken = record.image("layer 1", weights, step, center=0)
    ...             is_taken = record.stats("layer 1", weights, step)
    ...             is_taken = record.scalar("loss", weights.std(), step)
    >>> record.n_recorded, record.n_dropped
    (30, 0)
    """

    n_recorded: int
    n_dropped: int

    def __init__(
            self, folder: str | os.PathLike[str], every: int = 1, *, wait: bool = False, max_pending: int = 32,
            max_bytes: int = 2**28) -> None:
        for name, value in (("every", every), ("max_pending", max_pending), ("max_bytes", max_bytes)):
            if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
                raise ValueError(f"{name}={value!r} must be a whole number from 1 on")
        if not isinstance(folder, (str, os.PathLike)):
            raise TypeError(f"folder={value_text(folder)} must be a str or a path of a folder")
        # Programs change their folder.
        self.folder, self.every, self.wait = os.path.abspath(os.fspath(folder)), int(every), check_flag("wait", wait)
        self._pid = os.getpid()
        close_earlier(self.folder)
        self._records = Records(self.folder)
        self._stems, self._limits = dict(self._records.stems), dict(self._records.limits)
        self._said = {}  # name -> what its pictures have warned of
        self._queue = WorkQueue(max_pending, max_bytes)
        self._next_page = -math.inf
        self.n_recorded = self.n_dropped = 0
        close_at_exit(self)

    def wants(self, step: int) -> bool:
        """Whether this step is recorded: work that is only for the record may be left out otherwise."""
        return _checked_step(step) % self.every == 0

    def image(self, name: str, X: t.TensorLike, step: int, *, width: int | None = None,
              limits: t.Limits | Literal["first"] = "auto", **options: Any) -> bool:
        """Records a picture, as `imsave` makes it.

        Parameters
        ----------
        name : str
            Of the row on the page.
        X : array_like
            Anything `imsave` takes.
        step : int
        width : int, optional
            Columns of the picture. Default: one pixel for each element, at most 512 a side; planes of which one side is more than 8
            times the other are not shown with square elements.
        limits : {"auto", "elements", "pixels", "first"}, optional
            "first": the colors of all steps have the limits of the first picture of this name whose numbers are not all equal, or not
            finite, so that steps can be compared; also where a folder is continued. Else each picture has limits of its own, as in
            `imsave`, which the page writes below it; `vmin` and `vmax` fix them from the beginning.
        **options
            Of `imsave`: ``cmap``, ``robust``, ``index``, ...

        Returns
        -------
        bool
            False where the step is not recorded, or the record was left out.

        Raises
        ------
        ValueError, TypeError
            What `imsave` refuses.
        RuntimeError
            An earlier record could not be written, or the recorder is closed.

        Notes
        -----
        What `imsave` warns of, such as colors that are clipped, is said once for each name, not at each step.
        """
        check_image(limits, options)
        is_first = limits == "first"

        def render(X, stream):
            data, source = io.BytesIO(), X if are_several(X, options) else describe(X, stream)
            size = usual_size(source, options) if width is None else {"width": width}
            known = with_limits(self._limits.get(name), options) if is_first else {"limits": limits}
            with once(self._said.setdefault(name, set())):
                write, facts = begin_imsave(data, source, stream=stream, **size, **options | known)
            if is_range(facts["limits"]):
                self._limits.setdefault(name, facts["limits"])
            return data, write, facts

        def save(rendered):
            data, write, facts = rendered
            write()
            path = f"{PICTURES}/{self._file_name(name)}{suffix(step)}"
            write_to_path(os.path.join(self.folder, path), data.getvalue())
            self._append({"step": int(step), "name": name, "kind": "image", "path": path} | facts)

        stream = options.pop("stream", None)
        return self._record(name, X, step, stream, _Work(render, save, are_several=are_several(X, options)))

    def stats(self, name: str, X: t.TensorLike, step: int, *, bins: int = 64, value_range: tuple[float, float] | None = None,
              stream: t.Stream | None = None) -> bool:
        """Records counts, extremes, moments, the median and the histogram of all elements.

        Parameters
        ----------
        name, step
            As in `image`.
        X : array_like, mapping or model
            A tensor, or several as `gpuplot.stats` takes them, such as a model or a ``state_dict``: each has a row of its own on the page,
            ``name.key``. What is no tensor is left out.
        bins, value_range, stream : optional
            As in `gpuplot.stats`.

        Returns
        -------
        bool
            False where the step is not recorded, or the record was left out.

        Raises
        ------
        ValueError, TypeError
            What `gpuplot.stats` refuses, but for values of a collection that are no tensors.
        RuntimeError
            As in `image`.
        """
        X = pairs_in_list(X)
        named = named_tensors(X) if self.wants(step) else None
        how = {"bins": bins, "value_range": value_range}
        return self._stats(name, X, step, stream, how) if named is None else self._stats_of_each(name, named, step, stream, how)

    def _stats_of_each(self, name, named, step, stream, how):
        """Records the tensors of a collection, which share one place in the queue; those on a device only where the queue has one."""
        self._check()
        shared, place = Room(), "none"
        if self._queue.take_room(shared, self.wait):
            place = "shared"
        try:
            taken = [self._stats_if_tensor(f"{name}.{key}", value, step, stream, how, place) for key, value in named]
        finally:
            if place == "shared":
                self._queue.put(_nothing, shared)  # gives the place back when the thread has come to the end of them
        return all(taken)

    def _stats_if_tensor(self, *args):
        """As `_stats`; True for what is no tensor, which is left out."""
        try:
            return self._stats(*args)
        except UnsupportedError:
            return True

    def _stats(self, name, X, step, stream, how, place="own"):
        def compute(X, stream):
            return stats(describe(X, stream), **how)

        def save(found):
            numbers = {field: _plain(getattr(found, field)) for field in _NUMBERS}
            self._append({"step": int(step), "name": name, "kind": "stats", "numbers": numbers, "counts": found.hist.tolist(),
                          "ends": found.bin_edges[[0, -1]].tolist()})

        return self._record(name, X, step, stream, _Work(compute, save, are_numbers=True), place)

    def scalar(self, name: str, value: t.TensorLike, step: int, *, stream: t.Stream | None = None) -> bool:
        """Records a number, such as a loss; the page shows the numbers of a name as a line.

        Parameters
        ----------
        name, step, stream
            As in `stats`.
        value : number or array_like
            A real number (False is 0, True is 1), or a tensor of any library with one element, which is read from its device without
            a wait of the loop.

        Returns
        -------
        bool
            False where the step is not recorded, or the record was left out.

        Raises
        ------
        ValueError
            A tensor with more than one element, or none.
        TypeError
            A complex number, or no number (`UnsupportedError`).
        RuntimeError
            As in `image`.
        """
        source = describe(value, stream)
        what = f"{source.dtype} of shape {source.shape}"
        problem = (f"{value_text(name)}: one real number is recorded at a step, not {what}: reduce it first, such as by .mean(), or use "
                   "stats or image")
        if source.size != 1:
            raise ValueError(problem)
        if is_complex(source.dtype):
            raise TypeError(problem)

        def compute(X, stream):
            return asnumpy(describe(X, stream)).item()

        def save(found):
            self._append({"step": int(step), "name": name, "kind": "scalar", "value": _plain(found)})

        return self._record(name, value, step, stream, _Work(compute, save, are_numbers=True))

    def _record(self, name, X, step, stream, work, place="own"):
        """Has the thread do some `_Work`; `compute` is called at once unless X can be copied on its device.

        `place` is that of the record in the queue: "own", "shared" with its collection, or "none", as the queue had none for that.
        """
        self._check()
        if not isinstance(name, str):
            raise TypeError(f"name={value_text(name)} must be a str, of the row on the page")
        if not self.wants(step):
            return False
        source = None if work.are_several else describe(X, stream)
        is_on_device = source is not None and source.device is not None
        needs_place = is_on_device or not work.are_numbers
        room = Room(source.nbytes if is_on_device else 0, n_places=1 if needs_place and place == "own" else 0)
        if (needs_place and place == "none") or not self._queue.take_room(room, self.wait):
            self.n_dropped += 1
            return False
        try:
            frozen = freeze(X, source, stream) if is_on_device else None
            computed = work.compute(X, stream) if frozen is None else None
        except BaseException:
            self._queue.give_room(room)
            raise
        del X, source
        self._queue.put(lambda: work.save(computed if frozen is None else work.compute(frozen.tensor, frozen.stream)), room)
        self.n_recorded += 1
        return True

    def _check(self):
        """Raises what keeps the recorder from taking records."""
        if self._records.is_closed:
            raise RuntimeError("this recorder is closed: create another one, which continues in the same folder")
        self._check_process()
        self._tell_error()

    def _check_process(self):
        if os.getpid() != self._pid:
            raise RuntimeError("this recorder was made before the fork, and its thread runs only in the parent process: create another one "
                               "here, with a folder of its own")

    def _tell_error(self):
        error, self._queue.error = self._queue.error, None
        if error is not None:
            raise RuntimeError(f"a record could not be written to {self.folder!r}: {error}") from error

    def _file_name(self, name):
        """A record's name as part of a file name, different for each name."""
        if name not in self._stems:
            plain = re.sub(r"[^\w.-]+", "_", name).encode()[:MAX_STEM_BYTES].decode(errors="ignore") or "_"
            stem, n, taken = plain, 0, set(self._stems.values())
            while stem in taken:
                n += 1
                stem = f"{plain}~{n}"
            self._stems[name] = stem
        return self._stems[name]

    def _append(self, record):
        """Adds a record to the list; writes the page from time to time."""
        self._records.append(record)
        if time.monotonic() > self._next_page:
            self._write_page()

    def _write_page(self):
        began = time.monotonic()
        write_to_path(os.path.join(self.folder, PAGE), page(self._records.lines).encode())
        ended = time.monotonic()
        self._next_page = ended + max(PAGE_SECONDS, PAGE_SHARE * (ended - began))  # a page of many records takes long

    def flush(self) -> None:
        """Waits until all records are on the disk, the page too."""
        self._check_process()
        self._queue.join()
        try:
            self._write_page()  # of the other records, where one could not be written
        finally:
            self._tell_error()

    def close(self) -> None:
        """Writes the pending records and ends, as the end of a ``with`` block does.

        The end of the program closes open recorders, too, but waits at most ten seconds for them.
        """
        self._close(math.inf)

    def _close(self, seconds):
        if self._records.is_closed or os.getpid() != self._pid:  # in a forked child: the parent closes it
            return
        n_left = self._queue.close(seconds)
        self._records.close()
        forget(self)
        try:
            self._write_page()
        finally:
            if not n_left:
                self._tell_error()
        if self.n_dropped:
            warn(f"{self.n_dropped} records were dropped from {self.folder!r}, as the thread could not keep up: record fewer steps, "
                 "every=..., or let the loop wait, wait=True")
        if n_left:
            raise RuntimeError(f"{n_left} records were not written to {self.folder!r}, as the program ended: close() waits for them")

    def animate(self, name: str, fname: str | os.PathLike[str], fps: float = 10.0) -> None:
        """Writes the pictures of a name, one after the other, to an animated file, as large as the largest of them.

        Smaller pictures are placed at the top left.

        Parameters
        ----------
        name : str
        fname : path-like
            A GIF, PNG (animated) or WebP file, by its suffix.
        fps : float, default: 10
            Pictures per second.

        Raises
        ------
        ValueError
            There are no pictures of the name, another suffix, or a rate that is not above zero.
        """
        from PIL import Image

        rate, ending = number_in(fps), os.path.splitext(os.fspath(fname))[1].lower()
        if rate is None or not 0 < rate < math.inf:
            raise ValueError(f"fps={fps!r} must be a number above zero, of pictures a second")
        if ending not in (".gif", ".png", ".webp"):
            raise ValueError(f"fname={fname!r} must end in .gif, .png or .webp")
        self._queue.join()
        paths = [path for other, path in self._records.pictures if other == name]
        if not paths:
            known = sorted({other for other, _ in self._records.pictures})
            raise ValueError(f"there are no pictures of {name!r}" + (f", but of {', '.join(known)}" if known else ""))
        first, *others = _of_one_size([Image.open(os.path.join(self.folder, path)).convert("RGBA") for path in paths])
        first.save(fname, save_all=True, append_images=others, duration=1000 / rate, loop=0, disposal=2)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def __repr__(self):
        return f"<Recorder of {self.folder!r}: {self.n_recorded} recorded, {self.n_dropped} left out>"


def _checked_step(step):
    """`step` as an int; TypeError if it is not an integer, ValueError if it is one that the page cannot tell from others."""
    try:
        number = operator.index(step)
    except Exception:  # libraries differ in how they refuse
        raise TypeError(f"step={value_text(step)} must be a whole number") from None
    if abs(number) > MAX_STEP:
        raise ValueError(f"step={step!r} must be at most 2**53 either way")
    return number


def _of_one_size(images):
    """Pictures of Pillow, on transparent canvases of the largest width and height."""
    size = tuple(map(max, zip(*(image.size for image in images), strict=True)))
    return [image.crop((0, 0, *size)) for image in images]  # which fills with transparent pixels


def _nothing():
    """A job that does nothing."""


def _plain(value):
    """A number for JSON; None for NaN and infinities, which JSON lacks."""
    value = value.item() if isinstance(value, np.generic) else value
    value = int(value) if isinstance(value, bool) else value  # the page draws numbers
    return None if isinstance(value, float) and not math.isfinite(value) else value
