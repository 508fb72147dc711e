"""Pixels to the buffers of a frame: a byte a pixel where the colours allow it, deflated where the channel is slow."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from ... import _native

__all__ = ["Encoded", "encode_line", "encode_pixels"]

# Of zlib: the fastest level; the others shrink frames little more and take several times as long.
LEVEL = 1


@dataclass(frozen=True)
class Encoded:
    """A frame's buffers.

    Attributes
    ----------
    format : str
        Of `widgets/README.md`.
    buffers : list of bytes-like
        The pixels, then the palette where there is one.
    raw_bytes : int
        Size of the pixels before they were deflated.
    """

    format: str
    buffers: list
    raw_bytes: int

    @property
    def n_bytes(self):
        """Bytes that travel."""
        return sum(memoryview(buffer).nbytes for buffer in self.buffers)

    @property
    def ratio(self):
        """Bytes of pixels that travel for each byte of them; 1 where nothing was deflated."""
        return memoryview(self.buffers[0]).nbytes / max(1, self.raw_bytes)


def encode_pixels(pixels, is_deflated=False):
    """The shortest lossless form that the page knows.

    Parameters
    ----------
    pixels : ndarray (n_facets, H, W, 4) uint8
    is_deflated : bool
        Whether to deflate; what would not shrink stays as it is.

    Returns
    -------
    Encoded
    """
    pixels = np.ascontiguousarray(pixels)
    found = _native.palette(pixels)
    if found is None:
        name, payload, rest = "rgba", pixels, []
    else:
        name, payload, rest = "index", np.ascontiguousarray(found[0]), [np.ascontiguousarray(found[1])]
    payload = memoryview(payload).cast("B")
    packed = zlib.compress(payload, LEVEL) if is_deflated else None
    if packed is not None and len(packed) < payload.nbytes:
        return Encoded(f"{name}-zlib", [packed, *rest], payload.nbytes)
    return Encoded(name, [payload, *rest], payload.nbytes)


def encode_line(columns):
    """Five rows of float64, little-endian as every page reads them.

    Parameters
    ----------
    columns : ndarray (5, n) float64
    """
    data = np.ascontiguousarray(columns, "<f8").tobytes()
    return Encoded("line", [data], len(data))
