"""Random actions of a user on an inspector: the next state is always JSON and the next frame right."""

import random

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from scenes import scene_of, snapshot, whole

import gpuplot

AXES = [0, 1, 2, 3, -1, -2, 5, "0", "1", None, "q", True, 1.5]
LIMITS = [None, 0, -1, 1, 1e308, -1e308, 5e-324, 3.5]
WINDOWS = [None, (0, 2, 0, 3), (50, 60, 0, 1)]
MENUS = {
    "agg": ["mean", "max", "min", "absmax", "range", "std", "var", "sum", "count", "nearest", None],
    "norm": ["linear", "log", "symlog", "asinh", "cbrt", "eq_hist", None, "none"],
    "cmap": ["magma", "tab10", "hsv", None, "none"], "vmin": LIMITS, "vmax": LIMITS, "nan": ["show", "skip"],
    "region": ["view", "slice", "all"], "robust": [True, False, 5, (10, 20)], "item": [0, 1, 2, 3, "a", "b"],
    "complex_mode": ["amplitude", "real", "imaginary", "phase", "amplitude_phase", "log10_amplitude_phase", "square_amplitude"],
    "view": [None, ((0, 2), (1, 3)), ((-5, 1e6), (0, 1))], **dict.fromkeys(("x", "y", "rows", "columns", "rgb"), AXES),
}


def random_tensor(rng):
    """0 to 5 axes of 0 to 7 elements of any kind, some of them not finite, some masked."""
    numbers = np.random.default_rng(rng.randrange(10**6))
    shape = tuple(rng.choice([1, 2, 3, 4, 5, 7] + [0] * (rng.random() < 0.1)) for _ in range(rng.randrange(6)))
    kind = rng.choice(["f4", "f8", "i8", "u1", "?", "c8", "f2", "i2"])
    with np.errstate(all="ignore"):
        X = np.asarray(numbers.normal(size=shape) * 10.0 ** rng.randrange(-3, 4)).astype(kind)
    if kind[0] in "fc" and X.size and rng.random() < 0.4:
        X.flat[rng.randrange(X.size)] = rng.choice([np.nan, np.inf, -np.inf])
    return np.ma.array(X, mask=numbers.random(shape) < 0.3) if rng.random() < 0.1 else X


def random_object(rng):
    if rng.random() < 0.75:
        return random_tensor(rng)
    a = random_tensor(rng)
    return {"a": a, "b": a[::-1] if a.ndim and rng.random() < 0.6 else random_tensor(rng)}


def random_values(rng):
    values = {name: rng.choice(MENUS[name]) for name in rng.sample(sorted(MENUS), rng.choice([1, 1, 2]))}
    if rng.random() < 0.3:
        values["index"] = {rng.choice(AXES): rng.choice([0, 1, 2, -1, 9, True, "1", None])}
    if rng.random() < 0.2:
        values["reduce"] = {rng.choice(AXES): rng.choice(["mean", "max", "std", "norm", "sum", "min", None, "none"])}
    return values


def random_step(rng, scene):
    """One thing that changes what is shown, or is refused; True where something may have changed."""
    step = rng.choice(["change"] * 6 + ["update", "limits"])
    try:
        if step == "change":
            scene.change(random_values(rng))
        elif step == "update":
            scene.update(random_object(rng))
        else:
            scene.set_limits(rng.choice(["full", "robust", "snap"]), rng.choice(MENUS["region"]), rng.choice(WINDOWS))
    except (ValueError, TypeError, IndexError):
        return False
    return True


def random_question(rng, scene):
    rows, cols = scene.state()["plane"]
    rng.choice([
        lambda: scene.jump(rng.choice([1, -1])), lambda: scene.stats(rng.choice(MENUS["region"]), (0, 2, 0, 2)),
        lambda: scene.histogram(rng.choice(MENUS["region"]), (0, 2, 0, 2)),
        lambda: scene.hover(rng.uniform(-1, 6), rng.uniform(-1, 6), 0, (rng.choice([0.3, 1, 2.5]), rng.choice([0.3, 1, 2.5]))),
        lambda: scene.values((0, min(rows, 3), 0, min(cols, 3)), 0)])()


@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_done_the_next_state_and_frame_are_right(seed):
    rng = random.Random(seed)
    scene = scene_of(random_object(rng))
    for _ in range(12):
        before = scene.version, scene.data
        if not random_step(rng, scene):
            assert (scene.version, scene.data) == before
        random_question(rng, scene)
        first, second = snapshot(scene), whole(scene, (5, 6))
        assert "cannot be drawn" not in snapshot(scene)["text"], first
        again = whole(scene, (5, 6))
        assert again.version == second.version == scene.version >= before[0]
        same = (again.pixels, second.pixels) if again.line is None else (again.line, second.line)
        assert np.array_equal(*same, equal_nan=again.line is not None)


