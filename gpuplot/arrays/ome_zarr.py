"""OME-Zarr (OME-NGFF 0.1 to 0.5): the multiscales metadata of a zarr group -> names of axes, and paths and scales of its levels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import NamedTuple

from .optional_imports import is_kind


class Multiscales(NamedTuple):
    """The first image that a group's metadata describe; None for what they leave out."""

    paths: tuple[str, ...]  # of the levels' arrays in the group, level 0 first
    names: tuple[str, ...] | None  # of the axes
    scales: tuple  # tuple of (tuple of float or None): physical size of an element along each axis, for each level
    translations: tuple  # tuple of (tuple of float or None): physical coordinate of the center of element 0, likewise


def is_group(X):
    """Whether an object is a group of zarr."""
    return is_kind(X, {"zarr"}, "Group")


def multiscales_of(group):
    """The `Multiscales` of a group, None where it has no such metadata; ValueError where they are malformed. Reads no array."""
    entries = _entries(group)
    if entries is None:
        return None
    entry = _first(entries, "multiscales")
    datasets = entry.get("datasets")
    _check(isinstance(datasets, list) and datasets, "have no list of datasets")
    paths = tuple(_path(dataset, k) for k, dataset in enumerate(datasets))
    names = _names(entry.get("axes"))
    scales, translations = zip(*map(_transformations, datasets, range(len(datasets))), strict=True)
    lengths = {len(values) for values in (names, *scales, *translations) if values is not None}
    _check(len(lengths) <= 1, "have scales or translations of another number of axes")
    return Multiscales(paths, names, scales, translations)


def _entries(group):
    """The value of "multiscales": below "ome" from version 0.5 on, else among the attributes themselves."""
    attributes = group.attrs
    ome = attributes.get("ome")
    return ome["multiscales"] if isinstance(ome, Mapping) and "multiscales" in ome else attributes.get("multiscales")


def _first(entries, what):
    _check(isinstance(entries, list) and entries and isinstance(entries[0], Mapping), f"are no list of images under {what!r}")
    return entries[0]


def _path(dataset, k):
    path = dataset.get("path") if isinstance(dataset, Mapping) else None
    _check(isinstance(path, str) and path, f"have no path of an array in datasets[{k}]")
    return path


def _names(axes):
    """Names of the axes: those of version 0.3 are texts, later ones are mappings with a name."""
    if axes is None:
        return None
    names = [axis.get("name") if isinstance(axis, Mapping) else axis for axis in axes] if isinstance(axes, list) else []
    is_valid = names and all(isinstance(name, str) and name for name in names) and len(set(names)) == len(names)
    _check(is_valid, "have axes without a name, or with the same one")
    return tuple(names)


def _transformations(dataset, k):
    """(scale, translation) of a level, each None where the level has none; other transformations are left to shapes."""
    given = dataset.get("coordinateTransformations", [])
    _check(isinstance(given, list) and all(isinstance(one, Mapping) for one in given),
           f"have coordinateTransformations in datasets[{k}] that are no list of mappings")
    found = {}
    for kind in ("scale", "translation"):
        values = next((one[kind] for one in given if one.get("type") == kind and kind in one), None)
        found[kind] = None if values is None else _numbers(values, kind, k)
    return found["scale"], found["translation"]


def _numbers(values, kind, k):
    """A scale or translation as floats."""
    is_valid = isinstance(values, list) and all(_is_number(value) and (kind == "translation" or value > 0) for value in values)
    _check(is_valid, f"have a {kind} in datasets[{k}] that is not {'a positive' if kind == 'scale' else 'a'} number for each axis")
    return tuple(map(float, values))


def _is_number(value):
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


def _check(is_valid, problem):
    if not is_valid:
        raise ValueError(f"the multiscales metadata of the zarr group {problem}: draw one of its arrays, such as X['0']")
