"""What images of tensors and densities share: norms by the names that gpuplot has for them, and a colorbar that is right when drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.image import AxesImage

from ...color.style import own_norm
from .limits_ahead import find_limits_ahead
from .ranks import rank_ahead

if TYPE_CHECKING:
    from matplotlib.colorbar import Colorbar


class ScaledImage(AxesImage):
    """An image whose norm and colorbar depend on the cells that are drawn."""

    @AxesImage.norm.setter
    def norm(self, norm):
        AxesImage.norm.fset(self, own_norm(norm))

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
