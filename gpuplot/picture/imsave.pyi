"""Signature of `imsave` with the keywords that a decorator adds at run time."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol

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
    _Shape,
    _Stream,
    _TensorLike,
    _View,
)

__all__ = ["imsave"]

class _WritesBytes(Protocol):
    def write(self, data: bytes, /) -> Any: ...

def imsave(
    fname: str | bytes | PathLike[Any] | _WritesBytes,
    X: _TensorLike,
    /,
    *,
    width: int | None = None,
    shape: _Shape | None = None,
    view: _View | None = None,
    origin: Literal["upper", "lower"] | None = None,
    format: Literal["png"] = "png",
    dpi: float | None = None,
    metadata: Mapping[str, str | None] | None = None,
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
    cmap: _Cmap | None = None,
    norm: _Norm | None = None,
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
) -> None: ...
