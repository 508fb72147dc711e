"""Color limits: of the whole plane, set when imshow returns, shared, and with notices to observers."""

import matplotlib as mpl
import matplotlib.image
import matplotlib.pyplot as plt
import numpy as np
import pytest
from figures import axes_of, borrowed, counted, made, needs_exact_places
from matplotlib import colors as mcolors
from scenes import scene_of

import gpuplot

LARGE = borrowed() * np.linspace(1, 30, 1000, dtype="f4")
SMALL = LARGE[:50, :60]
BOTH = pytest.mark.parametrize("X", [SMALL, LARGE], ids=["small", "large"])


@BOTH
def test_limits_are_those_of_the_plane(X):
    im = gpuplot.imshow(X, ax=axes_of(100), limits="elements")
    assert im.get_clim() == (X.min(), X.max())
    assert gpuplot.imshow(X, ax=axes_of(100), vmin=-3).get_clim() == (-3, X.max())
    log = gpuplot.imshow(X, ax=axes_of(100), norm="log")
    assert log.get_clim() == (X[X > 0].min(), X.max())


@BOTH
def test_what_is_not_finite_has_no_part_in_limits(X):
    X = X.copy()
    low, high = X[1:].min(), X[1:].max()
    X[0, :3] = np.nan, np.inf, -np.inf
    X[0, 3:] = 0
    assert gpuplot.imshow(X, ax=axes_of(100), limits="elements").get_clim() == (low, high)


@BOTH
def test_robust_and_center(X):
    im = gpuplot.imshow(X, ax=axes_of(100), robust=True, limits="elements")
    np.testing.assert_allclose(im.get_clim(), np.percentile(X.astype("f8"), [2, 98]), rtol=1e-14)
    im = gpuplot.imshow(X, ax=axes_of(100), center=1, vmax=4)
    assert im.get_clim() == (-2, 4) and im.cmap.name == "RdBu_r"
    im = gpuplot.imshow(X, ax=axes_of(100), center=0, cmap="gray")
    assert im.cmap.name == "gray" and im.get_clim()[0] == -im.get_clim()[1]


@pytest.mark.parametrize("agg", ["range", "std", "var", "sum", "count"])
@pytest.mark.parametrize("X", [LARGE, LARGE[:900, :700], LARGE[:120, :999], LARGE[:5, :900]], ids=["large", "copied", "uneven", "wide"])
def test_limits_of_other_units_are_those_of_the_cells(X, agg):
    """Of the cells that are drawn, whether the plane is reduced where it is or was copied at the call."""
    im = gpuplot.imshow(X, ax=axes_of(100), agg=agg, aspect="auto")
    cells = gpuplot.downsample(X, (min(100, len(X)), 100), agg=agg)
    np.testing.assert_allclose(im.get_clim(), (cells.min(), cells.max()), rtol=1e-6)


def test_limits_of_what_is_visible_and_of_the_whole_tensor():
    stack = np.stack([SMALL, SMALL * 3])
    ax = axes_of(100)
    im = gpuplot.imshow(stack, ax=ax, rgb=False)
    assert im.get_clim() == (SMALL.min(), SMALL.max())
    im.autoscale(region="all")
    assert im.get_clim() == (stack.min(), stack.max())
    ax.set(xlim=(9.6, 19.4), ylim=(30.4, 20.6))
    im.autoscale(region="view")
    assert im.get_clim() == (SMALL[21:31, 10:20].min(), SMALL[21:31, 10:20].max())
    im.autoscale(robust=10)
    np.testing.assert_allclose(im.get_clim(), np.percentile(SMALL.astype("f8"), [10, 90]))
    im.autoscale()
    assert im.get_clim() == (SMALL.min(), SMALL.max())
    with pytest.raises(ValueError, match="slice, view, all"):
        im.autoscale(region="everything")


STACKS = {
    "small": np.random.default_rng(0).normal(size=(5, 2, 40, 50)).astype("f4"), "integers": np.arange(4000).reshape(5, 2, 20, 20) ** 2,
    "large": np.random.default_rng(0).normal(size=(3, 1, 1100, 1000)).astype("f4"),
}


