"""Pictures by rank: every draw ranks what is visible, and a colorbar has its colors, with readable ticks."""

import numpy as np
import pytest
from figures import axes_of, borrowed, made, pixels
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import gpuplot

RNG = np.random.default_rng(0)
HEAVY = np.exp(3 * borrowed())


@pytest.mark.parametrize("X", [HEAVY, HEAVY[:300, :300]], ids=["borrowed", "gathered"])
@pytest.mark.parametrize("has_bar", [False, True])
def test_a_magnified_picture_ranks_the_visible_elements(X, has_bar):
    """It had one color: elements were placed among the two limits, which the norm had seen in place of cells."""
    ax = axes_of(320)
    image = gpuplot.imshow(X, ax=ax, norm="eq_hist", aspect="auto", interpolation="nearest")
    if has_bar:
        ax.figure.colorbar(image, cax=ax.figure.add_axes((0, 0, 0.01, 0.01)))
    pixels(ax.figure)
    ax.set(xlim=(99.5, 131.5), ylim=(231.5, 199.5))
    want = gpuplot.to_rgba(X[200:232, 100:132], norm="eq_hist").repeat(10, axis=0).repeat(10, axis=1)
    np.testing.assert_array_equal(made(image), want)


def test_a_picture_of_cells_along_one_axis_ranks_these():
    ax = axes_of(200, 320)
    image = gpuplot.imshow(HEAVY, ax=ax, norm="eq_hist", aspect="auto", interpolation="nearest", agg="max")
    ax.set(ylim=(231.5, 199.5))
    want = gpuplot.to_rgba(HEAVY[200:232], (32, 200), norm="eq_hist", agg="max").repeat(10, axis=0)
    np.testing.assert_array_equal(made(image), want)


def lines(ax):
    return gpuplot.plot(RNG.normal(size=(300, 100)).cumsum(axis=1), x=1, density=True, norm="eq_hist", ax=ax)


@pytest.mark.parametrize("draw", [
    lambda ax: gpuplot.imshow(HEAVY, norm="eq_hist", ax=ax), lines,
    lambda ax: gpuplot.scatter(*np.exp(RNG.normal(size=(2, 100_000))), norm="eq_hist", ax=ax),
], ids=["imshow", "plot", "scatter"])
def test_a_colorbar_has_the_colors_of_the_cells(draw):
    """The bar had a straight scale between the limits: its norm had seen nothing but these."""
    ax = Figure(figsize=(3, 3)).add_axes((0, 0, 0.8, 1))
    FigureCanvasAgg(ax.figure)
    image = draw(ax)
    bar = ax.figure.colorbar(image, cax=ax.figure.add_axes((0.85, 0.1, 0.05, 0.8)))
    drawn = pixels(ax.figure)
    box, values = bar.ax.get_window_extent(), image.norm.ranked
    for t in image.norm(values)[np.searchsorted(image.norm(values), [0.5, 0.8])]:
        row, column = drawn.shape[0] - 1 - int(box.y0 + t * box.height), int(box.x0 + box.width / 2)
        np.testing.assert_allclose(drawn[row, column], image.cmap(t, bytes=True), atol=8)
    np.testing.assert_array_equal(pixels(ax.figure), drawn)


def test_a_colorbar_follows_where_a_zoom_shows_the_same_integers():
    """Its numbers did, and its colors stayed those of the whole picture."""
    levels = np.arange(10, dtype="uint8")
    X = np.concatenate([np.repeat(levels, levels + 1), np.repeat(levels, levels[::-1] + 1)])[None].repeat(9, axis=0)
    ax = Figure(figsize=(3, 3)).add_axes((0, 0, 0.8, 1))
    FigureCanvasAgg(ax.figure)
    image = gpuplot.imshow(X, norm="eq_hist", cmap="viridis", ax=ax)
    bar = ax.figure.colorbar(image, cax=ax.figure.add_axes((0.85, 0.1, 0.05, 0.8)))
    for xlim in ((-0.5, 54.5), (54.5, 109.5)):
        ax.set_xlim(xlim)
        pixels(ax.figure)
        seen = [image.norm.inverse((k + 0.5) / bar.cmap.N) for k in range(bar.cmap.N)]
        np.testing.assert_allclose(bar.solids.get_array().ravel(), seen, atol=0.2)


