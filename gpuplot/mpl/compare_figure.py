"""The figure of `compare`: two tensors and their difference side by side, or one above the other where they are wide."""

import copy
from dataclasses import replace

from ..color.color_limits import usual_cmap
from ..plane.picture_size import is_long
from .axis_labels import fit_title
from .compared_classes import draw_places
from .images.autoscaling import shows_elements
from .images.colorbars import add_colorbar, make_room
from .images.computed_plane import ComputedPlane
from .images.image_data import load_plane
from .imshow import imshow, tick_elements
from .undo import closed_on_failure

# Inches: of the figure, of one picture in it, and above and below that for titles and ticks. Wide pictures stand one above the other.
WIDTH, PICTURE_WIDTH, ABOVE_AND_BELOW, MAX_HEIGHT = 12.0, 3.2, 1.25, 9.0
WIDE_WIDTH, WIDE_PICTURE_WIDTH, BETWEEN, MIN_PICTURE_HEIGHT = 9.0, 7.0, 0.7, 1.0
# A picture is wide if it is so many times wider than high.
WIDE = 2
DIFFERENCE_CMAP = "RdBu_r"
# Longer titles, in letters, have several lines.
MAX_TITLE = 32
_CHOICES = ("dims", "x", "y", "index", "reduce", "complex_mode")


class _Difference(ComputedPlane):
    """The plane of the picture of a difference."""

    def another(self, X):
        raise ValueError("the picture of a difference stays with the two tensors that it was made of: call compare again with others")

    def stats(self, parameters):
        raise ValueError("statistics of a difference are those of its figure, figure.comparison")


def draw_comparison(a, b, difference, comparison, options, titles):
    """The figure of two tensors, of the plane of their difference, and of the `Comparison` in the line below them."""
    from matplotlib import pyplot

    rows, cols = difference.shape
    has_long_planes = 0 not in difference.shape and is_long(difference.shape)
    is_wide = cols > WIDE * rows > 0
    figure = pyplot.figure(figsize=_figure_size(rows, cols, has_long_planes, is_wide), layout="compressed")
    with closed_on_failure(figure):
        axs = figure.subplots(*((3, 1) if is_wide else (1, 3)), sharex=True, sharey=True)
        aspect = "auto" if has_long_planes else None  # square elements would make a thin line of it
        images = _draw_images(axs, (a, b), difference, options, aspect)
        _write_titles(images, titles, options)
        for image in _with_colorbar(images, options, is_wide):
            add_colorbar(image, make_room(image.axes, colorbar=True))
        figure.supxlabel(_in_lines(str(comparison)), fontsize="medium")  # not suptitle, which users set
        figure.get_layout_engine().execute(figure)  # colorbars then know their widest numbers, for which the first draw leaves room
    figure.comparison = comparison
    return figure


def _draw_images(axs, pair, difference, options, aspect):
    """The images of two tensors and of their difference, without colorbars."""
    planes = [*(load_plane(X, options, options["stream"], options["nan"]) for X in pair), _Difference(difference, pair)]
    _place_alike(planes)
    both = options, options | {"norm": copy.deepcopy(options["norm"])}  # a norm object would take the limits of the first alone
    images = [_draw_tensor(plane, ax, one, aspect) for plane, ax, one in zip(planes[:2], axs[:2], both, strict=True)]
    if options["rgb"] is False and not options["categorical"]:
        _share_scale(images, options)
    return [*images, _draw_difference(axs[2], planes[2], options, aspect)]


def _write_titles(images, titles, options):
    """Writes the names of both tensors, and of their difference, above the images, and restricts ticks to whole elements."""
    sign = "\u2260" if options["categorical"] else "\u2212"
    for image, name in zip(images, (*titles, _title_of_difference(*titles, sign)), strict=True):
        ax = image.axes
        write_title(ax, name, ax.get_title())
        if image.plane.labels is None:
            tick_elements((ax.xaxis, ax.yaxis))


def _with_colorbar(images, options, is_wide):
    """The images that get a colorbar: the two tensors share a scale and side by side one bar; of classes each lists those that it has."""
    if options["categorical"]:
        return [image for image in images[:2] if image._present_classes() is not None]
    _, second, difference = images
    if options["rgb"] is None:  # colors have no scale
        return [difference]
    return images if is_wide else [second, difference]


