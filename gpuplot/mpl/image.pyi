"""Types of the artist that `imshow` returns: what it adds to matplotlib's `AxesImage`."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.image import AxesImage

from ..color.style import MarkColors
from ..options import _Agg, _Center, _Labels, _Limits, _Nan, _Robust, _Stream, _TensorLike
from ..plane.plane import Plane
from ..statistics.result import Stats

__all__ = ["TensorImage"]

class TensorImage(AxesImage):
    agg: _Agg | None
    robust: _Robust
    center: _Center | None
    labels: _Labels | None
    stream: _Stream | None
    def __init__(
        self, ax: Axes, *, view: Mapping[str, Any] | None = None, agg: _Agg | None = None, nan: _Nan = "auto",
        marks: MarkColors | None = None, limits: _Limits = "auto", robust: _Robust = False, center: _Center | None = None,
        labels: _Labels | None = None, stream: _Stream | None = None, **properties: Any,
    ) -> None: ...
    @property
    def plane(self) -> Plane | None: ...
    @property
    def tensor(self) -> Any: ...
    @property
    def hidden_text(self) -> str: ...
    def set_data(self, A: _TensorLike) -> None: ...  # type: ignore[override]
    def set_array(self, A: _TensorLike) -> None: ...  # type: ignore[override]
    def update(self, X: _TensorLike | dict[str, Any] | None = None) -> Any: ...  # type: ignore[override]
    def set_index(self, index: Mapping[Any, int]) -> None: ...
    def set_agg(self, agg: _Agg | None) -> None: ...
    def freeze(self) -> None: ...
    def stats(
        self, region: Literal["slice", "view", "all"] = "slice", *, bins: int = 64,
        value_range: tuple[float, float] | None = None, percentiles: Iterable[float] = (1, 2, 50, 98, 99),
    ) -> Stats: ...
    def set_clim(self, vmin: float | tuple[float, float] | None = None, vmax: float | None = None) -> None: ...
    def autoscale(self, region: Literal["slice", "view", "all", "pixels"] | None = None, robust: _Robust | None = None) -> None: ...
