"""Plane: what an image shows; small planes are copied to the host, large ones borrowed at every use."""

import copy
from dataclasses import replace

import numpy as np

from .. import _native
from ..arrays.chunked_source import ChunkedSource
from ..arrays.describe import describe
from ..arrays.host_arrays import dtype_name, is_narrow
from ..notices import REMEDY
from .answered_plane import AnsweredPlane
from .answers import Answers
from .chunked_plane import boxes_elsewhere
from .gather import index_plane
from .tensor_plane import plane_of
from .view import choose

# A plane of at most so many elements is copied at the call, as matplotlib copies; that costs no more than a picture.
MAX_GATHERED_ELEMENTS = 2**20


class ElementProxy:
    """A stand-in for matplotlib's array: has the shape and single elements of a `Plane`, and never copies a tensor."""

    def __init__(self, plane):
        self._plane = plane
        self.shape = plane.array_shape
        self.dtype = plane.array_dtype

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=object))

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        row, col = index
        return self._plane.element(row, col)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("the image holds a tensor of which only cells are read; gpuplot.downsample(tensor, shape) gives "
                        "numbers, and im.tensor is the tensor itself")

    def __repr__(self):
        return f"<elements of a {self.dtype} tensor, shape {self.shape}>"


class Plane:
    """One 2-D view of a tensor: rows, columns, and 3 or 4 channels of colors.

    Parameters
    ----------
    source : Source
        The tensor.
    view : View
    is_copied : bool, optional
        Whether the elements are gathered. Default: where they are few.
    nan : {"auto", "show", "skip"}, optional
        What reductions of hidden axes do with elements that are not finite. Under "auto" a plane with a NaN is not gathered.

    Attributes
    ----------
    array : masked array or None
        The elements as matplotlib would hold them, where they were gathered.
    is_host_array : bool
        Whether matplotlib itself would read the tensor as an array.
    color_range : (float, float) or None
        Lowest and highest of gathered colors, 1 is full; None where nothing was clipped.
    labels : PictureLabels or None
    slice_text : str
        The place of the plane along the axes that are not seen.
    level : Level or None
        Of a pyramid.
    """

    labels = level = None
    slice_text = ""
    clipping_remedy = REMEDY
    _kept_reader = _kept_answers = None

    def __init__(self, source, view, is_copied=None, nan="show"):
        # The tensor of a copied plane is kept only where it has other planes.
        self.tensor_source, self.view, self.tensor_dtype = source, view, source.dtype
        self.source, self.cell_view, self.nan, self.level = source, view, nan, source.level
        self.array, self._own_mask, self._stored = None, np.ma.nomask, None
        self.is_host_array, self.color_range = source.is_host_array, None
        rows, cols = view.shape
        is_copied = rows * cols <= MAX_GATHERED_ELEMENTS if is_copied is None else is_copied
        if is_copied and source.is_complete and source.dtype != "complex32" and not has_two_parts(view):
            self._gather(source, view)
            if self.is_gathered and source.ndim <= 2 + view.is_rgb:
                self.tensor_source = None

    @classmethod
    def of_array(cls, array):
        """A plane of a host array, copied in matplotlib's own way; TypeError in matplotlib's words for what is not an image."""
        plane = cls.__new__(cls)
        colors = color_range(mask_invalid(array)) if array.ndim == 3 and array.dtype.kind == "f" else (0.0, 1.0)
        is_beyond = colors[0] < 0 or colors[1] > 1
        from matplotlib.image import AxesImage

        plane.array = AxesImage._normalize_image_array(np.clip(array, 0, 1) if is_beyond else array)
        plane._stored, plane.color_range = (array.copy(), colors) if is_beyond else (None, None)
        plane._own_mask = np.ma.getmask(array).copy() if isinstance(array, np.ma.MaskedArray) else np.ma.nomask
        plane.tensor_source = plane.source = plane.view = plane.cell_view = plane.tensor_dtype = None
        plane.is_host_array = True
        plane.nan = "show"  # there are no hidden axes
        return plane

    def _gather(self, source, view):
        """Copies the elements, which the native layer reduces from then on."""
        rows, cols = view.shape
        box = (0, rows, 0, cols)
        if view.complex_mode is not None and not view.is_reduced:
            elements = plane_of(source, replace(view, complex_mode=None)).numbers(box)
            self.source = describe(elements)
            self.cell_view = choose(elements.shape, None, self.source.dtype, rgb=False, complex_mode=view.complex_mode)
            elements = plane_of(self.source, self.cell_view).numbers(box)
        else:
            elements = plane_of(source, view, self.nan).numbers(box)
            if view.is_reduced and self.nan == "auto" and np.ma.filled(np.isnan(elements), False).any():
                return  # each picture decides for itself what hidden axes do with NaN
            self.source = describe(elements)
            self.cell_view = choose(elements.shape, None, self.source.dtype, rgb=2 if view.is_rgb else False)
        self.array = mask_invalid(elements)
        self._own_mask = np.ma.getmask(elements)
        if view.is_rgb and self.array.size:
            self.color_range = color_range(self.array)
            self.array = clip_colors(self.array)

    def describe_array(self):
        """Makes the gathered array the source of reductions: its own mask is missing data, NaN and infinities are marks."""
        data = self._with_own_mask()
        self.source = describe(data)
        self.view = self.cell_view = choose(data.shape, None, self.source.dtype, rgb=2 if data.ndim == 3 else False)

    def _with_own_mask(self):
        """The elements as they are stored; colors are averaged before they are clipped."""
        if self._stored is not None:
            return self._stored
        data = np.ma.getdata(self.array)
        return data if self._own_mask is np.ma.nomask else np.ma.array(data, mask=self._own_mask.reshape(data.shape), copy=False)

    @property
    def tensor(self):
        """The object whose elements are read, or the copy of a small one."""
        return self.array if self.tensor_source is None else self.tensor_source._owner

    def without_source(self):
        """The same copied elements without the tensor."""
        plane = copy.copy(self)
        plane.tensor_source = None
        return plane

    def gathered(self, nan):
        """A plane with a copy of its elements, under a fixed policy about NaN."""
        return Plane(self.source, self.view, is_copied=True, nan=nan).without_source()

    def __getstate__(self):
        # A pickle has one copy of the elements, and no tensor.
        copied = None if self.source is None else self.source.array
        is_same = copied is not None and np.may_share_memory(np.ma.getdata(self.array), np.ma.getdata(copied))
        return self.__dict__ | {"tensor_source": None, "source": None, "_kept_reader": None, "_kept_answers": None,
                                "_copied": None if is_same else copied, "_is_copy_array": is_same}

    def __setstate__(self, state):
        copied, is_array = state.pop("_copied"), state.pop("_is_copy_array")
        self.__dict__.update(state)
        if is_array:
            self.source = describe(self._with_own_mask())
        elif copied is not None:
            self.source = describe(copied)

    # ---- what it is ---------------------------------------------------------------------------------------------------

    @property
    def is_gathered(self):
        return self.array is not None

    @property
    def is_rgb(self):
        return self.array.ndim == 3 if self.view is None else self.view.is_rgb

    @property
    def is_hue(self):
        return self.view is not None and self.view.is_hue

    @property
    def shape(self):
        """Rows and columns."""
        return self.array.shape[:2] if self.view is None else self.view.shape

    @property
    def size(self):
        return self.shape[0] * self.shape[1]

    @property
    def dtype(self):
        """Name of the elements' dtype."""
        return dtype_name(self.array.dtype) if self.tensor_dtype is None else self.tensor_dtype

    @property
    def array_shape(self):
        """The shape that matplotlib sees: with channels last."""
        if self.is_gathered:
            return self.array.shape
        return (*self.shape, self.view.n_channels) if self.is_rgb else self.shape

    @property
    def array_dtype(self):
        """The NumPy dtype of `element` and `box`."""
        if self.is_gathered:
            return self.array.dtype
        if self.view.complex_mode is not None or self.view.is_reduced or self.dtype == "longdouble":
            return np.dtype("float64")
        return np.dtype("float32" if is_narrow(self.dtype) else self.dtype)

    @property
    def needs_own_colors(self):
        """True for colors that matplotlib cannot make: hues, and RGB in 16 or 8 bit floats."""
        return self.is_hue or (self.is_rgb and (self.dtype == "float16" or is_narrow(self.dtype)))

    # ---- what it holds ------------------------------------------------------------------------------------------------

    def host_array(self, is_finite=False):
        """The elements as matplotlib holds them, masked, without a copy; None where they are not on the host.

        Where all are finite (`is_finite`) no element is read.
        """
        if self.is_gathered:
            return self.array
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
        if self.is_gathered:
            return self.array[row0:row1, col0:col1]
        reader = self.reader.under(nan or self.nan) if self.is_chunked else plane_of(self.source, self.view, nan or self.nan)
        values = reader.numbers((row0, row1, col0, col1))
        values = mask_invalid(values)
        return clip_colors(values) if self.is_rgb else values

    def element(self, row, col):
        """One element in its own dtype; masked where it is not finite."""
        n_rows, n_cols = self.shape
        row, col = range(n_rows)[row], range(n_cols)[col]
        return self.box(row, row + 1, col, col + 1)[0, 0]

    def place_text(self, row, col):
        """Text for an element's index in its tensor, if row and column do not give it; None where the plane has no element here."""
        is_elsewhere = any(row0 <= row < row1 and col0 <= col < col1 for row0, row1, col0, col1 in self.boxes_elsewhere)
        return None if is_elsewhere else ""

    def range_text(self, rows, cols):
        """Text for two ranges of the plane as ranges of the tensor, which may have been cropped."""
        return f"rows {self._tensor_range('rows', rows)}, columns {self._tensor_range('cols', cols)}"

    @property
    def hidden_text(self):
        """What was done to the axes that are not seen, and the level of a pyramid."""
        texts = "" if self.view is None else self.view.hidden_text, "" if self.level is None else self.level.text
        return ", ".join(filter(None, texts))

    def _tensor_range(self, role, part):
        elements = part if self.view is None else self.view.tensor_range(role, part.start, part.stop)
        axis = (0 if role == "rows" else 1) if self.view is None else self.view.row_axis if role == "rows" else self.view.col_axis
        if self.level is not None and axis is not None:
            elements = self.level.covered(axis, elements)
        if elements.step == 1:
            return f"{elements.start}:{elements.stop}"
        return f"{elements[0]} to {elements[-1]} by {elements.step}"

    @property
    def reader(self):
        """The `TensorPlane` or `ChunkedPlane` that is reduced: of the tensor, or of the copy of a small plane."""
        if self.source is None:
            self.describe_array()
        if self._kept_reader is None:
            reader = plane_of(self.source, self.cell_view, self.nan)
            self._kept_reader = reader if self.answers is None else AnsweredPlane.of(reader, self.answers)
        return self._kept_reader

    @property
    def answers(self):
        """The `Answers` about a plane in chunks, which need not be waited for; None for other planes."""
        if self._kept_answers is None and self.is_chunked and self.source.tells_tiles:
            self._kept_answers = Answers()
        return self._kept_answers

    @property
    def is_chunked(self):
        """Whether each read of elements loads or computes chunks."""
        return isinstance(self.source, ChunkedSource)

    @property
    def boxes_elsewhere(self):
        """The parts that lie in other processes, half-open boxes (row0, row1, col0, col1)."""
        return boxes_elsewhere(self.source, self.view) if self.is_chunked else []

    def forget(self):
        """Drops all cached results, after the elements have changed."""
        self._kept_reader = None
        if self._kept_answers is not None:
            self._kept_answers.forget()

    def reduce(self, window, agg, nan, want=0, has_nan=None, is_sharp=False, **style):
        """Cells of a window; see `reduce.reduce_view`. A style is only for a reader that is a `TensorPlane`."""
        return self.reader.under(nan).reduce(window, agg, want, has_nan, is_sharp, **style)

    def limits(self, want, box=None):
        """`Limits` of the elements or of a part; see `limits.find_limits`."""
        return self.reader.limits(want, box)

    def percentiles(self, percents, is_positive_only=False, box=None):
        """Exact percentiles of the finite elements, or of those above zero."""
        return self.reader.percentiles(percents, is_positive_only, box)

    def __deepcopy__(self, memo):
        # Copies of an artist share the tensor.
        return self


