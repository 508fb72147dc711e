"""A tensor of lines -> native planes with a line in each row."""

from .. import _native


def planes_of_lines(tensor, axis):
    """Planes of all lines along an axis of a borrowed tensor."""
    return planes_together([tensor], axis, [k for k in range(len(tensor.shape)) if k != axis])[0]


def plane_of_lines(tensor, axis, rows, fixed, is_turned):
    """One plane: a line for each place along `rows`, which must lie end to end in memory."""
    sizes = tensor.shape or (1,)
    n = sizes[axis]
    uses = [("fixed", fixed.get(k, 0), 1, 1, 0) for k in range(len(tensor.shape))]
    for stage, k in enumerate(rows):
        uses[k] = ("rows", 0, 1, sizes[k], stage)
    if uses:
        uses[axis] = ("cols", n - 1, -1, n, 0) if is_turned and n else ("cols", 0, 1, n, 0)
    return _native.Plane(tensor, uses, ())


def planes_together(tensors, axis, rows, fixed=None, is_turned=False):
    """For each tensor planes with all its lines, in one order for all: a plane for each place along axes that do not lie end to end."""
    fixed = fixed or {}
    rows = tuple(sorted(rows, key=lambda k: -abs(tensors[-1].strides[k])))
    try:
        return [[plane_of_lines(tensor, axis, rows, fixed, is_turned)] for tensor in tensors]
    except ValueError:
        if len(rows) < 2:
            raise
    apart = min(rows, key=lambda k: tensors[-1].shape[k])
    others = tuple(k for k in rows if k != apart)
    parts = [planes_together(tensors, axis, others, fixed | {apart: place}, is_turned) for place in range(tensors[-1].shape[apart])]
    return [[plane for part in parts for plane in part[k]] for k in range(len(tensors))]
