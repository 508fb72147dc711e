"""A stand-in for the array of an image whose tensor is never copied."""

import numpy as np


class ElementProxy:
    """A stand-in for matplotlib's array: has the shape and single elements of an `ImagePlane`, and never copies a tensor."""

    def __init__(self, plane):
        self._plane = plane
        self.shape = plane.array_shape
        self.dtype = plane.array_dtype

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return int(np.prod(self.shape, dtype=object))

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        row, col = index
        return self._plane.element(row, col)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("the image holds a tensor of which only cells are read; gpuplot.downsample(tensor, shape) gives "
                        "numbers, and im.tensor is the tensor itself")

    def __repr__(self):
        return f"<elements of a {self.dtype} tensor, shape {self.shape}>"
