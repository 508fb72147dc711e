"""The zarr arrays that a dask array reads, and whether they are still there: chunks of a deleted one are read as its fill value."""

from __future__ import annotations

from ..errors import ChunkError
from .optional_imports import module_roots

# Attributes under which xarray's adapters hold the adapted object, and how deeply adapters are nested.
INNER, MAX_DEPTH = ("array", "_array"), 8

# Names of zarr's exceptions for missing metadata: versions have them in different modules.
GONE = ("FileNotFoundError", "KeyError", "ArrayNotFoundError", "NodeNotFoundError")


def zarr_arrays_of(array):
    """The zarr arrays in a dask array's graph, as far as they can be found: values of layers with one entry."""
    layers = getattr(array.dask, "layers", {}).values()
    values = [value for layer in layers if len(layer) == 1 for value in layer.values()]
    found = (_zarr_array_in(getattr(value, "value", value)) for value in values)
    return [one for one in found if one is not None]


def _zarr_array_in(value):
    """The value if it is a zarr array, or the zarr array that adapters hold; None for anything else."""
    for _ in range(MAX_DEPTH):
        if "zarr" in module_roots(value) and hasattr(value, "store") and hasattr(value, "path"):
            return value
        value = next((getattr(value, name) for name in INNER if hasattr(value, name)), None)
    return None


def check_zarr_arrays(arrays):
    """ChunkError where a zarr array has lost its metadata; other errors are left to the reads."""
    import zarr

    for array in arrays:
        try:
            zarr.open_array(array.store, path=array.path, mode="r")
        except Exception as error:
            if type(error).__name__ in GONE:
                name = f" {array.path!r}" if array.path else ""  # which an array that is the whole store has not
                raise ChunkError(f"the zarr array{name} in {array.store} is gone, and its chunks would be read as the fill value: write it "
                                 "again, or open it where it is now") from error
