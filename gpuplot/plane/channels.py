"""The axis of a tensor that holds RGB(A) channels: the caller's choice, else guessed from the shape."""

import numpy as np

from ..dtype_classes import is_complex

_CHANNEL_COUNTS = (3, 4)

# Names of axes that may hold colors, and how names begin that a library makes up.
COLOR_NAMES = frozenset("band bands c ch chan chans channel channels color colors colour colours component components rgb rgba".split())
MADE_UP = ("dim_", "axis_", "phony_dim_")


def guess_channel_axis(shape, dtype, names=()):
    """The channel axis that a shape, and the names of axes if they have some, suggest by default, or None.

    A last axis of 3 or 4 is RGB(A) for every real dtype, as matplotlib reads it. A *first* axis of 3 is RGB for uint8 and
    floating point, the layout of deep-learning frameworks, which matplotlib refuses; one of 4 for uint8 alone, since a float
    (4, H, W) is more often a latent than a picture with alpha. A first axis of floats that is called "time", say, holds no colors.
    """
    if len(shape) != 3 or is_complex(dtype):
        return None
    if shape[2] in _CHANNEL_COUNTS:
        return 2
    if dtype == "uint8":
        is_first = shape[0] in _CHANNEL_COUNTS
    else:
        is_first = shape[0] == 3 and _is_float(dtype) and may_hold_colors(names, 0)
    # matplotlib reads (3, N, 1) as a plane, not as three channels of N x 1 pixels.
    return 0 if is_first and shape[2] != 1 else None


def may_hold_colors(names, axis):
    """Whether the name of an axis is one of colors, or none."""
    name = str(names[axis]).lower() if names else ""
    return not name or name in COLOR_NAMES or name.startswith(MADE_UP)


def guess_channel_axis_of_stack(shape, dtype):
    """The channel axis of a stack of uint8 pictures, (N, H, W, 3) or (N, 3, H, W); None for floats, as often vectors."""
    if len(shape) < 4 or dtype != "uint8":
        return None
    if shape[-1] in _CHANNEL_COUNTS:
        return len(shape) - 1
    return len(shape) - 3 if shape[-3] in _CHANNEL_COUNTS and shape[-1] != 1 else None


def advice_on_stack(shape, dtype):
    """The keyword that shows a float stack, (N, 3, H, W) or (N, H, W, 3), in colors; "" for other tensors."""
    axis = possible_channel_axis(shape, dtype)
    return "" if axis is None else f"rgb={axis} shows colors"


def possible_channel_axis(shape, dtype):
    """The axis of a 4-D float tensor that may hold channels; None where none does, or it is ambiguous.

    Three columns beside three or four rows are more often a matrix, or the weights of a convolution.
    """
    if len(shape) != 4 or not _is_float(dtype):
        return None
    if shape[3] == 3 and min(shape[1:3]) > max(_CHANNEL_COUNTS):
        return 3
    return 1 if shape[1] == 3 and shape[3] not in _CHANNEL_COUNTS else None


def guessed_text(axes, axis):
    """A sentence about a channel axis that was guessed; "" for None."""
    return "" if axis is None else _reason(axes, axis, "guessed from the shape, rgb=False shows single planes")


def choose_channels(axes, choices, dtype, rgb, taken, is_plain, may_be_stack):
    """(channel axis or None, the reason as text).

    `rgb` None guesses, where the caller chose no axes at all (`is_plain`) or nothing but an index (`may_be_stack`); True
    searches; an axis is taken as given. `taken` are the axes that are rows, columns, fixed or reduced already.
    """
    if rgb is None:
        axis = guess_channel_axis(axes.shape, dtype, axes.names) if is_plain else None
        if may_be_stack and axis is None:
            axis = guess_channel_axis_of_stack(axes.shape, dtype)
            axis = None if axis in taken or axis in choices.cropped else axis
        return axis, guessed_text(axes, axis)
    if isinstance(rgb, (bool, np.bool_)):
        if not rgb:
            return None, ""
        axis = _search(axes, choices, taken)
        why = "rgb=True"
    else:
        axis = axes.number(rgb, "rgb")
        why = f"rgb={rgb!r}"
    _check(axes, choices, dtype, axis, taken)
    return axis, _reason(axes, axis, why)


def _search(axes, choices, taken):
    free = [axis for axis in range(len(axes)) if axis not in taken]
    fitting = [axis for axis in free if len(choices.elements(axes, axis)) in _CHANNEL_COUNTS]
    for usual in (len(axes) - 1, len(axes) - 3):
        if usual in fitting:
            return usual
    if len(fitting) == 1:
        return fitting[0]
    problem = "several axes have" if fitting else "no free axis has"
    raise ValueError(f"rgb=True: {problem} 3 or 4 elements in shape {axes.shape}; name the channel axis, such as rgb=0")


def _check(axes, choices, dtype, axis, taken):
    label, n_channels = axes.label(axis), len(choices.elements(axes, axis))
    if axis in taken:
        raise ValueError(f"axis {label} cannot be the channels (rgb) and also be shown, fixed or reduced")
    if n_channels not in _CHANNEL_COUNTS:
        raise ValueError(f"rgb: axis {label} has {n_channels} elements, but colors need 3 (RGB) or 4 (RGBA)")
    if is_complex(dtype):
        raise ValueError(f"rgb: elements of {dtype} are not colors; leave rgb out, complex_mode says how they are shown")


def _reason(axes, axis, why):
    return f"color channels: axis {axes.label(axis)} ({why})"


def _is_float(dtype):
    return "float" in dtype or dtype == "longdouble"
