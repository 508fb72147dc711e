"""What an image says beside its picture: colours that had to be clipped."""

from __future__ import annotations

import logging
import warnings

from .errors import GpuplotWarning

__all__ = ["note_clipped"]

# What rounding may add to a colour when normalisation is undone.
DENORM_NOISE = 1e-3

_log = logging.getLogger("matplotlib.image")


def note_clipped(plane, found, denorm):
    """Says that colours were clipped, where they were; True if it had to.

    Host arrays get a record in matplotlib's own log, as `Axes.imshow` makes it; tensors a warning.
    """
    noise = 0.0 if denorm is None else DENORM_NOISE
    low, high = found
    if not (low < -noise or high > 1 + noise):
        return False
    if plane.is_host_array:
        _log.warning("Clipping input data to the valid range for imshow with RGB data ([0..1] for floats or [0..255] for "
                     "integers). Got range [%s..%s].", low, high)
        return True
    unit = "0..255 for integers" if plane.dtype.startswith(("int", "uint")) else "0..1 for floats"
    warnings.warn(f"colours from {low:.4g} to {high:.4g} (1 is full) are clipped; RGB is {unit}. Use denorm= to undo a "
                  "normalisation, or rgb=False to look at one channel", GpuplotWarning, stacklevel=2)
    return True
