"""The plane of a grid of images; it also knows the tensor and the index of each element."""

import math

import numpy as np

from ..notices import REMEDY_OF_GRID
from ..plane.coordinates import PictureLabels
from ..statistics.measure import stats_of
from .images.computed_plane import ComputedPlane


class GridPlane(ComputedPlane):
    """A plane of images side by side, whose tensors are borrowed for each use.

    Parameters
    ----------
    spec : GridSpec
    """

    clipping_remedy = REMEDY_OF_GRID

    def __init__(self, spec):
        super().__init__(spec.plane, spec.X)
        self.spec, self.labels = spec, _labels_of(spec)

    @property
    def note(self):
        """See `ImagePlane.note`: how many images are left out, and the range that colors were scaled from."""
        return self.spec.note

    @property
    def array_dtype(self):
        """See `ImagePlane.array_dtype`; normalized images are floats from 0 to 1."""
        return np.dtype("float64") if self.spec.plane.tiles[0].scale is not None else super().array_dtype

    @property
    def needs_own_colors(self):
        """See `ImagePlane.needs_own_colors`; matplotlib also ignores which elements of three channels are masked, as between images."""
        fill = self.spec.plane.fill
        is_open = fill is None or not math.isfinite(fill)
        return super().needs_own_colors or (self.is_rgb and self.view.n_channels == 3 and is_open)

    def check_agg(self, agg):
        """See `ImagePlane.check_agg`; images that are scaled by their ranges have no counts and no standard deviations."""
        super().check_agg(agg)
        self.spec.check_agg(agg)

    def _elements(self, reader, box):
        return reader.numbers(box, reader.fill)

    def another(self, X):
        """A plane of another tensor, laid out in the same way; ValueError where its images are others, as extent and titles stay."""
        plane = GridPlane(self.spec.of(X))
        if plane.spec.layout != self.spec.layout:
            raise ValueError(f"these are {plane.spec.text_of_layout}, and the grid has {self.spec.text_of_layout}: draw another grid")
        return plane

    def place_text(self, row, col):
        """See `ImagePlane.place_text`."""
        return self.spec.place_text(row, col)

    def range_text(self, rows, cols):
        """See `ImagePlane.range_text`: one tile and the rows and columns in it, or several."""
        first, last = (self.spec.plane.tile_at(*place) for place in ((rows[0], cols[0]), (rows[-1], cols[-1])))
        if first is not None and last is not None and first[0] == last[0]:
            text = self.spec.images[first[0]].text
            inside = f"rows {first[1]}:{last[1] + 1}, columns {first[2]}:{last[2] + 1}"
            return f"{text}, {inside}" if text else inside
        return "several images"

    def stats(self, parameters):
        """Statistics of all elements of the grid's one tensor; ValueError where it has several."""
        sources = {id(image.source): image.source for image in self.spec.images}
        if len(sources) > 1:
            raise ValueError("this grid shows several tensors: give them to gpuplot.stats, which makes a table of them")
        return stats_of(next(iter(sources.values())), parameters)


def _labels_of(spec):
    """The name and unit that the values of all images have, for the colorbar; None where these are others, or scaled to 0..1."""
    if spec.plane.tiles[0].scale is not None:
        return None
    found = [PictureLabels.of(image.source, image.view) for image in spec.images]
    texts = {"" if labels is None else labels.values for labels in found}
    return PictureLabels(values=texts.pop()) if len(texts) == 1 and texts != {""} else None
