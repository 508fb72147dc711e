"""Advice about names that gpuplot does not have: the nearest right one, or what to write instead."""

import difflib

# Names of keywords in other libraries that are not spelled alike.
_SYNONYMS = {"axis": "dim", "axes": "dims", "dim": "dims", "dims": "dim", "colormap": "cmap", "palette": "cmap",
             "classes": "categorical", "channelaxis": "rgb", "cbar": "colorbar", "opacity": "alpha", "size": "shape",
             "reduction": "agg", "aggregate": "agg", "quantiles": "percentiles", "q": "percentiles", "range": "value_range",
             "color": "cmap", "colors": "cmap", "interp": "interpolation", "log": "norm", "scale": "norm",
             "percentile": "robust", "quantile": "robust", "clim": "vmin", "width": "shape", "height": "shape", "resolution": "shape",
             "hue": "c", "ncol": "nrow", "ncols": "nrow", "ncolumns": "nrow"}

# Values of keywords as other libraries spell them: of several, the first that a keyword takes.
_SAME_VALUES = {"abs": ("amplitude", "absmax"), "magnitude": ("amplitude", "absmax"), "absolute": ("amplitude", "absmax"),
                "modulus": ("amplitude",), "angle": ("phase",), "arg": ("phase",), "imag": ("imaginary",), "im": ("imaginary",),
                "re": ("real",), "power": ("square_amplitude",), "intensity": ("square_amplitude",), "average": ("mean",),
                "avg": ("mean",), "area": ("mean",), "amax": ("max",), "amin": ("min",), "nanmax": ("max",), "nanmin": ("min",),
                "nanmean": ("mean",), "total": ("sum",), "size": ("count",), "ignore": ("skip",), "omit": ("skip",),
                "propagate": ("show",), "bottom": ("lower",), "top": ("upper",), "pixel": ("pixels",), "element": ("elements",)}

# What is mostly given too much without a name, where matplotlib takes it so.
_BY_NAME = {"hist": "range=(low, high)", "hist2d": "range=((x0, x1), (y0, y1))"}

# Functions that draw into Axes, with their arguments; and keywords of other libraries' functions that are about these Axes.
_DRAWN = {"imshow": "X", "plot": "x, y", "hist": "X", "hist2d": "x, y", "scatter": "x, y"}
_OF_AXES = ("title", "xlabel", "ylabel", "xlim", "ylim", "xscale", "yscale", "xticks", "yticks")

# Keywords of functions around `imshow` in matplotlib, and what to write here.
_ELSEWHERE = {
    "fig": "give one of its Axes, imshow(X, ax=fig.gca())",
    "dpi": "the figure has it, plt.figure(dpi=...)",
    "mask": "mask the elements, np.ma.masked_array(X, mask), or set them to NaN",
    **dict.fromkeys(("annot", "fmt"), "inspect(X) writes numbers into elements that are large enough"),
    **dict.fromkeys(("colorbar_label", "cbar_label", "clabel"), "write imshow(X, colorbar=True).colorbar.set_label(...)"),
    **dict.fromkeys(("shape", "width", "height"),
                    "pixels are those of the Axes; to_rgba(X, shape) and imsave(fname, X, shape=shape) take a shape"),
}

# The same by function: (function, keyword).
_ELSEWHERE_FROM = {
    ("to_rgba", "colorbar"): "pixels have none; imshow(X, colorbar=True) draws one",
    ("imsave", "colorbar"): "a file of pixels has none; imshow(X, colorbar=True) draws one, and Figure.savefig writes it",
    ("downsample", "colorbar"): "cells are numbers; imshow(X, colorbar=True) draws one",
    ("scatter", "colorbar"): "write plt.colorbar(scatter(x, y))",
    ("hist2d", "colorbar"): "write plt.colorbar(hist2d(x, y)[3])",
    ("plot", "colorbar"): "a density has one, plt.colorbar(plot(X, x=1, density=True))",
    ("compare", "colorbar"): "both scales have one",
    ("compare", "figsize"): "write compare(a, b).set_size_inches(...)",
    ("compare", "ax"): "it makes a figure; its pictures alone are imshow(a, ax=ax) and imshow(a - b, ax=ax, center=0)",
    ("grid", "figsize"): "make the figure first, fig, ax = plt.subplots(figsize=...), then grid(X, ax=ax)",
    **{("hist", name): "write hist(X)" for name in ("x", "data")},
    ("inspect", "colorbar"): "the inspector always has one",
    ("inspect", "figsize"): "the inspector is as wide as its cell, height= is its height in pixels",
    ("inspect", "width"): "the inspector is as wide as its cell, height= is its height in pixels",
    ("inspect", "view"): "write w = inspect(X), then w.view = ((row0, row1), (col0, col1))",
    **{(name, "level"): "numbers are those of level 0, X; a stored preview's own are those of its array, such as X['2']"
       for name in ("stats", "hist", "hist2d", "plot", "scatter", "asnumpy")},
    **{(name, "level"): "levels of a pyramid are shown by imshow and inspect" for name in ("compare", "grid")},
    **{(name, of_axes): f"write {'imshow(X).axes' if name == 'imshow' else 'plt.gca()'}.set_{of_axes}(...)"
       for name in _DRAWN for of_axes in _OF_AXES},
    **{(name, f"log{axis}"): f'write plt.{axis}scale("log")' for name in _DRAWN if name != "imshow" for axis in "xy"},
    ("hist", "logy"): "write hist(X, log=True)",
    **{("plot", name): 'write plt.yscale("log")' for name in ("log", "logscale", "log_scale")},
    **{("imshow", f"log{axis}"): "colors on a log scale are norm='log'" for axis in "xy"},
    ("scatter", "markersize"): "write s=..., the area of a marker, which is markersize**2",
    **{(name, "figsize"): f"make the figure first, fig, ax = plt.subplots(figsize=...), then {name}({args}, ax=ax)"
       for name, args in _DRAWN.items()},
    **{(name, "legend"): "give label=..., then write plt.legend()" for name in _DRAWN if name != "imshow"},
    **{(name, "grid"): "write plt.grid()" for name in _DRAWN},
    ("inspect", "ax"): "the inspector has its own page; write imshow(X, ax=ax), or w.to_figure()",
}

