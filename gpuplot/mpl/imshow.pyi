"""Signature of `imshow` with the keywords that a decorator adds at run time, and the properties of its artist."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypedDict, Unpack

from matplotlib.axes import Axes
from matplotlib.colorizer import Colorizer
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.patheffects import AbstractPathEffect
from matplotlib.transforms import BboxBase, Transform

from ..options import (
    _Agg,
    _Alpha,
    _Axis,
    _Center,
    _Cmap,
    _Color,
    _ComplexMode,
    _Denorm,
    _Dims,
    _Index,
    _Labels,
    _Limits,
    _Nan,
    _Norm,
    _Reduce,
    _Robust,
    _Stream,
    _TensorLike,
)
from .image import TensorImage

__all__ = ["imshow"]

class _ArtistProperties(TypedDict, total=False):
    agg_filter: Callable[..., Any] | None
    animated: bool
    array: _TensorLike | None
    clim: tuple[float | None, float | None]
    clip_box: BboxBase | None
    clip_on: bool
    clip_path: Patch | Path | tuple[Path, Transform] | None
    figure: Figure
    gid: str | None
    in_layout: bool
    label: object
    mouseover: bool
    path_effects: Sequence[AbstractPathEffect] | None
    picker: bool | float | Callable[..., Any] | None
    rasterized: bool | None
    sketch_params: float | tuple[float, float, float] | None
    snap: bool | None
    transform: Transform | None
    visible: bool
    zorder: float

def imshow(
    X: _TensorLike,
    /,
    cmap: _Cmap | None = None,
    norm: _Norm | None = None,
    *,
    ax: Axes | None = None,
    aspect: Literal["equal", "auto"] | float | None = None,
    interpolation: str | None = None,
    origin: Literal["upper", "lower"] | None = None,
    extent: tuple[Any, Any, Any, Any] | Sequence[Any] | None = None,
    interpolation_stage: Literal["data", "rgba", "auto"] | None = None,
    filternorm: bool = True,
    filterrad: float = 4.0,
    resample: bool | None = None,
    url: str | None = None,
    colorizer: Colorizer | None = None,
    data: Any = None,
    colorbar: bool | dict[str, Any] = False,
    dims: _Dims | None = None,
    x: _Axis | None = None,
    y: _Axis | None = None,
    index: _Index | None = None,
    reduce: _Reduce | None = None,
    rgb: _Axis | None = None,
    denorm: _Denorm | None = None,
    complex_mode: _ComplexMode = "amplitude",
    agg: _Agg | None = None,
    nan: _Nan = "auto",
    vmin: float | None = None,
    vmax: float | None = None,
    gamma: float | None = None,
    limits: _Limits = "auto",
    robust: _Robust = False,
    center: _Center | None = None,
    categorical: bool | None = None,
    ignore_index: int | Sequence[int] | None = None,
    labels: _Labels | None = None,
    alpha: _Alpha | None = None,
    nan_color: _Color | None = None,
    pos_inf_color: _Color | None = None,
    neg_inf_color: _Color | None = None,
    under_color: _Color | None = None,
    over_color: _Color | None = None,
    stream: _Stream | None = None,
    **artist_properties: Unpack[_ArtistProperties],
) -> TensorImage: ...
