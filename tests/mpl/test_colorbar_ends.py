"""The ends of a colorbar tell which limits elements lie beyond, whoever makes the colorbar, and whenever limits are set."""

import pickle
from unittest import mock

import numpy as np
import pytest
from figures import axes_of
from matplotlib import colors as mcolors

import gpuplot

NOISE = (np.random.default_rng(0).normal(size=(1200, 1100)) * 0.02).astype("f4")


def show(X, **options):
    return gpuplot.imshow(X, ax=axes_of(100), aspect="auto", **options)


@pytest.mark.parametrize(("keywords", "extend"), [
    ({}, "both"), ({"limits": "elements"}, "neither"), ({"limits": "elements", "vmin": 0}, "min"), ({"norm": "cbrt", "vmax": 0}, "max"),
    ({"robust": True}, "both"), ({"agg": "std"}, "neither"), ({"norm": mcolors.Normalize(0, 1)}, None)])
def test_a_colorbar_that_matplotlib_makes_tells_the_ends_too(keywords, extend):
    """The limits hid that elements lie beyond them; a norm of the caller's stays as it is."""
    im = show(NOISE, **keywords)
    again = pickle.loads(pickle.dumps(im.figure)).axes[0].images[0]
    for image in (im, again):
        assert getattr(image.norm, "extend", None) == extend
        assert image.figure.colorbar(image).extend == (extend or "neither")


@pytest.mark.parametrize("X", [NOISE, NOISE[:30, :30]])
def test_ends_follow_limits_that_are_set(X):
    im = show(X, limits="elements")
    im.set_clim(0, 9)
    assert im.figure.colorbar(im).extend == "min"


@pytest.mark.parametrize("X", [NOISE, NOISE[:30, :30]])
def test_the_ends_of_a_colorbar_follow_limits_and_norms_that_are_set(X):
    """They stayed as they were when `imshow` made the colorbar."""
    im = show(X, limits="elements", colorbar=True)
    changes = ((lambda: im.set_clim(0, 9), "min"), (lambda: im.set_clim(-9, 9), "neither"), (lambda: im.set_clim(vmax=0), "max"),
               (lambda: im.set_norm(mcolors.Normalize(-1e-3, 1e-3)), "both"), (lambda: im.set_norm("cbrt"), "neither"))
    for change, extend in changes:
        change()
        im.axes.figure.canvas.draw()
        assert im.colorbar.extend == extend


@pytest.mark.parametrize("sign", [-1, 1])
def test_large_integers_at_the_limits_are_not_beyond_them(sign):
    """2**53 + 999 was, as its limit was the integer and the largest element had been rounded to a float."""
    im = show((2**53 + np.arange(1000).reshape(20, 50)) * sign, colorbar=True)
    assert im.colorbar.extend == "neither"
    im.set_clim(*np.sort([sign * 2**53, sign * (2**53 + 900)]).tolist())
    im.figure.canvas.draw()
    assert im.colorbar.extend == ("max" if sign > 0 else "min")


def test_setting_limits_reads_no_element():
    im = show(NOISE)
    im.update()
    with mock.patch.object(type(im.plane), "limits", side_effect=AssertionError):
        im.set_clim(0, 9)