@pytest.mark.parametrize("robust", [True, 10, (0, 50)])
@pytest.mark.parametrize("name", STACKS)
def test_percentiles_of_the_tensor(name, robust):
    """autoscale(region="all", robust=True) took the percentiles of the plane that is shown."""
    X = STACKS[name] * np.arange(1, STACKS[name].shape[0] + 1).reshape(-1, 1, 1, 1)
    percents = {True: (2, 98), 10: (10, 90), (0, 50): (0, 50)}[robust]
    im = gpuplot.imshow(X, ax=axes_of(100), index={0: 1})
    im.autoscale(region="all", robust=robust)
    np.testing.assert_allclose(im.get_clim(), np.percentile(X.astype("f8"), percents), rtol=1e-6)
    scene = scene_of(X, index={0: 1}, robust=robust, center=None)
    scene.change({"region": "all"})
    np.testing.assert_allclose(im.get_clim(), [scene.state()[name] for name in ("vmin", "vmax")], rtol=1e-6)
    im.autoscale(region="slice", robust=robust)
    np.testing.assert_allclose(im.get_clim(), np.percentile(X[1, 0].astype("f8"), percents), rtol=1e-6)
    reduced = gpuplot.imshow(X, ax=axes_of(100), index={1: 0}, reduce={0: "max"})
    reduced.autoscale(region="all", robust=robust)
    np.testing.assert_allclose(reduced.get_clim(), np.percentile(X.max(0).astype("f8"), percents), rtol=1e-6)


def test_limits_of_the_tensor_of_other_kinds():
    X = STACKS["small"] + 1j * STACKS["small"][::-1]
    im = gpuplot.imshow(X, ax=axes_of(100), index={0: 1}, complex_mode="imaginary")
    im.autoscale(region="all", robust=5)
    np.testing.assert_allclose(im.get_clim(), np.percentile(X.imag.astype("f8"), [5, 95]), rtol=1e-6)
    log = gpuplot.imshow(STACKS["small"], ax=axes_of(100), norm="log")
    log.autoscale(region="all")
    assert log.get_clim() == (STACKS["small"][STACKS["small"] > 0].min(), STACKS["small"].max())


@pytest.mark.parametrize("agg", ["mean", "sum"])
def test_limits_of_a_view_in_which_nothing_is_seen(agg):
    """autoscale(region="view") raised TypeError where the image lay beside the view."""
    im = gpuplot.imshow(borrowed(), ax=axes_of(100), agg=agg)
    before = im.get_clim()
    im.axes.set_xlim(5000, 6000)
    im.autoscale(region="view")
    assert im.get_clim() == before



@needs_exact_places  # until 3.10 matplotlib itself told each limit apart
@BOTH
def test_one_notice_for_each_change(X):
    im = gpuplot.imshow(X, ax=axes_of(100))
    calls = []
    im.callbacks.connect("changed", calls.append)
    im.set_clim(0, 1)
    im.autoscale()
    im.set_cmap("gray")
    assert calls == [im] * 3


@BOTH
def test_the_callers_norm_is_the_images_and_gets_its_limits(X):
    norm = mcolors.AsinhNorm()
    first = gpuplot.imshow(X, ax=axes_of(100), norm=norm)
    assert first.norm is norm and (norm.vmin, norm.vmax) == (X.min(), X.max())
    second = gpuplot.imshow(X * 2, ax=axes_of(100), norm=norm)
    assert second.get_clim() == first.get_clim()
    with counted() as calls:
        norm.vmax = 1
        made(first), made(second)
    assert not calls


@pytest.mark.skipif(not hasattr(mpl, "colorizer"), reason="of matplotlib 3.10 and later")
def test_a_shared_colorizer():
    colorizer = mpl.colorizer.Colorizer("magma", mcolors.Normalize(0, 2))
    im = gpuplot.imshow(LARGE, ax=axes_of(100), colorizer=colorizer)
    assert im.colorizer is colorizer and im.get_clim() == (0, 2)
    for keywords in ({"cmap": "gray"}, {"norm": "log"}, {"vmin": 0}):
        with pytest.raises(ValueError, match="The `colorizer` keyword cannot be used simultaneously"):
            gpuplot.imshow(LARGE, ax=axes_of(100), colorizer=colorizer, **keywords)


