"""Anything a user may do with an inspector, at random: whatever is asked, the next state is JSON and the next frame is right."""

import random

import numpy as np
import pytest
from scenes import scene_of, snapshot, whole

AXES = [0, 1, 2, 3, -1, -2, 5, "0", "1", None, "q", True, 1.5]
LIMITS = [None, 0, -1, 1, 1e308, -1e308, 5e-324, 3.5]
WINDOWS = [None, (0, 2, 0, 3), (50, 60, 0, 1)]
MENUS = {
    "agg": ["mean", "max", "min", "absmax", "std", "sum", "count", "nearest", None],
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
        lambda: scene.jump(rng.choice([1, -1]), None), lambda: scene.stats(rng.choice(MENUS["region"]), (0, 2, 0, 2)),
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
