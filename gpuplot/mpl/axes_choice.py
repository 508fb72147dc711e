"""Chooses the Axes to draw into: the caller's, or the current one of pyplot."""

import contextlib

from matplotlib.artist import Artist
from matplotlib.figure import FigureBase

from .undo import undone_on_failure


@contextlib.contextmanager
def drawing_axes(ax):
    """A context with (None, `ax`), or where that is None with pyplot and its current Axes.

    What is drawn in it is removed after a failure, with Axes and figures that were created for it.
    """
    with _current_axes() if ax is None else contextlib.nullcontext((None, ax)) as (pyplot, axes), undone_on_failure(axes):
        yield pyplot, axes


@contextlib.contextmanager
def _current_axes():
    """A context with pyplot and its current Axes; after a failure it removes Axes that it created."""
    from matplotlib import pyplot

    figures = pyplot.get_fignums()
    figure = pyplot.gcf()
    before = list(figure.axes)
    ax = pyplot.gca()
    try:
        yield pyplot, ax
    except BaseException:
        if figure.number not in figures:
            pyplot.close(figure)
        elif ax not in before:
            ax.remove()
        raise


def check_axes(function, unnamed, ax):
    """TypeError, before anything is drawn, for an array of Axes as `Figure.subplots` returns, or Axes as a positional argument."""
    if any(issubclass(type(value), Artist) for value in unnamed):  # not what the object says it is, as mocks do
        raise TypeError(f"give the tensor first and the Axes by keyword: {function}(X, ax=ax)")
    if ax is not None and (isinstance(ax, type) or not hasattr(ax, "add_image")):
        hint = ": choose one of them, such as ax=axs[0] or ax=axs[0, 0]" if hasattr(ax, "__getitem__") else \
            ": give one of its own, such as ax=figure.gca()" if issubclass(type(ax), FigureBase) else ""
        raise TypeError(f"ax must be one matplotlib Axes, not {type(ax).__name__}{hint}")


def is_spatial(ax):
    """Whether Axes have three dimensions: their methods turn what those of other Axes return into artists of their own."""
    return hasattr(ax, "get_zlim")


def check_flat(function, ax, is_spatial_too=True):
    """ValueError for Axes of three dimensions; `is_spatial_too`: whether their own method of that name draws in three."""
    if is_spatial(ax):
        others = f", or call matplotlib's own method with arrays, ax.{function}(*map(gpuplot.asnumpy, (x, y, z)))" if is_spatial_too else ""
        raise ValueError(f"gpuplot.{function} draws in two dimensions, and the Axes have three: give ax= others{others}")


def check_columns(noun, ax):
    """ValueError for a density in Axes where the places of one x are no column of pixels."""
    if not ax.transData.is_separable:
        raise ValueError(f"a density counts {noun} in columns of pixels, which {ax.name} Axes do not have: give density=False, or draw in "
                         "others")
