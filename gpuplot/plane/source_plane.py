"""SourcePlane: the base class of planes of one source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .view import View


@dataclass(frozen=True)
class SourcePlane:
    """A plane of one tensor; `nan` says what reductions do with elements that are not finite."""

    source: Any
    view: View
    nan: str = "show"

    @property
    def shape(self):
        """Rows and columns."""
        return self.view.shape

    @property
    def dtype(self):
        """Name of the elements' dtype."""
        return self.source.dtype

    def under(self, nan):
        """The same plane under another policy about NaN."""
        return self if nan == self.nan else replace(self, nan=nan)
