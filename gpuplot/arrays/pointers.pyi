"""Signature of `from_pointer`, and the array that it returns."""

from collections.abc import Sequence
from typing import Any, NoReturn, SupportsIndex, SupportsInt, final

import numpy as np
from numpy.typing import DTypeLike

from ..options import _Stream

__all__ = ["PointerArray", "from_pointer", "lend"]

@final
class PointerArray:
    """An array over device memory that somebody else allocated."""

    ptr: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any] | str
    strides: tuple[int, ...]
    device: int
    stream: _Stream | None
    owner: object
    def __copy__(self) -> PointerArray: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> PointerArray: ...
    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NoReturn: ...

def from_pointer(
    ptr: SupportsInt | Any,
    shape: SupportsIndex | Sequence[SupportsIndex],
    dtype: DTypeLike | str,
    strides: Sequence[SupportsIndex] | None = None,
    device: int = 0,
    stream: _Stream | None = None,
    owner: object = None,
) -> PointerArray: ...
def lend(X: PointerArray, stream: _Stream | None = None) -> Any: ...
