"""What is said about a tensor beside its numbers: where it is, how large, and what is special about it."""

from __future__ import annotations

from ...statistics.text import size_text
from .format import exact_text

__all__ = ["layout_notes", "notice", "tensor_facts", "text_of"]

# Names of packages as people write them; a tensor's own comes first.
LIBRARIES = ("torch", "jax", "jaxlib", "cupy", "tensorflow", "keras", "numba", "xarray", "pandas", "polars", "pyarrow", "pint",
             "astropy", "PIL", "numpy")

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
    """The package that the tensor is of, "" for lists and numbers."""
    roots = source.libraries
    return next((name.removesuffix("lib") for name in LIBRARIES if name in roots), "")


def layout_notes(source):
    """What the values are, where the tensor says it, and how they lie in memory, where that is not row by row."""
    notes = [source.labels.values] if source.labels is not None and source.labels.values else []
    if source.size > 1 and not source.is_fresh:
        try:
            notes += _stride_notes(source)
        except Exception:  # it cannot be borrowed, which is said where it is drawn
            return notes
    return notes


def _stride_notes(source):
    with source.borrow() as tensor:
        strides, step = tensor.strides, source.nbytes // source.size
    for size, stride in zip(reversed(source.shape), reversed(strides), strict=True):
        if size > 1 and stride != step:
            return [f"not contiguous: strides {tuple(strides)} bytes"]
        step *= size
    return []


def text_of(item):
    """What a tensor without a picture is: ``"0-d float32: 3.25"``."""
    source = item.source
    if source.size == 0:
        return f"empty: shape {source.shape}, {source.dtype}"
    plane = item.plane(item.first_view(), "show")
    return f"0-d {source.dtype}: {exact_text(plane.elements((0, 1, 0, 1))[0, 0])}"


def notice(*texts):
    """Notices in one line."""
    return "; ".join(text for text in texts if text)
