"""GatheredPlane: a small plane, whose elements are copied at the call, as matplotlib copies."""

import copy
from dataclasses import replace

import numpy as np

from ...arrays.describe import describe
from ...arrays.dtypes import dtype_name
from ...plane.tensor_plane import plane_of
from ...plane.view import choose
from .image_plane import ImagePlane
from .masked_elements import clip_colors, color_range, mask_invalid

# A plane of at most so many elements is copied; that costs no more than a picture.
MAX_GATHERED_ELEMENTS = 2**20


class GatheredPlane(ImagePlane):
    """Copied elements, which the native layer reduces from then on.

    Parameters
    ----------
    array : masked array
        The elements as matplotlib holds them.
    own_mask : bool array or nomask, optional
        Which of them are missing data; others that are masked are not finite.
    stored : array, optional
        Colors before they were clipped, which are what is averaged. Default: `array`.
    """

    _kept_reader = None

    def __init__(self, array, own_mask=np.ma.nomask, stored=None):
        self.array, self._own_mask, self._stored = array, own_mask, stored

    @classmethod
    def of_array(cls, array):
        """A plane of a host array, copied in matplotlib's own way; TypeError in matplotlib's words for what is not an image."""
        from matplotlib.image import AxesImage

        is_colors = array.ndim == 3 and array.shape[2] in (3, 4) and array.dtype.kind in "biuf"
        colors = color_range(mask_invalid(array)) if is_colors and array.size and array.dtype.kind != "b" else (0.0, 1.0)
        is_beyond = colors[0] < 0 or colors[1] > 1
        own_mask = np.ma.getmask(array).copy() if isinstance(array, np.ma.MaskedArray) else np.ma.nomask
        # matplotlib logs what it clips, as we do later, and looks for the smallest of the colors, even of none.
        if is_colors and (is_beyond or not array.size):
            held = clip_colors(mask_invalid(array.copy()))
        else:
            held = AxesImage._normalize_image_array(array)
        plane = cls(held, own_mask, array.copy() if is_beyond else None)
        plane.is_host_array = True
        plane.color_range = colors if is_beyond else None
        return plane

    @classmethod
    def of_tensor(cls, source, view, nan="show"):
        """A plane of a tensor; None under "auto" with a NaN in hidden axes, which each picture has to decide about."""
        elements, copied, cell_view = _gather(source, view, nan)
        if view.is_reduced and nan == "auto" and np.ma.filled(np.isnan(elements), False).any():
            return None
        plane = cls(mask_invalid(elements), np.ma.getmask(elements))
        plane.source, plane.cell_view, plane.view, plane.nan = copied, cell_view, view, nan
        plane.tensor_dtype, plane.is_host_array, plane.level = source.dtype, source.is_host_array, source.level
        # The tensor is kept only where it has other planes.
        plane.tensor_source = source if source.ndim > 2 + view.is_rgb else None
        if view.is_rgb and plane.array.size:
            plane.color_range = color_range(plane.array)
            plane.array = clip_colors(plane.array)
        return plane

    @property
    def is_rgb(self):
        return self.array.ndim == 3 if self.view is None else self.view.is_rgb

    @property
    def shape(self):
        """Rows and columns."""
        return self.array.shape[:2] if self.view is None else self.view.shape

    @property
    def dtype(self):
        """Name of the elements' dtype."""
        return dtype_name(self.array.dtype) if self.tensor_dtype is None else self.tensor_dtype

    @property
    def array_shape(self):
        """See `ImagePlane.array_shape`."""
        return self.array.shape

    @property
    def array_dtype(self):
        """See `ImagePlane.array_dtype`."""
        return self.array.dtype

    def box(self, row0, row1, col0, col1, nan=None):
        """The elements of a part, masked where they are not finite."""
        return self.array[row0:row1, col0:col1]

    @property
    def reader(self):
        """The `TensorPlane` that is reduced."""
        if self.source is None:
            self._describe_array()
        if self._kept_reader is None:
            self._kept_reader = plane_of(self.source, self.cell_view, self.nan)
        return self._kept_reader

    def forget(self):
        """See `ImagePlane.forget`."""
        self._kept_reader = None

    def without_source(self):
        """The same copied elements without the tensor."""
        plane = copy.copy(self)
        plane.tensor_source = None
        return plane

    def _describe_array(self):
        """Makes the array the source of reductions: its own mask is missing data, NaN and infinities are marks."""
        data = self._with_own_mask()
        self.source = describe(data)
        self.view = self.cell_view = choose(data.shape, None, self.source.dtype, rgb=2 if data.ndim == 3 else False)

    def _with_own_mask(self):
        """The elements as they are stored; colors are averaged before they are clipped."""
        if self._stored is not None:
            return self._stored
        data = np.ma.getdata(self.array)
        return data if self._own_mask is np.ma.nomask else np.ma.array(data, mask=self._own_mask.reshape(data.shape), copy=False)

    def __getstate__(self):
        # A pickle has one copy of the elements, and no tensor.
        copied = None if self.source is None else self.source.array
        is_same = copied is not None and np.may_share_memory(np.ma.getdata(self.array), np.ma.getdata(copied))
        return self.__dict__ | {"tensor_source": None, "source": None, "_kept_reader": None,
                                "_copied": None if is_same else copied, "_is_copy_array": is_same}

    def __setstate__(self, state):
        copied, is_array = state.pop("_copied"), state.pop("_is_copy_array")
        self.__dict__.update(state)
        if is_array:
            self.source = describe(self._with_own_mask())
        elif copied is not None:
            self.source = describe(copied)


def _gather(source, view, nan):
    """(elements, a Source of them, its View): without a reduction a complex plane is copied before its component is taken."""
    box = (0, view.shape[0], 0, view.shape[1])
    if view.complex_mode is not None and not view.is_reduced:
        copied = describe(plane_of(source, replace(view, complex_mode=None)).numbers(box))
        cell_view = choose(copied.shape, None, copied.dtype, rgb=False, complex_mode=view.complex_mode)
        return plane_of(copied, cell_view).numbers(box), copied, cell_view
    elements = plane_of(source, view, nan).numbers(box)
    copied = describe(elements)
    return elements, copied, choose(elements.shape, None, copied.dtype, rgb=2 if view.is_rgb else False)
