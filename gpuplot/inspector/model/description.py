"""ViewState and Colors -> the state of the front end's README, as JSON."""

from ...color.categories import texts_of_classes
from ...plane.slice_text import position_text
from .notes import tensor_facts
from .palette import N_STEPS
from .rulers import describe_rulers, uneven_note
from .settings import AUTOMATIC
from .ticks import scale_ticks

GRAY = "#8c8c8c"


def lists(pairs):
    """Pairs as lists."""
    return pairs if pairs is None else [list(pair) for pair in pairs]


def describe_tensor(view_state, collection):
    """The fields ``kind, items, item, tensor, is_slow``."""
    notes = [note for note in (view_state.settings.roles.guess, uneven_note(view_state), collection.note) if note]
    item = view_state.item
    return {"kind": view_state.kind, "items": collection.names, "item": item.name, "tensor": tensor_facts(item, notes),
            "is_slow": item.is_slow}


def describe_axes(view_state):
    """The fields ``axes, slice, rulers, plane, view, selection, aspect, origin, facets``."""
    settings, roles = view_state.settings, view_state.settings.roles
    ops = dict(roles.reduced)
    names = roles.axes.names or ("",) * len(roles.axes)
    return {
        "axes": [{"name": name, "size": size, "role": roles.role(axis), "index": roles.index[axis], "op": ops.get(axis),
                  "coordinate": position_text(view_state.source, axis, roles.index[axis]) or ""}
                 for axis, (name, size) in enumerate(zip(names, roles.axes.shape, strict=True))],
        "slice": view_state.slice_text,
        "rulers": describe_rulers(view_state),
        "plane": list(view_state.shape),
        "view": lists(settings.view),
        "selection": lists(settings.selection),
        "aspect": view_state.aspect,
        "origin": view_state.origin,
        "facets": view_state.facets.labels(roles, view_state.source),
    }


def describe_colors(view_state, agg, colors, coloring):
    """The fields from ``agg`` to ``categories``."""
    settings, palette, modes = view_state.settings, coloring.palette, list(view_state.item.complex_modes)
    cmaps, norms = palette.menus(settings)
    # Choosing a norm or an aggregation shows classes as numbers; "automatic" shows them as classes again.
    automatic = [AUTOMATIC] if coloring.could_be_categorical(view_state) else []
    menus = {"aggs": [*automatic, *view_state.aggs], "cmaps": [AUTOMATIC, *cmaps], "norms": [*automatic, *norms]}
    if view_state.kind == "line":  # without colors and aggregations
        menus = {name: [] for name in menus}
    return menus | {
        "agg": AUTOMATIC if colors.is_categorical and settings.agg is None else agg, "nan": settings.nan,
        "cmap": settings.cmap or AUTOMATIC, "cmap_name": settings.cmap or colors.cmap.name,
        "norm": settings.norm or (AUTOMATIC if colors.is_categorical else "linear"),
        "complex_mode": view_state.item.complex_mode(settings.complex_mode) if modes else None, "complex_modes": modes,
        "vmin": colors.vmin, "vmax": colors.vmax,
        "is_fixed": {"vmin": settings.vmin is not None, "vmax": settings.vmax is not None},
        "limits": settings.limits, "limits_source": "pixels" if colors.is_of_cells else "elements",
        "largest": coloring.largest(view_state) if colors.is_of_cells else "",
        "robust": settings.robust is not False, "region": settings.region,
        "is_rgb": view_state.view.is_rgb, "takes_rgb": view_state.item.takes_rgb and not modes, "is_categorical": colors.is_categorical,
        "colors": {**_bar(view_state, colors, coloring), **palette.mark_texts(colors.cmap), **palette.end_texts(colors.cmap)},
        "categories": colors.category_colors(texts_of_classes(palette.labels, view_state.source.dtype)),
    }


def _bar(view_state, colors, coloring):
    """The fields ``bar, edges, ticks``; gray for color channels and lines, which have no colormap."""
    if view_state.view.is_rgb or view_state.kind == "line":
        return {"bar": [GRAY] * N_STEPS, "edges": None, "ticks": []}
    bar, edges = colors.bar(coloring.store.sample() if colors.is_ranked else None)
    ticks = scale_ticks(colors.vmin, colors.vmax, edges)
    if colors.vmin == colors.vmax:  # what the one color stands for
        ticks = [[0.5, f"{colors.vmin:.6g}"]]
    return {"bar": bar, "edges": None if edges is None else edges.tolist(), "ticks": ticks}
