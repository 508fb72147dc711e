"""What an image says beside its picture: colours that had to be clipped."""

from __future__ import annotations

import logging
import warnings

from .errors import GpuplotWarning

__all__ = ["clipping_text", "note_clipped"]

# What rounding may add to a colour when normalisation is undone.
DENORM_NOISE = 1e-3

_log = logging.getLogger("matplotlib.image")


def is_clipped(found, denorm):
    """Whether (lowest, highest) of the colours lies outside 0..1 by more than rounding."""
    noise = 0.0 if denorm is None else DENORM_NOISE
    return found[0] < -noise or found[1] > 1 + noise


def clipping_text(found, dtype, denorm):
    """The warning that colours were clipped, or None where they were not."""
    if not is_clipped(found, denorm):
        return None
    unit = "0..255 for integers" if dtype.startswith(("int", "uint")) else "0..1 for floats"
    return (f"colours from {found[0]:.4g} to {found[1]:.4g} (1 is full) are clipped; RGB is {unit}. Use denorm= to undo a "
            "normalisation, or rgb=False to look at one channel")


def note_clipped(plane, found, denorm):
    """Says that colours were clipped, where they were; True if it had to.

    Host arrays get a record in matplotlib's own log, as `Axes.imshow` makes it; tensors a warning.
    """
    if not is_clipped(found, denorm):
        return False
    if plane.is_host_array:
        _log.warning("Clipping input data to the valid range for imshow with RGB data ([0..1] for floats or [0..255] for "
                     "integers). Got range [%s..%s].", *found)
    else:
        warnings.warn(clipping_text(found, plane.dtype, denorm), GpuplotWarning, stacklevel=2)
    return True
