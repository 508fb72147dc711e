"""The Axes that something is drawn into: one that the caller names, or the current one of pyplot."""

import contextlib

from matplotlib.artist import Artist


@contextlib.contextmanager
def current_axes():
    """pyplot and its current Axes, which go again after a failure where they were made for this."""
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
    """Before anything is drawn: what `Figure.subplots` returns is often an array, and some functions take Axes without a name."""
    if any(issubclass(type(value), Artist) for value in unnamed):  # not what the object says it is, as mocks do
        raise TypeError(f"the tensor comes first and the Axes by its name: {function}(X, ax=ax)")
    if ax is not None and not hasattr(ax, "add_image"):
        hint = ": choose one of them, such as ax=axs[0] or ax=axs[0, 0]" if hasattr(ax, "__getitem__") else ""
        raise TypeError(f"ax must be one matplotlib Axes, not {type(ax).__name__}{hint}")
