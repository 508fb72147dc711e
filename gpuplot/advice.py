"""What to say about a name that gpuplot does not have: the nearest right one, or what to write instead."""

from __future__ import annotations

import difflib

__all__ = ["about_attribute", "about_keyword", "about_positional"]

# What other libraries call a keyword, where spelling does not lead to it.
_SYNONYMS = {"axis": "dim", "axes": "dims", "dim": "dims", "dims": "dim", "colormap": "cmap", "palette": "cmap",
             "classes": "categorical", "channelaxis": "rgb", "cbar": "colorbar", "opacity": "alpha", "size": "shape",
             "reduction": "agg", "aggregate": "agg", "quantiles": "percentiles", "q": "percentiles", "range": "value_range"}

# Keywords of functions around `imshow` in matplotlib, with what does that here.
_ELSEWHERE = {
    "title": "write imshow(X).axes.set_title(...)",
    "xlabel": "write imshow(X).axes.set_xlabel(...)",
    "ylabel": "write imshow(X).axes.set_ylabel(...)",
    "figsize": "make the figure first, fig, ax = plt.subplots(figsize=...), then imshow(X, ax=ax)",
    "fig": "give one of its Axes, imshow(X, ax=fig.gca())",
    "dpi": "the figure has it, plt.figure(dpi=...)",
    "shape": "pixels are those of the Axes; to_rgba(X, shape) and imsave(fname, X, shape=shape) take a shape",
}

_NAMES = {
    "plot": "lines are matplotlib's, plt.plot(gpuplot.asnumpy(X)); imshow and inspect draw images",
    "hist": "stats(X).hist and .bin_edges are one, and inspect(X) shows it",
    "histogram": "stats(X).hist and .bin_edges are one, and inspect(X) shows it",
    "scatter": "points are matplotlib's, plt.scatter(gpuplot.asnumpy(x), gpuplot.asnumpy(y))",
    "heatmap": "write imshow(X)",
    "matshow": "write imshow(X)",
    "pcolormesh": "write imshow(X, extent=...), or give imshow an xarray.DataArray with coordinates",
    "show": "figures are matplotlib's, plt.show(); inspect(X) shows itself",
    "savefig": "figures are matplotlib's, plt.savefig(...); imsave(fname, X) writes a tensor's pixels",
    "save": "imsave(fname, X) writes a PNG file",
    "figure": "figures are matplotlib's, plt.figure(...)",
    "subplots": "figures are matplotlib's, plt.subplots(...), then imshow(X, ax=ax)",
    "colorbar": "write imshow(X, colorbar=True)",
    "view": "write inspect(X)",
    "describe": "write stats(X)",
    "summary": "write stats(X)",
    "to_numpy": "write asnumpy(X)",
    "numpy": "write asnumpy(X)",
}


def _nearest(name, names):
    """The one of the names that was probably meant, or None."""
    name = name.lower().replace("colour", "color").replace("grey", "gray")
    synonym = _SYNONYMS.get(name.replace("_", ""))
    if synonym in names:
        return synonym
    return next(iter(difflib.get_close_matches(name, sorted(names), 1, 0.7)), None)


def about_keyword(function, name, names):
    """The words about a keyword that a function does not have; `names` are those it has."""
    said = f"{function}() got an unexpected keyword argument {name!r}"
    if function == "imshow" and name in _ELSEWHERE:
        return f"{said}: {_ELSEWHERE[name]}"
    nearest = _nearest(name, names)
    return f"{said}: did you mean {nearest}=?" if nearest else f"{said}; help(gpuplot.{function}) lists those it has"


def about_positional(function, name):
    """The words about a tensor that was given by its name."""
    return f"{function}() takes {name} without its name: write {function}(x, ...) instead of {function}({name}=x, ...)"


def about_attribute(name, names):
    """The words about an attribute that the package does not have."""
    said = f"module 'gpuplot' has no attribute {name!r}"
    if name in _NAMES:
        return f"{said}: {_NAMES[name]}"
    nearest = None if name.startswith("_") else _nearest(name, names)
    return f"{said}: did you mean {nearest}?" if nearest else said
