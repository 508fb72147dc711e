"""The slow reference against worked examples: limits, norms and colors."""

import math

import matplotlib
import matplotlib.colors as mc
import numpy as np
import pytest

import reference as ref
from reference.colors import color_bytes
from reference.norms import stretched

NAN, INF = math.nan, math.inf


def codes_of(values, norm=None, vmin=0.0, vmax=1.0, n_colors=256):
    return ref.codes(np.asarray(values, float), norm, vmin, vmax, n_colors).tolist()


def t_of(values, norm, vmin, vmax):
    return ref.normalize(np.asarray(values, float), norm, vmin, vmax)


# ---- percentiles and limits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("q", "want"), [(0.25, 1.75), (0.5, 2.5), (0.9, 3.7)])
def test_percentiles(q, want):
    assert ref.percentile([3, 1, 2, 4], 100 * q) == pytest.approx(want, rel=1e-15)


def test_percentiles_of_special_inputs():
    assert ref.percentile([NAN, 5, INF, 1], 50) == 3
    assert math.isnan(ref.percentile([NAN, INF], 50))
    assert ref.autoscale(np.arange(101.0), robust=True) == ref.Limits(2.0, 98.0)
    assert ref.percentile(np.array([2**60 + 1, 2**60 + 256]), 0) == float(2**60)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 101, 1000])
def test_percentiles_equal_numpy(n):
    x = np.random.default_rng(n).normal(size=n)
    for percent in (0, 1, 2, 12.5, 33.3, 50, 98, 99.9, 100):
        assert ref.percentile(x, percent) == np.percentile(x, percent)


@pytest.mark.parametrize(
    ("data", "given", "want"),
    [
        ((-1, 3), {}, (-1, 3, False)),
        ((-1, 3), {"center": "auto"}, (-3, 3, True)),
        ((-1, 3), {"center": True}, (-3, 3, True)),
        ((-1, 3), {"center": "auto", "vmax": 2}, (-2, 2, True)),
        ((-1, 3), {"center": "auto", "vmin": -4}, (-4, 4, True)),
        ((-1, 3), {"center": "auto", "vmin": -1, "vmax": 3}, (-1, 3, False)),
        ((1, 3), {"center": "auto"}, (1, 3, False)),
        ((1, 3), {"center": 2.5}, (1, 4, True)),
        ((1, 3), {"vmin": 0}, (0, 3, False)),
        ((NAN, INF), {}, (0, 1, False)),
        ((NAN, -1), {"norm": "log"}, (1, 10, False)),
        ((-5, 0.5, 4), {"norm": "log"}, (0.5, 4, False)),
        ((-1, 3), {"norm": mc.CenteredNorm()}, (-3, 3, False)),
        ((1, 3), {"norm": mc.TwoSlopeNorm(0)}, (-3, 3, False)),
        ((-2, 8), {"norm": mc.TwoSlopeNorm(0)}, (-2, 8, False)),
    ],
)
def test_limits(data, given, want):
    assert ref.autoscale(np.array(data, float), **given) == ref.Limits(*want)


@pytest.mark.parametrize(
    "given",
    [
        {"vmin": 5},
        {"vmin": 2, "vmax": 1},
        {"robust": 51},
        {"center": 0, "norm": "log"},
        {"norm": "log", "vmin": -1},
        {"norm": mc.Normalize(), "vmin": 0},
        {"center": "middle"},
    ],
)
def test_limits_that_raise(given):
    with pytest.raises(ValueError):
        ref.autoscale(np.array([1.0, 3.0]), **given)


def test_extremes():
    assert ref.extremes([NAN, -INF, -2, 0.5, 7]) == ref.limits.Extremes(4 - 1, -2, 7, 0.5)
    assert ref.extremes(np.array([2**62 + 1, -1])).maximum == 2**62 + 1


@pytest.mark.parametrize(
    ("limits", "want"), [((0, 1), "neither"), ((0.5, 1), "min"), ((0, 0.5), "max"), ((0.4, 0.5), "both")]
)
def test_colorbar_extend(limits, want):
    assert ref.colorbar_extend([0, 1, NAN, INF], *limits) == want


