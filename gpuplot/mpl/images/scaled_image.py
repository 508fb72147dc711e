"""What images of tensors and densities share: norms by the names that gpuplot has for them, and a colorbar that is right when drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.colors import Normalize
from matplotlib.image import AxesImage

from ...arrays.scalars import number_in, one_number
from ...choices import check_choice, check_truth, ordered_items
from ...color.style import check_given_limits, check_limits, find_cmap, own_norm
from ...errors import value_text
from ..property_values import check_at_draws
from .limits_ahead import find_limits_ahead
from .ranks import rank_ahead

if TYPE_CHECKING:
    from matplotlib.colorbar import Colorbar


STAGES = ("data", "rgba", "auto")


def limit_pair(vmin, vmax):
    """The limits that matplotlib's `set_clim` gets, one by one or both in place of `vmin`, as floats or None.

    TypeError for what is no number: matplotlib would have set the other limit by then.
    """
    both = ordered_items(vmin, 3) if vmax is None else ()
    vmin, vmax = both if len(both) == 2 else (vmin, vmax)
    return one_number("vmin", vmin), one_number("vmax", vmax)


class ScaledImage(AxesImage):
    """An image whose norm and colorbar depend on the cells that are drawn.

    Its setters refuse what matplotlib would refuse at a draw, or without a word about which value is meant.
    """

    def set_cmap(self, cmap):
        # docstring inherited
        if not isinstance(cmap, str):  # matplotlib itself checks names
            find_cmap(cmap)
        super().set_cmap(cmap)

    def set_interpolation_stage(self, s):
        # docstring inherited
        super().set_interpolation_stage(s if s is None else check_choice("interpolation_stage", s, STAGES))

    def set_filterrad(self, filterrad):
        # docstring inherited
        radius = number_in(filterrad)
        if radius is None or not 0 < radius < float("inf"):
            raise ValueError(f"filterrad={value_text(filterrad)}: the filter radius must be a number above zero")
        super().set_filterrad(radius)

    def set_zorder(self, level):
        # docstring inherited
        check_at_draws({"zorder": level})
        super().set_zorder(level)

    def set_filternorm(self, filternorm):
        # docstring inherited
        check_truth("filternorm", filternorm)
        super().set_filternorm(filternorm)

    def set_resample(self, v):
        # docstring inherited
        check_truth("resample", v)
        super().set_resample(v if v is None else bool(v))

    @AxesImage.norm.setter
    def norm(self, norm):
        norm = own_norm(norm)
        if isinstance(norm, Normalize) and self._has_limits():
            check_given_limits(norm)  # else no draw would succeed
        AxesImage.norm.fset(self, norm)

    def _check_pair(self, pair):
        """ValueError for two limits that the norm cannot use: no draw would succeed. One alone may be followed by the other."""
        if None not in pair and isinstance(self.norm, Normalize) and self._has_limits():
            check_limits(self.norm, limits=pair)

    def _has_limits(self):
        """Whether there is something to draw by the limits of a norm."""
        return True

    @property
    def colorbar(self) -> Colorbar | None:
        """The colorbar of the image, or None."""
        return self.__dict__.get("colorbar")

    @colorbar.setter
    def colorbar(self, colorbar):
        if colorbar is not None:
            rank_ahead(self)
            find_limits_ahead(self)
        self.__dict__["colorbar"] = colorbar
        self._name_classes(colorbar)

    def _name_classes(self, colorbar):
        """Names the classes beside a colorbar that is being made, where the image has any."""
