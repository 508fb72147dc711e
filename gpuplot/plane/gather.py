"""Elements of a plane, or of a box of any number of axes -> a host array: by NumPy's indexing on the host, else by the native layer."""

from dataclasses import replace

import numpy as np

from .. import _native
from ..arrays.dtypes import is_narrow
from ..dtype_classes import is_complex
from .aggs import native_nan
from .dims import slice_of
from .frame import is_masked
from .native_plane import native_plane
from .view import COMPLEX_MODES, choose


def gather(source, view, box, nan="show"):
    """The elements of a half-open box (row0, row1, col0, col1) of the plane as a host array: a copy, masked where the tensor is.

    (rows, columns), or (rows, columns, channels) for RGB, in the tensor's own dtype; float32 for bfloat16 and 8-bit floats;
    float64 where elements are computed (reduced hidden axes, complex modes) and for long double.
    """
    if view.is_rgb and view.shape != (0, 0):
        planes = [_gather_plane(source, view.channel(k), box, nan) for k in range(view.n_channels)]
        return (np.ma if source.is_masked else np).stack(planes, axis=-1)
    return _gather_plane(source, view, box, nan)


def gather_box(source, spans):
    """The elements at a range of indices along each axis as a host array of as many axes; dtypes and masks are those of `gather`."""
    if source.array is not None and source.dtype != "longdouble" and not is_narrow(source.dtype):
        elements = source.array[tuple(map(slice_of, spans))]
        return _copied(elements if isinstance(elements, np.ma.MaskedArray) else np.asarray(elements))
    sizes = tuple(map(len, spans))
    planes = []
    for index in np.ndindex(sizes[:-2]):
        outer = {axis: spans[axis][k] for axis, k in enumerate(index)}
        inner = {axis: slice_of(spans[axis]) for axis in range(len(index), len(spans))}
        view = replace(choose(source.shape, None, source.dtype, index=outer | inner, rgb=False), complex_mode=None)
        planes.append(gather(source, view, (0, view.shape[0], 0, view.shape[1])))
    return (np.ma if source.is_masked else np).stack(planes).reshape(sizes)


def _gather_plane(source, view, box, nan="show"):
    is_plain = view.component == "value" and not view.is_reduced and not is_narrow(source.dtype)
    is_stored = is_plain and source.dtype != "longdouble"
    if is_stored and source.array is not None:
        return _copied(index_plane(source.array, view)[box[0]:box[1], box[2]:box[3]])
    shape = (box[1] - box[0], box[3] - box[2])
    if is_plain and source.dtype == "complex32":
        return _gather_complex32(source, view, box)
    if not min(shape):
        return np.empty(shape, source.dtype if is_plain else np.float64)
    with source.borrow() as tensor:
        return _stored_elements(source, tensor, view, box) if is_stored else _computed_numbers(source, tensor, view, box, nan)


def _stored_elements(source, tensor, view, box):
    """Elements of a box as they are in memory."""
    # Complex elements are copied whole, whichever part of them the plane shows.
    plane = native_plane(tensor, view, COMPLEX_MODES["real"] if is_complex(source.dtype) else "value").crop(*box)
    values = _native.gather(plane, np.empty((box[1] - box[0], box[3] - box[2]), source.dtype))
    return _with_mask(values, plane) if source.is_masked else values


def _computed_numbers(source, tensor, view, box, nan):
    """The float64 number that each element of a box gives; elements of floats that NumPy lacks are float32."""
    rows = _native.Axis(view.shape[0], box[0], box[1], box[1] - box[0])
    cols = _native.Axis(view.shape[1], box[2], box[3], box[3] - box[2])
    values = _native.reduce(native_plane(tensor, view), rows, cols, "nearest", native_nan(nan))[0].numpy()
    mask = is_masked(values) if source.is_masked else None
    values = values.astype("float32") if is_narrow(source.dtype) and not view.is_reduced else values
    return values if mask is None else np.ma.array(values, mask=mask, copy=False)


def _copied(elements):
    """A dense copy in the byte order of the machine."""
    with np.errstate(over="ignore"):  # of the default fill value of masked arrays, 1e20, which float16 cannot hold
        return elements.astype(elements.dtype.newbyteorder("="), order="C", copy=True)


def _with_mask(values, plane):
    """Gathered elements with the mask of their tensor."""
    rows, cols = (_native.Axis(n, 0, n, n) for n in values.shape)
    cells = _native.reduce(plane, rows, cols, "nearest")[0].numpy()
    return np.ma.array(values, mask=is_masked(cells), copy=False)


def _gather_complex32(source, view, box):
    """Elements of the complex type that NumPy lacks as complex64."""
    values = np.empty((box[1] - box[0], box[3] - box[2]), np.complex64)
    values.real = _gather_plane(source, replace(view, complex_mode="real"), box)
    values.imag = _gather_plane(source, replace(view, complex_mode="imaginary"), box)
    return values


def index_plane(array, view):
    """The plane of a host array by NumPy's indexing, which keeps masks and copies nothing; channels of colors are last."""
    array = array if isinstance(array, np.ma.MaskedArray) else np.asarray(array)
    parts = [use.start if use.role == "fixed" else slice_of(view.elements(axis)) for axis, use in enumerate(view.uses)]
    shown = [axis for axis, use in enumerate(view.uses) if use.role != "fixed"]
    order = [shown.index(axis) for axis in (view.row_axis, view.col_axis, view.channel_axis) if axis is not None]
    plane = array[(*parts, ...)].transpose(order)
    return plane.reshape((*view.shape, view.n_channels) if view.is_rgb else view.shape)
