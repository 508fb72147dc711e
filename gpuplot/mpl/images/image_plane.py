"""ImagePlane: what an image shows, wherever its elements are."""

import numpy as np

from ...arrays.dtypes import is_narrow
from ...notices import REMEDY
from ...plane.aggs import check_agg_of_colors


class ImagePlane:
    """Rows, columns, and 3 or 4 channels of colors: the base of planes of tensors, arrays, kept cells and several tensors.

    A subclass has a `reader` and a `box`.

    Attributes
    ----------
    array : masked array or None
        The elements as matplotlib would hold them, where they were copied.
    source : Source or None
        What is reduced.
    view, cell_view : View or None
        The plane of the tensor, and of `source`; None for a host array.
    tensor_source, tensor_dtype : Source or None, str or None
        The tensor, and its dtype.
    nan : {"auto", "show", "skip"}
        What reductions of hidden axes do with elements that are not finite.
    is_host_array : bool
        Whether matplotlib itself would read the tensor as an array.
    color_range : (float, float) or None
        Lowest and highest of copied colors, 1 is full; None where nothing was clipped.
    labels : PictureLabels or None
    slice_text : str
        The place of the plane along the axes that are not seen.
    note : str
        What is said of the elements below the picture.
    level : Level or None
        Of a pyramid.
    boxes_elsewhere : list of (row0, row1, col0, col1)
        The parts that lie in other processes, half-open.
    answers : Answers or None
        Of a plane in chunks that need not be waited for.
    """

    array = source = view = cell_view = tensor_source = tensor_dtype = color_range = labels = level = answers = None
    nan = "show"
    slice_text = note = ""
    is_host_array = is_chunked = False
    clipping_remedy = REMEDY

    # ---- what it is ---------------------------------------------------------------------------------------------------

    @property
    def tensor(self):
        """The object whose elements are read, or the copy of a small one."""
        return self.array if self.tensor_source is None else self.tensor_source.owner

    @property
    def is_gathered(self):
        """Whether the elements were copied."""
        return self.array is not None

    @property
    def is_rgb(self):
        return self.view.is_rgb

    @property
    def is_hue(self):
        return self.view is not None and self.view.is_hue

    @property
    def shape(self):
        """Rows and columns."""
        return self.view.shape

    @property
    def size(self):
        return self.shape[0] * self.shape[1]

    @property
    def dtype(self):
        """Name of the elements' dtype."""
        return self.tensor_dtype

    @property
    def array_shape(self):
        """The shape that matplotlib sees: with channels last."""
        return (*self.shape, self.view.n_channels) if self.is_rgb else self.shape

    @property
    def array_dtype(self):
        """The NumPy dtype of `element` and `box`."""
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
        return self.array

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
        hidden = "" if self.view is None else self.view.hidden_text
        level = "" if self.level is None else self.level.text
        return ", ".join(filter(None, (hidden, level)))

    def _tensor_range(self, role, part):
        view, is_row = self.view, role == "rows"
        if view is None:
            elements = part
            axis = 0 if is_row else 1
        else:
            elements = view.tensor_range(role, part.start, part.stop)
            axis = view.row_axis if is_row else view.col_axis
        if self.level is not None and axis is not None:
            elements = self.level.covered(axis, elements)
        if elements.step == 1:
            return f"{elements.start}:{elements.stop}"
        return f"{elements[0]} to {elements[-1]} by {elements.step}"

    # ---- numbers ------------------------------------------------------------------------------------------------------

    def check_agg(self, agg):
        """ValueError for an aggregation that has no meaning for this plane; None is the default."""
        if self.is_rgb and agg is not None:
            check_agg_of_colors(agg)

    @property
    def boxes_elsewhere(self):
        """See the class."""
        return []

    def forget(self):
        """Drops all cached results, after the elements have changed."""

    def reduce(self, window, agg, nan, want=0, has_nan=None, is_sharp=False, **style):
        """Cells of a window; see `reduce.reduce_view`. A style is only for a reader that is a `TensorPlane`."""
        return self.reader.under(nan).reduce(window, agg, want, has_nan, is_sharp, **style)

    def limits(self, want, box=None, nan=None):
        """`Limits` of the elements or of a part; see `limits.find_limits`. `nan` is the policy, if not the plane's own."""
        return self.reader.under(nan or self.nan).limits(want, box)

    def percentiles(self, percents, is_positive_only=False, box=None, nan=None):
        """Exact percentiles of the finite elements, or of those above zero; `nan` as in `limits`."""
        return self.reader.under(nan or self.nan).percentiles(percents, is_positive_only, box)

    def __deepcopy__(self, memo):
        # Copies of an artist share the tensor.
        return self
