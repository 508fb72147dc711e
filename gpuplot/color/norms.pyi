"""Signatures of the two norms beside matplotlib's own."""

from matplotlib.colors import Normalize
from numpy.typing import ArrayLike

__all__ = ["CbrtNorm", "EqHistNorm"]

class CbrtNorm(Normalize): ...

class EqHistNorm(Normalize):
    def __init__(self, vmin: float | None = None, vmax: float | None = None, clip: bool = False) -> None: ...
    def fit(self, A: ArrayLike) -> EqHistNorm: ...
