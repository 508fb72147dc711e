"""The edges of the pixel columns that a line is drawn in, in its data coordinates."""

import math
from collections import OrderedDict

import numpy as np

from ..figures import root_figure

# Steps of the bisection: enough for any two float64 numbers.
MAX_STEPS = 64

# Most columns per pixel, for lines thinner than a pixel.
MAX_COLUMNS_A_PIXEL = 8

# How far beyond the view the columns go for a wide line, in pixels at most: half of the widest picture that Agg draws.
MAX_REACH = 2**15

# The edges found last for affine transforms: lines of one Axes share them.
_known = OrderedDict()
MAX_KNOWN = 8


def column_edges(line, magnification=1.0):
    """Edges of pixel columns along x, float64 (n + 1,), rising whatever the direction of the axis; None in polar and similar Axes.

    A sample belongs to the pixel that its x is in; on snapped lines, which Agg rounds, to the pixel whose center is nearest. Each edge is
    the smallest number that the drawing transform takes to the column or beyond. The edges cover the view and, unless matplotlib itself
    leaves out what lies beyond it, one column more on either side and those from which a wide line reaches into the view.

    An antialiased line that is thinner than a pixel gets several columns per pixel, so that its strokes fill the pixel as those of all
    samples would. `magnification` is renderer pixels per figure pixel, `RendererBase.get_image_magnification`.
    """
    transform = line.get_transform()
    if not transform.is_separable:
        return None
    _ = line.axes.viewLim  # limits that are to be found yet are found now, before the transform is asked
    edges = _known_edges(transform, *_columns(line, magnification), magnification)
    if edges is None or not _is_sliced(line):
        return edges
    x0, x1 = line.axes.get_xbound()
    return np.clip(edges, x0, np.nextafter(x1, np.inf))


def _is_sliced(line):
    """Whether matplotlib itself leaves out the samples of a long line beyond the view limits, but for a neighbor on either side."""
    ax = line.axes
    return (ax.name == "rectilinear" and ax.get_xscale() == "linear" and line.get_markevery() is None and line.get_clip_on()
            and line.get_transform() == ax.transData)


def _known_edges(transform, first, n, n_a_pixel, magnification):
    """Edges of the columns of n pixels from `first` on; kept in `_known` for affine transforms, whose matrix is a key."""
    pixels = (first + np.arange(n * n_a_pixel + 1) / n_a_pixel) / magnification
    if not transform.is_affine:
        return _find(transform, pixels)
    key = transform.get_matrix().tobytes(), first, n, n_a_pixel, magnification
    if key not in _known:
        _known[key] = _find(transform, pixels)
        while len(_known) > MAX_KNOWN:
            _known.popitem(last=False)
    else:
        _known.move_to_end(key)
    return _known[key]


def _columns(line, magnification):
    """(where the first column begins, in pixels; number of pixels; columns per pixel)."""
    figure = root_figure(line.axes)
    box = line.axes.bbox if line.get_clip_on() else figure.bbox
    shift = 0.5 if line.get_snap() else 0.0
    width = line.get_linewidth() * figure.dpi / 72 * magnification
    reach = math.ceil(min(max(0.0, width / 2), MAX_REACH)) + 1  # 1 for NaN, of which no stroke is drawn
    first = math.floor(box.x0 * magnification + shift) - reach
    last = math.ceil(box.x1 * magnification + shift) + reach
    return first - shift, max(last - first, 1), _columns_a_pixel(line, width)


def _columns_a_pixel(line, width):
    """Columns per pixel for a line `width` pixels wide: as many as its strokes fit side by side."""
    if line.get_snap() or not line.get_antialiased() or not width > 0:
        return 1
    return min(max(math.ceil(1 / width - 1e-6), 1), MAX_COLUMNS_A_PIXEL)


def _find(transform, pixels):
    """The smallest x that a separable transform takes to each pixel boundary or beyond; None if it is not monotonic."""
    try:
        guesses = transform.inverted().transform(np.column_stack([pixels, np.full(len(pixels), pixels.mean())]))[:, 0]
    except (ValueError, np.linalg.LinAlgError, NotImplementedError):
        return None
    if not np.isfinite(guesses).all():
        return None
    is_rising = guesses[-1] >= guesses[0]
    if not is_rising:
        guesses, pixels = guesses[::-1], pixels[::-1]
    reached = _Reached(transform, pixels, is_rising)
    edges = _bisect(reached, guesses)
    return edges if edges is not None and (np.diff(edges) >= 0).all() else None


class _Reached:
    """A function: x (n,) -> for each whether the transform takes it to its pixel boundary or beyond."""

    def __init__(self, transform, pixels, is_rising):
        self._transform, self._pixels, self._is_rising = transform, pixels, is_rising

    def __call__(self, x):
        with np.errstate(all="ignore"):
            # y does not matter to a separable transform; 0.5 is in the domain of every scale.
            there = self._transform.transform(np.column_stack([x, np.full(len(x), 0.5)]))[:, 0]
        return there >= self._pixels if self._is_rising else there < self._pixels


def _bisect(reached, guesses):
    """For each guess the smallest number near it for which `reached` is true, by bisection; None where a guess is far off."""
    width = 8 * (np.spacing(np.abs(guesses)) + np.abs(guesses[-1] - guesses[0]) * 2.0**-50)
    low, high = guesses - width, guesses + width
    for _ in range(8):
        is_low, is_high = ~reached(low), reached(high)
        if is_low.all() and is_high.all():
            break
        width *= 2.0**4
        low, high = np.where(is_low, low, guesses - width), np.where(is_high, high, guesses + width)
    else:
        return None
    for _ in range(MAX_STEPS):
        middle = low + (high - low) / 2
        if ((middle <= low) | (middle >= high)).all():
            break
        is_there = reached(middle)
        low, high = np.where(is_there, low, middle), np.where(is_there, middle, high)
    return high