# ---- norms ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("norm", "limits", "values", "want"),
    [
        ("linear", (2, 6), [3], [0.25]),
        ("log", (1, 1000), [10, 0], [1 / 3, NAN]),
        (ref.Norm("symlog", linthresh=1), (-10, 10), [1], [0.7631578947368421]),
        ("symlog", (-10, 10), [1], [0.6534615081099062]),
        ("asinh", (-10, 10), [1], [0.6469826630024212]),
        (ref.Norm("power", gamma=0.5), (0, 8), [2, -2], [0.5, -0.25]),
        ("cbrt", (-8, 27), [1], [0.6]),
        ("twoslope", (-2, 8), [-1, 0, 4, 8, 9], [0.25, 0.5, 0.75, 1, INF]),
        ("centered", (-3, 3), [0, -1], [0.5, 1 / 3]),
        ("eq_hist", (1, 100), [1, 1, 2, 100], [0, 0, 0.5, 1]),
        ("eq_hist", (0, 9), [0, 0, 0, 0, 5, 6, 7, 9], [0, 0, 0, 0, 0.25, 0.5, 0.75, 1]),
        ("eq_hist", (2, 6), [1, 2, 3, 6, 7, NAN], [-INF, 0, 0.5, 1, INF, NAN]),
        ("eq_hist", (4, 5), [4, 4], [0, 0]),
        ("log", (-1, -1), [-1, 0, 5, NAN], [0, 0, 0, NAN]),
    ],
)
def test_norms(norm, limits, values, want):
    np.testing.assert_allclose(t_of(values, norm, *limits), want, rtol=2e-15, atol=1e-16)


def test_norm_details():
    assert codes_of([0.5], "log", 1, 1000) == [ref.UNDER]
    assert stretched(ref.Norm("symlog", linthresh=1), 10.0) == pytest.approx(2.1111, abs=1e-4)


@pytest.mark.parametrize(
    ("boundaries", "n_colors", "values", "want"),
    [
        ((0, 1, 2, 4), 256, [-1, 0.5, 1, 3, 4], [ref.UNDER, 0, 127, 255, 256]),
        ((0, 1, 2, 4), 3, [0.5, 1, 3], [0, 1, 2]),
        (tuple(range(27)), 256, [25], [254]),
        ((0, 1), 256, [0.5], [127]),
    ],
)
def test_boundaries(boundaries, n_colors, values, want):
    assert codes_of(values, ref.Norm("boundary", boundaries=boundaries), n_colors=n_colors) == want


