"""Limits that linked inspectors share, so that equal colors mean equal values."""

from __future__ import annotations

from dataclasses import dataclass

from ...color.norms import EqHistNorm
from ...plane.reduce import OTHER_UNITS

__all__ = ["Range", "SharedLimits", "limits_with", "unit_of"]


@dataclass(frozen=True)
class Range:
    """Limits that one inspector found in its own tensor.

    Attributes
    ----------
    unit : tuple
        Equal where the same color may mean the same value.
    low, high : float or None
        None where that limit was given, which is nothing that others have to hold.
    center : float or None
        The middle, where they were put around one.
    """

    unit: tuple
    low: float | None
    high: float | None
    center: float | None = None

    @classmethod
    def of(cls, unit, settings, colors):
        """The range that some colors have without others; None where there is none to share."""
        is_given = settings.vmin is not None, settings.vmax is not None
        if unit is None or all(is_given) or (any(is_given) and colors.is_diverging):
            return None
        low, high = (None if given else limit for given, limit in zip(is_given, (colors.vmin, colors.vmax), strict=True))
        return cls(unit, low, high, (low + high) / 2 if colors.is_diverging else None)


def unit_of(view_state, agg, colors, palette):
    """What has to be equal for two inspectors to share limits; None for colors that are no scale of numbers, and for lines."""
    settings, view = view_state.settings, view_state.view
    is_scale = view_state.kind == "image" and not (view.is_rgb or view.is_hue or view.complex_mode == "phase" or colors.is_categorical)
    if not is_scale or palette.has_norm_object(settings.norm) or isinstance(colors.norm, EqHistNorm):
        return None
    return settings.norm or "linear", agg if agg in OTHER_UNITS else "", view_state.item.is_difference


def limits_with(own, others):
    """(vmin, vmax, whether they are around a centre) that hold the ranges of all; None where there is nothing to share.

    Parameters
    ----------
    own : Range
    others : iterable of Range
    """
    ranges = [own, *(one for one in others if one.unit == own.unit)]
    centers = {one.center for one in ranges} - {None}
    if len(ranges) < 2 or len(centers) > 1:
        return None
    low = min((one.low for one in ranges if one.low is not None), default=None) if own.low is not None else None
    high = max((one.high for one in ranges if one.high is not None), default=None) if own.high is not None else None
    if not centers or low is None or high is None:
        return low, high, False
    [center] = centers
    reach = max(abs(low - center), abs(high - center))
    return center - reach, center + reach, True


class SharedLimits:
    """The part of `Scene` that is about limits of linked inspectors."""

    @property
    def own_range(self):
        """The `Range` that the limits would be without others; None where there is none to share."""
        self._colors()
        return self._coloring.own_range

    @property
    def limits_given(self):
        """Whether limits may be shared at all, as what they are for, and what a user chose about them."""
        settings, colors = self._view_state.settings, self._colors()
        unit = unit_of(self._view_state, self.agg, colors, self._palette)
        return unit, {name: getattr(settings, name) for name in ("vmin", "vmax", "limits", "robust")}

    def share(self, others):
        """Takes note of the ranges of linked inspectors, a frozenset."""
        if others != self._coloring.peer_ranges:
            self._coloring.peer_ranges = others
            self.version += 1
