"""Warnings at the line that called gpuplot: about colors that were clipped, and NaN that was left out."""

import logging
import re
import sys
import threading
import warnings
from contextlib import contextmanager

from . import _native
from .choices import is_default
from .dtype_classes import is_integer
from .errors import GpuplotWarning

# Packages whose frames may lie between the caller's line and a warning.
_BETWEEN = ("gpuplot", "matplotlib", "torch")

# Rounding error of colors whose normalization is undone, in bfloat16 as well: half a step of bytes, which changes no pixel.
DENORM_NOISE = 0.5 / 255

# Floats that were meant as bytes, 0 to 255, have larger numbers than this; those of 0 to 1 with noise do not.
MIN_OF_BYTES = 16

# The least size of floats around 0 that are likely normalized colors, which go from -1 to 1, or from -2.2 to 2.7.
MIN_OF_COLORS = 0.1

# What to do about colors outside their range; `grid` has another way.
REMEDY, REMEDY_OF_GRID = "denorm= to undo a normalization", "normalize=True, denorm= to undo a normalization"

# What to do where the limits of colors were meant.
LIMITS_REMEDY = "denorm='minmax' stretches each channel over its range, denorm=(0, 2.5) multiplies by 2.5"
LIMITS_REMEDY_OF_GRID = "normalize=True stretches them over value_range="

# Keywords about limits of numbers, with their defaults.
OF_LIMITS = {"robust": False, "center": None, "vmin": None, "vmax": None, "gamma": None}

_log = logging.getLogger("matplotlib.image")

_NUMBER = re.compile(r"[-+]?\d[\d.,]*(e[-+]\d+)?")


class _Said(threading.local):
    """What a thread has warned of in the block of `once`, without the numbers; None outside of it."""

    texts = None


_said = _Said()


@contextmanager
def once(texts):
    """Leaves out, in this thread, warnings that differ from one of the set `texts` by their numbers alone, and adds others to it."""
    outer, _said.texts = _said.texts, texts
    try:
        yield
    finally:
        _said.texts = outer


def _is_repeated(text):
    if _said.texts is None:
        return False
    text = _NUMBER.sub("", text)
    is_repeated = text in _said.texts
    _said.texts.add(text)
    return is_repeated


def warn(text):
    """A GpuplotWarning at the line that called gpuplot, however deep it comes from."""
    if _is_repeated(text):
        return
    frame, level = sys._getframe(1), 2
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, GpuplotWarning, stacklevel=level)


def left_out_text(n_nan, n_elems, is_reduced=False):
    """The warning that NaN was left out by "auto"; of values over hidden axes where the plane `is_reduced`."""
    share = 100 * n_nan / n_elems if n_nan == n_elems else min(100 * n_nan / n_elems, 99.9)  # 100 is for all
    of = "values that reduce= gives" if is_reduced else "elements"
    return (f"{n_nan:,} of {n_elems:,} {of} ({share:.{3 if share > 99 else 2}g} %) are NaN and would mark more than half of the pixels, "
            "so NaN is left out of them. nan='show' marks every pixel with a NaN; nan='skip' leaves all of them out, silently")


def none_finite_text(has):
    """"all NaN", "all masked" or "no finite element", for elements none of which is finite; `has` are their ``HAS_*`` bits."""
    return {_native.HAS_NAN: "all NaN", _native.HAS_MASKED: "all masked"}.get(has, "no finite element")


def blank_text(has, shape):
    """The warning that nothing is seen of a tensor of a shape, or None where it has finite elements; `has` are its ``HAS_*`` bits."""
    if 0 in shape:
        return f"the picture is blank: the tensor of shape {tuple(shape)} has no elements"
    return None if has & _native.HAS_FINITE else f"the picture is blank: {none_finite_text(has)}"


