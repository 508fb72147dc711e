"""A group of zarr with the metadata of OME-Zarr, without zarr: counts what is read."""

import threading

import numpy as np
from pieces import in_pieces

__all__ = ["Group", "levels_of", "pyramid_in_pieces"]


def levels_of(array, n):
    """An array and its means over 2 x 2 elements of the last two axes, n levels in all."""
    levels = [array]
    while len(levels) < n:
        *lead, rows, cols = levels[-1].shape
        levels.append(levels[-1].reshape(*lead, rows // 2, 2, cols // 2, 2).mean((-3, -1)).astype(array.dtype))
    return levels


class Stored:
    """An array that is read by slices, and counts its reads."""

    def __init__(self, array, chunk=16):
        self._array, self.shape, self.dtype, self.ndim = array, array.shape, array.dtype, array.ndim
        self.chunks = (1,) * (array.ndim - 2) + (min(chunk, array.shape[-2]), min(chunk, array.shape[-1]))
        self.reads, self._lock = 0, threading.Lock()

    def __getitem__(self, part):
        with self._lock:
            self.reads += 1
        return self._array[part]


class Group:
    """What gpuplot uses of a group: ``attrs`` and arrays by path."""

    def __init__(self, arrays, attrs):
        self.arrays, self.attrs = arrays, attrs

    @classmethod
    def of(cls, levels, version="0.4"):
        """The pyramid of some levels, with scales by their shapes."""
        axes = [{"name": name, "type": "space", "unit": "micrometer"} for name in "tczyx"[-levels[0].ndim:]]
        datasets = [{"path": str(k), "coordinateTransformations": [
            {"type": "scale", "scale": [0.5 * full / n for full, n in zip(levels[0].shape, level.shape, strict=True)]}]}
            for k, level in enumerate(levels)]
        entry = {"version": version, "axes": axes, "datasets": datasets}
        attrs = {"multiscales": [entry]} if version == "0.4" else {"ome": {"version": version, "multiscales": [entry]}}
        return cls({str(k): Stored(np.ascontiguousarray(level)) for k, level in enumerate(levels)}, attrs)

    @property
    def entry(self):
        """The metadata of the image."""
        return self.attrs.get("ome", self.attrs)["multiscales"][0]

    def __getitem__(self, path):
        return self.arrays[path]

    def keys(self):
        return self.arrays.keys()


for kind in (Group, Stored):  # gpuplot knows libraries by the modules of types
    kind.__module__ = "zarr.stand_in"


def pyramid_in_pieces(levels, size):
    """(the levels as sources in chunks of `size` a side, a list for ``level=``; the engine of each, which counts reads)."""
    return map(list, zip(*(in_pieces(level, (*(1,) * (level.ndim - 2), size, size)) for level in levels), strict=True))
