"""The shown planes as a matplotlib figure, drawn by `gpuplot.imshow` with the same settings."""

import copy
import io

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

from ...color.categories import CategoryNorm, check_labels
from ...mpl.imshow import colorbar_texts, imshow
from ...mpl.part import show_part
from ..model.description import describe_axes
from ..model.facets import element_text
from .still import facet_grid

# Width in inches of a figure of one picture, and of each facet.
WIDTH, FACET_WIDTH = 6.4, 2.4
# Columns of a line, and pixels per side of a difference, which `imshow` cannot draw.
LINE_COLUMNS, MAX_PIXELS = 2000, 1024


class NotebookFigure(Figure):
    """A Figure that notebooks show as the last line of a cell, even before ``%matplotlib`` or pyplot register a formatter."""

    def _repr_png_(self):
        data = io.BytesIO()
        self.savefig(data, format="png", dpi="figure", bbox_inches="tight")
        return data.getvalue()


def make_figure(scene):
    """The figure of a Scene, with the same view, colors and limits; pyplot does not keep it."""
    view_state, agg, colors, options, marks = scene.picture()
    view_state.item.check_there()
    if view_state.kind == "text":
        raise ValueError("to_figure: a tensor without elements or axes has no picture")
    n_rows, n_cols = facet_grid(describe_axes(view_state))
    is_one = n_rows == n_cols == 1
    layout = "compressed" if view_state.aspect == "equal" else "constrained"
    figure = NotebookFigure(figsize=_size(view_state, n_rows, n_cols), layout=layout)
    axs = figure.subplots(n_rows, n_cols, squeeze=False)
    title = _title(view_state)
    axs[0, 0].set_title(title) if is_one else figure.suptitle(title)
    if view_state.kind == "line":
        _draw_line(axs[0, 0], scene, view_state)
        return figure
    style = _style(view_state, agg, colors, options, marks)
    indices = view_state.facets.indices(view_state.settings.roles)
    for ax in axs.flat[len(indices):]:
        ax.remove()
    used_axs = list(axs.flat[:len(indices)])
    images = [_draw_facet(ax, scene, view_state, index, k, style) for k, (ax, index) in enumerate(zip(used_axs, indices, strict=True))]
    _add_colorbar(figure, used_axs, images[0], view_state, colors, options["labels"], scene.extend())
    if not is_one:
        _name_facets(axs, view_state)
    return figure


def _size(view_state, n_rows, n_cols):
    """Width and height in inches, from the pictures' aspect with room for labels."""
    width, room = (WIDTH, 0.9) if n_rows == n_cols == 1 else (FACET_WIDTH, 0.4)
    row0, row1, col0, col1 = _window(view_state)
    aspect = (row1 - row0) / (col1 - col0) if view_state.kind == "image" and view_state.aspect == "equal" else 0.75
    height = min(max(0.8 * width * aspect + room, 0.3 * width), 1.5 * width)
    return width * n_cols, height * n_rows


def _title(view_state):
    """Name of the tensor, index of the axes that are not shown, and complex mode."""
    mode = (view_state.view.complex_mode or "").replace("_", " ")
    return ", ".join(text for text in (view_state.item.name, view_state.slice_text, mode) if text)


def _add_colorbar(figure, axs, image, view_state, colors, labels, extend):
    """Adds a colorbar if colors have one; for classes, with their names."""
    if view_state.view.is_rgb or isinstance(colors.norm, CategoryNorm):
        return
    is_made = view_state.is_computed or view_state.view.is_hue
    texts = {} if view_state.is_computed else colorbar_texts(image)
    bar = figure.colorbar(ScalarMappable(colors.norm, colors.cmap) if is_made else image, ax=axs, extend=extend, **texts)
    if view_state.view.is_hue:
        bar.set_label("phase")
    if colors.categories:
        names = check_labels(labels) or {}
        bar.set_ticks(colors.categories, labels=[str(names.get(value, value)) for value in colors.categories])
        bar.ax.minorticks_off()


