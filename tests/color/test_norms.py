"""The public norms: their formulas, inverses, limits, masks, copies and colorbars."""

import copy
import pickle

import numpy as np
import pytest
from figures import axes_of, pixels
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scenes import scene_of, whole

import gpuplot
from gpuplot.color.norms import CbrtNorm, EqHistNorm

NAN, INF = np.nan, np.inf


def test_cbrt():
    """(c(v) - c(vmin)) / (c(vmax) - c(vmin)) with the real cube root of either sign."""
    norm = CbrtNorm(-8, 27)
    np.testing.assert_allclose(norm([-8, -1, 0, 1, 27]), [0, 0.2, 0.4, 0.6, 1], rtol=0, atol=1e-15)
    assert norm(-8.0) == 0 and norm(27.0) == 1 and norm(-9.0) < 0 and norm(28.0) > 1


@pytest.mark.parametrize("make", [CbrtNorm, EqHistNorm])
def test_limits_come_from_the_first_data(make):
    """As any norm of matplotlib: limits that are None are set by the first call and then stay."""
    norm = make(vmax=4)
    norm(np.array([-3.0, 2.0, 9.0]))
    assert (norm.vmin, norm.vmax) == (-3, 4)
    norm([-100.0])
    assert norm.vmin == -3
    norm.autoscale([1.0, 2.0])
    assert (norm.vmin, norm.vmax) == (1, 2)


@pytest.mark.parametrize("make", [CbrtNorm, EqHistNorm])
def test_nothing_has_no_limits(make):
    """As with matplotlib's Normalize: the limits are those of the next data."""
    norm = make()
    assert norm([]).tolist() == [] and norm(np.zeros((0, 3))).shape == (0, 3) and not norm.scaled()
    assert norm([2.0, 3.0]).tolist() == [0, 1]


@pytest.mark.parametrize("make", [CbrtNorm, EqHistNorm])
def test_equal_limits_and_reversed_ones(make):
    """Equal limits put everything at 0; vmin above vmax says what to do."""
    assert make(3, 3)([1.0, 3.0, 5.0]).tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="less than or equal"):
        make(2, 1)([1.0])


@pytest.mark.parametrize("make", [CbrtNorm, EqHistNorm])
def test_masks_scalars_and_clip(make):
    """Masked values stay masked, a number gives a number, clip keeps t in 0..1."""
    norm = make(0, 8)
    t = norm(np.ma.array([0.0, 1.0, 8.0], mask=[False, True, False]))
    assert t.mask.tolist() == [False, True, False] and t[0] == 0 and t[2] == 1
    assert np.isscalar(norm(1.0)) or np.ndim(norm(1.0)) == 0
    assert norm([-5.0, 100.0], clip=True).tolist() == [0, 1]
    clipped = make(0, 8, clip=True)
    clipped([0.0, 8.0])
    assert clipped([-5.0, 100.0]).tolist() == [0, 1]


def test_eq_hist_ranks():
    """(C(v) - C(smallest)) / (m - C(smallest)): exact, with ties."""
    assert EqHistNorm()([1.0, 1, 2, 100]).tolist() == [0, 0, 0.5, 1]
    assert EqHistNorm()([0.0, 0, 0, 0, 5, 6, 7, 9]).tolist() == [0, 0, 0, 0, 0.25, 0.5, 0.75, 1]
    assert EqHistNorm()([4.0, 4.0]).tolist() == [0, 0]
    norm = EqHistNorm(0, 10)
    t = norm([-1.0, 0, 5, 10, 11, NAN])
    assert t[0] < 0 and t[1:4].tolist() == [0, 0.5, 1] and t[4] > 1 and np.isnan(np.ma.getdata(t)[5])


def test_eq_hist_keeps_its_ranks():
    """A later call on other values places them among the values ranked last; `fit` ranks anew."""
    norm = EqHistNorm()
    norm(np.arange(11.0))
    assert norm([2.0, 2.5]).tolist() == [0.2, 0.2]
    norm.fit([0.0, 2.0, 2.2, 2.4, 10.0])
    assert norm([2.0]).tolist() == [0.25]


def test_eq_hist_has_ranked_nothing_before_its_first_fit():
    norm = EqHistNorm()
    assert norm.ranked.tolist() == [] and norm.ranks.tolist() == []
    norm.fit([3, 1, 3, 9, NAN])
    assert norm.ranked.tolist() == [1, 3, 9] and norm.ranks.tolist() == [0, 2 / 3, 1]
    assert norm(norm.ranked).tolist() == norm.ranks.tolist()


def test_eq_hist_of_nothing_finite():
    """Without a finite value there is nothing to rank: t is straight between the limits, for a colorbar."""
    assert EqHistNorm(0, 1).fit([NAN, INF])([0, 0.5, 1]).tolist() == [0, 0.5, 1]


