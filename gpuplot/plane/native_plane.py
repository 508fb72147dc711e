"""A view of a borrowed tensor, or cells, as the plane that native functions take."""

from .. import _native
from .aggs import native_nan


def native_plane(tensor, view, component=None, channel=0, is_alpha_weighted=False, nan="show"):
    """The native plane of a view. `nan` is the policy of hidden axes; a reduction to cells has its own."""
    return _native.Plane(tensor, view.uses, view.stage_ops, component or view.component, channel, is_alpha_weighted, native_nan(nan))


def plane_of_cells(cells):
    """Cells as a native plane of elements, where they are: they need not leave their device."""
    rows, cols = cells.shape
    return _native.Plane(_native.Tensor.from_cells(cells), (("rows", 0, 1, rows, 0), ("cols", 0, 1, cols, 0)), ())