@BOTH
def test_colorbars(X):
    ax = axes_of(300, place=(0.1, 0.1, 0.8, 0.8))
    im = gpuplot.imshow(X, ax=ax, vmin=-1, colorbar={"label": "volts"})
    assert im.colorbar.extend == "min" and im.colorbar.ax.get_ylabel() == "volts"
    im.set_norm(mcolors.LogNorm(1, 10))
    np.testing.assert_allclose((im.colorbar.vmin, im.colorbar.vmax), (1, 10))
    other = gpuplot.imshow(X, ax=axes_of(300, place=(0.1, 0.1, 0.8, 0.8)))
    with counted() as calls:
        bar = other.axes.figure.colorbar(other, extend="both")
    assert not calls and bar.norm is other.norm


def test_under_and_over_of_the_call_reach_the_colorbar():
    im = gpuplot.imshow(LARGE, ax=axes_of(300), vmin=-1, vmax=1, under_color="blue", over_color="red", colorbar=True)
    assert mcolors.same_color(im.colorbar.cmap.get_under(), "blue")
    found = {tuple(pixel) for pixel in made(im).reshape(-1, 4)}
    assert (0, 0, 255, 255) in found or (255, 0, 0, 255) in found


@pytest.mark.parametrize("keywords", [{"agg": "std"}, {"agg": "count"}, {"complex_mode": "phase"},
                                      {"complex_mode": "amplitude_phase"}], ids=str)
def test_a_colorbar_in_other_units_ends_where_they_end(keywords):
    X = LARGE * 100 if "agg" in keywords else LARGE * 100j
    assert gpuplot.imshow(X, ax=axes_of(300), colorbar=True, **keywords).colorbar.extend == "neither"


def test_the_colorbar_of_classes_has_their_numbers_or_names():
    im = gpuplot.imshow(np.arange(6).reshape(2, 3), ax=axes_of(100), categorical=True, colorbar=True, labels={1: "cat"})
    assert [text.get_text() for text in im.colorbar.ax.get_yticklabels()] == ["0", "cat", "2", "3", "4", "5"]


def test_under_and_over_survive_a_diverging_colormap():
    im = gpuplot.imshow(LARGE, ax=axes_of(100), center=0, robust=5, under_color="black", over_color="lime", colorbar=True)
    assert im.cmap.name == "RdBu_r" and mcolors.same_color(im.colorbar.cmap.get_over(), "lime")


def test_classes_have_the_color_of_their_number():
    X = np.array([[0, 1], [9, -1]], "i8")
    im = gpuplot.imshow(X, ax=axes_of(40), categorical=True, labels={9: "cat"})
    tab20 = (np.array(mpl.colormaps["tab20"].colors) * 255).astype(int)
    corners = made(im)[[5, 5, 35, 35], [5, 35, 5, 35], :3]
    np.testing.assert_array_equal(corners, tab20[[0, 2, 18, 19]])
    assert im._cell_agg == "nearest" and im.format_cursor_data(np.int64(9)) == "[9: cat]"
    with pytest.raises(ValueError, match="integer dtype"):
        gpuplot.imshow(X * 1.0, ax=axes_of(), categorical=True)


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
@pytest.mark.parametrize("norm", [None, "log", "symlog", "cbrt", "eq_hist"])
def test_an_empty_plane_has_no_limits(shape, norm):
    ax = axes_of(100)
    with pytest.warns(UserWarning, match="identical"):
        im = gpuplot.imshow(np.empty(shape), ax=ax, norm=norm)
    assert im.get_clim() == (None, None)
    im.set_extent([-5, 5, -5, 5])
    ax.figure.canvas.draw()
    with pytest.raises(RuntimeError):
        im.make_image(None)


def test_limits_that_make_no_sense():
    for X in (SMALL, LARGE):
        with pytest.raises(ValueError, match="simultaneously with vmin/vmax"):
            gpuplot.imshow(X, ax=axes_of(100), norm=mcolors.Normalize(), vmin=0)
    for keywords in ({"vmin": 2, "vmax": 1}, {"vmin": 1e9}, {"norm": "log", "center": 0}, {"robust": 60}, {"gamma": -1},
                     {"norm": "nothing"}, {"gamma": 2, "norm": "log"}):
        with pytest.raises(ValueError):
            gpuplot.imshow(LARGE, ax=axes_of(100), **keywords)


