"""What the gallery draws: a tensor, what there is to see in it, and the two calls that show it."""

import functools
import zlib
from typing import NamedTuple

import numpy as np

SCENES = []


class Scene(NamedTuple):
    """One tensor, drawn twice.

    Attributes
    ----------
    name : str
        Also of its files.
    look_for : str
        What the owner of such a tensor wants to see.
    make : callable
        ``make(rng, most)`` gives the tensor, with at most about so many elements a side.
    ours, usual : str
        The calls; the tensor is `x`.
    """

    name: str
    look_for: str
    make: object
    ours: str
    usual: str


def scene(name, look_for, ours="gpuplot.imshow(x)", usual="plt.imshow(x)"):
    """Puts what a function makes into the gallery; decorators above it show the same tensor otherwise."""
    def add(make):
        SCENES.append(Scene(name, look_for, make, ours, usual))
        return make

    return add


@functools.lru_cache(maxsize=1)
def tensor_of(make, most):
    """What a function makes, the same in every run; the last one is kept for the next scene."""
    return make(np.random.default_rng(zlib.crc32(make.__name__.encode())), most)


def normal(rng, *shape, scale=1.0):
    """Normal numbers as float32."""
    values = rng.standard_normal(shape, dtype=np.float32)
    values *= scale
    return values
