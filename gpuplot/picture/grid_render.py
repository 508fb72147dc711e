"""A grid of images as pixels, without a figure."""

import sys
from collections.abc import Mapping
from types import SimpleNamespace

from ..advice import about_keyword
from ..choices import check_choice
from ..color.categories import MIXING
from ..color.style import MarkColors
from ..notices import LIMITS_REMEDY_OF_GRID, REMEDY_OF_GRID
from ..plane.aggs import AGGS
from .grid_spec import GRID, GridSpec
from .render_spec import RenderSpec


class GridRender(RenderSpec):
    """A `RenderSpec` for a batch of images in place of one tensor.

    Parameters
    ----------
    X : array_like, list or mapping of these
    grid : True or dict
        Keywords of `GRID`; by default all images are shown.
    options : dict
        The keyword groups VIEW, CELLS, STYLE and STREAM, complete.
    origin : {"upper", "lower"}, optional
        See `GridSpec`.
    """

    is_sharp = False
    clipping_remedy, limits_remedy = REMEDY_OF_GRID, LIMITS_REMEDY_OF_GRID

    def __init__(self, X, grid, options, origin=None):
        self.spec = GridSpec(X, GRID | {"max_items": sys.maxsize} | _checked(grid), options, origin)
        given = SimpleNamespace(**options | self.spec.limits_for(options))
        self.source, self.plane = self.spec.images[0].source, self.spec.plane
        self.view = self.plane.view
        self.agg = check_choice("agg", self.spec.usual_agg if given.agg is None else given.agg, AGGS)
        self.is_categorical = self.spec.is_categorical and self.agg not in MIXING
        self.marks = MarkColors.of(options)
        self._given = given
        self._check_style(given)

    @property
    def dtype(self):
        """See `RenderSpec.dtype`."""
        return self.plane.dtype

    @property
    def is_upward(self):
        """See `RenderSpec.is_upward`."""
        return self.spec.is_upward

    @property
    def place_text(self):
        """See `RenderSpec.place_text`; of a grid it says how many images were left out."""
        return self.spec.note


def _checked(grid):
    """The keywords in `grid`, checked, or none for True."""
    if grid is True:
        return {}
    if not isinstance(grid, Mapping):
        raise TypeError(f"grid={grid!r} must be True, or a dict of keywords of grid, such as {{'nrow': 4}}")
    for name in grid:
        if name not in GRID:
            raise TypeError(about_keyword("grid", str(name), list(GRID)))
    return dict(grid)
