"""Which y the scale of an Axes can show."""

import numpy as np


def y_scale(line):
    """The scale of y of a line's Axes: another object after each `set_yscale`."""
    return line.axes.yaxis._scale


def shown_by(line):
    """A function: y (n,) -> for each whether the drawing transform of a line takes it to a place; None where it does so for all."""
    transform = line.get_transform()
    if transform.is_affine or y_scale(line).name == "linear":
        return None

    def shows(y):
        with np.errstate(all="ignore"):
            # x does not matter to a separable transform; 0.5 is in the domain of every scale.
            there = transform.transform(np.column_stack([np.full(len(y), 0.5), y]))[:, 1]
        return np.isfinite(there)
    return shows
