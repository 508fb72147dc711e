"""`TensorImage.stats`: statistics of the plane of an image, of its visible part, or of the whole tensor."""

import dataclasses
import math

from ...arrays.dtypes import ITEM_BYTES, is_narrow
from ...arrays.host_arrays import in_narrow_dtype
from ...choices import check_choice
from ...statistics.arguments import check_spec, touched
from ...statistics.measure import stats_of
from ...statistics.plane_stats import summarize_plane
from .computed_plane import ComputedPlane
from .frozen_plane import FrozenPlane

REGIONS = ("slice", "view", "all")


def image_stats(image, region, options):
    """Statistics of an image; see `TensorImage.stats`."""
    check_choice("region", region, REGIONS)
    checked = check_spec(**options)
    plane = image.plane
    if plane is None:
        raise ValueError("the image shows nothing yet: give it a tensor, with im.update(X)")
    if isinstance(plane, ComputedPlane):
        if region == "view":
            raise ValueError("region='view' is for images of one tensor; give the part to gpuplot.stats")
        return plane.stats(checked)
    if isinstance(plane, FrozenPlane):
        raise ValueError("the image is frozen and has pixels, no tensor: give the tensor to gpuplot.stats, or show it again with "
                         "im.update(X)")
    if region == "all" and _is_part(plane):
        if plane.tensor_source is None:
            raise ValueError("region='all': the image keeps only a copy of the plane that it shows, not the whole tensor; "
                             "give the tensor to gpuplot.stats")
        return stats_of(plane.tensor_source, checked, component=_component(plane.view))
    view = plane.reader.view  # asked first, as it makes the source of a copied array
    box = _seen_box(image) if region == "view" else None
    stats = summarize_plane(_in_own_dtype(plane), view, box, **options, nan=image._cells.nan)
    return _as_of_tensor(stats, plane) if _is_copy(plane) else stats


def _is_copy(plane):
    """Whether the plane has a copy of the tensor's elements, possibly in another dtype."""
    return plane.tensor_dtype is not None and plane.source is not plane.tensor_source


def _is_part(plane):
    """Whether the tensor has more elements than the plane, or hidden axes are reduced."""
    if plane.tensor_dtype is None:
        return False
    n_elems = math.prod(plane.shape) * max(1, plane.view.n_channels)
    return plane.view.is_reduced or n_elems < math.prod(plane.view.tensor_shape)


def _component(view):
    return None if view.is_rgb or view.complex_mode is None else view.component


def _seen_box(image):
    """The visible elements as a half-open box (row0, row1, col0, col1); empty where the image is out of view."""
    geometry = image._present_geometry()
    if geometry.box is None:
        return (0, 0, 0, 0)
    row0, row1, col0, col1 = geometry.visible
    rows, cols = (touched(limits, n) for limits, n in zip(((row0, row1), (col0, col1)), image.plane.shape, strict=True))
    return rows.start, rows.stop, cols.start, cols.stop


def _in_own_dtype(plane):
    """A Source of the elements in the tensor's dtype: a copy of bfloat16 is float32, which has other subnormal numbers."""
    dtype = plane.tensor_dtype
    if not (_is_copy(plane) and not plane.view.is_reduced and is_narrow(dtype)):
        return plane.source
    return in_narrow_dtype(plane.source, dtype)


def _as_of_tensor(stats, plane):
    """Statistics of a copied plane, with the shape, dtype, device and indices of the tensor that it was copied from."""
    view, dtype, source = plane.view, plane.tensor_dtype, plane.tensor_source
    n = math.prod(view.tensor_shape)
    places = {name: _index(view, getattr(stats, name)) for name in ("argmin", "argmax", "first_nan")}
    return dataclasses.replace(
        stats, shape=view.tensor_shape, dtype=dtype, numel=n, nbytes=n * ITEM_BYTES[dtype],
        device=stats.device if source is None or source.device is None else f"cuda:{source.device[1]}", **places)


def _index(view, position):
    """Index of an element in the copied plane, (row, column) or (row, column, channel) -> its index in the tensor."""
    if position is None:
        return None
    index = list(view.tensor_index(*position[:2]))
    if view.is_rgb:
        index[view.channel_axis] = view.elements(view.channel_axis)[position[2]]
    return tuple(index)
