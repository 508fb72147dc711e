"""Statistics of a plane that a picture shows, or of a box of it."""

import functools
import itertools
import math
from contextlib import contextmanager

from ..errors import UnsupportedError
from ..plane.chunks.hidden_chunks import computed_elements
from ..plane.native_plane import native_plane
from .arguments import check_spec
from .chunked_elements import ChunkedElements, is_chunked
from .elements import NOTHING, Elements, all_elements
from .measure import device_name
from .result import Stats
from .summaries import count, measure


def summarize_plane(source, view, box=None, *, bins=64, value_range=None, percentiles=(1, 2, 50, 98, 99), nan="show",
                    stacked_axes=None):
    """The `Stats` of the elements of a plane, including all color channels; shape, dtype and indices are the tensor's.

    Complex elements count by the component that the view shows. Hidden axes that the view reduces are reduced with the policy `nan`
    and are slices in an index. `box` is half-open, inside the plane. `stacked_axes` maps fixed axes of the view to ranges of
    elements, whose planes are summarized together. The other parameters are as in `stats`.
    """
    spec = check_spec(bins, value_range, percentiles)
    with elements_shown(source, view, box, nan, stacked_axes) as elements:
        values = measure(elements, spec)
    return Stats(source.shape, source.dtype, device_name(source), source.nbytes, source.size, *values)


def histogram_of(source, view, box=None, bins=64, value_range=None, *, nan="show"):
    """(counts, edges) of the finite elements of a plane, (bins,) int64 and (bins + 1,) float64."""
    spec = check_spec(bins, value_range, ())
    with elements_shown(source, view, box, nan) as elements:
        return count(elements, spec.bins, spec.value_range)


def count_integers(source, view, first, last, nan="show", step=1):
    """The number of elements, int64, with each integer from `first` to `last`; with `step`, of groups of so many integers."""
    n_bins = -(-(last - first + 1) // step)
    return histogram_of(source, view, bins=n_bins, value_range=(first - 0.5, first + n_bins * step - 0.5), nan=nan)[0]


@contextmanager
def elements_shown(source, view, box=None, nan="show", stacked_axes=None):
    """A context with the `Elements` of a plane while its tensor is borrowed; parameters as of `summarize_plane`."""
    row0, row1, col0, col1 = (0, view.shape[0], 0, view.shape[1]) if box is None else box
    if not (row0 < row1 and col0 < col1 and math.prod(view.shape)):
        yield NOTHING
        return
    parts = {"rows": (row0, row1), "cols": (col0, col1)}
    spans = [view.elements(axis)[slice(*parts.get(use.role, (None,)))] for axis, use in enumerate(view.uses)]
    for axis, elements in (stacked_axes or {}).items():
        spans[axis] = elements
    component = "value" if view.is_rgb else view.component
    box = row0, row1, col0, col1
    if is_chunked(source):
        if view.is_reduced:
            yield _computed_in_chunks(source, view, box, nan, stacked_axes or {})
        else:
            yield ChunkedElements(source, spans, component)
        return
    with source.borrow() as tensor:
        if view.is_reduced:
            yield _computed(tensor, _views_at(view, stacked_axes or {}), box, nan)
        else:
            yield all_elements(tensor, source.dtype, spans, component)


def _computed_in_chunks(source, view, box, nan, stacked_axes):
    """The `Elements` of a plane whose hidden axes are reduced, of an array in chunks."""
    if any(len(places) > 1 for places in stacked_axes.values()):
        advice = source.advice
        raise UnsupportedError(f"statistics of reduced axes at several indices of an array that is {advice.read} are not available: "
                               f"choose one index, or let {advice.framework} reduce it first, such as X.mean(axis)")
    view = view.fixed_at({axis: places[0] for axis, places in stacked_axes.items()})
    folded, _ = computed_elements(source, view, nan, is_always=True)
    return ChunkedElements(folded, (range(*box[:2]), range(*box[2:])), to_tensor=lambda where: view.tensor_index(*where))


def _views_at(view, stacked_axes):
    """The view at every combination of elements of the axes in `stacked_axes`."""
    return [view.fixed_at(dict(zip(stacked_axes, places, strict=True))) for places in itertools.product(*stacked_axes.values())]


def _computed(tensor, views, box, nan):
    """The `Elements` of planes whose hidden axes are reduced, one for each view and channel."""
    channels = [one for view in views for one in ([view.channel(k) for k in range(view.n_channels)] or [view])]
    planes = [native_plane(tensor, one, nan=nan).crop(*box) for one in channels]
    n_elems, n_cols, n_channels = (box[1] - box[0]) * (box[3] - box[2]), box[3] - box[2], max(views[0].n_channels, 1)

    def rank(channel, position):
        place, k = divmod(channel, n_channels)
        return (place * n_elems + position) * n_channels + k

    def index(rank):
        rank, k = divmod(rank, n_channels)
        place, position = divmod(rank, n_elems)
        row, col = divmod(position, n_cols)
        return channels[place * n_channels + k].tensor_index(box[0] + row, box[2] + col)

    ordered = [(plane, functools.partial(rank, k)) for k, plane in enumerate(planes)]
    return Elements(ordered, planes, views[0].dtype, True, index)
