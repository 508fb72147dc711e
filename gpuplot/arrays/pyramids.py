"""Pyramids, arrays stored at several resolutions (OME-Zarr, DataTree of xarray, lists of arrays) -> the arrays of their levels.

Level 0 is the array itself. The others are previews that somebody stored: neither metadata nor arrays tell how they were made.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..errors import reason_of, type_text, value_text
from .labelled import Axis, Labels
from .ome_zarr import is_group, multiscales_of
from .optional_imports import attribute, is_kind

# Greatest distance, in elements of a level, between the edges of a level and those of level 0 by the metadata.
MAX_OFF = 2


@dataclass(frozen=True)
class Level:
    """A level of a pyramid, and where its elements are in level 0.

    Element i of an axis covers the elements ``offset + i * ratio`` to ``offset + (i + 1) * ratio`` of level 0, where element j
    covers j to j + 1.
    """

    number: int
    n_levels: int
    shape: tuple[int, ...]  # shape of level 0
    ratios: tuple[float, ...]
    offsets: tuple[float, ...]

    @property
    def text(self):
        """Text for titles, the pointer and files."""
        return f"level {self.number} of {self.n_levels}, a stored preview"

    def place(self, axis, edge):
        """An element coordinate of level 0 in element coordinates of the level."""
        return (edge - self.offsets[axis]) / self.ratios[axis]

    def covered(self, axis, elements):
        """The elements of level 0, whole or in part, below a range of elements of the level."""
        first, last = sorted((elements[0], elements[-1])) if len(elements) else (elements.start, elements.start - 1)
        start, stop = (self.offsets[axis] + edge * self.ratios[axis] for edge in (first, last + 1))
        return range(max(0, math.floor(start + 1e-6)), min(self.shape[axis], math.ceil(stop - 1e-6)))

    def labels(self, own, names, shape):
        """`Labels` of the level: its `own` (or None), and indices in level 0 as coordinates of axes without any."""
        has_own = own is not None and own.axes is not None
        axes = own.axes if has_own else [Axis(name, name) for name in names or ("",) * len(shape)]
        axes = tuple(self._axis(k, axis, n) for k, (axis, n) in enumerate(zip(axes, shape, strict=True)))
        return Labels(axes, *((own.values, own.scalars) if own is not None else ()))

    def _axis(self, k, axis, n):
        ratio, offset = self.ratios[k], self.offsets[k]
        if (ratio, offset) == (1.0, 0.0) or axis.positions is not None or axis.names is not None:
            return axis
        return Axis(axis.name, axis.label, offset + ratio * (np.arange(n) + 0.5) - 0.5, elements_each=ratio)


class Pyramid:
    """The levels of one image; arrays are opened when they are asked for, and nothing of them is read.

    Parameters
    ----------
    owner : object
        The caller's.
    opens : sequence of callable
        ``opens[k]()`` gives the array of level k.
    names : tuple of str, optional
        Of the axes.
    scales, translations : sequence of (tuple of float or None), optional
        As in `ome_zarr.Multiscales`. Default: levels cover the same area, and their ratio is that of their shapes.
    """

    def __init__(self, owner, opens, names=None, scales=None, translations=None):
        self.owner, self.names, self._opens = owner, names, opens
        self._scales = scales or (None,) * len(opens)
        self._translations = translations or (None,) * len(opens)
        self._n_axes = next((len(values) for values in (names, *self._scales, *self._translations) if values is not None), None)
        self._arrays, self._sources = {}, {}

    @classmethod
    def of(cls, X):
        """The pyramid that an object is, None for others; ValueError for malformed metadata. A list is one by `of_list` only."""
        if is_group(X):
            found = multiscales_of(X)
            if found is None:
                return None
            return cls(X, [lambda path=path: X[path] for path in found.paths], found.names, found.scales, found.translations)
        if is_kind(X, {"xarray"}, "DataTree"):
            arrays = _arrays_of_tree(X)
            return None if arrays is None else cls(X, [lambda array=array: array for array in arrays])
        return None

    @classmethod
    def of_list(cls, arrays):
        """The pyramid of a list of arrays, the largest first; ValueError for arrays that are none."""
        shapes = [attribute(array, "shape") for array in arrays]
        if not _are_levels(shapes):
            texts = ", ".join(str(shape) if isinstance(shape, tuple) else type(array).__name__
                              for shape, array in zip(shapes, arrays, strict=True))
            raise ValueError(f"level: a list is a pyramid if each array is smaller than the one before along some axes and larger along "
                             f"none; these are {texts or 'none'}"[:300])
        return cls(arrays, [lambda array=array: array for array in arrays])

    @property
    def n_levels(self):
        """Number of levels, level 0 included."""
        return len(self._opens)

    def array(self, k):
        """The array of a level; ValueError where there is none or it does not fit level 0."""
        if k not in self._arrays:
            try:
                array = self._opens[k]()
            except Exception as error:
                raise ValueError(f"level {k} of the pyramid cannot be opened: {reason_of(error)}") from error
            shape = attribute(array, "shape")
            if not isinstance(shape, tuple):
                raise ValueError(f"level {k} of the pyramid is {type_text(type(array))}, not an array")
            if self._n_axes not in (None, len(shape)):
                raise ValueError(f"level {k} of the pyramid has shape {shape}, and the metadata of the pyramid describe "
                                 f"{self._n_axes} axes")
            self._arrays[k] = array
        return self._arrays[k]

    def level(self, k):
        """The `Level` k."""
        shape, full = tuple(self.array(k).shape), tuple(self.array(0).shape)
        if len(shape) != len(full):
            raise ValueError(f"level {k} of the pyramid has {len(shape)} axes, level 0 {len(full)}")
        places = [self._place(k, axis, n, n_full) for axis, (n, n_full) in enumerate(zip(shape, full, strict=True))]
        return Level(k, self.n_levels, full, tuple(ratio for ratio, _ in places), tuple(offset for _, offset in places))

    def _place(self, k, axis, n, n_full):
        """(ratio, offset) of an axis of level k: by scales and translations where there are some that fit the shapes, else by these."""
        if not n or not n_full:
            return 1.0, 0.0
        scale, full_scale, usual = self._scales[k], self._scales[0], n_full / n
        ratio = usual if scale is None or full_scale is None else scale[axis] / full_scale[axis]
        offset = self._offset(k, axis, ratio)
        is_near = abs(offset) <= MAX_OFF * usual and abs(offset + ratio * n - n_full) <= MAX_OFF * usual
        return (ratio, offset) if is_near and usual / 2 < ratio < 2 * usual else (usual, 0.0)

    def _offset(self, k, axis, ratio):
        """Where element 0 begins. A level without translation begins where level 0 does: few writers mean its center."""
        moved, full_moved = self._translations[k], self._translations[0]
        if moved is None or self._scales[0] is None:
            return 0.0
        steps = (moved[axis] - (full_moved[axis] if full_moved else 0.0)) / self._scales[0][axis]
        return steps + 0.5 - ratio / 2

    def source(self, k, describe):
        """The source of level k by ``describe(array)``, made once."""
        if k not in self._sources:
            self._sources[k] = describe(self.array(k))
        return self._sources[k]

    def describe(self, k, describe, stream=None):
        """The source of a level by ``describe(array, stream)``, with names of axes; of another than level 0 with its `Level`."""
        source = describe(self.array(k), stream)
        if source.dims is None and self.names is not None:
            source.dims = self.names
        if k:
            source.level = self.level(k)
            source.labels = source.level.labels(source.labels, source.dims, source.shape)
        else:
            source.pyramid = self
        return source


class ChosenLevel:
    """Level `number` of a pyramid, in place of an array: what `describe` takes for ``level=``."""

    def __init__(self, pyramid, number):
        self.pyramid, self.number = pyramid, number


def at_level(X, level):
    """X for ``level=None``, else the `ChosenLevel` of the pyramid that X is.

    ValueError where X has no pyramid or no such level, TypeError where `level` is no integer.
    """
    if level is None:
        return X
    try:
        number = operator.index(level)
    except Exception:  # libraries differ in how they refuse
        number = None
    if number is None or isinstance(level, (bool, np.bool_)):
        raise TypeError(f"level={value_text(level)} must be an integer, 0 for the array itself")
    pyramid = attribute(X, "pyramid") if is_kind(X, {"gpuplot"}, "Source") else _pyramid_of(X)
    if pyramid is None:
        raise ValueError(_about_no_pyramid(X, number))
    if not 0 <= number < pyramid.n_levels:
        raise ValueError(f"level={number}: the pyramid has {pyramid.n_levels} levels, 0 to {pyramid.n_levels - 1}, of which 0 is the array "
                         "itself")
    return ChosenLevel(pyramid, number)


def _pyramid_of(X):
    return Pyramid.of_list(X) if isinstance(X, (list, tuple)) else Pyramid.of(X)


def _about_no_pyramid(X, number):
    kind = type(X).__name__
    if is_kind(X, {"zarr"}, "Array"):
        return f"level={number}: a zarr array does not know its pyramid: give the group that holds the levels, or a list of them"
    return (f"level={number}: {kind} has no pyramid, which an OME-Zarr group of zarr, a DataTree of xarray or a list of arrays, the "
            "largest first, may be: leave level out")


def is_pyramid(X):
    """Whether an object is a pyramid by itself; also True for one with malformed metadata."""
    try:
        return Pyramid.of(X) is not None
    except ValueError:
        return True


def _arrays_of_tree(tree):
    """The arrays of a DataTree, the largest first, if each of its children holds one, all of the same name and axes; else None."""
    nodes = [child.dataset for child in tree.children.values()]
    if len(nodes) < 2 or len(tree.dataset.data_vars) or any(len(node.data_vars) != 1 for node in nodes):
        return None
    arrays = [next(iter(node.data_vars.values())) for node in nodes]
    if any((array.name, array.dims) != (arrays[0].name, arrays[0].dims) for array in arrays):
        return None
    arrays.sort(key=lambda array: array.size, reverse=True)
    return arrays if _are_levels([array.shape for array in arrays]) else None


def _are_levels(shapes):
    """Whether arrays of these shapes can be levels: each smaller than the one before along some axes, and larger along none."""
    if not shapes or not all(isinstance(shape, tuple) and len(shape) == len(shapes[0]) for shape in shapes):
        return False
    return all(after != before and all(a <= b for a, b in zip(after, before, strict=True)) for before, after in pairwise(shapes))
