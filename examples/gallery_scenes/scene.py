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
        ``make(most)`` gives the tensor, with at most so many elements a side.
    ours, usual : str
        The calls; the tensor is `x`.
    """

    name: str
    look_for: str
    make: object
    ours: str
    usual: str


def scene(name, look_for, ours="gpuplot.imshow(x)", usual="plt.imshow(x)"):
    """Puts what a function ``(rng, most) -> tensor`` makes into the gallery; decorators above it show the same tensor otherwise."""
    def add(make):
        if not hasattr(make, "cache_info"):
            make = functools.lru_cache(maxsize=1)(seeded(make))
        SCENES.append(Scene(name, look_for, make, ours, usual))
        return make

    return add


def seeded(make):
    """The same function with a random generator that is the same in every run."""
    @functools.wraps(make)
    def made(most):
        return make(np.random.default_rng(zlib.crc32(make.__name__.encode())), most)

    return made


def normal(rng, *shape, scale=1.0):
    """Normal numbers as float32."""
    values = rng.standard_normal(shape, dtype=np.float32)
    values *= scale
    return values
