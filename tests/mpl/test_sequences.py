"""Random sequences of changes to an artist: the last picture is that of a new artist in the last state."""

import copy

import effort
import numpy as np
import pytest
from figures import axes_of, pixels
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import gpuplot

pytestmark = [pytest.mark.host("what artists keep between draws is the same for any device"),
              pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")]  # of limits that a scale has no place for

RNG = np.random.default_rng(8)
PLAIN = RNG.normal(size=(3, 60, 80))
MARKED = PLAIN.copy()
MARKED[:, 5, 7], MARKED[:, 9, 9] = np.nan, np.inf
# The last two are borrowed, the others copied.
VOLUMES = [PLAIN.astype("float32"), RNG.integers(-9, 99, (3, 60, 80)).astype("int16"), np.abs(PLAIN) + 0.01, MARKED,
           np.ma.masked_less(PLAIN, -1), *(RNG.normal(size=(3, 1200, 1100)).astype(dtype) for dtype in ("float32", "float16"))]
LINES = [RNG.normal(size=(300, 40)), np.abs(RNG.normal(size=(300, 40))) + 0.1, RNG.normal(size=(300, 40)).cumsum(0).astype("float32")]
POINTS = [RNG.normal(size=(2, 60_000)), np.abs(RNG.normal(size=(2, 60_000))) + 0.1, RNG.normal(size=(2, 60_000)).astype("float32")]

# Pixels of the Axes, fewer than the elements of any plane.
SIDES = 40, 30

SHARES = st.tuples(st.floats(-0.2, 0.5), st.floats(0.01, 1)).map(lambda ends: (ends[0], sum(ends)))
SCALES = st.sampled_from(["linear", "log", "symlog", "asinh"])
OF_FIGURES = {
    "hide": st.none(), "size": st.sampled_from([(0.3, 0.4), (0.5, 0.2), (2, 1)]), "xlim": SHARES, "ylim": SHARES,
    "cmap": st.sampled_from(["gray", "RdBu", "magma"]), "alpha": st.sampled_from([None, 0.5, 1.0]), "autoscale": st.none(),
    "clim": st.tuples(st.floats(0.01, 0.5), st.floats(0.6, 9)), "norm": st.sampled_from([None, "log", "symlog", "asinh"])}
OF_IMAGES = OF_FIGURES | {
    "data": st.integers(0, len(VOLUMES) - 1), "index": st.sampled_from([{0: k} for k in range(3)]),
    "agg": st.sampled_from([None, "mean", "max", "min", "absmax", "std", "nearest", "count"]),
    "interpolation": st.sampled_from([None, "nearest", "antialiased", "bilinear", "hanning"]),
    "interpolation_stage": st.sampled_from(["auto", "data", "rgba"]),
    "extent": st.sampled_from([(0, 1, 0, 1), (-3, 3, 2, -2), (9, 80, 5, 60)])}
OF_DENSITIES = OF_FIGURES | {"xscale": SCALES, "yscale": SCALES}


def changes(strategies):
    """Lists of (name, value, whether a draw comes first), of a few kinds of changes each, which then meet more often."""
    def of_kinds(names):
        return st.lists(st.one_of([st.tuples(st.just(name), strategies[name], st.booleans()) for name in names]), max_size=8)
    return st.lists(st.sampled_from(sorted(strategies)), min_size=1, max_size=4, unique=True).flatmap(of_kinds)


def change(artist, name, value):
    """Makes one change; False if it is refused."""
    ax = artist.axes
    if name == "hide":
        artist.set_visible(False)
        ax.figure.canvas.draw()
        artist.set_visible(True)
    elif name == "size":
        ax.figure.set_size_inches(value)
    elif name in ("xlim", "ylim"):
        low, high = getattr(ax, f"get_{name}")()
        getattr(ax, f"set_{name}")(low + (high - low) * value[0], low + (high - low) * value[1])
    elif name in ("xscale", "yscale"):
        getattr(ax, f"set_{name}")(value)
    elif name == "autoscale":
        artist.autoscale()
    else:
        try:
            getattr(artist, f"set_{name}")(*(value if name == "clim" else [VOLUMES[value] if name == "data" else value]))
        except ValueError:
            return False
        if name == "norm":
            artist.autoscale_None()  # else matplotlib finds limits of small arrays in the next view
    return True


def last_state(artist, steps, names):
    """Makes the changes and draws; what was set last by those of these names that were not refused."""
    state = {}
    for name, value, is_drawn in steps:
        if is_drawn:
            artist.axes.figure.canvas.draw()
        if change(artist, name, value) and name in names:
            state[name] = value
    artist.axes.figure.canvas.draw()  # limits that depend on the view are then found
    return state


def assert_same_picture(old, new):
    """`new` gets the view of `old`, whose limits may have no place on a scale: setters would refuse these."""
    for axis in ("x", "y"):
        getattr(new.axes, f"set_{axis}scale")(getattr(old.axes, f"get_{axis}scale")())
        setattr(new.axes.viewLim, f"interval{axis}", getattr(old.axes, f"get_{axis}lim")())
    new.axes.figure.set_size_inches(old.axes.figure.get_size_inches())
    np.testing.assert_array_equal(pixels(old.axes.figure), pixels(new.axes.figure))


@effort.examples(1000, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, len(VOLUMES) - 1), st.sampled_from(["upper", "lower"]), changes(OF_IMAGES))
def test_images(number, origin, steps):
    image = gpuplot.imshow(VOLUMES[number], index={0: 1}, origin=origin, aspect="auto", ax=axes_of(*SIDES))
    state = last_state(image, steps, ("data", "index", "agg", "interpolation", "interpolation_stage", "alpha"))
    keywords = {"cmap": image.get_cmap(), "extent": image.get_extent(), "norm": copy.deepcopy(image.norm), "index": {0: 1}}
    X = VOLUMES[state.pop("data", number)]
    new = gpuplot.imshow(X, ax=axes_of(*SIDES), origin=origin, aspect="auto", **keywords | state)
    assert_same_picture(image, new)


def draw_lines(y, **keywords):
    return gpuplot.plot(y, density=True, ax=axes_of(*SIDES), **keywords)


def draw_points(xy, **keywords):
    return gpuplot.scatter(*xy, ax=axes_of(*SIDES), **keywords)


@pytest.mark.parametrize(("draws", "data"), [(draw_lines, LINES), (draw_points, POINTS)], ids=["lines", "points"])
@effort.examples(200, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2), changes(OF_DENSITIES))
def test_densities(draws, data, number, steps):
    image = draws(data[number])
    state = last_state(image, steps, ("alpha",))
    new = draws(data[number], cmap=image.get_cmap(), norm=copy.deepcopy(image.norm), **state)
    assert_same_picture(image, new)