_NAMES = {
    "histogram": "write hist(X); stats(X).hist and .bin_edges are the numbers alone",
    "line": "write plot(y), or plot(x, y)",
    "histogram2d": "write hist2d(x, y)",
    "contour": "lines are matplotlib's, plt.contour(gpuplot.downsample(X, (300, 400)))",
    "make_grid": "write grid(X)",
    "montage": "write grid(X)",
    "save_image": "write imsave(fname, X, grid=True)",
    "diff": "write compare(a, b)",
    "difference": "write compare(a, b)",
    "assert_close": "compare(a, b).comparison has the numbers",
    "imread": "files are read by others, X = plt.imread(fname); then imshow(X)",
    "array": "nothing is converted, write imshow(X); asnumpy(X) makes a NumPy array",
    "display": "write inspect(X), or imshow(X) and plt.show()",
    "heatmap": "write imshow(X)",
    "bar": "a bar of counts is hist(X); others are matplotlib's, plt.bar(x, gpuplot.asnumpy(height))",
    **{name: f"it is matplotlib's, plt.{name}(gpuplot.asnumpy(X))" for name in ("boxplot", "violinplot", "pie")},
    "spy": "write imshow(X != 0, agg='max')",
    "state_dict": "write stats(model), or compare(model, other)",
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


def _nearest(name, names, properties=()):
    """The one of `names`, or of the artist's `properties`, that was probably meant by a similar name or a synonym; None if none was."""
    name = name.lower().replace("colour", "color").replace("grey", "gray")
    known = {*names, *properties}
    variant = next((variant for variant in (name, name.removesuffix("s")) if variant in properties), None)
    if variant is not None:
        return variant
    synonym = _SYNONYMS.get(name.replace("_", ""))
    if synonym in names or (synonym in properties and len(synonym) > 1):  # a property "c" is one color
        return synonym
    meanings = {other: target for other, target in _SYNONYMS.items()
                if target in names and known.isdisjoint((other, other.removesuffix("s")))}
    similar = difflib.get_close_matches(name, sorted({*meanings, *known}), 1, 0.7)
    if not similar:
        return None
    if similar[0] in known:
        return similar[0]
    # A part of the name that is what another library says is none: the edgecolor of an image is not its cmap.
    return meanings[similar[0]] if difflib.SequenceMatcher(None, similar[0], name).ratio() >= 0.8 else None


def about_keyword(function, name, names, properties=()):
    """The error about a keyword that a function does not have; `names` are those it has, `properties` those of its artist."""
    problem = f"{function}() got an unexpected keyword argument {name!r}"
    of_imshow = _ELSEWHERE.get(name) if function == "imshow" else None
    advice = of_imshow or _ELSEWHERE_FROM.get((function, name.replace("colour", "color")))
    if advice is not None:
        return f"{problem}: {advice}"
    nearest = _nearest(name, names, properties)
    return f"{problem}: did you mean {nearest}=?" if nearest else f"{problem}; help(gpuplot.{function}) lists those it has"


def about_value(value, known):
    """The end of an error about a value that is none of the `known` texts: the most similar of them, or nothing."""
    if not isinstance(value, str):
        return ""
    text = value.strip().lower()
    same = [other for other in _SAME_VALUES.get(text, ()) if other in known]
    nearest = same or [other for other in known if other == text] or difflib.get_close_matches(text, known, 1, 0.7)
    return f": did you mean {nearest[0]!r}?" if nearest else ""


def about_positional(function, name):
    """The error about a tensor that was given by name."""
    before = "fname, " if function == "imsave" and name == "X" else ""
    return (f"{function}() takes {name} without its name: write {function}({before}x, ...) instead of "
            f"{function}({before}{name}=x, ...)")


def about_too_many(function, positional, names, n_given):
    """The error about too many positional values; `names` are the function's keywords."""
    example = f", such as {_BY_NAME.get(function, 'ax=ax')}" if "ax" in names else ""
    return (f"{function}() takes {', '.join(positional)} without a name and was given {n_given} values: give the others by their "
            f"names{example}")


def about_attribute(name, names):
    """The error about an attribute that the package does not have."""
    problem = f"module 'gpuplot' has no attribute {name!r}"
    if name in _NAMES:
        return f"{problem}: {_NAMES[name]}"
    nearest = None if name.startswith("_") else _nearest(name, names)
    return f"{problem}: did you mean {nearest}?" if nearest else problem


def about_setting(name, settable, keywords):
    """The error about an unknown attribute that is set on an inspector; None for a name that resembles none.

    `keywords` are those of `inspect`.
    """
    problem = f"an inspector has no attribute {name!r}"
    nearest = None if name in keywords else _nearest(name, settable)
    if nearest:
        return f"{problem}: did you mean {nearest}?"
    keyword = name if name in keywords else _nearest(name, keywords)
    return f"{problem}: give it to gpuplot.inspect(X, {keyword}=...)" if keyword else None
