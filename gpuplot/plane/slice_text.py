"""Describes the place of a plane in its tensor: ``"head = 5, time = 2026-04-01, mean over batch"``."""

import math

import numpy as np

from .channels import advice_on_stack, possible_channel_axis

# Most letters of an element's name, and most coordinates of the whole tensor.
MAX_NAME, MAX_SCALARS = 60, 4

# Digits of a coordinate: usually, and at most, where neighbors differ in later ones.
DIGITS, MAX_DIGITS = 6, 17


def slice_text(source, view, has_advice=True):
    """`places_text` of a plane; for one channel of a possible stack of pictures also, in brackets, how to show its colors.

    `view` None is the whole of a 2-D or RGB array. `has_advice` is False where the caller chose whether there are colors.
    """
    advice = colors_advice(view) if has_advice else ""
    return places_text(source, view) + (f" ({advice})" if advice else "")


def colors_advice(view):
    """The keyword that shows the colors of a possible stack of pictures, of which a plane shows one channel; else ""."""
    advice = "" if view is None or view.is_rgb else advice_on_stack(view.tensor_shape, view.dtype)
    return advice if advice and _is_part_of_colors(view) else ""


def _is_part_of_colors(view):
    """Whether a plane is one channel, or has the channels as columns, of a tensor that may be pictures."""
    axis = possible_channel_axis(view.tensor_shape, view.dtype)
    return view.uses[axis].role == "fixed" or (axis == 3 and view.uses[axis].role == "cols")


def places_text(source, view, left_out=()):
    """The place along the hidden axes, but for those in `left_out`, and scalar coordinates of the whole tensor; "" for nothing.

    Axes are named by name or number, elements by their coordinates where there are any, as in titles of xarray.
    """
    texts = [] if view is None else [*_fixed_texts(source, view, left_out), *_reduced_texts(view)]
    texts += _scalar_texts(source)
    if source.part_text:
        texts.append(source.part_text)
    return ", ".join(texts)


def _fixed_texts(source, view, left_out):
    """Of axes that are fixed at an element; those with a single element only where that has a name."""
    for axis, use in enumerate(view.uses):
        if use.role == "fixed" and axis not in left_out:
            text = position_text(source, axis, use.start)
            if text is not None or view.tensor_shape[axis] > 1:
                yield f"{_name(view, axis)} = {use.start if text is None else _with_unit(text, source.labels.axes[axis].unit)}"


def _scalar_texts(source):
    """Of the first scalar coordinates of the whole tensor."""
    scalars = () if source.labels is None else source.labels.scalars
    for scalar in scalars[:MAX_SCALARS]:
        yield f"{scalar.name} = {_with_unit(value_text(scalar.value), scalar.unit)}"
    if len(scalars) > MAX_SCALARS:
        yield "..."


def _with_unit(text, unit):
    return f"{text} [{unit}]" if unit else text


def _reduced_texts(view):
    """Of axes that are reduced, in the order of the reductions."""
    for stage, op in enumerate(view.stage_ops):
        names = [_name(view, axis) for axis, use in enumerate(view.uses) if use.role == "hidden" and use.stage == stage]
        if names:
            yield f"{op} over {' and '.join(names)}"


def _name(view, axis):
    return (view.names[axis] if view.names else "") or f"axis {axis}"


def position_text(source, axis, i):
    """The coordinate or the name of an element of an axis as text; None where the tensor has none."""
    axes = source.labels.axes if source.labels is not None and source.labels.axes else ()
    positions, names = (axes[axis].positions, axes[axis].names) if axis < len(axes) else (None, None)
    if names is not None and 0 <= i < len(names):
        return name_text(names[i])
    if positions is None or not 0 <= i < len(positions):
        return None
    return value_text(positions[i], _digits_at(positions, i))


def _digits_at(positions, i):
    """Digits in which a coordinate differs from its neighbors, `DIGITS` at least."""
    if getattr(getattr(positions, "dtype", None), "kind", "") != "f":
        return DIGITS
    with np.errstate(all="ignore"):
        steps = np.abs(np.diff(np.asarray(positions[max(0, i - 1):i + 2], float)))
        steps = steps[(steps > 0) & np.isfinite(steps)]
        size = abs(float(positions[i]))
        if not len(steps) or not 0 < size < math.inf:
            return DIGITS
        return min(MAX_DIGITS, max(DIGITS, math.ceil(math.log10(size) - math.log10(steps.min())) + 2))


def value_text(value, digits=DIGITS):
    """A coordinate as text: a number, date or duration of NumPy, or any object; None where it has no text."""
    kind = getattr(getattr(value, "dtype", None), "kind", "O")
    if kind == "m":
        duration = value.astype("m8[us]")
        is_same = duration.astype(value.dtype) == value  # Python's durations have no nanoseconds; NaT equals nothing
        return str(duration.astype(object) if is_same else value)
    if kind == "M":
        return str(np.datetime_as_string(value, unit="auto")).removesuffix("T00:00:00.000000000")
    return f"{value:.{digits}g}" if kind == "f" else name_text(value)


def name_text(name):
    """The name of an element, all levels of a tuple; None where an object fails at its text."""
    try:
        text = ", ".join(map(str, name)) if isinstance(name, tuple) else str(name)
    except Exception:
        return None
    return text[:MAX_NAME].removesuffix(" 00:00:00")
