"""Elements as matplotlib holds them: masked where they are not finite, colors clipped."""

import numpy as np


def mask_invalid(values):
    """A masked array over the same memory, masked where elements are not finite; the mask of `values` is not written."""
    data, mask = np.ma.getdata(values), np.ma.getmask(values)
    data = data if data.dtype.isnative else data.astype(data.dtype.newbyteorder("="))
    if data.dtype.kind == "f":
        is_bad = ~np.isfinite(data)
        mask = mask | is_bad if is_bad.any() else mask
    return np.ma.array(data, mask=mask, copy=False)


def color_range(values):
    """(lowest, highest) of RGB(A) values, 1 is full."""
    full = 255 if np.issubdtype(values.dtype, np.integer) else 1
    return (float(values.min()) / full, float(values.max()) / full) if values.count() else (0.0, 1.0)


def clip_colors(values):
    """RGB(A) as matplotlib keeps it: integers as bytes, all clipped to the range of the dtype."""
    if values.dtype in (np.uint8, np.bool_):
        return values
    if not np.issubdtype(values.dtype, np.integer):
        return np.clip(values, 0, 1)
    most = min(255, np.iinfo(values.dtype).max)  # NumPy 2.0 takes no limit beyond those of the dtype
    return np.clip(values, 0, most).astype(np.uint8)
