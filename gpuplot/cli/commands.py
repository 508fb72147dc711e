"""The commands that draw graphs: how many tensors each takes, and which function of gpuplot draws them."""

from dataclasses import dataclass

from .errors import UsageError


@dataclass(frozen=True)
class Graph:
    """A command that draws tensors of files with the gpuplot function of its name."""

    tensors: str  # as the usage names them
    n_tensors: tuple[int, int]  # minimum and maximum
    has_axes: bool = True  # whether it draws into Axes, with options for their labels, limits and scales
    properties: tuple[str, ...] = ()  # of matplotlib's artists, beside the function's own keywords
    own: tuple[str, ...] = ()  # options of the command's own that other graphs lack


MAX_TENSORS = 64
GRAPHS = {
    "plot": Graph("[X] Y...", (1, MAX_TENSORS),
                  properties=("alpha", "color", "drawstyle", "label", "linestyle", "linewidth", "marker", "markersize")),
    "hist": Graph("X...", (1, MAX_TENSORS), properties=("alpha", "color", "edgecolor", "hatch", "label", "linestyle", "linewidth")),
    "hist2d": Graph("X Y", (2, 2)),
    "scatter": Graph("X Y [C]", (2, 3), properties=("alpha", "color", "edgecolor", "label", "linewidth", "marker")),
    "grid": Graph("X...", (1, MAX_TENSORS), False), "compare": Graph("A B", (2, 2), False, own=("check", "json")),
}


def function_of(command):
    """The gpuplot function that a command calls."""
    from ..mpl.compare import compare
    from ..mpl.grid import grid
    from ..mpl.hist import hist
    from ..mpl.hist2d import hist2d
    from ..mpl.plot import plot
    from ..mpl.scatter import scatter

    return {"plot": plot, "hist": hist, "hist2d": hist2d, "scatter": scatter, "grid": grid, "compare": compare}[command]


def check_count(command, n):
    """UsageError for too few or too many tensors."""
    least, most = GRAPHS[command].n_tensors
    if not least <= n <= most:
        wanted = least if least == most else f"{least} to {most}"
        raise UsageError(f"{command} draws {wanted} tensors, not {n}: type gpuplot {command} {GRAPHS[command].tensors}, each written "
                         "FILE#NAME")