@pytest.mark.parametrize("change", [lambda image, norm: setattr(image, "norm", norm), lambda image, norm: image.set_norm(norm),
                                    lambda image, norm: image.set(norm=norm)], ids=["attribute", "set_norm", "set"])
def test_a_drawn_image_gets_a_norm_by_its_name(change):
    """As an attribute, which matplotlib takes for its own names, it was an error."""
    for image in gpuplot.imshow(HEAVY, ax=axes_of()), lines(axes_of()):
        change(image, "eq_hist")
        assert type(image.norm) is gpuplot.EqHistNorm
        change(image, "log")
        assert type(image.norm).__name__ == "LogNorm"
        with pytest.raises(ValueError, match="nope"):
            change(image, "nope")


@pytest.mark.parametrize("layout", [None, "tight"])
@pytest.mark.parametrize("draw", [
    lambda ax: gpuplot.imshow(HEAVY, norm="eq_hist", ax=ax), lambda ax: gpuplot.imshow(HEAVY[:90, :90], norm="eq_hist", ax=ax), lines,
    lambda ax: gpuplot.scatter(*np.exp(RNG.normal(size=(2, 100_000))), norm="eq_hist", ax=ax),
], ids=["cells", "elements", "plot", "scatter"])
def test_the_first_draw_has_the_colorbar_of_the_second(draw, layout):
    """Before, it was of one color and had two long numbers, for which a layout made room; so it was drawn beside a later picture."""
    figure = FigureCanvasAgg(Figure(layout=layout)).figure
    cax, ax = figure.subplots(1, 2)
    bar = figure.colorbar(draw(ax), **({"cax": cax} if layout is None else {"ax": ax}))
    looks = [(pixels(figure), bar.ax.get_window_extent().extents, len(bar.long_axis.get_majorticklocs())) for _ in range(2)]
    (first, place, n_ticks), (second, later, n_later) = looks
    np.testing.assert_allclose(place, later, atol=8)
    assert min(n_ticks, n_later) >= 3
    if layout is None:
        column, rows = int(later[[0, 2]].mean()), slice(-int(later[3]) + 9, -int(later[1]) - 9)
        np.testing.assert_allclose(first[rows, column].astype(int), second[rows, column], atol=16)


def ticks_of(X, **keywords):
    """(values, places from 0 to 1, texts) of the ticks of a drawn colorbar."""
    image = gpuplot.imshow(X, ax=Figure().add_subplot(), norm="eq_hist", colorbar=keywords or True)
    FigureCanvasAgg(image.figure).draw()
    axis = image.colorbar.long_axis
    values = axis.get_majorticklocs()
    return values, np.asarray(image.norm(values)), [label.get_text() for label in axis.get_majorticklabels()]


@pytest.mark.parametrize("location", ["right", "bottom"])
@pytest.mark.parametrize("X", [HEAVY, -HEAVY, RNG.normal(size=(90, 90)), np.where(RNG.random((90, 90)) < 0.8, 0, HEAVY[:90, :90]),
                               1e6 + RNG.random((90, 90))])
def test_ticks_are_apart_and_short(X, location):
    """They fell together where values are rare: of heavy tails all at one end."""
    values, places, texts = ticks_of(X, location=location)
    assert len(values) >= 3 and (np.diff(places) > 0.3 / len(values)).all()
    assert max(map(len, texts)) <= 10
    np.testing.assert_allclose([float(text.replace("\N{MINUS SIGN}", "-")) for text in texts], values, rtol=1e-11)


def test_few_values_have_a_tick_each():
    values, places, texts = ticks_of(np.array([[0, 1, 2], [2, 5, 5]]))
    assert values.tolist() == [0, 1, 2, 5] and texts == ["0", "1", "2", "5"]
    np.testing.assert_allclose(places, [0, 0.2, 0.6, 1])