def not_counted_text(n_nan, n_pos_inf, n_neg_inf, n_elems):
    """The warning that elements which are not finite are in no bin of a histogram."""
    parts = [f"{n:,} {name}" for n, name in ((n_nan, "NaN"), (n_pos_inf, "+Inf"), (n_neg_inf, "-Inf")) if n]
    return f"{' and '.join(parts)} of {n_elems:,} elements are in no bin"


def is_clipped(extremes, denorm):
    """Whether (lowest, highest) of colors lies outside 0..1 by more than rounding."""
    noise = 0.0 if denorm is None else DENORM_NOISE
    return extremes[0] < -noise or extremes[1] > 1 + noise


def _are_bytes(extremes, dtype, denorm):
    """Whether floats look like colors of 0 to 255."""
    is_float = not is_integer(dtype)
    return is_float and denorm is None and 0 <= extremes[0] and MIN_OF_BYTES < extremes[1] <= 255


def _are_channels_last(view):
    return view is None or view.channel_axis == len(view.tensor_shape) - 1 == 2


def clipping_text(extremes, dtype, denorm, remedy=REMEDY):
    """The warning that colors were clipped and what to do, or None where they were not."""
    if not is_clipped(extremes, denorm):
        return None
    if _are_bytes(extremes, dtype, denorm):
        return (f"colors of floats are 0 to 1 and these go to {extremes[1]:.4g}: what is above 1 is clipped. Divide by 255, or "
                "convert them to uint8")
    if is_integer(dtype) and denorm is None:
        low, high = _in_bytes(extremes)
        said = f"colors from {low} to {high} are clipped; RGB is 0..255 for integers"
    else:
        unit = "0..255 for integers" if is_integer(dtype) else "0..1 for floats"
        said = f"colors from {extremes[0]:.4g} to {extremes[1]:.4g} (1 is full) are clipped; RGB is {unit}"
    return f"{said}. {_advice_on_clipped(extremes, dtype, denorm, remedy)}"


def _advice_on_clipped(extremes, dtype, denorm, remedy):
    one_channel = "rgb=False to look at one channel"
    if is_integer(dtype) and denorm is None:
        return f"Use denorm='minmax', which stretches each channel over its range, or {one_channel}"
    ways = [one_channel, remedy] if denorm is None and _are_no_colors(extremes) else [remedy, one_channel]
    return f"Use {ways[0]}, or {ways[1]}"


def _are_no_colors(extremes):
    """Whether floats look like numbers around 0 of another size than colors, normalized or not: weights, gradients or noise."""
    size = max(-extremes[0], extremes[1])
    return extremes[0] < 0 < extremes[1] and not MIN_OF_COLORS <= size <= MIN_OF_BYTES


def _in_bytes(extremes):
    """(lowest, highest) of integers, of which 255 is full."""
    return tuple(round(255 * extreme) for extreme in extremes)


def warn_of_limits(options, remedy):
    """Warns of keywords about limits of numbers among `options`, which colors do not have."""
    given = [name for name in OF_LIMITS if not is_default(options.get(name), OF_LIMITS[name])]
    if given:
        warn(f"{', '.join(given)}: colors are shown as they are and have no limits; {remedy}, rgb=False shows one channel by its numbers")


def note_clipped(plane, extremes, denorm):
    """Warns where colors were clipped; returns whether they were.

    Host arrays that matplotlib would take get a record in its own log, as from `Axes.imshow`; tensors, channels that come first, and
    floats of 0 to 255, a warning.
    """
    if not is_clipped(extremes, denorm):
        return False
    if plane.is_host_array and not _are_bytes(extremes, plane.dtype, denorm) and _are_channels_last(plane.view):
        ends = _in_bytes(extremes) if is_integer(plane.dtype) and denorm is None else extremes
        _log.warning("Clipping input data to the valid range for imshow with RGB data ([0..1] for floats or [0..255] for "
                     "integers). Got range [%s..%s]. %s", *ends, _advice_on_clipped(extremes, plane.dtype, denorm, plane.clipping_remedy))
    else:
        warn(clipping_text(extremes, plane.dtype, denorm, plane.clipping_remedy))
    return True
