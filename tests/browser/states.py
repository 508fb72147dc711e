"""States and frames as the kernel sends them, written out from widgets/README.md, for tests of the page."""

import copy
import zlib

import numpy as np

_STATE = {
    "seq": {}, "version": 1, "data": 1, "kind": "image", "text": "", "items": [""], "item": "",
    "tensor": {"shape": [4, 60, 80], "dtype": "float32", "device": "cpu", "bytes": "75 KiB", "library": "numpy", "notes": []},
    "axes": [
        {"name": "", "size": 4, "role": "index", "index": 0, "op": None},
        {"name": "", "size": 60, "role": "y", "index": 0, "op": None},
        {"name": "", "size": 80, "role": "x", "index": 0, "op": None},
    ],
    "slice": "", "rulers": {"x": None, "y": None}, "plane": [60, 80], "view": [None, None], "selection": None, "aspect": "equal",
    "origin": "upper", "facets": None,
    "agg": "mean", "aggs": ["mean", "max", "min", "absmax", "range", "std", "var", "sum", "count", "nearest"],
    "cmap": "viridis", "cmap_name": "viridis", "cmaps": ["viridis", "magma", "gray", "RdBu_r"],
    "norm": "linear", "norms": ["linear", "log", "symlog", "asinh", "cbrt", "eq_hist"],
    "nan": "show", "complex_mode": None, "complex_modes": [], "vmin": -1.0, "vmax": 1.0,
    "is_fixed": {"vmin": False, "vmax": False}, "limits": "auto", "limits_source": "elements",
    "largest": "", "robust": False, "region": "slice", "is_rgb": False, "takes_rgb": True,
    "is_categorical": False,
    "colors": {"bar": [f"#{i * 4:02x}{i * 2:02x}{255 - i * 4:02x}" for i in range(64)],
               "edges": None, "ticks": [[0.5, "0"]], "nan": "#ff00ff", "pos_inf": "#ffff00", "neg_inf": "#00ffff",
               "under": "#440000ff", "over": "#00ff44ff"},
    "extend": "neither",
    "categories": [], "kind_counts": {"nan": 0, "neg_inf": 0, "neg": 2400, "zero": 1, "pos": 2399, "pos_inf": 0}, "tensor_kind_counts": None,
    "tensor_has": "", "is_comparing": False, "is_slow": False,
    "shows": {"histogram": True, "stats": True, "play": True, "values": "auto", "sliders": [0]}, "height": None, "title": "",
}

# An answer to `histogram`.
BINS = {"counts": [1, 10, 100, 1000, 100, 10, 1, 0], "low": -4.0, "high": 4.0, "n_outside": 0}


def make_state(**changes):
    """A complete state of a (4, 60, 80) float32 tensor; `changes` replace its fields."""
    unknown = set(changes) - set(_STATE)
    assert not unknown, f"no such fields of the state: {unknown}"
    return {**copy.deepcopy(_STATE), **changes}


def make_frame(pixels, viewport, *, palette=None, version=1, id=1, window=None, is_zlib=False, final=True):
    """A frame that answers `look`: (message, buffers).

    Parameters
    ----------
    pixels : array_like of uint8
        Shape (h, w) or (n_facets, h, w) with a `palette` of shape (n, 4); with a last axis of 4 where there is none.
    look : dict
        The page's message.
    """
    pixels = np.asarray(pixels, np.uint8)
    if pixels.ndim == (2 if palette is not None else 3):
        pixels = pixels[None]
    data = pixels.tobytes()
    message = {
        "k": "frame", "id": id, "seq": viewport["seq"], "page": viewport["page"], "version": version,
        "window": viewport["window"] if window is None else window, "size": list(pixels.shape[1:3]), "n_facets": len(pixels),
        "format": ("index" if palette is not None else "rgba") + ("-zlib" if is_zlib else ""), "final": final,
    }
    buffers = [zlib.compress(data, 1) if is_zlib else data]
    return message, buffers + ([] if palette is None else [np.asarray(palette, np.uint8).tobytes()])


def see_bins(view):
    """Waits until the histogram is there: the handles' range is then that of the data."""
    view.page.wait_for_function("document.querySelector('[role=img]').style.clipPath.startsWith('polygon')")