# ---- against an inspector that is opened so at once, and against to_rgba ---------------------------------------------------------

# What depends on the way here: counters, what was asked meanwhile, what the menus were given, who else was opened.
OF_THE_WAY = ("version", "data", "kind_counts", "extend", "items", "item", "tensor", "cmaps", "norms")


def choices(scene):
    """What `gpuplot.inspect` would be given for what is shown now."""
    now = scene._view_state.settings
    roles = now.roles
    names = ("agg", "nan", "cmap", "norm", "vmin", "vmax", "complex_mode", "robust")
    index = {axis: roles.index[axis] for axis in roles.stepped()} if 0 not in roles.axes.shape else {}
    return {name: getattr(now, name) for name in names} | {
        "agg": now.agg if now.agg in scene._view_state.aggs else None,  # kept for when it has a meaning again
        "x": roles.x, "y": roles.y, "rows": roles.rows, "columns": roles.columns,
        "rgb": False if roles.rgb is None else roles.rgb, "index": index or None, "reduce": dict(roles.reduced) or None}


def what_is_said(scene):
    """The state without what depends on the way to it."""
    state = {name: value for name, value in snapshot(scene).items() if name not in OF_THE_WAY}
    is_stepped = 0 not in scene._view_state.source.shape
    state["axes"] = [axis | {"index": axis["index"] * (is_stepped and axis["role"] == "index")} for axis in state["axes"]]
    return state


def opened_anew(X, scene):
    """Another inspector of the same tensor, with the same choices from the first moment on."""
    now = scene._view_state.settings
    other = scene_of(X, **choices(scene))
    other.change({"view": now.view, "region": now.region})
    return other


def pixels_of_facets(X, scene, window, size):
    """The frame by `gpuplot.to_rgba`, with the limits that the scene says."""
    asked, state = choices(scene), scene.state()
    keywords = {name: asked[name] for name in ("x", "y", "rgb", "reduce", "nan", "complex_mode")} \
        | {"agg": None if scene._coloring.is_sharp(scene._view_state) else scene.agg}
    if not state["is_rgb"]:
        is_open = state["is_categorical"] and asked["cmap"] is None
        keywords |= {"cmap": None if is_open else scene.cmap, "categorical": state["is_categorical"]}
    if not (state["is_rgb"] or state["is_categorical"]):
        keywords |= {"vmin": scene.vmin, "vmax": scene.vmax, "norm": asked["norm"]}
    marks = {f"{name}_color": state["colors"][name] for name in ("nan", "pos_inf", "neg_inf")}
    view = (window[:2], window[2:])
    places = scene._view_state.facets.indices(scene._view_state.settings.roles)
    return np.array([gpuplot.to_rgba(X, size, view=view, index=(asked["index"] or {}) | dict(place) or None, **keywords, **marks)
                     for place in places])


@pytest.mark.filterwarnings("ignore:colors from")
@examples(150)
@given(st.randoms())
def test_after_any_changes_it_is_as_if_it_was_opened_so(rng):
    """The same state, the same frames; and those frames are the pixels of to_rgba."""
    X = random_tensor(rng)
    scene = scene_of(X)
    size = (5, 6)
    for _ in range(rng.randrange(1, 8)):
        try:
            scene.change(random_values(rng) | rng.choice([{}, {"region": "slice"}]))
        except (ValueError, TypeError, IndexError):
            continue
        if rng.random() < 0.5:
            whole(scene, size)
    if scene._view_state.settings.region == "view":  # whose elements are those of the window of that moment
        scene.change({"region": "slice"})
    scene._coloring.drop_limits()  # those of another index are kept
    other = opened_anew(X, scene)
    other._coloring._class_ranges = {other._view_state.item: widest for widest in scene._coloring._class_ranges.values()}  # noqa: B035
    mine, theirs = whole(scene, size), whole(other, size)
    if mine.line is not None:
        assert np.array_equal(mine.line, theirs.line, equal_nan=True)
    else:
        assert np.array_equal(mine.pixels, theirs.pixels)
    assert what_is_said(scene) == what_is_said(other)
    has_classes_of_all = scene.state()["is_categorical"] and scene._view_state.settings.cmap is not None
    if scene._view_state.kind == "image" and not (has_classes_of_all and len(mine.pixels) > 1):  # a tile alone may have fewer classes
        rows, cols = scene._view_state.shape
        wanted = pixels_of_facets(X, scene, (0, rows, 0, cols), size)
        assert np.array_equal(mine.pixels[:len(wanted)], wanted) and not mine.pixels[len(wanted):].any()
