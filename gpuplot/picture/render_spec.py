"""One tensor as a caller wants to see it: its plane, how it is reduced and how it is coloured."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
from matplotlib.colors import Normalize

from .. import _native
from ..arrays.describe import describe
from ..color.alpha import check_alpha
from ..color.categories import MIXING, category_colors, check_categorical, check_ignored, check_labels, check_style_of_classes
from ..color.classes import Classes
from ..color.color_limits import (
    CIRCLE,
    CellValues,
    check_limits_choice,
    fill_from,
    limits_choice,
    robust_percents,
    set_limits,
    wanted_limits,
)
from ..color.rgb import check_denorm
from ..color.shading import opacity_on, shade_channels, shade_hue
from ..color.style import MarkColors, find_cmap, find_norm, shade
from ..notices import clipping_text, left_out_text, warn
from ..plane.index_labels import by_position
from ..plane.reduce import (
    AGGS,
    NAN_POLICIES,
    OTHER_UNITS,
    UNKNOWN,
    check_choice,
    find_limits,
    find_percentiles,
    gather,
    reduce_view,
    values_of,
)
from ..plane.view import choose

__all__ = ["RenderSpec"]

# Planes up to this size are handed whole to norms that find limits in their own way; for others they see the two ends.
MOST_ELEMENTS = 2**20


class RenderSpec:
    """Everything that was asked about one tensor, checked before an element is read.

    Parameters
    ----------
    X : array_like
    options : dict
        The keyword groups VIEW, CELLS, STYLE and QUEUE, complete.

    Attributes
    ----------
    source : Source
    view : View
    agg, nan : str
    is_sharp : bool
        Whether nobody chose an aggregation: means may be Mitchell's.
    is_categorical : bool
    """

    def __init__(self, X, options):
        given = SimpleNamespace(**options)
        self.source = describe(X, given.stream)
        index = by_position(given.index, self.source, given.dims)
        self.view = choose(self.source.shape, self.source.dims, self.source.dtype, dims=given.dims, x=given.x, y=given.y, index=index,
                           reduce=given.reduce, rgb=given.rgb, complex_mode=given.complex_mode)
        is_mixed = isinstance(given.agg, str) and given.agg in MIXING
        self.is_categorical = check_categorical(given.categorical, self.source.dtype, self.view) and not is_mixed
        self.nan = check_choice("nan", given.nan, NAN_POLICIES)
        usual = "nearest" if self.is_categorical else "mean"
        self.agg = check_choice("agg", usual if given.agg is None else given.agg, AGGS)
        self.is_sharp = given.agg is None
        self.marks = MarkColors(given.nan_color, given.pos_inf_color, given.neg_inf_color, given.under_color,
                                given.over_color)
        self._given = given
        self._check_style(given)

    def _check_style(self, given):
        check_denorm(given.denorm, self.view.is_rgb, self.source.shape)
        robust_percents(given.robust)
        check_limits_choice(given.limits, self.agg)
        self.alpha = check_alpha(given.alpha, self.view.shape)
        self._norm = find_norm(given.norm, given.vmin, given.vmax, given.gamma)
        find_cmap(given.cmap)
        check_labels(given.labels)
        check_ignored(given.ignore_index, given.categorical)
        if self.is_categorical and given.norm is None:
            check_style_of_classes(vars(given))

    # ---- cells ---------------------------------------------------------------------------------------------------

    def frame(self, window, want=0):
        """Reduces the plane to the window's cells."""
        frame = reduce_view(self.source, self.view, window, self.agg, self.nan, want, is_sharp=self.is_sharp)
        if frame.leaves_out_nan:
            limits = find_limits(self.source, self.view, _native.WANT_RANGE | _native.WANT_COUNTS, nan=self.nan)
            warn(left_out_text(limits.n_nan, math.prod(self.view.shape), self.view.is_reduced))
        return frame

    def cells(self, window):
        """(H, W) float64 values; cells without elements are NaN, or 0 where elements are counted or summed."""
        values = values_of(self.frame(window).cells)
        if not window.is_within(self.view.shape):
            values[values.view(np.uint64) == _native.EMPTY_BITS] = 0.0 if self.agg in ("count", "sum") else np.nan
        return values

    # ---- pixels --------------------------------------------------------------------------------------------------

    def rgba(self, window):
        """(H, W, 4) uint8, straight alpha, in the window's orientation."""
        alpha = opacity_on(self.alpha, window, self.agg)
        if self.view.is_rgb:
            return self._rgba_of_channels(self.frame(window), alpha)
        if self.view.is_hue:
            frame = self.frame(window, _native.WANT_RANGE)
            cmap = find_cmap("hsv" if self._given.cmap is None else self._given.cmap)
            return shade_hue(frame, frame.limits.max, self.view.complex_mode == "log10_amplitude_phase",
                             Normalize(-math.pi, math.pi), cmap, self.marks, alpha)
        frame = self.frame(window, self._wanted_limits())
        norm, cmap = self._colors(frame)
        return shade(frame.cells, norm, cmap, self.marks, alpha)

    def _wanted_limits(self):
        if self.agg in OTHER_UNITS or (self._norm.scaled() and not self.is_categorical):
            return 0
        return wanted_limits(self._norm)

    def _colors(self, frame):
        """The norm with its limits, and the colormap."""
        given = self._given
        if self.is_categorical and given.norm is None:
            classes = Classes.of(self.source, self.view, frame.limits, given.ignore_index, self.nan)
            cmap, norm = category_colors(classes, given.cmap)
            return norm, cmap
        if self.view.complex_mode == "phase" and given.norm is None and given.gamma is None:
            is_centred = set_limits(self._norm, CIRCLE, center=given.center)
            return self._norm, find_cmap("hsv" if given.cmap is None else given.cmap, is_centred)
        return self._norm, find_cmap(given.cmap, self._fill_limits(frame))

    def _fill_limits(self, frame):
        """Gives the norm the limits that it lacks; tells whether they are centred."""
        given, how = self._given, {"robust": self._given.robust, "center": self._given.center}
        if self.agg in OTHER_UNITS:
            return CellValues(frame.cells).set_limits(self._norm, **how)

        def fill():
            return set_limits(self._norm, frame.limits or UNKNOWN, **how, percentiles=self._percentiles,
                              elements=self._elements if math.prod(self.view.shape) <= MOST_ELEMENTS else None)

        is_given = isinstance(given.norm, Normalize) or (given.vmin, given.vmax) != (None, None)
        choice = "elements" if self._norm.scaled() else limits_choice(given.limits, self.agg, is_given)
        return fill_from(choice, self._norm, fill, lambda: CellValues(frame.cells), **how)[0]

    def _elements(self):
        """All elements of the plane, for a norm whose autoscale only it knows itself."""
        return gather(self.source, self.view, (0, self.view.shape[0], 0, self.view.shape[1]), self.nan)

    def _percentiles(self, percents, is_positive_only):
        return find_percentiles(self.source, self.view, percents, is_positive_only, nan=self.nan)

    def _rgba_of_channels(self, frame, alpha):
        denorm = self._given.denorm
        rgba, found = shade_channels(frame, self.source, self.view, denorm, self.marks, alpha, nan=self.nan)
        text = clipping_text(found, self.source.dtype, denorm)
        if text is not None:
            warn(text)
        return rgba
