"""The first argument of `imshow` -> an ImagePlane: small images as matplotlib takes them, all else by a View."""

import math

from matplotlib.image import pil_to_array

from ...arrays.describe import describe_in_place
from ...arrays.optional_imports import attribute, module_roots
from ...arrays.streams import check_stream
from ...choices import is_default
from ...errors import UnsupportedError, reason_of
from ...options import VIEW
from ...plane.index_labels import CHOICES, chosen_view
from ...plane.slice_text import slice_text
from .borrowed_plane import plane_of_tensor
from .gathered_plane import MAX_GATHERED_ELEMENTS, GatheredPlane
from .image_plane import ImagePlane


def load_plane(X, view_options, stream=None, nan="show", client=None, progress=None):
    """The `ImagePlane` of an object; `view_options` has every keyword of the group VIEW.

    `nan` is the policy for reductions of hidden axes; `client` and `progress` are those of `imshow`. TypeError, with matplotlib's
    text, for what is not numbers; ValueError or IndexError for axes and indices that do not exist.
    """
    if issubclass(type(X), ImagePlane):  # isinstance believes a mock's __class__
        return X
    check_stream(stream)
    is_plain = all(is_default(view_options[name], VIEW[name]) for name in CHOICES)
    if "PIL" in module_roots(X) and isinstance(attribute(X, "mode"), str):
        X = _pixels_of(X)
    source = _describe(X, stream).run_by(client, progress)
    if is_plain and source.ndim == 3:
        _refuse_flat_stack(source.shape)
    if is_plain and source.array is not None and _is_small_image(source.array) and not _is_clipped_first(source.array, view_options):
        plane = GatheredPlane.of_array(source.array)
        plane.labels, plane.slice_text, plane.level = _labels(source, None), slice_text(source, None), source.level
        return plane
    view = chosen_view(source, view_options)
    plane = plane_of_tensor(source, view, nan)
    plane.labels, plane.slice_text = _labels(source, view), slice_text(source, view, view_options["rgb"] is None)
    return plane


def _is_clipped_first(array, view_options):
    """Whether matplotlib clips colors to 0..255 that `denorm` is about."""
    return view_options["denorm"] is not None and array.dtype.kind in "iu" and array.dtype != "uint8"


def _pixels_of(image):
    """A PIL image as matplotlib reads it; UnsupportedError for one that Pillow cannot read or convert."""
    try:
        return pil_to_array(image)
    except MemoryError:
        raise
    except Exception as error:
        reason = reason_of(error.__cause__ or error)
        raise UnsupportedError(f"a PIL image of mode {image.mode!r} cannot be read: {reason}") from error


def _describe(X, stream):
    try:
        return describe_in_place(X, stream)
    except UnsupportedError as error:
        if error.of_image is None:
            raise
        raise UnsupportedError(error.of_image) from error


def _labels(source, view):
    if source.labels is None:
        return None
    from ...plane.coordinates import PictureLabels

    return PictureLabels.of(source, view)


def _refuse_flat_stack(shape):
    """TypeError for shape (rows, cols, 2 or 5): neither colors nor a plausible stack of pictures."""
    if shape[2] in (2, 5) and min(shape[:2]) > shape[2]:
        raise TypeError(f"Invalid shape {shape} for image data: the last axis is neither 3 nor 4 channels; choose what is "
                        "shown, such as x=1, y=0, index={2: 0}")


def _is_small_image(array):
    """Whether matplotlib's imshow takes an array, and it is small enough to be copied."""
    if array.dtype.kind not in "biuf" or not (array.ndim == 2 or (array.ndim == 3 and array.shape[2] in (1, 3, 4))):
        return False
    if array.dtype.type.__module__ != "numpy":
        return False
    return math.prod(array.shape[:2]) <= MAX_GATHERED_ELEMENTS
