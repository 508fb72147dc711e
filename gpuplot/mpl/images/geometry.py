"""ImageGeometry: which device pixels an image covers, and which elements lie under each of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from matplotlib.transforms import Bbox, TransformedBbox

from ...cached import cached_property
from ...plane.window import Span, Window
from ..figures import root_figure

# Rounding error of element coordinates, as a part of the length of their axis.
SNAP_PER_ELEMENT = 2.0**-46

# Rounding error of display coordinates, in pixels.
NOISE_PX = 1e-6

# Samples along each axis at which a transform that is not affine is measured.
N_PROBES = 33


def round_box(extents, magnification):
    """Edges (x0, y0, x1, y1) of a clipped box in device pixels, as matplotlib rounds them; None for an empty box.

    x edges are rounded half up, y edges half down. matplotlib anchors an image at x0 and y1; 1e-8 on the other two edges
    keeps rounding errors of display transforms from moving them by a pixel.
    """
    x0, y0, x1, y1 = extents * magnification
    edges = np.floor(x0 + 0.5), np.ceil(y0 - 0.5 - 1e-8), np.floor(x1 + 0.5 + 1e-8), np.ceil(y1 - 0.5)
    if not np.isfinite(edges).all() or edges[0] >= edges[2] or edges[1] >= edges[3]:
        return None
    return tuple(int(edge) for edge in edges)


def reach_ends(span, n_elems, is_cut):
    """The span, extended to the first and the last element where the rounding of the pixel box cut these off (`is_cut`).

    Less than half a pixel is cut, which in a large plane is many elements: a NaN in its last column must be seen.
    """
    step = (span.u1 - span.u0) / span.n_cells
    if not any(is_cut) or abs(step) <= 1 + n_elems * SNAP_PER_ELEMENT:
        return span
    edges = span.edge_array()
    centers = (edges[:-1] + edges[1:]) / 2
    ends = (0.0, float(n_elems)) if step > 0 else (float(n_elems), 0.0)
    for i in (0, -1):
        edges[i] = ends[i] if is_cut[i] else edges[i]
    return Span.of_edges(edges, centers, span.tie)


@dataclass(frozen=True)
class ImageGeometry:
    """Everything that decides which pixels show which elements, at one moment."""

    transform: object  # Transform: data to display pixels
    extent: tuple[float, float, float, float]  # left, right, bottom, top in data coordinates
    origin: str  # {"upper", "lower"}
    shape: tuple[int, int]  # rows and columns of the plane
    clip: object  # Bbox: in display pixels
    magnification: float  # device pixels per display pixel

    @classmethod
    def of(cls, image, shape, magnification=1.0):
        """The geometry of an image artist in its Axes as they are now; `shape` is its plane's."""
        if image.get_clip_on():
            clip = image.get_clip_box() or image.axes.bbox
        else:
            clip = root_figure(image.axes).bbox
        extent = tuple(float(edge) for edge in image.get_extent())
        transform = image.get_transform() if image.is_transform_set() else image.axes.transData
        return cls(transform, extent, image.origin, tuple(shape), clip, magnification)

    @cached_property
    def in_bbox(self):
        """The extent as a Bbox for matplotlib's resampler."""
        left, right, bottom, top = self.extent
        return Bbox([[left, bottom], [right, top]])

    @cached_property
    def out_bbox(self):
        return TransformedBbox(self.in_bbox, self.transform)

    @cached_property
    def box(self):
        """(x0, y0, x1, y1) of the device pixels that are drawn, or None."""
        clipped = Bbox.intersection(self.out_bbox, self.clip)
        if clipped is None or self.extent[0] == self.extent[1] or self.extent[2] == self.extent[3]:
            return None
        return round_box(clipped.extents, self.magnification)

    @property
    def is_affine(self):
        return self.transform.is_affine

    @property
    def is_separable(self):
        """Whether display x depends on data x alone, and display y on data y alone."""
        return self.transform.is_separable

    @property
    def ends(self):
        """((begin, end) of the rows, (begin, end) of the columns) in data coordinates, element 0 at the beginning."""
        left, right, bottom, top = self.extent
        return ((top, bottom) if self.origin == "upper" else (bottom, top)), (left, right)

    def elements(self, values, axis):
        """Data coordinates along rows (axis 0) or columns (1) -> element coordinates."""
        begin, end = self.ends[axis]
        return ((values - begin) * self.shape[axis]) / (end - begin)

    def coordinates(self, elements, axis):
        """Element coordinates -> data coordinates."""
        begin, end = self.ends[axis]
        return begin + ((end - begin) * elements) / self.shape[axis]

    def to_data(self, points):
        """Device pixels (n, 2) -> data coordinates (n, 2)."""
        return self.transform.inverted().transform(np.asarray(points, float) / self.magnification)

    # ---- transforms that keep rows and columns apart ------------------------------------------------------------------

    @cached_property
    def corners(self):
        """Data coordinates ((x, y) of the lower left, (x, y) of the upper right) of the pixel box."""
        x0, y0, x1, y1 = self.box
        return self.to_data([(x0, y0), (x1, y1)])

    @cached_property
    def window(self):
        """The cells that are the device pixels: row 0 at the bottom of the display, column 0 at its left."""
        x0, y0, x1, y1 = self.box
        row_tie = "down" if self.origin == "upper" else "up"
        if self.is_affine:
            (left, bottom), (right, top) = self.corners
            rows, cols = self.elements(np.array([bottom, top]), 0), self.elements(np.array([left, right]), 1)
            return Window(reach_ends(Span(float(rows[0]), float(rows[1]), y1 - y0, row_tie), self.shape[0], self._cut(1)),
                          reach_ends(Span(float(cols[0]), float(cols[1]), x1 - x0, "down"), self.shape[1], self._cut(0)))
        return Window(self._uneven_span(y0, y1, (x0 + x1) / 2, 0, row_tie),
                      self._uneven_span(x0, x1, (y0 + y1) / 2, 1, "down"))

    def _cut(self, i):
        """Along x (0) or y (1): whether the image itself, and not the clip box, ends beyond the (first, last) pixel."""
        low, high = self.out_bbox.min[i], self.out_bbox.max[i]
        first, last = (edge / self.magnification for edge in self.box[i::2])
        return (self.clip.min[i] - NOISE_PX <= low < first - NOISE_PX, last + NOISE_PX < high <= self.clip.max[i] + NOISE_PX)

    def _uneven_span(self, first, last, across, axis, tie):
        """The Span of one axis between device pixels `first` and `last`, with every edge and center found by the inverse transform."""
        n_cells = last - first
        along = first + np.arange(2 * n_cells + 1) / 2
        points = np.full((along.size, 2), float(across))
        points[:, 1 - axis] = along
        with np.errstate(all="ignore"):
            places = self.elements(self.to_data(points)[:, 1 - axis], axis)
        return Span.of_edges(places[::2], places[1::2], tie)

    @cached_property
    def is_dense(self):
        """(rows, columns): whether some pixel is wider than an element."""
        return tuple(self._is_span_dense(span, n) for span, n in
                     zip((self.window.rows, self.window.cols), self.shape, strict=True))

    @staticmethod
    def _is_span_dense(span, n_elems):
        tolerance = n_elems * SNAP_PER_ELEMENT
        if span.edges is None:
            return abs(span.u1 - span.u0) > span.n_cells + tolerance
        edges = np.clip(np.array(span.edges), -1, n_elems + 1)
        widths = abs(np.diff(edges))
        return bool((widths[np.isfinite(widths)] > 1 + tolerance).any())

    # ---- any transform --------------------------------------------------------------------------------------------

    @cached_property
    def visible(self):
        """(row0, row1, col0, col1) in element coordinates: a box around all visible elements, inside the plane."""
        n_rows, n_cols = self.shape
        if self.is_separable:
            rows, cols = self.window.rows, self.window.cols
            ends = ([rows.u0, rows.u1], [cols.u0, cols.u1])
        elif self.is_affine:
            x0, y0, x1, y1 = self.box
            points = self.to_data([(x0, y0), (x1, y0), (x0, y1), (x1, y1)])
            ends = self.elements(points[:, 1], 0), self.elements(points[:, 0], 1)
        else:
            return 0.0, float(n_rows), 0.0, float(n_cols)
        limits = []
        for values, n in zip(ends, self.shape, strict=True):
            values = np.nan_to_num(np.asarray(values, float), nan=0.0)
            limits += [float(np.clip(values.min(), 0, n)), float(np.clip(values.max(), 0, n))]
        return tuple(limits)

    @property
    def touched(self):
        """The elements that are visible, whole or in part: (row0, row1, col0, col1), half-open."""
        row0, row1, col0, col1 = self.visible
        return floor(row0), ceil(row1), floor(col0), ceil(col1)

    @cached_property
    def pixels_per_element(self):
        """(along rows, along columns): length in device pixels of one element, the longest where they differ."""
        if self.is_affine:
            matrix = self.transform.get_matrix()[:2, :2] * self.magnification
            sizes = [abs(end - begin) / n for (begin, end), n in zip(self.ends, self.shape, strict=True)]
            return (float(np.hypot(*matrix[:, 1])) * sizes[0], float(np.hypot(*matrix[:, 0])) * sizes[1])
        left, right, bottom, top = self.extent
        x, y = np.meshgrid(np.linspace(left, right, N_PROBES), np.linspace(bottom, top, N_PROBES))
        with np.errstate(all="ignore"):
            places = self.transform.transform(np.column_stack([x.ravel(), y.ravel()])).reshape(N_PROBES, N_PROBES, 2)
        return tuple(self._longest(np.diff(places, axis=axis), self.shape[axis]) for axis in (0, 1))

    @cached_property
    def widths_of_elements(self):
        """(of rows, of columns): device pixels between the two sides of one; less than its length where axes are not at right angles."""
        if not self.is_affine:
            return self.pixels_per_element
        matrix = self.transform.get_matrix()[:2, :2]
        area_of_square = float(np.prod(np.hypot(*matrix)))
        sine = abs(float(np.linalg.det(matrix))) / area_of_square if area_of_square else 1.0
        return tuple(length * sine for length in self.pixels_per_element)

    def _longest(self, steps, n_elems):
        lengths = np.hypot(steps[..., 0], steps[..., 1])
        lengths = lengths[np.isfinite(lengths)]
        return float(lengths.max()) * self.magnification * (N_PROBES - 1) / n_elems if lengths.size else 1.0

    def part(self, box):
        """The extent of elements (row0, row1, col0, col1) as a Bbox for matplotlib's resampler."""
        row0, row1, col0, col1 = box
        y0, y1 = self.coordinates(row0, 0), self.coordinates(row1, 0)
        bottom, top = (y1, y0) if self.origin == "upper" else (y0, y1)
        return Bbox([[self.coordinates(col0, 1), bottom], [self.coordinates(col1, 1), top]])
