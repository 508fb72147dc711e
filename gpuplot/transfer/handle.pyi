"""Types of the handle that `asnumpy` gives with ``blocking=False``."""

from types import TracebackType
from typing import Any, Self

from numpy.typing import NDArray

__all__ = ["Transfer"]

class Transfer:
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
    def done(self) -> bool: ...
    def result(self, timeout: float | None = None) -> NDArray[Any]: ...
    def cancel(self) -> bool: ...
