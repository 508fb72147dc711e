"""Color limits shared by linked inspectors, so that equal colors are equal values."""

from __future__ import annotations

from dataclasses import dataclass

from ...color.color_limits import centered_limits
from ...color.norms import EqHistNorm
from ...plane.aggs import OTHER_UNITS


@dataclass(frozen=True)
class Range:
    """Limits that one inspector found in its own tensor."""

    unit: tuple  # only ranges of equal units are joined
    # None for a limit that the user gave.
    low: float | None
    high: float | None
    center: float | None = None  # the middle of the limits, if they lie around a center
    given: tuple = (None, None)  # the limits that the user gave

    @classmethod
    def of(cls, unit, settings, colors):
        """The Range of an inspector's own Colors; None if it shares no limits."""
        given = settings.given_limits
        if unit is None or None not in given:
            return None
        low, high = (found if limit is None else None for limit, found in zip(given, (colors.vmin, colors.vmax), strict=True))
        return cls(unit, low, high, colors.center, given)


def unit_of(view_state, agg, colors, palette):
    """The unit of a Range: norm, aggregation if it has its own unit, whether a difference; None for colors without a scale, and lines."""
    settings, view = view_state.settings, view_state.view
    is_scale = view_state.kind == "image" and not (view.is_rgb or view.is_hue or view.complex_mode == "phase" or colors.is_categorical)
    if not is_scale or palette.has_norm_object(settings.norm) or isinstance(colors.norm, EqHistNorm):
        return None
    return settings.norm or "linear", agg if agg in OTHER_UNITS else "", view_state.item.is_difference


def limits_with(own, others):
    """(vmin, vmax, center or None) that contain all ranges of the same unit; None if no other has it, or centers differ.

    Parameters
    ----------
    own : Range
    others : iterable of Range
    """
    ranges = [own, *(one for one in others if one.unit == own.unit)]
    centers = {one.center for one in ranges} - {None}
    if len(ranges) < 2 or len(centers) > 1:
        return None
    # Around a center, a given limit determines the other one.
    centered = [one for one in ranges if one.center is not None and one.given == own.given != (None, None)]
    if centered:
        return centered[0].low, centered[0].high, centered[0].center
    low = min((one.low for one in ranges if one.low is not None), default=None) if own.low is not None else None
    high = max((one.high for one in ranges if one.high is not None), default=None) if own.high is not None else None
    if not centers or low is None or high is None:
        return low, high, None
    [center] = centers
    return *centered_limits(center, low, high), center


class SharedLimits:
    """The part of `Scene` for limits of linked inspectors."""

    @property
    def own_range(self):
        """This inspector's own `Range`; None if no limits are shared."""
        self._colors()
        return self._coloring.own_range

    @property
    def limits_given(self):
        """(unit or None, the settings of vmin, vmax, limits and robust)."""
        settings, is_known = self._view_state.settings, self.knows("vmin")
        unit = unit_of(self._view_state, self.agg, self._colors(), self._palette) if is_known else None
        return unit, {name: getattr(settings, name) for name in ("vmin", "vmax", "limits", "robust")}

    def share(self, others):
        """Sets the ranges of linked inspectors, a frozenset."""
        if others != self._coloring.peer_ranges:
            self._coloring.peer_ranges = others
            self.version += 1
