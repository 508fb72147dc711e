"""Signatures of `asnumpy`: what it returns depends on ``out`` and ``blocking``."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..options import _Stream, _TensorLike
from .handle import Transfer

__all__ = ["asnumpy"]

_Order: TypeAlias = Literal["C", "F", "A", "K"]
_Progress: TypeAlias = bool | Callable[[int, int], object]
_Dtype: TypeAlias = DTypeLike | Any  # those of other libraries, too
_Out = TypeVar("_Out", bound=np.ndarray[Any, Any])

@overload
def asnumpy(
    X: _TensorLike,
    /,
    dtype: _Dtype = None,
    *,
    order: _Order = "C",
    out: None = None,
    copy: bool | None = None,
    blocking: Literal[True] = True,
    progress: _Progress | None = None,
    stream: _Stream | None = None,
) -> NDArray[Any]: ...
@overload
def asnumpy(
    X: _TensorLike,
    /,
    dtype: _Dtype = None,
    *,
    order: _Order = "C",
    out: _Out,
    copy: bool | None = None,
    blocking: Literal[True] = True,
    progress: _Progress | None = None,
    stream: _Stream | None = None,
) -> _Out: ...
@overload
def asnumpy(
    X: _TensorLike,
    /,
    dtype: _Dtype = None,
    *,
    order: _Order = "C",
    out: np.ndarray[Any, Any] | None = None,
    copy: bool | None = None,
    blocking: Literal[False],
    progress: _Progress | None = None,
    stream: _Stream | None = None,
) -> Transfer: ...
