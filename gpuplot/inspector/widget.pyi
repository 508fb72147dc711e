"""What the inspector's widget offers: its traits and methods."""

import os
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import IO, Any, Literal, Self

import anywidget
from matplotlib.figure import Figure

from ..options import _Axis, _TensorLike
from .cursor import Cursor
from .selecting import Selection

__all__ = ["Inspector"]

class Inspector(anywidget.AnyWidget):
    """A tensor in a notebook; `gpuplot.inspect` makes it."""

    item: str
    index: dict[int | str, int]
    x: int | str
    y: int | str
    vmin: float | None
    vmax: float | None
    limits: Literal["auto", "elements", "pixels"] | tuple[float, float]
    cmap: str
    norm: str
    agg: str
    view: tuple[tuple[float, float], tuple[float, float]] | None
    selection: Selection | None
    cursor: Cursor | None

    def __init__(
        self,
        X: _TensorLike | Mapping[str, _TensorLike] | Sequence[_TensorLike] | Sequence[tuple[str, _TensorLike]],
        options: dict[str, Any],
        *,
        sliders: _Axis | Sequence[_Axis] | None = None,
        rows: _Axis | None = None,
        columns: _Axis | None = None,
        histogram: bool = True,
        show_stats: bool = True,
        play: bool = True,
        values: str | bool = "auto",
        link: Inspector | Sequence[Inspector] | None = None,
        throttle: float = 33,
        max_buffered_frames: int = 2,
        height: int | None = None,
        title: str | None = None,
    ) -> None: ...
    def update(self, X: _TensorLike, name: str | None = None) -> None: ...
    def snapshot(
        self,
        fname: str | os.PathLike[str] | IO[bytes],
        *,
        width: int | None = None,
        height: int | None = None,
        scale: float | None = None,
        dpi: float | None = None,
        metadata: Mapping[str, str | None] | None = None,
    ) -> None: ...
    def to_figure(self) -> Figure: ...
    def on_click(self, f: Callable[[Cursor], object], remove: bool = False) -> None: ...
    def link(self, *others: Inspector) -> None: ...
    def unlink(self, *others: Inspector) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
