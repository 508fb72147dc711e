"""The zarr arrays that a dask array reads, and whether they are still there: chunks of a deleted one are read as its fill value."""

from __future__ import annotations

from ..errors import ChunkError
from .optional_imports import module_roots

# Attributes under which adapters of xarray have what they adapt, and how deep they are.
INNER, MAX_DEPTH = ("array", "_array"), 8

# What zarr raises where there is no metadata, by name: versions have them in different modules.
GONE = ("FileNotFoundError", "KeyError", "ArrayNotFoundError", "NodeNotFoundError")


def zarr_arrays_of(array):
    """The zarr arrays among the values of a dask array's graph, which are layers of one entry; those that it can tell."""
    layers = getattr(array.dask, "layers", {}).values()
    values = [value for layer in layers if len(layer) == 1 for value in layer.values()]
    found = (_zarr_array_in(getattr(value, "value", value)) for value in values)
    return [one for one in found if one is not None]


def _zarr_array_in(value):
    """A zarr array, or the one that adapters hold; None for anything else."""
    for _ in range(MAX_DEPTH):
        if "zarr" in module_roots(value) and hasattr(value, "store") and hasattr(value, "path"):
            return value
        value = next((getattr(value, name) for name in INNER if hasattr(value, name)), None)
    return None


def check_zarr_arrays(arrays):
    """ChunkError where one of some zarr arrays has no metadata any more; other troubles are those of reading."""
    import zarr

    for array in arrays:
        try:
            zarr.open_array(array.store, path=array.path, mode="r")
        except Exception as error:
            if type(error).__name__ in GONE:
                raise ChunkError(f"the zarr array {array.path!r} in {array.store} is gone, and what is missing is read as its fill value: "
                                 "write it again, or open it where it is now") from error
