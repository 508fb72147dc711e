"""Scenes for tests: the options as `gpuplot.inspect` completes them, looks at all of a plane, calls that are counted."""

import json

import numpy as np

from gpuplot import _native
from gpuplot.inspector.model.scene import Scene
from gpuplot.options import CELLS, STREAM, STYLE, VIEW

OPTIONS = VIEW | CELLS | STYLE | STREAM | {"center": "auto"}


def scene_of(X, *, rows=None, columns=None, **options):
    return Scene(X, OPTIONS | options, rows=rows, columns=columns)


def whole(scene, size=(24, 32)):
    """A frame of all of the plane."""
    rows, cols = scene.state()["plane"]
    return scene.draw((0, max(rows, 1), 0, max(cols, 1)), size)


def pixels(scene, size=(24, 32)):
    """The pixels of the first facet."""
    return whole(scene, size).pixels[0]


def axis_roles(scene):
    return [axis["role"] for axis in scene.state()["axes"]]


def snapshot(scene):
    """The state of a scene for comparisons, which must be JSON without NaN."""
    return json.loads(json.dumps(scene.state(), allow_nan=False))


def count_calls(monkeypatch, *names):
    """A dict with the number of calls of native functions from now on."""
    calls = dict.fromkeys(names, 0)

    def counting(name, function):
        def call(*args, **keywords):
            calls[name] += 1
            return function(*args, **keywords)
        return call

    for name in names:
        monkeypatch.setattr(_native, name, counting(name, getattr(_native, name)))
    return calls


def numbers(*shape, dtype="float32", seed=0):
    """Normal random numbers."""
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)
