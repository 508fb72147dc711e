"""The colors of every element of an image as a PNG file."""

from __future__ import annotations

import numpy as np

from ..picture.png import write_png
from ..plane.reduce import Span, Window
from .colorize import BLOCK_ELEMS

__all__ = ["write_all"]


def write_all(image, fname):
    """Writes the colors of every element, row 0 of the picture on top, to a PNG file or file object."""
    n_rows, n_cols = image.plane.shape
    step = max(1, BLOCK_ELEMS // max(1, n_cols))
    blocks = [image._colors_of(Window(Span(float(row), float(min(n_rows, row + step)), min(n_rows, row + step) - row),
                                       Span(0.0, float(n_cols), n_cols)))
              for row in range(0, n_rows, step)]
    rgba = np.concatenate(blocks)
    write_png(fname, rgba if image.origin == "upper" else rgba[::-1])
