"""Axes that are read together: as few planes as the strides allow, and the index of each element."""

import numpy as np
import pytest

from gpuplot import _native
from gpuplot.plane.coalesce_axes import cover

X = np.arange(2 * 40 * 6 * 5).reshape(2, 40, 6, 5)


@pytest.mark.parametrize(("array", "n_planes"), [
    (X, 1), (X.transpose(2, 0, 3, 1), 1),  # dense in any order
    (X[..., ::2, ::2], 1), (X[:, :1, ::2, ::2], 2), (X[:, :30, ::2, ::2], 2), (X[:, :30, :5, ::2], 10),  # the longest axes make rows
    (np.broadcast_to(X[:, :30, None, :5, ::2], (2, 30, 9, 5, 3)), 10)])  # elements that share an address are one
def test_planes_are_as_few_as_can_be(array, n_planes):
    with _native.Tensor.from_array(array, array.dtype.name) as tensor:
        spans = [range(n) for n in array.shape]
        found = cover(tensor, spans, range(array.ndim), is_ordered=False)
        planes = list(found.planes(tensor, "value", {}))
        assert len(planes) == n_planes
        seen = set()
        for plane, outer in planes:
            rows, cols = plane.shape
            values = _native.gather(plane, np.empty((rows, cols), array.dtype)).ravel()
            for position, value in enumerate(values.tolist()):
                place = found.place(position, outer)
                assert array[place] == value
                seen.add(value)
        assert seen == set(np.unique(array).tolist())
