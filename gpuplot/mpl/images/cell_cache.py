"""The plane of an image with a cache of its last cells and of the limits of its elements."""

from typing import NamedTuple

import numpy as np

from ... import _native
from ...notices import left_out_text, warn
from ...plane.aggs import native_nan
from ...plane.cell_budget import keep_within_budget
from ...plane.limits import lacks, n_nan_of
from ...plane.window import Window
from .masked_elements import mask_invalid


class _BoxOfElements(NamedTuple):
    """The elements of a half-open box (row0, row1, col0, col1), under a policy about NaN."""

    box: tuple
    nan: str
    values: np.ndarray


class CellCache:
    """A plane with its last reduced cells.

    Attributes
    ----------
    plane : ImagePlane or None
    nan : {"auto", "show", "skip"}
        The policy for cells with elements that are not finite.
    known_limits : Limits or None
        Of the elements, as far as they were found.
    known_percentiles : dict
        Of the elements: {(percents, whether of those above zero alone, policy): values}.
    known_classes : tuple
        The result of the last search for classes, one item; empty before.
    drawn : list of (Window, Frame)
        For a plane in chunks: the cells that showed most of it, and the last ones, shown until new cells are read.
    """

    def __init__(self, plane=None, nan="auto"):
        self.plane, self.nan = plane, nan
        self._version, self._is_nan_noted, self._last_box = 0, False, None
        self._frame = self._frame_key = self.known_limits = None
        self.known_percentiles, self.known_classes = {}, ()
        self.drawn = []

    @property
    def frame(self):
        """The cells of the last draw, or None; the budget of devices may drop them at any time."""
        return self._frame

    def drop_frame(self):
        """Drops the cells of the last draw, which are reduced again when needed."""
        self._frame = self._frame_key = None

    def move_to_host(self):
        """Keeps the cells of the last draw in host memory."""
        if self._frame is not None:
            self._frame = self._frame.on_host()

    def forget(self):
        """Drops everything cached, after the elements have changed."""
        self._version += 1
        if self.plane is not None:
            self.plane.forget()
        self._last_box = self.known_limits = None
        self.drop_frame()
        self.known_percentiles, self.known_classes = {}, ()

    def without_frame(self, plane):
        """The same cache, without cells, for a plane that replaces this one."""
        twin = CellCache(plane, self.nan)
        twin.known_limits, twin.known_percentiles, twin.known_classes = self.known_limits, self.known_percentiles, self.known_classes
        return twin

    def frame_of(self, window, agg, is_sharp, want, style=None):
        """The cells of a window, from the last draw if nothing has changed; `want` are limits to find in the same pass.

        ``style()``, if given, is the result of `style_ahead`.
        """
        version = self._version
        key = version, window, agg, is_sharp
        frame = self._frame if key == self._frame_key else None
        if frame is None:
            frame = self._reduced(window, agg, is_sharp, want, None if style is None else style())
            self._frame, self._frame_key = frame, key
            if version == self._version:  # else update() came in another thread, and these are limits of older elements
                self.known_limits = frame.limits or self.known_limits
            if frame.leaves_out_nan:
                self._note_left_out()
        keep_within_budget(self)
        return frame

    def _reduced(self, window, agg, is_sharp, want, style):
        """New cells of a window, noted in `drawn`."""
        limits = self.known_limits
        has_nan = None if limits is None else bool(limits.has & _native.HAS_NAN)
        want = 0 if limits is not None or self.plane.is_gathered else want
        shading = {} if style is None else {"style": style}  # which only a `TensorPlane` takes
        frame = self.plane.reduce(window, agg, self.nan, want, has_nan, is_sharp, **shading)
        if self.plane.is_chunked:
            widest = max([*self.drawn[:1], (window, frame)], key=lambda one: abs(one[0].rows.u1 - one[0].rows.u0))
            self.drawn = [widest, (window, frame)]
        return frame

    def _note_left_out(self):
        """Warns, once for each tensor, that NaN was left out."""
        if not self._is_nan_noted:
            self._is_nan_noted = True
            n_nan = n_nan_of(self.plane, self.known_limits)
            warn(left_out_text(n_nan, self.plane.size, self.plane.view is not None and self.plane.view.is_reduced))

    @property
    def decided_nan(self):
        """The native policy of the last cells, with "auto" decided; other cells of the picture use the same."""
        frame = self._frame
        return "infinite" if frame is not None and frame.leaves_out_nan else native_nan(self.nan)

    @property
    def policy(self):
        """The policy for hidden axes: the plane's own, or the one to which "auto" came for the last cells."""
        return "infinite" if self._frame is not None and self._frame.leaves_out_nan else self.plane.nan

    def limits(self, want, box=None):
        """`Limits` of the elements, found once, or of a box of them."""
        if box is not None:
            return self.plane.limits(want, box, self.policy)
        if self.known_limits is None or lacks(self.known_limits, want):
            found, is_left_out = self.plane.limits(want, nan=self.policy), self.policy == "infinite"
            self.known_limits = found._replace(has=found.has | _native.HAS_NAN) if is_left_out else found
        return self.known_limits

    def percentiles(self, percents, is_positive_only, box=None):
        """Percentiles of the elements, found once: limits of pixels are compared with them at every zoom; or of a box of them."""
        if box is not None:
            return self.plane.percentiles(percents, is_positive_only, box, self.policy)
        key, known = (tuple(percents), is_positive_only, self.policy), self.known_percentiles
        if key not in known:
            known[key] = self.plane.percentiles(percents, is_positive_only, nan=self.policy)
        return known[key]

    def kinds(self, want):
        """``HAS_*`` bits of the elements as far as they are known; 0 for no elements."""
        if self.plane is None or not self.plane.size:
            return 0
        if self.known_limits is None and self.plane.is_gathered:
            mask = np.ma.getmask(self.plane.array)
            return self.limits(want).has if mask is not np.ma.nomask and mask.all() else _native.HAS_FINITE
        return 0 if self.known_limits is None else self.known_limits.has

    @property
    def has_nan_to_decide(self):
        """Whether "auto" decides if NaN is left out of hidden axes as well, which changes what every pixel and limit is made of."""
        return self.nan == "auto" and not self.plane.is_gathered and self.plane.view is not None and self.plane.view.is_reduced

    def decide_nan(self, box, want):
        """Elements of a box with reduced hidden axes, as cells with "auto" decided; None where nothing is to be decided."""
        if not self.has_nan_to_decide:
            return None
        return self.frame_of(Window.of_box(box), "nearest", False, want)

    def elements(self, box, want):
        """Elements of a box for matplotlib's resampler, integers as floats where their range is too large for float32."""
        decided = self.decide_nan(box, want)
        if decided is not None and not self.plane.is_rgb:
            return mask_invalid(decided.cells.numpy())
        values = self._values_of(box)
        if values.dtype.kind in "iu" and values.ndim == 2 and values.dtype.itemsize > 2:
            limits = self.limits(want)
            if limits.max - limits.min > 1e8:
                values = values.astype(float)
        return values

    def element(self, row, col):
        """One element of the plane; elements of chunks that were drawn last are not read again."""
        last = self._last_box
        if last is not None:
            row0, row1, col0, col1 = last.box
            if row0 <= row < row1 and col0 <= col < col1:
                return last.values[row - row0, col - col0]
        return self.plane.element(row, col)

    def _values_of(self, box):
        """The elements of a box; those last drawn from chunks are cached, so that a change of colors reads nothing."""
        nan, last = self.decided_nan, self._last_box
        if last is not None and (last.box, last.nan) == (box, nan):
            return last.values
        values = self.plane.box(*box, nan)
        if self.plane.is_chunked:
            self._last_box = _BoxOfElements(box, nan, values)
        return values
