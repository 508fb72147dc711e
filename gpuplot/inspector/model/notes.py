"""Texts about a tensor: device, size, library and memory layout."""

import math

from ...arrays.chunked_source import ChunkedSource
from ...errors import size_text
from .format import exact_text

# Names of packages, in the order of preference.
LIBRARIES = ("torch", "jax", "jaxlib", "cupy", "tensorflow", "keras", "numba", "xarray", "dask", "zarr", "h5py", "pandas", "polars",
             "pyarrow", "pint", "astropy", "PIL", "numpy")

# Least number of float64 values between the color limits of integers without a note that colors are rounded.
FEW_VALUES = 64

# DLPack's numbers of kinds of device.
PINNED, CUDA, MANAGED = 3, 2, 13


def tensor_facts(item, notes):
    """The `tensor` field of the state."""
    source = item.source
    return {"shape": list(source.shape), "dtype": source.dtype, "device": device_text(source.device),
            "bytes": size_text(source.nbytes), "library": library_of(source), "notes": [*item.notes, *notes]}


def device_text(device):
    """``"cpu"``, ``"cpu (pinned)"``, ``"cuda:0"``."""
    if device is None or device[0] not in (PINNED, CUDA, MANAGED):
        return "cpu"
    kind, ordinal = device
    return {PINNED: "cpu (pinned)", CUDA: f"cuda:{ordinal}", MANAGED: f"cuda:{ordinal} (managed)"}[kind]


def library_of(source):
    """The tensor's package, "" for lists and numbers."""
    roots = source.libraries
    return next((name.removesuffix("lib") for name in LIBRARIES if name in roots), "")


def layout_notes(source):
    """Notes: the tensor's own name; its chunks, or its strides if it is not contiguous."""
    notes = [source.labels.values] if source.labels is not None and source.labels.values else []
    if isinstance(source, ChunkedSource):
        notes.append(_chunks_note(source))
        if not source.is_complete:
            notes.append(f"{source.part_text}: what others hold is empty")
        return notes
    if source.size > 1 and not source.is_fresh:
        try:
            notes += _stride_notes(source)
        except Exception:  # it cannot be borrowed: the frame reports it
            return notes
    return notes


def _chunks_note(source):
    """A note of the number of chunks and the size of the largest, along each axis."""
    sizes = " × ".join(str(max(along, default=0)) for along in source.chunks)
    return f"{math.prod(map(len, source.chunks)):,} chunks of {sizes}, read where they are seen"


def _stride_notes(source):
    with source.borrow() as tensor:
        strides, step = tensor.strides, source.nbytes // source.size
    for size, stride in zip(reversed(source.shape), reversed(strides), strict=True):
        if size > 1 and stride != step:
            return [f"not contiguous: strides {tuple(strides)} bytes"]
        step *= size
    return []


def rounding_note(view_state, colors):
    """A note where colors are those of a few rounded numbers, as cells are float64; "" for others."""
    if view_state.kind != "image" or view_state.view.is_rgb or view_state.source.dtype not in ("int64", "uint64"):
        return ""
    step = math.ulp(max(abs(colors.vmin), abs(colors.vmax)))
    if step < 2 or colors.vmax - colors.vmin >= FEW_VALUES * step:
        return ""
    return f"colors are of integers rounded to multiples of {step:.0f}, as in float64: subtract the smallest to see them apart"


def describe_value(item):
    """A tensor without a picture: ``"0-d float32: 3.25"`` or ``"empty: shape (0, 5), float32"``."""
    source = item.source
    if item.why_missing:
        return item.why_missing
    if source.size == 0:
        return f"empty: shape {source.shape}, {source.dtype}"
    plane = item.plane(item.first_view(), "show")
    return f"0-d {source.dtype}: {exact_text(plane.elements((0, 1, 0, 1))[0, 0])}"
