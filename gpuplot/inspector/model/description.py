"""The state of an inspector as the page gets it: texts, finite numbers, lists and dicts, nothing else."""

from __future__ import annotations

from ...plane.slice_text import position_text
from .notes import tensor_facts
from .palette import N_STEPS
from .rulers import describe_rulers, uneven_note
from .settings import AUTOMATIC
from .ticks import ticks_of

__all__ = ["describe_axes", "describe_colors", "describe_tensor"]

GREY = "#8c8c8c"


def lists(pairs):
    """Pairs as JSON has them."""
    return pairs if pairs is None else [list(pair) for pair in pairs]


def describe_tensor(shown, collection):
    """The fields ``kind, items, item, tensor``."""
    notes = [note for note in (shown.settings.roles.guess, uneven_note(shown), collection.note) if note]
    return {"kind": shown.kind, "items": collection.names, "item": shown.item.name, "tensor": tensor_facts(shown.item, notes)}


def describe_axes(shown):
    """The fields ``axes, slice, rulers, plane, view, selection, aspect, origin, facets``."""
    settings, roles = shown.settings, shown.settings.roles
    ops = dict(roles.reduced)
    names = roles.axes.names or ("",) * len(roles.axes)
    return {
        "axes": [{"name": name, "size": size, "role": roles.role(axis), "index": roles.index[axis], "op": ops.get(axis),
                  "place": position_text(shown.source, axis, roles.index[axis]) or ""}
                 for axis, (name, size) in enumerate(zip(names, roles.axes.shape, strict=True))],
        "slice": shown.slice_text,
        "rulers": describe_rulers(shown),
        "plane": list(shown.shape),
        "view": lists(settings.view),
        "selection": lists(settings.selection),
        "aspect": shown.aspect,
        "origin": shown.origin,
        "facets": shown.facets.labels(roles, shown.source),
    }


def describe_colors(shown, agg, colors, painter):
    """The fields from ``agg`` to ``categories``; `painter` is the Coloring."""
    settings, palette, modes = shown.settings, painter.palette, list(shown.item.complex_modes)
    cmaps, norms = palette.menus(settings)
    # Classes are shown where nobody chose a norm or an aggregation of numbers: the menus have a way back to them.
    automatic = [AUTOMATIC] if painter.could_be_categorical(shown) else []
    is_open = colors.is_categorical
    menus = {"aggs": [*automatic, *shown.aggs], "cmaps": [AUTOMATIC, *cmaps], "norms": [*automatic, *norms]}
    if shown.kind == "line":  # which has no colours, and shows its columns in one way
        menus = {name: [] for name in menus}
    return menus | {
        "agg": AUTOMATIC if is_open and settings.agg is None else agg, "nan": settings.nan,
        "cmap": settings.cmap or AUTOMATIC, "cmap_name": settings.cmap or colors.cmap.name,
        "norm": settings.norm or (AUTOMATIC if is_open else "linear"),
        "complex_mode": shown.item.complex_mode(settings.complex_mode) if modes else None, "complex_modes": modes,
        "vmin": colors.vmin, "vmax": colors.vmax,
        "is_fixed": {"vmin": settings.vmin is not None, "vmax": settings.vmax is not None},
        "limits": settings.limits, "limits_of": "pixels" if colors.is_of_cells else "elements",
        "largest": painter.largest(shown) if colors.is_of_cells else "",
        "robust": settings.robust is not False, "region": settings.region,
        "is_rgb": shown.view.is_rgb, "takes_rgb": shown.item.takes_rgb and not modes, "is_categorical": colors.is_categorical,
        "colors": {**_bar(shown, colors, painter), **palette.mark_texts(colors.cmap), **palette.end_texts(colors.cmap)},
        "categories": colors.category_colors(palette.labels),
    }


def _bar(shown, colors, painter):
    """The fields ``bar, edges, ticks`` of the colours."""
    # No colormap has a say in an image of channels or in a line, whose histogram is of one grey.
    if shown.view.is_rgb or shown.kind == "line":
        return {"bar": [GREY] * N_STEPS, "edges": None, "ticks": []}
    bar, edges = colors.bar(painter.store.sample() if colors.is_ranked else None)
    ticks = ticks_of(colors.vmin, colors.vmax, edges)
    return {"bar": bar, "edges": None if edges is None else edges.tolist(), "ticks": ticks}