@pytest.mark.parametrize(("limits", "t"), [
    ((0, 4), [-0.25, 0, 0, 0.5, 1]), ((0, 2), [-0.5, 0, 0, 0.5, 1]), ((2, 4), [-1.5, -1, 0, 0.5, 1])])
def test_eq_hist_of_equal_values(limits, t):
    """Equal values have the first color, as in pictures; t goes on beyond them, so that it can be inverted."""
    norm = EqHistNorm(*limits).fit([2.0, 2.0, 2.0])
    assert norm([-1.0, 0, 2, 3, 4]).tolist() == t
    assert norm.inverse(0.0) == 2 and norm(norm.inverse(np.array([0.25, 1.0]))).tolist() == [0.25, 1]
    assert norm.inverse([0.0, 1.0]).tolist() == norm.inverse(np.array([0.0, 1.0])).tolist()


@pytest.mark.parametrize("make", [CbrtNorm, EqHistNorm])
def test_inverse(make):
    """t goes back to the value it came from."""
    values = np.sort(np.random.default_rng(2).normal(size=50)) * 9
    norm = make()
    np.testing.assert_allclose(norm.inverse(norm(values)), values, rtol=1e-12, atol=1e-12)
    assert norm.inverse(0.0) == pytest.approx(values[0]) and norm.inverse(1.0) == pytest.approx(values[-1])
    assert norm.inverse([0, 1]).tolist() == pytest.approx([values[0], values[-1]])
    assert isinstance(norm.inverse(0.5), float) and not np.ma.isMaskedArray(norm.inverse(0.5))
    with pytest.raises(ValueError, match="Not invertible"):
        make().inverse(0.5)


@pytest.mark.parametrize("make", [CbrtNorm, EqHistNorm])
def test_copies(make):
    """Copies and pickles give the same t."""
    norm = make()
    values = np.array([3.0, -2.0, 0.5, 7.0])
    want = norm(values)
    for twin in (copy.copy(norm), copy.deepcopy(norm), pickle.loads(pickle.dumps(norm))):
        assert twin(values).tolist() == want.tolist()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [3.0, 0.0, NAN])
def test_colorbar_of_equal_values(value):
    """Ranks of one value have a colorbar like any others, and nothing warns."""
    image = gpuplot.imshow(np.full((4, 4), value), ax=Figure().add_subplot(), norm="eq_hist", colorbar=True)
    FigureCanvasAgg(image.figure).draw()
    low, high = image.colorbar.ax.get_ylim()
    assert low < high


@pytest.mark.parametrize("name", ["cbrt", "eq_hist"])
def test_colorbar(name):
    """matplotlib's own colorbar draws with either norm, its limits those of the data."""
    a = np.random.default_rng(0).normal(size=(20, 30)) ** 3
    norm = {"cbrt": gpuplot.CbrtNorm, "eq_hist": gpuplot.EqHistNorm}[name]()
    figure = Figure()
    axes = figure.add_subplot()
    bar = figure.colorbar(axes.imshow(a, norm=norm), ax=axes)
    figure.canvas.draw()
    assert (bar.vmin, bar.vmax) == pytest.approx((a.min(), a.max()), rel=1e-12)


@pytest.mark.parametrize("name", ["cbrt", "eq_hist"])
def test_names_for_the_norm_of_an_image(name):
    """set_norm refused the names that imshow takes."""
    X = np.random.default_rng(0).normal(size=(20, 30))
    images = [gpuplot.imshow(X, ax=axes_of()), gpuplot.imshow(X, ax=axes_of(), norm=name)]
    images[0].set_norm(name)
    assert type(images[0].norm) is type(images[1].norm)
    np.testing.assert_array_equal(pixels(images[0].figure), pixels(images[1].figure))


def pictures(X, **options):
    """Pixels of `to_rgba`, `imshow` and the inspector."""
    yield gpuplot.to_rgba(X, shape=(110, 110), **options)
    yield gpuplot.imshow(X, ax=axes_of(110), **options).make_image(None)[0]
    yield whole(scene_of(X, **options), (110, 110)).pixels[0]


def test_a_logarithm_shows_no_noise_of_a_filter():
    """Mitchell's filter has negative weights: beside an edge to 0 it left dark pixels among empty ones."""
    X = np.tril(np.ones((120, 120), "f4"))
    limits = {"vmin": 1e-6, "vmax": 1}
    for norm in ("log", "linear"):
        same = [(one == other).all() for one, other in zip(pictures(X, norm=norm, **limits), pictures(X, norm=norm, agg="mean", **limits),
                                                           strict=True)]
        assert same == [norm == "log"] * 3
