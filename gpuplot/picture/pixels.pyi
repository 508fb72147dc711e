"""Signatures of `downsample` and `to_rgba` with the keywords that a decorator adds at run time."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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

__all__ = ["downsample", "to_rgba"]

def downsample(
    X: _TensorLike,
    /,
    shape: _Shape,
    *,
    view: _View | None = None,
    dims: _Dims | None = None,
    x: _Axis | None = None,
    y: _Axis | None = None,
    index: _Index | None = None,
    reduce: _Reduce | None = None,
    rgb: _Axis | None = None,
    denorm: _Denorm | None = None,
    complex_mode: _ComplexMode = "amplitude",
    agg: _Agg | None = None,
    nan: Literal["show", "skip"] = "show",
    stream: _Stream | None = None,
) -> NDArray[np.float64]: ...
def to_rgba(
    X: _TensorLike,
    /,
    shape: _Shape | None = None,
    *,
    view: _View | None = None,
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
) -> NDArray[np.uint8]: ...
