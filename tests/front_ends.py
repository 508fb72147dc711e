"""The functions that take a tensor, by name, for tests of what all of them share."""

import io

import numpy as np
from matplotlib.figure import Figure
from scenes import scene_of

import gpuplot

EVERYWHERE = {
    "asnumpy": gpuplot.asnumpy, "stats": gpuplot.stats,
    "hist": lambda X: gpuplot.hist(X, 3, ax=Figure().subplots()), "to_rgba": lambda X: gpuplot.to_rgba(X, (2, 3)),
    "imsave": lambda X: gpuplot.imsave(io.BytesIO(), X), "imshow": lambda X: gpuplot.imshow(X, ax=Figure().subplots()),
    "update": lambda X: gpuplot.imshow(np.ones((5, 6)), ax=Figure().subplots()).update(X), "inspect": scene_of,
}