@pytest.mark.filterwarnings("ignore:overflow encountered in subtract")  # in matplotlib, which draws small arrays
@pytest.mark.parametrize("name", ["vmin", "vmax"])
@pytest.mark.parametrize("value", [np.float32("nan"), -np.inf, np.inf])
@pytest.mark.parametrize("call", [
    lambda **limits: gpuplot.imshow(LARGE, ax=axes_of(100), **limits), lambda **limits: gpuplot.to_rgba(LARGE, **limits),
    lambda **limits: gpuplot.compare(LARGE, LARGE, **limits), lambda **limits: gpuplot.inspect(SMALL, **limits),
    lambda **limits: gpuplot.hist2d(SMALL, SMALL, ax=axes_of(100), **limits),
], ids=["imshow", "to_rgba", "compare", "inspect", "hist2d"])
def test_limits_that_leave_nothing_a_color(call, name, value):
    """The smallest element is NaN where there is one, and an empty picture does not say why."""
    with pytest.raises(ValueError, match=f"{name} has to be finite, not {float(value)}"):
        call(**{name: value})
    assert plt.get_fignums() == []


@pytest.mark.parametrize("size", [40, 1200])
@pytest.mark.parametrize(("low", "high", "extend"), [(-1.7e308, 1.7e308, "both"), (0, 1.7e308, "max"), (-1e307, 1e307, "neither")])
def test_a_colorbar_of_the_largest_numbers(size, low, high, extend):
    """Differences of such limits are infinite, and matplotlib's colorbar has no ticks for them."""
    X = 1e300 * np.linspace(low / 1e300, high / 1e300, size**2).reshape(size, size)
    im = gpuplot.imshow(X, ax=axes_of(200), limits="elements", colorbar=True)
    im.figure.canvas.draw()
    assert im.get_clim() == pytest.approx((max(low, -(2.0**1021)), min(high, 2.0**1021))) and im.colorbar.extend == extend


@pytest.mark.filterwarnings("ignore:overflow encountered")  # in matplotlib
@pytest.mark.parametrize("norm", [None, "log"])
@pytest.mark.parametrize("size", [12, 600])
def test_limits_beyond_the_ticks_of_matplotlib(size, norm):
    """Where all elements were above 2**1021 both limits were moved there, and the picture was of one color."""
    X = np.linspace(1.0, 1.2, size**2).reshape(size, size) * 1e308
    im = gpuplot.imshow(X, ax=axes_of(100), norm=norm, limits="elements", colorbar=True)
    im.figure.canvas.draw()
    assert im.get_clim() == (X[0, 0], X[-1, -1])
    assert np.array_equal(im.to_rgba(X, bytes=True), gpuplot.to_rgba(X, norm=norm))
    colors = im.colorbar.solids.to_rgba(im.colorbar._values)
    assert np.array_equal(colors[[0, -1]], im.cmap([0.0, 1.0]))


@pytest.mark.parametrize("draw", [
    lambda: gpuplot.imshow(SMALL, ax=axes_of(100)), lambda: gpuplot.imshow(LARGE, ax=axes_of(100)),
    lambda: gpuplot.scatter(SMALL, SMALL, ax=axes_of(100), density=True)], ids=["small", "large", "points"])
@pytest.mark.parametrize("norm", [mcolors.LogNorm(-1, 1), mcolors.LogNorm(vmin=-1), mcolors.Normalize(3, 1)])
def test_a_norm_with_limits_that_it_cannot_use_is_not_set(draw, norm):
    """It was, and no draw succeeded any more."""
    im = draw()
    before = im.norm
    with pytest.raises(ValueError, match="above zero|less than or equal"):
        im.set_norm(norm)
    assert im.norm is before
    im.figure.canvas.draw()


def test_colors_take_a_norm_that_numbers_cannot_use():
    """As in matplotlib: they are shown as they are."""
    im = gpuplot.imshow(np.zeros((9, 9, 3)), norm=mcolors.Normalize(3, 1), ax=axes_of(100))
    im.set_norm(mcolors.LogNorm(-1, 1))
    im.figure.canvas.draw()
