"""A tensor and keywords -> the bytes of a picture: a figure with axes, or pixels alone."""

import io

from .._version import __version__
from ..plane.view import choose
from .errors import UsageError
from .options import all_options

# What gpuplot's own PNG files say they were written by.
SOFTWARE = f"gpuplot version {__version__}"

# Pixels across a figure, and to an inch of it: numbers and lines have the size of matplotlib's figures.
WIDTH, DPI = 1000, 100

# Inches around the Axes: left, right, below, above; and the part of its width that a colorbar leaves to it.
MARGINS, BESIDE_COLORBAR = (0.75, 0.25, 0.55, 0.5), 0.8

# The height of a figure over its width lies between these.
ASPECTS = 0.3, 1.6


def draw(source, keywords, *, is_bare=False, title=None, format="png"):
    """The bytes of a picture of a `Source`.

    `keywords` are those of `imsave` where `is_bare`, which writes pixels alone, else those of `imshow`; and ``width``, ``dpi``,
    ``metadata`` and ``view``. `format` is any in which matplotlib writes figures, "png" for pixels alone.
    """
    file = io.BytesIO()
    if is_bare:
        from ..picture.imsave import imsave

        if format != "png":
            raise UsageError(f"--pixels writes PNG, and not {format}: give a name that ends in .png")
        imsave(file, source, **keywords)
    else:
        _draw_figure(file, source, dict(keywords), title, format)
    return file.getvalue()


def _draw_figure(file, source, keywords, title, format):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from ..mpl.imshow import imshow

    width, dpi, view = (keywords.pop(name, None) for name in ("width", "dpi", "view"))
    metadata = {"Software": SOFTWARE} if format == "png" else {}
    metadata |= keywords.pop("metadata", None) or {}
    taken = {name: value for name, value in keywords.items() if "imshow" in all_options()[name].of}
    figure = Figure(dpi=dpi or DPI)
    FigureCanvasAgg(figure)
    figure.set_size_inches(_size(source, taken, view, (width or WIDTH) / figure.dpi))
    image = imshow(source, ax=usual_axes(figure), **taken)
    if view is not None:
        _look_at(image, view)
    if title is not None:
        image.axes.set_title(title)
    save(figure, file, format, metadata)


def save(figure, file, format, metadata):
    """Writes a figure, and what is beyond its edges: long names of elements may be wider than the margin."""
    from matplotlib.transforms import Bbox

    figure.draw_without_rendering()
    whole = Bbox.union([figure.bbox_inches, figure.get_tightbbox()])
    figure.savefig(file, format=format, metadata=metadata or None, bbox_inches=whole if whole != figure.bbox_inches else None)


def usual_axes(figure):
    """Axes at a place that drawing does not move, so that a large tensor is reduced once."""
    left, right, below, above = MARGINS
    width, height = figure.get_size_inches()
    places = {"left": left / width, "right": 1 - right / width, "bottom": below / height, "top": 1 - above / height}
    return figure.subplots(gridspec_kw=places)


def _size(source, keywords, view, width):
    """Inches: as high as the picture asks for, between bounds."""
    if width < 2:
        raise UsageError(f"--width: a figure is at least {2 * DPI} pixels wide; --pixels draws smaller pictures, without axes")
    left, right, below, above = MARGINS
    across = (width - left - right) * (BESIDE_COLORBAR if keywords.get("colorbar") else 1)
    height = across * _aspect(source, keywords, view) + below + above
    return width, min(max(height, ASPECTS[0] * width), ASPECTS[1] * width)


def _aspect(source, keywords, view):
    """Height over width of the picture, as far as that is known before it is drawn."""
    extent, aspect = keywords.get("extent"), keywords.get("aspect", "equal")
    plane = choose(source.shape, source.dims, source.dtype, **{name: keywords[name] for name in ("dims", "x", "y", "reduce", "rgb", "index")
                                                               if name in keywords})
    rows, cols = plane.shape if view is None else (abs(last - first) for first, last in view)
    if view is None and isinstance(extent, tuple) and len(extent) == 4 and all(isinstance(edge, (int, float)) for edge in extent):
        cols, rows = abs(extent[1] - extent[0]), abs(extent[3] - extent[2])
    if not rows or not cols or not isinstance(aspect, (int, float, str)) or aspect == "auto" or not 0.02 < rows / cols < 50:
        return 0.65
    return rows / cols * (aspect if isinstance(aspect, (int, float)) else 1)


def _look_at(image, view):
    """Sets the limits of the Axes to a part of the plane, in elements, as `imsave` takes it."""
    (row0, row1), (col0, col1) = view
    left, right, bottom, top = image.get_extent()
    n_rows, n_cols = image.plane.shape
    first, last = (top, bottom) if image.origin == "upper" else (bottom, top)
    x0, x1 = (left + col / n_cols * (right - left) for col in (col0, col1))
    y0, y1 = (first + row / n_rows * (last - first) for row in (row0, row1))
    ax = image.axes
    ax.set_xlim(*sorted((x0, x1), reverse=bool(ax.xaxis_inverted())))
    ax.set_ylim(*sorted((y0, y1), reverse=bool(ax.yaxis_inverted())))
