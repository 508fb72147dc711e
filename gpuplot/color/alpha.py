"""The `alpha` parameter, one opacity or one for each element -> the opacity of each cell."""

from numbers import Number

import numpy as np

from .. import _native
from ..arrays.describe import describe
from ..arrays.scalars import number_in
from ..arrays.source import Source
from ..dtype_classes import is_complex
from ..errors import UnsupportedError, naming
from ..plane.gather import gather
from ..plane.limits import find_limits
from ..plane.reduce import reduce_view
from ..plane.view import plain_view

# The dtypes that matplotlib's resampling takes, in the machine's order of bytes.
RESAMPLED = ("uint8", "int8", "uint16", "int16", "float32", "float64")


def check_alpha(alpha, plane_shape):
    """`alpha` as None, a float or the `Source` of one factor for each element, where it lies; TypeError or ValueError for others."""
    found = read_alpha(alpha)
    if isinstance(found, Source):
        if found.shape != tuple(plane_shape):
            raise ValueError(f"an alpha of shape {found.shape} for a plane of {plane_shape}: give one factor per element")
        limits = find_limits(found, plain_view(found), _native.WANT_RANGE)
        if limits.min < 0 or limits.max > 1:
            raise ValueError(f"alpha from {limits.min} to {limits.max} is outside 0-1 range")
        if limits.has & (_native.HAS_POS_INF | _native.HAS_NEG_INF):  # the limits are those of finite opacities
            raise ValueError("alpha has infinities, which are outside 0-1 range: replace them")
    elif found is not None and not 0 <= found <= 1:
        raise ValueError(f"alpha ({found}) is outside 0-1 range")
    return found


def host_alpha(alpha):
    """`alpha` as None, a float or an array (rows, cols) in host memory, which is what matplotlib's artists can hold.

    NumPy's own arrays are returned unchanged, so that the artist sees later changes; other arrays, tensors, and swapped bytes and dtypes
    that matplotlib's resampling does not take, such as bool, are copied. So are masked opacities, which are 0, as matplotlib would ignore
    the mask, and NaN, which is 0, too.
    """
    found = read_alpha(alpha)
    if not isinstance(found, Source):
        return found
    is_own = type(alpha) in (np.ndarray, np.ma.MaskedArray) and _is_resampled(alpha)
    if is_own and not np.ma.is_masked(alpha) and not np.isnan(alpha).any():
        return alpha
    rows, cols = found.shape
    values = np.ma.filled(gather(found, plain_view(found), (0, rows, 0, cols)), 0)
    return np.nan_to_num(values if _is_resampled(values) else values.astype(np.float64), nan=0, posinf=np.inf, neginf=-np.inf)


def _is_resampled(array):
    return array.dtype.isnative and array.dtype.name in RESAMPLED


def read_alpha(alpha):
    """`alpha` as None, a float or a `Source` of two axes, where it lies; TypeError for others."""
    if alpha is None:
        return None
    source = None if issubclass(type(alpha), Number) else _describe(alpha)
    if source is None or not source.shape:
        factor = number_in(alpha)
        if factor is None:
            raise TypeError(f"alpha must be numeric or None, not {type(alpha).__name__}")
        return factor
    if len(source.shape) != 2:
        raise TypeError("alpha must be a float, two-dimensional array, or None")
    if is_complex(source.dtype):
        raise TypeError(f"alpha must be real, not {source.dtype}: give its .real, or abs(alpha)")
    return source


def _describe(alpha):
    """The Source of opacities; TypeError for what cannot be read."""
    with naming("alpha"):
        try:
            return describe(alpha)
        except UnsupportedError as error:
            raise TypeError(f"alpha must be numeric or None, not {type(alpha).__name__}: {error}") from error


def opacity_on(alpha, window, agg):
    """The opacity of each cell of a window: None, a float, or (H, W) float32.

    `alpha` is None, one factor for all, or (rows, cols) factors of the elements, an array or a `Source`, which are averaged, or sampled
    for "nearest".
    """
    if alpha is None or (not isinstance(alpha, Source) and np.ndim(alpha) == 0):
        return alpha
    source = alpha if isinstance(alpha, Source) else describe(alpha)
    view = plain_view(source)
    factors = reduce_view(source, view, window, "nearest" if agg == "nearest" else "mean").cells.numpy()
    return np.nan_to_num(factors, nan=0.0).astype(np.float32)


def set_opacity(style, alpha):
    """Stores the result of `opacity_on` in an RgbStyle."""
    if alpha is not None:
        style.alpha, style.alpha_cells = (float(alpha), None) if np.ndim(alpha) == 0 else (1.0, np.ascontiguousarray(alpha))
