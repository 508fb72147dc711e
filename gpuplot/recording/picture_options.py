"""The keywords of `Recorder.image`: checks, the default size of a picture, and the color limits of an earlier one."""

import math
from collections.abc import Mapping

from ..arrays.tensor_tree import named_tensors
from ..options import SHARED
from ..picture.render_spec import RenderSpec
from ..plane.picture_size import is_long

# Largest default side of a picture.
USUAL_SIDE = 512


def check_image(limits, options):
    """Refuses options of `Recorder.image` that the recorder chooses, and those that ``limits="first"`` excludes."""
    for option in ("fname", "blocking"):
        if option in options:
            raise TypeError(f"image() got {option}, which the recorder chooses: a thread writes the pictures to its folder")
    if limits != "first":
        return
    if not isinstance(options.get("norm"), (str, type(None))):
        raise ValueError("limits='first' sets the limits, and a norm object has its own: give norm by name, such as norm='log'")
    scaling = _scaling(options.get("grid"))
    if scaling:
        raise ValueError(f"limits='first' and {scaling[0]} of grid both say which values have which colors: leave one of them out; "
                         "normalize with value_range has the same limits at all steps")


def _scaling(grid):
    """The keywords of a grid that set its limits."""
    return [name for name in ("normalize", "scale_each") if isinstance(grid, Mapping) and grid.get(name)]


def are_several(X, options):
    """Whether a picture shows the tensors of a collection, as a grid does."""
    return bool(options.get("grid")) and named_tensors(X) is not None


def usual_size(source, options):
    """The default ``shape`` of a picture as a keyword of `imsave`; none where `imsave` decides."""
    if "shape" in options or options.get("grid"):
        return {}
    keywords = {name: value for name, value in options.items() if name in SHARED}
    window = RenderSpec(source, SHARED | keywords).window(options.get("view"), (1, 1))
    sides = [max(1, math.ceil(abs(span.u1 - span.u0))) for span in (window.rows, window.cols)]
    if is_long(sides):
        return {"shape": tuple(min(side, USUAL_SIDE) for side in sides)}
    scale = min(1.0, USUAL_SIDE / max(sides))
    return {"shape": tuple(max(1, round(side * scale)) for side in sides)}


def with_limits(limits, options):
    """Keywords of `imsave` for the limits of an earlier picture, or None before it; what `options` give stays."""
    given = [name for name in ("vmin", "vmax") if options.get(name) is not None]
    if limits is None or len(given) == 2:
        return {}
    center = options.get("center")
    if center == "auto" and limits[0] != -limits[1]:
        center = None
    if center is None or center is False:
        return {"center": None} | {name: limit for name, limit in zip(("vmin", "vmax"), limits, strict=True) if name not in given}
    # One limit is enough, and two are not centered, which chooses another colormap.
    return {"center": 0 if center == "auto" else center} | ({} if given else {"vmax": limits[1]})
