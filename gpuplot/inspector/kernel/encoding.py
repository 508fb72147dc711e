"""Pixels -> the buffers of a frame message: one byte per pixel where 256 colors suffice, compressed on slow connections."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from ... import _native

# zlib's fastest level; others are several times slower and save little.
LEVEL = 1


@dataclass(frozen=True)
class Encoded:
    """A frame's buffers."""

    format: str  # as `widgets/README.md` names it
    buffers: list  # list of bytes-like: the pixels, then the palette where there is one
    raw_bytes: int  # size of the pixels before they were deflated

    @property
    def n_bytes(self):
        """Bytes that are sent."""
        return sum(memoryview(buffer).nbytes for buffer in self.buffers)

    @property
    def ratio(self):
        """Sent bytes of pixels by their size; 1 where nothing was deflated."""
        return memoryview(self.buffers[0]).nbytes / max(1, self.raw_bytes)


def encode_pixels(pixels, is_deflated=False):
    """Pixels, (n_facets, H, W, 4) uint8, as `Encoded` in the shortest lossless format of the page, deflated on demand if they shrink."""
    pixels = np.ascontiguousarray(pixels)
    indexed = _native.palette(pixels)
    if indexed is None:
        name, payload, rest = "rgba", pixels, []
    else:
        name, payload, rest = "index", np.ascontiguousarray(indexed[0]), [np.ascontiguousarray(indexed[1])]
    payload = memoryview(payload).cast("B")
    packed = zlib.compress(payload, LEVEL) if is_deflated else None
    if packed is not None and len(packed) < payload.nbytes:
        return Encoded(f"{name}-zlib", [packed, *rest], payload.nbytes)
    return Encoded(name, [payload, *rest], payload.nbytes)


def encode_line(columns):
    """A line's columns, (5, n) float64, as little-endian bytes."""
    data = np.ascontiguousarray(columns, "<f8").tobytes()
    return Encoded("line", [data], len(data))
