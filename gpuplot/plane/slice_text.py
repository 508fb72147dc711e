"""Where a plane is in its tensor, in words: ``"head = 5, time = 2026-04-01, mean over batch"``."""

from __future__ import annotations

import numpy as np

from .channels import advice_on_stack

__all__ = ["name_text", "places_text", "position_text", "slice_text"]

# Letters of an element's name.
MOST_NAME = 60


def slice_text(source, view):
    """`places_text` of a plane, and in brackets how to see the colours of a stack of which it is one channel."""
    advice = "" if view.is_rgb else advice_on_stack(view.tensor_shape, view.dtype)
    return places_text(source, view) + (f" ({advice})" if advice and view.uses[1][0] == "fixed" else "")


def places_text(source, view, left_out=()):
    """What was done to the axes of a tensor that are not seen, but for those in `left_out`; "" where there are none.

    Axes that stand at an element are said as xarray says them in titles: by name, or number, and by coordinate where there are any.
    """
    fixed = [f"{_name(view, axis)} = {position_text(source, axis, use[1]) or use[1]}" for axis, use in enumerate(view.uses)
             if use[0] == "fixed" and view.tensor_shape[axis] > 1 and axis not in left_out]
    reduced = []
    for stage, op in enumerate(view.stage_ops):
        names = [_name(view, axis) for axis, use in enumerate(view.uses) if use[0] == "hidden" and use[4] == stage]
        reduced += [f"{op} over {' and '.join(names)}"] * bool(names)
    return ", ".join([*fixed, *reduced])


def _name(view, axis):
    return (view.names[axis] if view.names else "") or f"axis {axis}"


def position_text(source, axis, i):
    """The coordinate or the name of an element of an axis as text; None where the tensor has none there."""
    axes = source.labels.axes if source.labels is not None and source.labels.axes else ()
    positions, names = (axes[axis].positions, axes[axis].names) if axis < len(axes) else (None, None)
    if names is not None and 0 <= i < len(names):
        return name_text(names[i])
    if positions is None or not 0 <= i < len(positions):
        return None
    value = positions[i]
    if positions.dtype.kind == "M":
        return str(np.datetime_as_string(value, unit="auto")).removesuffix("T00:00:00.000000000")
    return f"{value:.6g}" if positions.dtype.kind == "f" else str(value)


def name_text(name):
    """What an element is called, one of several levels by all of them; None where an object of somebody's own cannot say it."""
    try:
        text = ", ".join(map(str, name)) if isinstance(name, tuple) else str(name)
    except Exception:
        return None
    return text[:MOST_NAME].removesuffix(" 00:00:00")
