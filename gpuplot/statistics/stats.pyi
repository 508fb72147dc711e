"""Signatures of `stats`: one tensor gives `Stats`, several a `StatsTable`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, overload

from ..options import _TensorLike, _View
from .result import Stats, StatsTable

__all__ = ["stats"]

_Dim: TypeAlias = int | str | Sequence[int | str]
_Number: TypeAlias = float | Any  # scalars of libraries
_Range: TypeAlias = tuple[_Number, _Number]
_Percentiles: TypeAlias = Iterable[_Number] | _Number | None

class _HasStateDict(Protocol):
    def state_dict(self) -> Mapping[str, Any]: ...

@overload
def stats(
    X: Mapping[Any, Any] | _HasStateDict | Sequence[tuple[str, Any]],
    /,
    dim: None = None,
    bins: int = 64,
    value_range: _Range | None = None,
    percentiles: _Percentiles = (1, 2, 50, 98, 99),
    region: None = None,
) -> StatsTable: ...
@overload
def stats(
    X: _TensorLike,
    /,
    dim: _Dim | None = None,
    bins: int = 64,
    value_range: _Range | None = None,
    percentiles: _Percentiles = (1, 2, 50, 98, 99),
    region: _View | None = None,
) -> Stats: ...
