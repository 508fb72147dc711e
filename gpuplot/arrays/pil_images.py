"""PIL images -> an ndarray: as matplotlib reads them for pictures, or their samples for numbers."""

import numpy as np

from ..errors import UnsupportedError, reason_of
from .optional_imports import attribute, module_roots


def from_image(X):
    """A PIL image as matplotlib reads it: L, RGB, RGBA as they are, 16-bit gray as uint16, all else as RGBA; None for others."""
    if not isinstance(attribute(X, "mode"), str):
        return None
    if X.mode in ("L", "RGB", "RGBA", "RGBX"):
        return np.asarray(X)
    if X.mode.startswith("I;16"):
        order = ">" if X.mode.endswith("B") else "<"
        samples = np.frombuffer(X.tobytes("raw", X.mode), f"{order}u2")
        return samples.reshape(X.height, X.width).astype(np.uint16)
    try:
        return np.asarray(X.convert("RGBA"))
    except ValueError as error:
        raise UnsupportedError(f"a PIL image of mode {X.mode!r} cannot be turned into RGBA: {reason_of(error)}") from error


def samples_of(X):
    """A PIL image as NumPy reads it, its samples (palette indices, inks, floats) unconverted; other objects as they are."""
    if "PIL" not in module_roots(X) or not isinstance(attribute(X, "mode"), str):
        return X
    try:
        return np.array(X)
    except Exception as error:
        raise UnsupportedError(f"a PIL image of mode {X.mode!r} cannot be read: {reason_of(error)}") from error
