"""Figure, array, file and inspector have equal bytes at equal shape, view and style, for any keywords."""

import io
import itertools
import random
import warnings

import effort
import numpy as np
import pytest
from figures import axes_of
from matplotlib import image as mimage
from matplotlib.colors import LogNorm, TwoSlopeNorm
from scenes import scene_of

import gpuplot
from gpuplot.plane.aggs import AGGS as AGGREGATIONS

RNG = np.random.default_rng
SHAPES = {"small": (60, 80), "copied": (900, 1200), "borrowed": (1050, 1400)}
# No pixel's center lies between two elements: which of them is nearest there, a figure decides as matplotlib does.
PIXELS = {"small": (36, 48), "copied": (60, 80), "borrowed": (150, 200)}


def bad(X):
    X = X.copy()
    X[..., 7, 9], X[..., 20, 30], X[..., 31, 3] = np.nan, np.inf, -np.inf
    return X


def plane(shape):
    return RNG(1).normal(size=shape).astype("f4")


TENSORS = {
    "float32": plane, "float64": lambda shape: plane(shape).astype("f8") * 1e3, "bad": lambda shape: bad(plane(shape)),
    "uint8": lambda shape: RNG(2).integers(0, 200, shape).astype("u1"), "masked": lambda shape: np.ma.masked_greater(plane(shape), 0.8),
    "float16": lambda shape: plane(shape).astype("f2"),
    "int32": lambda shape: RNG(3).integers(-10**6, 10**6, shape).astype("i4"),
}
STYLES = {
    "default": {}, "limits": {"vmin": -0.5, "vmax": 1.5}, "robust": {"robust": 5}, "center": {"center": 0},
    "around": {"center": 0.2, "vmin": -0.5, "vmax": 0.9}, "not around": {"center": 0.2, "vmin": -0.5, "vmax": 0.7},
    "gamma": {"gamma": 0.5, "vmin": 0, "vmax": 2}, "map": {"cmap": "magma"},
    "log": {"norm": "log", "vmin": 0.01, "vmax": 3}, "symlog": {"norm": "symlog"}, "eq_hist": {"norm": "eq_hist"},
    "two slopes": {"norm": lambda: TwoSlopeNorm(0.1, -2, 3)}, "an object": {"norm": lambda: LogNorm(0.1, 2)},
    "ends": {"vmin": -0.2, "vmax": 0.2, "under_color": "red", "over_color": "lime"},
    "marks": {"nan_color": "magenta", "pos_inf_color": "cyan"}, "elements": {"limits": "elements"}, "pixels": {"limits": "pixels"},
}
AGGS = (None, *AGGREGATIONS)


