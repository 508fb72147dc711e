"""Long and short samples, and Axes for their lines: what the tests of `plot` share."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from gpuplot.plane.series import MAX_COPIED_SAMPLES

RNG = np.random.default_rng(0)
LONG = RNG.normal(size=MAX_COPIED_SAMPLES + 1000).cumsum().astype("f4")
SHORT = RNG.normal(size=50)


def decorated():
    """An Axes with its decoration, which Agg draws."""
    fig = Figure(figsize=(4, 3))
    FigureCanvasAgg(fig)
    return fig.add_subplot()


def points(line):
    """The points that a line draws in its Axes now."""
    line.get_figure().canvas.draw()
    return line.get_xydata()
