"""The methods of an image that set its norm and the limits of its colors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from matplotlib.colors import Normalize
from matplotlib.image import AxesImage

from ...options import bare, like
from . import autoscaling, waiting
from .colorbars import refresh_ends
from .ranks import rank_ahead
from .scaled_image import ScaledImage, limit_pair

if TYPE_CHECKING:
    from ... import typing as t


@bare
class NormAndLimits(ScaledImage):
    """The part of `TensorImage` that sets its norm and limits."""

    @like(AxesImage.set_norm)
    def set_norm(self, norm):
        """Sets how values become colors.

        Parameters
        ----------
        norm : Normalize or str or None
            Any norm that `imshow` takes; None is linear.
        """
        self.norm = norm
        if self.norm.scaled():
            self._show_known_ends()

    def _scale_norm(self, norm, vmin, vmax):
        """Sets the norm's limits to the caller's, then those that it lacks."""
        if vmin is not None or vmax is not None:
            self.set_clim(vmin, vmax)
            if isinstance(norm, Normalize):
                raise ValueError("Passing a Normalize instance simultaneously with vmin/vmax is not supported.  Please pass "
                                 "vmin/vmax as arguments to the norm object when creating it")
        if not self._is_scaled_later:
            self.autoscale_None()

    def _has_limits(self):
        """See `ScaledImage`; colors have none."""
        return getattr(self, "plane", None) is not None and not self.plane.is_rgb

    def _cells_ahead(self):
        """The cells whose ranks a colorbar shows before the first draw, or None."""
        frame = None if self.plane is None or self.plane.is_rgb else self._present_frame()
        return None if frame is None else frame.cells

    def _find_limits_ahead(self, magnification):
        """Sets limits and ranks to those of the next draw; not where a preview is drawn while elements are being read."""
        if self.plane is None or not self.plane.size or not waiting.is_waited_for(self):
            return
        self._follow_view()
        rank_ahead(self)

    def _follow_view(self):
        if autoscaling.follow_view(self):
            refresh_ends(self)

    def set_clim(self, vmin: float | tuple[float, float] | None = None, vmax: float | None = None) -> None:
        """Sets the color limits, which stay from then on: `matplotlib.cm.ScalarMappable.set_clim`."""
        vmin, vmax = limit_pair(vmin, vmax)
        self._check_pair((vmin, vmax))
        self._auto_limits = None
        norm, before = self.norm, (self.norm.vmin, self.norm.vmax)
        with norm.callbacks.blocked(signal="changed"):  # matplotlib 3.9 tells colorbars of one limit beside the other one's old value
            super().set_clim(vmin, vmax)
        if (norm.vmin, norm.vmax) != before:
            norm.callbacks.process("changed")
        self._show_known_ends()

    def _show_known_ends(self):
        """Tells colorbars which limits elements lie beyond, if that is known."""
        plane = self.plane
        if self._cells.known_limits is not None or (plane is not None and plane.is_gathered):  # else elements would be read for it
            autoscaling.note_ends(self)
            refresh_ends(self)

    def autoscale(self, region: Literal["slice", "view", "all", "pixels"] | None = None, robust: t.Robust | None = None) -> None:
        """Sets the color limits from the data.

        Parameters
        ----------
        region : {"slice", "view", "all", "pixels"}, optional
            The elements of the plane, those that are visible now, or those of the whole tensor; "pixels" are the values of the
            pixels that are drawn, found anew whenever another part of the plane is seen. Default: as `limits` of `imshow` says.
        robust : bool, float or (float, float), optional
            Percentiles in place of the full range, as in `imshow`. Default: what `imshow` was told.
        """
        if self.plane is None:
            super().autoscale()
        else:
            autoscaling.autoscale(self, region, robust)
            refresh_ends(self)

    def autoscale_None(self) -> None:
        """Sets the color limits that are not set yet."""
        if self.plane is None:
            super().autoscale_None()
        else:
            self._is_centered = autoscaling.autoscale_missing(self)