def some(n_cases, /, **axes):
    """So many of all combinations, always the same; a third of these in `make test`."""
    rows = random.Random(0).sample(list(itertools.product(*axes.values())), n_cases)
    return pytest.mark.parametrize(list(axes), rows[:n_cases // 3] if effort.current() == "quick" else rows)


def made(style):
    return {name: value() if callable(value) else value for name, value in STYLES[style].items()}


def the_four(X, shape, keywords, view=None):
    """What each front end shows, as straight RGBA bytes; the inspector has colors of its own for marks and centers, unless told."""
    height, width = shape
    results = {"to_rgba": gpuplot.to_rgba(X, shape, view=view, **keywords())}
    ax = axes_of(width, height)
    image = gpuplot.imshow(X, ax=ax, aspect="auto", **keywords())
    if view is not None:
        (top, bottom), (left, right) = view
        ax.set(xlim=(left - 0.5, right - 0.5), ylim=(bottom - 0.5, top - 0.5))
    ax.figure.canvas.draw()
    shown = image.make_image(ax.figure.canvas.get_renderer())[0]
    results["imshow"] = shown[::-1]
    file = io.BytesIO()
    gpuplot.imsave(file, X, shape=shape, view=view, **keywords())
    file.seek(0)
    results["imsave"] = (mimage.imread(file, format="png") * 255).round().astype(np.uint8)
    plain = {"center": None} | dict.fromkeys(("nan_color", "pos_inf_color", "neg_inf_color"), (0, 0, 0, 0))
    scene = scene_of(X, **plain | keywords())
    rows, cols = scene.state()["plane"]
    results["inspect"] = scene.draw((0, rows, 0, cols) if view is None else (*view[0], *view[1]), shape).pixels[0]
    return results


def check(X, shape, keywords, view=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gpuplot.GpuplotWarning)
        try:
            results = the_four(X, shape, keywords, view)
        except (ValueError, TypeError) as error:
            refusal = str(error)
        else:
            refusal = None
    if refusal is not None:  # then by all of them
        for refuse in (lambda: gpuplot.to_rgba(X, shape, view=view, **keywords()),
                       lambda: gpuplot.imsave(io.BytesIO(), X, shape=shape, view=view, **keywords())):
            with pytest.raises((ValueError, TypeError)):
                refuse()
        return
    wanted = results.pop("to_rgba")
    if wanted.shape[2] == 4 and results["imsave"].shape[2] == 3:
        results["imsave"] = np.dstack([results["imsave"], np.full(shape, 255, np.uint8)])
    is_seen = wanted[..., 3] > 0  # what is transparent has no color
    for name, got in results.items():
        assert got.shape == wanted.shape, name
        np.testing.assert_array_equal(got[..., 3], wanted[..., 3], err_msg=name)
        np.testing.assert_array_equal(got[is_seen], wanted[is_seen], err_msg=name)


@some(120, size=SHAPES, tensor=TENSORS, style=STYLES, agg=AGGS, nan=("auto", "show", "skip"))
def test_planes(size, tensor, style, agg, nan):
    X = TENSORS[tensor](SHAPES[size])
    check(X, PIXELS[size], lambda: made(style) | {"agg": agg, "nan": nan})


# Parts of the rows and columns, of which each has more elements than there are pixels: others matplotlib draws in a figure.
VIEWS = {"middle": ((0.2, 0.8), (0.1, 0.7)), "corner": ((0, 0.75), (0, 0.75)), "wide": ((0.3, 1), (0, 1)), "whole": ((0, 1), (0, 1))}
ALPHAS = {"opaque": lambda shape: None, "half": lambda shape: 0.5,
          "elements": lambda shape: np.linspace(0, 1, shape[0] * shape[1]).reshape(shape)}


@some(90, size=SHAPES, tensor=("float32", "bad", "masked", "uint8"), style=("limits", "map", "ends", "marks", "symlog"), part=VIEWS,
        alpha=ALPHAS, agg=(None, "mean", "max", "min", "std", "count"))
def test_parts_and_opacities(size, tensor, style, part, alpha, agg):
    """Limits are explicit: those of pixels are of what each front end was asked to show first."""
    shape = SHAPES[size]
    view = tuple(tuple(round(end * n) for end in ends) for ends, n in zip(VIEWS[part], shape, strict=True))
    check(TENSORS[tensor](shape), PIXELS[size],
          lambda: {"vmin": -0.5, "vmax": 1.5} | made(style) | {"agg": agg, "alpha": ALPHAS[alpha](shape)}, view)


@some(60, size=SHAPES, op=("mean", "max", "std", "sum"), nan=("auto", "show", "skip"), tensor=("float32", "bad", "masked", "uint8"),
        agg=(None, "max", "range", "std", "var", "sum", "count"))
def test_reduced_axes(size, op, nan, tensor, agg):
    X = TENSORS[tensor]((3, *SHAPES[size]))
    if tensor == "float32" and nan == "auto":  # so that hidden axes make many NaN of few
        X[RNG(6).random(X.shape) < 0.2] = np.nan
    check(X, PIXELS[size], lambda: {"reduce": {0: op}, "nan": nan, "agg": agg})


@some(60, size=SHAPES, dtype=("float32", "float64", "float16", "uint8", "uint16"), n=(3, 4), is_first=(False, True),
        reach=("inside", "beyond"), denorm=(None, "symmetric", "minmax", "imagenet"), agg=(None, "mean"), has_bad=(False, True))
def test_colors(size, dtype, n, is_first, reach, denorm, agg, has_bad):
    """Values beyond 0..1 are averaged as they are stored, then normalization is undone, then they are clipped."""
    X = RNG(4).random((*SHAPES[size], n))
    is_integer = dtype.startswith("uint")
    if is_integer:
        X = (X * (255 if reach == "inside" or dtype == "uint8" else 9000)).astype(dtype)
    else:
        X = (X if reach == "inside" else X * 3 - 1).astype(dtype)
    if n == 4:
        X[..., 3] = np.clip(X[..., 3], 0, 255 if is_integer else 1)
    if has_bad and not is_integer:
        X[10:14, 10:14] = np.nan
    X = np.moveaxis(X, -1, 0) if is_first else X
    check(X, PIXELS[size], lambda: {"rgb": 0 if is_first else 2, "denorm": denorm, "agg": agg})


@some(90, size=SHAPES, mode=("amplitude", "square_amplitude", "real", "imaginary", "phase", "amplitude_phase", "log10_amplitude_phase"),
        agg=(None, "mean", "max", "nearest"), style=("default", "limits", "center", "map"))
def test_complex_numbers(size, mode, agg, style):
    X = plane((2, *SHAPES[size])).astype("f8")
    X = X[0] + 1j * X[1]
    check(X, PIXELS[size], lambda: made(style) | {"complex_mode": mode, "agg": agg})


@some(40, size=SHAPES, dtype=("uint8", "int64", "bool"), cmap=(None, "tab10"), ignore=(None, 3, ()), agg=(None, "nearest", "max"))
def test_classes(size, dtype, cmap, ignore, agg):
    X = np.kron(RNG(5).integers(0, 2 if dtype == "bool" else 6, [n // 10 for n in SHAPES[size]]), np.ones((10, 10), int)).astype(dtype)
    check(X, PIXELS[size], lambda: {"categorical": True, "cmap": cmap, "ignore_index": ignore, "agg": agg})