def matplotlib_codes(values, norm, n_colors):
    """The color codes that matplotlib gives, found with a map whose every color is its own index."""
    index = np.arange(n_colors)
    cmap = mc.ListedColormap(np.stack([index % 16 / 15, index // 16 / 15, 0 * index], axis=1))
    cmap = cmap.with_extremes(under=(0, 0, 1), over=(0, 1, 1), bad=(1, 0, 1))
    pixels = cmap(norm(np.ma.masked_invalid(values)), bytes=True)
    found = pixels[:, 0] // 17 + 16 * (pixels[:, 1] // 17).astype(int)
    for pixel, code in (((0, 0, 255), ref.UNDER), ((0, 255, 255), n_colors), ((255, 0, 255), ref.BAD)):
        found[(pixels[:, :3] == pixel).all(axis=1)] = code
    return found


@pytest.mark.parametrize(
    "norm",
    [
        mc.Normalize(-2, 5),
        mc.LogNorm(0.01, 30),
        mc.SymLogNorm(0.5, vmin=-20, vmax=30),
        mc.SymLogNorm(0.5, linscale=2, base=2, vmin=-20, vmax=30),
        mc.AsinhNorm(0.7, vmin=-20, vmax=30),
        mc.PowerNorm(0.4, -2, 9),
        mc.PowerNorm(2, 0, 9),
        mc.TwoSlopeNorm(1, -4, 20),
        mc.CenteredNorm(1, 6),
        mc.BoundaryNorm([-3, 0, 1, 2, 7, 9], 256),
        mc.BoundaryNorm(np.arange(27), 256),
        mc.Normalize(3, 3),
        mc.LogNorm(3, 3),
    ],
    ids=lambda norm: type(norm).__name__,
)
def test_norms_give_matplotlib_s_colors(norm):
    values = np.concatenate([np.random.default_rng(3).normal(0, 8, 2000), np.arange(-5, 31), [NAN, INF, -INF]])
    ours = ref.Norm.of(norm)
    limits = ref.autoscale(values, norm)
    low, high, may_be_bad = ref.allowed_codes(values, 0.0, ours, limits.vmin, limits.vmax, 256)
    theirs = matplotlib_codes(values, norm, 256)
    is_allowed = ((low <= theirs) & (theirs <= high) & (low != ref.BAD)) | ((theirs == ref.BAD) & (low == ref.BAD))
    assert is_allowed.all(), values[~is_allowed]
    assert (low == high).mean() > 0.99
    assert not may_be_bad[low != ref.BAD].any()


def test_other_norms_are_called():
    class Squared(mc.Normalize):
        def __call__(self, value, clip=None):
            return super().__call__(value, clip) ** 2

    x = np.array([[0.0, 1, 2, NAN]])
    norm = Squared(0, 2)
    want = matplotlib.colormaps["viridis"](norm(np.ma.masked_invalid(x)), bytes=True)
    np.testing.assert_array_equal(ref.to_rgba(x, norm=norm), want)


# ---- colors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("t", "code"),
    [
        (0, 0),
        (0.25, 64),
        (0.5, 128),
        (0.999999999, 255),
        (1, 255),
        (1 + 2**-52, 256),
        (1.0000001, 256),
        (-1e-9, ref.UNDER),
        (NAN, ref.BAD),
    ],
)
def test_codes(t, code):
    assert codes_of([t]) == [code]


def test_limits_have_exactly_the_end_colors():
    vmin, vmax = 1e9, 1e9 + 1e-6
    low, high, _ = ref.allowed_codes(np.array([vmin, (vmin + vmax) / 2, vmax]), 0.0, None, vmin, vmax, 256)
    assert (low[0], high[0], low[2], high[2]) == (0, 0, 255, 255)
    assert low[1] < high[1]


def test_allowed_codes_follow_the_tolerance():
    low, high, bad = ref.allowed_codes(np.array([0.5, 0.1]), [0.01, 0.2], "log", 0.05, 1, 256)
    assert low[0] < codes_of([0.5], "log", 0.05, 1)[0] < high[0] and not bad[0]
    assert bad[1] and low[1] == ref.UNDER


def test_alpha_truncates():
    palette = ref.Palette(mc.ListedColormap([(0, 0, 0, 1), (0, 0, 0, 200 / 255)]), alpha=0.5)
    assert [palette.colored(code)[3] for code in (0, 1)] == [127, 100]


def test_every_byte_survives_as_a_color():
    assert all(color_bytes(f"#{k:02x}{k:02x}{k:02x}")[:3] == (k, k, k) for k in range(256))


def test_classes_of_cells_have_their_colors():
    x = np.array([[NAN, INF, -INF, 0.0, -1.0, 2.0]])
    view = ((0, 1), (0, 7))
    plain = ref.to_rgba(x, (1, 7), view=view, vmin=0, vmax=1)[0]
    viridis = matplotlib.colormaps["viridis"]
    first, last = (viridis(i, bytes=True) for i in (0, 255))
    np.testing.assert_array_equal(plain, [[0, 0, 0, 0]] * 3 + [first, first, last, [0, 0, 0, 0]])
    given = ref.to_rgba(
        x, (1, 7), view=view, vmin=0, vmax=1, nan_color="#ff00ff", neg_inf_color="#ff8000", under_color="r", over_color="b"
    )[0]
    want = [[255, 0, 255, 255], [0] * 4, [255, 128, 0, 255], first, [255, 0, 0, 255], [0, 0, 255, 255], [0] * 4]
    np.testing.assert_array_equal(given, want)


def test_bad_of_the_norm_is_not_nan():
    x = np.array([[NAN, -1.0, 1.0, 10.0]])
    got = ref.to_rgba(x, norm="log", nan_color="lime")[0]
    assert got[:2].tolist() == [[0, 255, 0, 255], [0, 0, 0, 0]]


def test_sums_scale_to_their_cells():
    picture = ref.picture(np.arange(8.0), (1, 2), agg="sum")
    assert picture.limits == ref.Limits(6, 22)
    assert ref.picture(np.arange(8.0), (1, 2)).limits == ref.Limits(0, 7)


def test_limits_from_inexact_cells_leave_room():
    x = np.random.default_rng(8).random((8, 8))
    picture = ref.picture(x, (2, 2), agg="sum")
    assert all(len(pixels) <= 3 for pixels in picture.allowed.flat)
    constant = ref.picture(np.full((1, 7), 0.1), (1, 3), agg="sum")
    assert all(len(pixels) > 200 for pixels in constant.allowed.flat)
    assert all(len(pixels) == 1 for pixels in ref.picture(x, (2, 2), agg="count").allowed.flat)


def test_a_called_norm_finds_its_own_limits():
    x = np.array([[-1.0, 1, 10, 100, NAN]])
    norm = mc.LogNorm(clip=True)
    picture = ref.picture(x, norm=norm)
    assert picture.limits == ref.Limits(1, 100) and norm.vmin is None
    want = matplotlib.colormaps["viridis"](mc.LogNorm(1, 100, clip=True)(np.ma.masked_invalid(x)), bytes=True)
    np.testing.assert_array_equal(picture.rgba, want)


@pytest.mark.parametrize("norm", [None, "log", "symlog", "cbrt", "eq_hist"])
@pytest.mark.parametrize("agg", ["mean", "sum", "max"])
def test_a_picture_allows_itself_and_no_other(norm, agg):
    x = np.random.default_rng(7).normal(size=(9, 11))
    x[2, 3] = NAN
    picture = ref.picture(x, (4, 5), norm=norm, agg=agg, nan_color="magenta")
    picture.assert_matches(picture.rgba)
    wrong = picture.rgba.copy()
    wrong[3, 4, 1] ^= 255
    with pytest.raises(AssertionError):
        picture.assert_matches(wrong)