def has_two_parts(view):
    """True where amplitudes and directions are reduced apart over hidden axes, which no array of elements holds."""
    return view.is_hue and view.is_reduced


def mask_invalid(values):
    """A masked array over the same memory, masked where elements are not finite; the mask of `values` is not written."""
    data, mask = np.ma.getdata(values), np.ma.getmask(values)
    data = data if data.dtype.isnative else data.astype(data.dtype.newbyteorder("="))
    if data.dtype.kind == "f":
        is_bad = ~np.isfinite(data)
        mask = mask | is_bad if is_bad.any() else mask
    return np.ma.array(data, mask=mask, copy=False)


def color_range(values):
    """(lowest, highest) of RGB(A) values, 1 is full."""
    full = 255 if np.issubdtype(values.dtype, np.integer) else 1
    return (float(values.min()) / full, float(values.max()) / full) if values.count() else (0.0, 1.0)


def clip_colors(values):
    """RGB(A) as matplotlib keeps it: integers as bytes, all clipped to the range of the dtype."""
    if values.dtype in (np.uint8, np.bool_):
        return values
    high = 255 if np.issubdtype(values.dtype, np.integer) else 1
    values = np.clip(values, 0, high)
    return values.astype(np.uint8) if high == 255 else values


def lacks(limits, want):
    """Whether limits lack the smallest positive element that is wanted now."""
    return bool(want & _native.WANT_POSITIVE) and np.isnan(limits.min_positive) and limits.max > 0