def _figure_size(rows, cols, has_long_planes, is_wide):
    """(width, height) in inches of a figure whose pictures leave little of it empty."""
    if is_wide:
        picture = max(WIDE_PICTURE_WIDTH * rows / cols, MIN_PICTURE_HEIGHT)
        return WIDE_WIDTH, 3 * (picture + BETWEEN) + BETWEEN
    ratio = 0.75 if has_long_planes or not rows or not cols else rows / cols
    return WIDTH, min(PICTURE_WIDTH * ratio + ABOVE_AND_BELOW, MAX_HEIGHT)


def _title_of_difference(a, b, sign):
    """``"a - b"`` with this sign: in one line, two, or without the names where these are long."""
    if max(len(a), len(b)) > MAX_TITLE:
        return f"first {sign} second"
    return f"{a} {sign} {b}" if len(a) + len(b) + 3 <= MAX_TITLE else f"{a}\n{sign} {b}"


def write_title(ax, name, where):
    """Writes a name, which may be FILE#NAME, and the place of a slice as a title, in several lines where it is long."""
    text = f"{name} ({where})" if where else name
    if len(text) > MAX_TITLE and "\n" not in name:
        name = name.replace("#", "\n#") if len(name) > MAX_TITLE else name
        text = f"{name}\n({where})" if where else name
    ax.set_title(text)
    fit_title(ax)


def _place_alike(planes):
    """Gives two tensors and their difference the labels of the first of them that has some, as their Axes are shared."""
    labels = next((plane.labels for plane in planes if plane.labels is not None), None)
    if labels is not None:
        first, second, difference = planes
        first.labels = second.labels = labels
        difference.labels = replace(labels, values="")


def _draw_tensor(plane, ax, options, aspect):
    names = (*_CHOICES, "agg", "nan", "cmap", "norm", "vmin", "vmax", "gamma", "robust", "center", "categorical", "ignore_index",
             "labels", "nan_color", "pos_inf_color", "neg_inf_color", "stream")
    return imshow(plane, ax=ax, aspect=aspect, rgb=options["rgb"], **{name: options[name] for name in names})


def _share_scale(images, options):
    """Gives both pictures one norm, whose limits are those of both, and a colorbar whose ends are."""
    one, other = images
    if not one.norm.scaled():  # there are no elements
        return
    low, high = _limits_of_both(images)
    if _is_centered(low, high, options):
        low, high = -max(-low, high), max(-low, high)
        for image in images if options["cmap"] is None else ():
            image.set_cmap(image._marks.with_ends(usual_cmap(None, image.plane.view, is_centered=True)))
    other.set_norm(one.norm)
    one._beside, other._beside = other, one
    one.set_clim(low, high)


def _limits_of_both(images):
    """(low, high) of the norms of pictures that have elements which their norm can show; where none has, those of the first."""
    norms = [image.norm for image in images if shows_elements(image)] or [images[0].norm]
    return min(norm.vmin for norm in norms), max(norm.vmax for norm in norms)


def _is_centered(low, high, options):
    """Whether ``center="auto"`` centers the limits of both, which may have two signs where those of each have one."""
    is_free = options["vmin"] is None or options["vmax"] is None
    return isinstance(options["center"], str) and is_free and low < 0 < high


def _draw_difference(ax, plane, options, aspect):
    if options["categorical"]:
        return draw_places(plane, ax, aspect)
    marks = {name: options[name] for name in ("nan", "nan_color", "pos_inf_color", "neg_inf_color")}
    image = imshow(plane, ax=ax, aspect=aspect, cmap=DIFFERENCE_CMAP, center=0, agg=options["agg"] or "absmax", **marks)
    if image.norm.vmin == image.norm.vmax:
        image.set_clim(-1, 1)  # no difference: white
    return image


def _in_lines(text):
    """The parts of a line, two lines where they are more than three."""
    parts = text.split(" \u00b7 ")
    return "\n".join(" \u00b7 ".join(parts[k:k + 2]) for k in range(0, len(parts), 2))