def _style(view_state, agg, colors, options, marks):
    """Keywords of `imshow` for all facets."""
    roles, settings = view_state.settings.roles, view_state.settings
    return {
        "dims": options["dims"], "x": roles.x, "y": roles.y, "rgb": False if roles.rgb is None else roles.rgb,
        "reduce": dict(roles.reduced) or None, "complex_mode": settings.complex_mode,
        "agg": agg, "nan": settings.nan,
        "denorm": options["denorm"], "alpha": options["alpha"], "labels": options["labels"], "stream": options["stream"],
        "aspect": view_state.aspect, "origin": view_state.origin, "cmap": colors.cmap,
        # matplotlib's log norms cannot be scaled to three channels.
        "norm": None if view_state.view.is_rgb else colors.norm,
        **{f"{name}_color": getattr(marks, name) for name in ("nan", "pos_inf", "neg_inf", "under", "over")},
    }


def _draw_facet(ax, scene, view_state, index, k, style):
    """The image of facet k, at an index."""
    roles = view_state.settings.roles
    if view_state.is_computed:
        image = ax.imshow(_pixels(scene, view_state)[k], extent=_extent(view_state), aspect=style["aspect"], origin=style["origin"])
    else:
        index = dict(roles.cropped) | {axis: roles.index[axis] for axis in roles.stepped()} | dict(index)
        image = imshow(view_state.source, ax=ax, index=index or None, **style | {"norm": copy.deepcopy(style["norm"])})
    if view_state.settings.view is not None and not view_state.is_computed:
        show_part(image, *view_state.settings.view)
    return image


def _window(view_state):
    (row0, row1), (col0, col1) = view_state.settings.view or ((0, view_state.shape[0]), (0, view_state.shape[1]))
    return float(row0), float(row1), float(col0), float(col1)


def _extent(view_state):
    """The view in matplotlib's coordinates, where the center of an element is a whole number."""
    row0, row1, col0, col1 = _window(view_state)
    rows = (row1 - 0.5, row0 - 0.5)
    return (col0 - 0.5, col1 - 0.5, *(rows if view_state.origin == "upper" else rows[::-1]))


def _pixels(scene, view_state):
    window = _window(view_state)
    size = tuple(int(min(max(1, round(high - low)), MAX_PIXELS)) for low, high in (window[:2], window[2:]))
    return scene.draw_aside(window, size).pixels


def _name_facets(axs, view_state):
    """Writes the labels of facets instead of ticks and titles."""
    roles, facets = view_state.settings.roles, view_state.facets
    for ax in axs.flat:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel("")
        ax.set_ylabel("")
        if ax.get_title():
            ax.set_title("")
    if facets.is_wrapped or roles.columns is not None:
        # Of the first row, or of all where they wrap.
        for i, ax in enumerate(axs.flat[:len(facets) if facets.is_wrapped else facets.counts[1]]):
            ax.set_title(element_text(roles, view_state.source, facets.axes[-1], i), fontsize="small")
    if roles.rows is not None and not facets.is_wrapped:
        for i, ax in enumerate(axs[:, 0]):
            ax.set_ylabel(element_text(roles, view_state.source, roles.rows, i), fontsize="small")


def _draw_line(ax, scene, view_state):
    """Draws the mean of each column, and a band from its lowest to its highest element."""
    row0, row1, col0, col1 = _window(view_state)
    n = int(min(max(1, round(col1 - col0)), LINE_COLUMNS))
    drawn = scene.draw_aside((row0, row1, col0, col1), (1, n))
    low, high, mean, *_ = drawn.line
    x = col0 + (np.arange(n) + 0.5) * (col1 - col0) / n - 0.5
    ax.fill_between(x, low, high, step="mid", alpha=0.35, linewidth=0)
    ax.plot(x, mean)
    room = (drawn.limits[1] - drawn.limits[0]) / 20
    if room > 0:
        ax.set_ylim(drawn.limits[0] - room, drawn.limits[1] + room)
    ax.set_xlim(col0 - 0.5, col1 - 0.5)
