"""BorrowedPlane: a plane of a tensor whose memory is borrowed for each use, or whose chunks are read."""

import numpy as np

from ...arrays.chunked_source import ChunkedSource
from ...plane.chunks.answered_plane import AnsweredPlane
from ...plane.chunks.answers import Answers
from ...plane.chunks.chunked_plane import boxes_elsewhere
from ...plane.gather import index_plane
from ...plane.tensor_plane import plane_of
from .gathered_plane import MAX_GATHERED_ELEMENTS, GatheredPlane
from .image_plane import ImagePlane
from .masked_elements import clip_colors, mask_invalid


class BorrowedPlane(ImagePlane):
    """One 2-D view of a tensor that is not copied.

    Parameters
    ----------
    source : Source
        The tensor.
    view : View
    nan : {"auto", "show", "skip"}, optional
        See `ImagePlane`.
    """

    _kept_reader = _kept_answers = None

    def __init__(self, source, view, nan="show"):
        self.source = self.tensor_source = source
        self.view = self.cell_view = view
        self.tensor_dtype, self.nan = source.dtype, nan
        self.is_host_array, self.level = source.is_host_array, source.level

    def gathered(self, nan):
        """A plane with a copy of its elements, under a fixed policy about NaN; None where there is none of all of them."""
        return GatheredPlane.of_tensor(self.source, self.view, nan).without_source() if can_gather(self.source, self.view) else None

    def host_array(self, is_finite=False):
        """See `ImagePlane.host_array`."""
        if self.view.is_reduced and self.size <= MAX_GATHERED_ELEMENTS and not has_two_parts(self.view):
            return self.box(0, self.shape[0], 0, self.shape[1])
        whole = self.source.array
        is_plain = self.view.complex_mode is None and not self.view.is_reduced
        if whole is None or not is_plain or self.dtype == "longdouble":
            return None
        plane = index_plane(whole, self.view)
        plane = np.ma.array(plane, copy=False) if is_finite and plane.dtype.isnative else mask_invalid(plane)
        return clip_colors(plane) if self.is_rgb else plane

    def box(self, row0, row1, col0, col1, nan=None):
        """The elements of a part, a copy, masked where they are not finite.

        `nan` is the policy for hidden axes, once the picture has decided about "auto".
        """
        reader = self.reader.under(nan or self.nan) if self.is_chunked else plane_of(self.source, self.view, nan or self.nan)
        values = mask_invalid(reader.numbers((row0, row1, col0, col1)))
        return clip_colors(values) if self.is_rgb else values

    @property
    def reader(self):
        """The `TensorPlane`, `ChunkedPlane` or `AnsweredPlane` that is reduced."""
        if self._kept_reader is None:
            reader = plane_of(self.source, self.cell_view, self.nan)
            self._kept_reader = reader if self.answers is None else AnsweredPlane.of(reader, self.answers)
        return self._kept_reader

    @property
    def answers(self):
        """See `ImagePlane`."""
        if self._kept_answers is None and self.is_chunked and self.source.tells_tiles:
            self._kept_answers = Answers()
        return self._kept_answers

    @property
    def is_chunked(self):
        """Whether each read of elements loads or computes chunks."""
        return isinstance(self.source, ChunkedSource)

    @property
    def boxes_elsewhere(self):
        """See `ImagePlane`."""
        return boxes_elsewhere(self.source, self.view) if self.is_chunked else []

    def forget(self):
        """See `ImagePlane.forget`."""
        self._kept_reader = None
        if self._kept_answers is not None:
            self._kept_answers.forget()


def plane_of_tensor(source, view, nan="show"):
    """The plane of a tensor: copied where it is small."""
    is_small = view.shape[0] * view.shape[1] <= MAX_GATHERED_ELEMENTS
    gathered = GatheredPlane.of_tensor(source, view, nan) if is_small and can_gather(source, view) else None
    return BorrowedPlane(source, view, nan) if gathered is None else gathered


def can_gather(source, view):
    """Whether there is an array of all elements."""
    return source.is_complete and source.dtype != "complex32" and not has_two_parts(view)


def has_two_parts(view):
    """True where amplitudes and directions are reduced apart over hidden axes, which no array of elements holds."""
    return view.is_hue and view.is_reduced
