"""A tensor and keywords -> the bytes of a picture: a figure with axes, or pixels alone."""

import io

from .._version import __version__
from ..notices import warn
from ..options import VIEW
from ..plane.index_labels import chosen_view
from ..plane.slice_text import colors_advice
from ..plane.view import choose
from .errors import UsageError
from .options import all_options

# Metadata that marks files as written by gpuplot, and the name under which a format has it.
MARK = "gpuplot version"
SOFTWARE = f"{MARK} {__version__}"
_FIELDS = {"png": "Software", **dict.fromkeys(("pdf", "svg", "svgz", "eps", "ps"), "Creator")}
_WITH_EXIF, _EXIF_SOFTWARE = ("jpg", "jpeg", "tif", "tiff", "webp", "avif"), 0x131

# Width of a figure in pixels, and its dots per inch: text and lines have the size that they have in matplotlib's figures.
WIDTH, DPI, MIN_DPI = 1000, 100, 10

# Margins of the Axes in inches: left, right, bottom, top; and the fraction of its width that remains beside a colorbar.
MARGINS, BESIDE_COLORBAR = (0.75, 0.25, 0.55, 0.5), 0.8

# Smallest and largest ratio of a figure's height to its width; and that of a picture whose elements need not be square.
ASPECTS, USUAL_ASPECT = (0.3, 1.6), 0.65


def draw(source, keywords, *, is_bare=False, texts=None, name="", format="png"):
    """The bytes of a picture of a `Source`.

    `keywords` are those of `imsave` if `is_bare` (pixels without axes), else those of `imshow`; and ``width``, ``dpi``,
    ``metadata`` and ``view``. `texts` are ``title``, ``xlabel`` and ``ylabel``, where they are given; without a title `name` stands
    there, and the place of a slice. `format` is any that matplotlib writes; "png" if `is_bare`.
    """
    file, keywords = io.BytesIO(), _with_advice(source, keywords)
    if is_bare:
        from ..picture.imsave import imsave

        if format != "png":
            raise UsageError(f"--pixels writes PNG, not {format}: give a name that ends in .png")
        imsave(file, source, **keywords)
    else:
        _draw_figure(file, source, dict(keywords), texts or {}, name, format)
    return file.getvalue()


def _with_advice(source, keywords):
    """The keywords; a line says how colors are shown of what may be a stack of pictures, which a title would say in Python."""
    if "rgb" in keywords:
        return keywords
    advice = colors_advice(chosen_view(source, VIEW | {name: value for name, value in keywords.items() if name in VIEW}))
    if advice:
        warn(f"these may be stacked pictures: {advice}")
    return keywords | {"rgb": False} if advice else keywords


def _draw_figure(file, source, keywords, texts, name, format):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from ..mpl.axis_labels import put_title
    from ..mpl.imshow import imshow
    from ..mpl.part import show_part

    width, dpi, view = (keywords.pop(name, None) for name in ("width", "dpi", "view"))
    check_dpi(dpi)
    metadata = keywords.pop("metadata", None) or {}
    taken = {name: value for name, value in keywords.items() if "imshow" in all_options()[name].of}
    figure = Figure(dpi=dpi or DPI)
    FigureCanvasAgg(figure)
    figure.set_size_inches(_size(source, taken, view, (width or WIDTH) / figure.dpi))
    image = imshow(source, ax=usual_axes(figure), **taken)
    if view is not None:
        show_part(image, *view)
    if "title" not in texts:
        put_title(image.axes, name, image.axes.get_title())
    image.axes.set(**texts)
    save(figure, file, format, metadata)


def check_dpi(dpi):
    """UsageError for pixels to an inch that leave letters none."""
    if isinstance(dpi, (int, float)) and not dpi >= MIN_DPI:
        raise UsageError(f"--dpi {dpi}: give at least {MIN_DPI} pixels to an inch, so that letters have some")


def save(figure, file, format, metadata=None):
    """Writes a figure, enlarged to hold long names of elements, which may be wider than the margin, and marked as gpuplot's."""
    from matplotlib.transforms import Bbox

    figure.draw_without_rendering()
    whole = Bbox.union([figure.bbox_inches, figure.get_tightbbox()])
    metadata = ({_FIELDS[format]: SOFTWARE} if format in _FIELDS else {}) | (metadata or {})
    figure.savefig(file, dpi=figure.dpi, format=format, metadata=metadata or None,
                   bbox_inches=whole if whole != figure.bbox_inches else None, **_mark_of_pillow(format))


def _mark_of_pillow(format):
    """The keyword of `savefig` that marks a picture which Pillow writes; {} for other formats."""
    if format == "gif":
        return {"pil_kwargs": {"comment": SOFTWARE}}
    return {"pil_kwargs": {"exif": _exif()}} if format in _WITH_EXIF else {}


def _exif():
    from PIL import Image

    exif = Image.Exif()
    exif[_EXIF_SOFTWARE] = SOFTWARE
    return exif


def usual_axes(figure):
    """Axes at a fixed position: a draw that moved them would reduce a large tensor twice."""
    left, right, below, above = MARGINS
    width, height = figure.get_size_inches()
    places = {"left": left / width, "right": 1 - right / width, "bottom": below / height, "top": 1 - above / height}
    return figure.subplots(gridspec_kw=places)


def _size(source, keywords, view, width):
    """(width, height) of the figure in inches; the height follows the picture's aspect, within bounds."""
    if width < 2:
        raise UsageError(f"--width: give at least {2 * DPI} pixels for a figure, or add --pixels for a smaller picture without axes")
    left, right, below, above = MARGINS
    across = (width - left - right) * (BESIDE_COLORBAR if keywords.get("colorbar") else 1)
    height = across * _aspect(source, keywords, view) + below + above
    return width, min(max(height, ASPECTS[0] * width), ASPECTS[1] * width)


def _aspect(source, keywords, view):
    """Estimated height over width of the picture, before it is drawn."""
    aspect = keywords.get("aspect", "equal")
    rows, cols = _sides(source, keywords, view)
    is_fixed = isinstance(aspect, (int, float, str)) and aspect != "auto"
    if not is_fixed or not rows or not cols or not 0.02 < rows / cols < 50:
        return USUAL_ASPECT
    return rows / cols * aspect if isinstance(aspect, (int, float)) else rows / cols


def _sides(source, keywords, view):
    """(height, width) of the part of the plane that is drawn, in coordinates of the Axes."""
    if view is not None:
        return tuple(abs(last - first) for first, last in view)
    extent = keywords.get("extent")
    if isinstance(extent, tuple) and len(extent) == 4 and all(isinstance(edge, (int, float)) for edge in extent):
        left, right, bottom, top = extent
        return abs(top - bottom), abs(right - left)
    of_view = {name: keywords[name] for name in ("dims", "x", "y", "reduce", "rgb", "index") if name in keywords}
    return choose(source.shape, source.dims, source.dtype, **of_view).shape
