"""Lines of a few samples per pixel column equal those of all samples, pixel by pixel: zooms, pans, scales, directions, dpis."""

import io
import zlib

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of, pixels
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import gpuplot

# One-pixel lines: Agg puts snapped vertices into the middle of pixels. Without simplification, which changes what matplotlib draws.
PLAIN = {"antialiased": False, "snap": True, "color": "k"}
KINDS = {
    "walk": lambda rng, n: rng.normal(size=n).cumsum(),
    "noise": lambda rng, n: rng.normal(size=n),
    "spikes": lambda rng, n: np.where(rng.random(n) < 1e-3, 50, 0) + rng.random(n),
    "steps": lambda rng, n: rng.integers(0, 5, n).astype(float),
    "float32": lambda rng, n: rng.normal(size=n).astype("f4"),
    "int64": lambda rng, n: rng.integers(-1000, 1000, n),
}
XS = {
    "positions": lambda rng, n: None,
    "random": lambda rng, n: np.sort(rng.random(n) * 1000),
    "tied": lambda rng, n: np.sort(rng.integers(0, n // 3 + 1, n)),
    "falling": lambda rng, n: np.sort(rng.random(n))[::-1] - 0.3,
}


@pytest.fixture(autouse=True)
def without_simplification():
    with mpl.rc_context({"path.simplify": False}):
        yield


def picture(plot, dpi, look):
    """RGBA of a figure into which `plot(ax)` draws; `look(ax)` zooms."""
    fig = Figure(figsize=(3, 2), dpi=dpi)
    FigureCanvasAgg(fig)
    ax = fig.add_axes([0.1, 0.13, 0.83, 0.77])
    plot(ax)
    look(ax)
    fig.canvas.draw()
    return np.asarray(fig.canvas.buffer_rgba()).copy()


def both(args, keywords, dpi, look):
    return (picture(lambda ax: ax.plot(*args, **keywords), dpi, look),
            picture(lambda ax: gpuplot.plot(*args, ax=ax, **keywords), dpi, look))


def any_look(rng, xs, y):
    """Limits and scales as somebody who zooms and pans chooses them."""
    scale = rng.choice(["linear", "linear", "linear", "symlog", "log"]) if xs.min() > 0 else "linear"
    ends = np.sort(rng.uniform(xs.min(), xs.max(), 2))[::rng.choice([1, -1])]
    xlim = None if rng.random() < 0.3 or ends[0] == ends[1] else ends
    ylim = None if rng.random() < 0.6 else np.sort(rng.choice(y, 2)) + [-0.1, 0.1]

    def look(ax):
        ax.set_xscale(scale)
        ax.set(**{name: limits for name, limits in (("xlim", xlim), ("ylim", ylim)) if limits is not None})
    return look


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("xs", XS)
def test_the_picture_is_that_of_all_samples(kind, xs):
    """To the pixel, where lines are plain: one pixel wide, not antialiased.

    But for two things: Agg cuts off strokes at the left border of the Axes so that samples far outside change its first column of
    pixels where their borders coincide; and in one of two hundred views one pixel on the border of a stroke differs.
    """
    rng = np.random.default_rng(zlib.crc32(f"{kind} {xs}".encode()))
    n_pixels = []
    for _ in range(3):
        n = int(10 ** rng.uniform(2.5, 5))
        y, x = KINDS[kind](rng, n), XS[xs](rng, n)
        dpi = int(rng.choice([72, 100, 133, 200]))
        look = any_look(rng, np.arange(n) if x is None else x, y)
        want, got = both((y,) if x is None else (x, y), PLAIN | {"linewidth": 72 / dpi}, dpi, look)
        differs = (want != got).any(axis=2)
        first = round(0.1 * differs.shape[1])
        n_pixels.append(int(differs.sum()))
        assert differs.sum() - differs[:, first].sum() <= 1
    assert n_pixels.count(0) >= 2


@pytest.mark.parametrize("drawstyle", ["steps-pre", "steps-mid", "steps-post"])
def test_steps(drawstyle):
    """Sharp corners stay where samples are sparse; columns of pixels have the same extremes."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 9, 30_000)
    look = lambda ax: ax.set_xlim(100, 20_000)  # noqa: E731
    want, got = both((y,), PLAIN | {"linewidth": 0.72, "drawstyle": drawstyle}, 100, look)
    assert (want != got).any(axis=2).mean() < (0.01 if drawstyle == "steps-mid" else 0.002)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_wide_lines_reach_in_from_outside(scale):
    """An edge just outside of the view shows as half of its width; not on linear axes, where matplotlib leaves it out as well."""
    y = np.zeros(100_000)
    y[[9_999, 9_998]] = 1, -1
    keywords = {"linewidth": 12, "antialiased": False, "snap": True}

    def look(ax):
        ax.set(xscale=scale, xlim=(10_005, 60_000), ylim=(-1.1, 1.1))
    want, got = both((y,), keywords, 100, look)
    left = np.s_[30:60, 33:36]  # a part of the Axes above the line, at its left border
    assert (got[left] == 255).all() == (scale == "linear")
    if scale == "linear":
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("linewidth", [0.1, 0.2, 0.35, 0.5, 0.7])
def test_thin_lines_are_as_dark_as_those_of_all_samples(linewidth):
    """Strokes thinner than a pixel lie beside each other in it."""
    y = np.random.default_rng(6).normal(size=100_000)
    want, got = both((y,), {"color": "k", "linewidth": linewidth}, 100, lambda ax: ax.set_axis_off())
    darkness = [255 - image[..., 0].mean() for image in (want, got)]
    assert darkness[0] > 40 and abs(darkness[1] / darkness[0] - 1) < 0.05


def test_nan_breaks_stay():
    """Gaps wider than a pixel are the same; in a narrower one a stroke may stand, one column wide."""
    rng = np.random.default_rng(2)
    y = rng.normal(size=40_000).cumsum()
    for begin in range(0, 40_000, 4000):
        y[begin:begin + 1500] = np.nan
    want, got = both((y,), PLAIN | {"linewidth": 0.72}, 100, lambda ax: None)
    np.testing.assert_array_equal(got, want)


def masked_scale(ax):
    ax.set_yscale("log", nonpositive="mask")


def one_sided_scale(ax):
    """A scale that shows numbers below a half."""
    ax.set_yscale("function", functions=(lambda y: -np.log(np.where(y < 0.5, 0.5 - y, np.nan)), lambda v: 0.5 - np.exp(-v)))


@pytest.mark.parametrize("scale, sign", [(masked_scale, 1), (one_sided_scale, -1)])
@pytest.mark.parametrize("xs", ["positions", "falling"])
def test_samples_that_a_scale_cannot_show_are_left_out(scale, sign, xs, monkeypatch):
    """They are as NaN: a column that has others, too, is drawn from these, and no pixel of matplotlib's line is lost."""
    monkeypatch.setattr("gpuplot.plane.shown_samples.BLOCK", 777)
    y = np.linspace(0.03, 1, 20_000) ** 3
    nan = np.where(np.arange(20_000) % 3, y, np.nan)
    y[::3] -= 2
    y, nan = (y, nan) if sign > 0 else (0.5 - y, 0.5 - nan)
    x = np.arange(20_000.0)[::1 if xs == "positions" else -1]

    def look(ax):
        scale(ax)
        ax.set(ylim=(1e-4, 1) if sign > 0 else (-0.5, 0.499), xlim=(0, 20_000))
    want, got = both((x, y), PLAIN | {"linewidth": 0.72}, 100, look)
    np.testing.assert_array_equal(got, both((x, nan), PLAIN | {"linewidth": 0.72}, 100, look)[1])
    assert (want != picture(lambda ax: None, 100, look)).any(axis=2).sum() > 150
    assert (got > want).any(axis=2).sum() <= 1


def test_another_scale_of_y_chooses_samples_anew():
    y = np.where(np.arange(20_000) % 3, 1.0, -1.0)
    ax = axes_of(100)
    line, = gpuplot.plot(y, ax=ax)
    ax.set(ylim=(0.5, 2))
    lowest = []
    for scale in ("linear", "log", "linear"):
        ax.set_yscale(scale, **({"nonpositive": "mask"} if scale == "log" else {}))
        ax.figure.canvas.draw()
        lowest.append(np.nanmin(line.get_xydata()[:, 1]))
    assert lowest == [-1, 1, -1]


@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8", "int64"])
@pytest.mark.parametrize("hides", [False, True], ids=["all shown", "some hidden"])
def test_the_device_draws_the_same(emulated, dtype, hides):
    """The host's pixels from a tensor of the device, over x that is there, too; also where a scale hides some samples."""
    from on_device import there

    rng = np.random.default_rng(3)
    y, x = (rng.normal(size=50_000) * 30).astype(dtype), np.sort(rng.random(50_000)).astype("f4")

    def look(ax):
        ax.set_xlim(0.2, 0.7)
        if hides:
            masked_scale(ax)
    for here, far in (((y,), (there(y),)), ((x, y), (there(x), there(y)))):
        want = picture(lambda ax, args=here: gpuplot.plot(*args, ax=ax), 100, look)
        got = picture(lambda ax, args=far: gpuplot.plot(*args, ax=ax), 100, look)
        np.testing.assert_array_equal(got, want)


def test_savefig_at_another_dpi():
    """Samples are chosen for the pixels of the file, and again for those of the screen."""
    y = np.random.default_rng(4).normal(size=200_000)
    files = []
    for plot in (lambda ax: ax.plot(y, **PLAIN, linewidth=72 / 300), lambda ax: gpuplot.plot(y, ax=ax, **PLAIN, linewidth=72 / 300)):
        fig = Figure(figsize=(3, 2), dpi=100)
        plot(fig.add_axes([0, 0, 1, 1]))
        files.append(io.BytesIO())
        fig.canvas.draw()
        fig.savefig(files[-1], dpi=300)
    assert files[0].getvalue() == files[1].getvalue()


@pytest.mark.parametrize("suffix", ["pdf", "svg", "ps"])
def test_vector_files_have_the_resolution_of_their_images(suffix):
    """A point is 1/72 inch, which is not a pixel of anybody's screen."""
    fig = Figure(figsize=(3, 2))
    line, = gpuplot.plot(np.random.default_rng(5).normal(size=100_000), ax=fig.add_axes([0, 0, 1, 1]))
    fig.savefig(io.BytesIO(), format=suffix, dpi=300)
    n = len(line.get_xydata())
    assert 3 * 300 * 3 < n <= 4 * (3 * 300 + 20)


def test_markers_outside_of_the_view_reach_into_it():
    """Of a sample between two NaN the neighbors within the view were none, and its marker was left out."""
    y = np.full(400, np.nan)
    y[[245, 248]] = 1.0
    figures = []
    for draw in (gpuplot.plot, lambda y, fmt, ax, **options: ax.plot(y, fmt, **options)):
        ax = axes_of(200, 100)
        draw(y, "o", ax=ax, ms=10)
        ax.set(xlim=(53.885, 244.184), ylim=(0, 2))
        figures.append(pixels(ax.figure))
    np.testing.assert_array_equal(*figures)
