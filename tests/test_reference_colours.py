"""The slow reference against worked examples: limits, norms, colours, RGB, classes, complex, grids."""

import math

import matplotlib
import matplotlib.colors as mc
import numpy as np
import pytest
import reference as ref
from reference import categorical, complexes, rgb, tiles
from reference.colours import colour_bytes
from reference.norms import stretched

NAN, INF = math.nan, math.inf


def codes_of(values, norm=None, vmin=0.0, vmax=1.0, n_colors=256):
    return ref.codes(np.asarray(values, float), norm, vmin, vmax, n_colors).tolist()


def t_of(values, norm, vmin, vmax):
    return ref.normalise(np.asarray(values, float), norm, vmin, vmax)


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
    """The colour codes that matplotlib gives, found with a map whose every colour is its own index."""
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
def test_norms_give_matplotlib_s_colours(norm):
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


# ---- colours --------------------------------------------------------------------------------------------------


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


def test_limits_have_exactly_the_end_colours():
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
    assert [palette.coloured(code)[3] for code in (0, 1)] == [127, 100]


def test_every_byte_survives_as_a_colour():
    assert all(colour_bytes(f"#{k:02x}{k:02x}{k:02x}")[:3] == (k, k, k) for k in range(256))


def test_classes_of_cells_have_their_colours():
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


# ---- RGB ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "dtype_name", "axis"),
    [
        ((3, 224, 224), "float32", 0),
        ((224, 224, 3), "float32", 2),
        ((3, 5, 4), "uint8", None),
        ((4, 64, 64), "uint8", 0),
        ((4, 64, 64), "float32", None),
        ((3, 64, 64), "int32", None),
        ((64, 3), "uint8", None),
    ],
)
def test_guessed_channels(shape, dtype_name, axis):
    assert rgb.guessed_channel_axis(shape, dtype_name) == axis


def test_channels_as_matplotlib_reads_them():
    assert rgb.channel_axis((3, 5, 4), "float32") == 2
    assert rgb.channel_axis((9, 9, 3), "int64") == 2
    assert rgb.channel_axis((9, 9, 3), "uint8", is_explicit=True) is None
    assert rgb.channel_axis((9, 9, 3), "uint8", rgb=False) is None
    assert rgb.channel_axis((2, 3, 9, 9), "uint8", rgb=1) == 1
    assert ref.to_rgba(np.zeros((4, 5, 1))).shape == (4, 5, 4)


def pixel_row(channels, dtype, **arguments):
    """The pixels of a row of gray RGB elements."""
    x = np.repeat(np.asarray(channels, dtype)[None, :, None], 3, axis=2)
    return ref.to_rgba(x, **arguments)[0]


@pytest.mark.parametrize(
    ("dtype", "want"), [("float32", [0, 63, 127, 255, 255, 0]), ("float16", [0, 64, 128, 255, 255, 0])]
)
def test_bytes_of_floats(dtype, want):
    assert pixel_row([0, 0.25, 0.5, 1, 1.2, -0.1], dtype)[:, 0].tolist() == want


def test_float16_levels_survive_rounding():
    levels = np.arange(256)
    c = (levels / 255).astype(np.float16).astype(float)
    assert np.count_nonzero(np.trunc(255 * c) != levels) == 131
    assert pixel_row(levels / 255, np.float16)[:, 0].tolist() == levels.tolist()


def test_alpha_weights_the_colours():
    x = np.array([[[1, 0, 0, 1], [0, 1, 0, 0]]], np.float32)
    picture = ref.picture(x, (1, 1))
    np.testing.assert_array_equal(picture.cells.values, [[[1, 0, 0, 0.5]]])
    assert ref.to_rgba(np.ones((1, 2, 4), np.float32) * [1, 1, 1, 0], (1, 1)).tolist() == [[[0, 0, 0, 0]]]
    assert ref.to_rgba(x, (1, 1), agg="nearest").tolist() == [[[0, 255, 0, 0]]]


@pytest.mark.parametrize(
    ("denorm", "values", "want"),
    [
        ("symmetric", [-1, 0, 1], [0, 128, 255]),
        ("minmax", [-2, 0, 6], [0, 64, 255]),
        ("minmax", [5, 5], [0, 0]),
        ((0.5, 0.25), [-2, 0, 2], [0, 128, 255]),
    ],
)
def test_denorm(denorm, values, want):
    assert pixel_row(values, np.float32, denorm=denorm)[:, 0].tolist() == want


def test_denorm_imagenet():
    assert pixel_row([0, 1], np.float32, denorm="imagenet")[:, :3].tolist() == [[124, 116, 104], [182, 173, 161]]
    levels = np.arange(256)
    mean, std = np.array(rgb.IMAGENET_MEAN), np.array(rgb.IMAGENET_STD)
    x = ((levels[:, None] / 255 - mean) / std).astype(np.float32)
    got = ref.to_rgba(x[None], denorm="imagenet")[0, :, :3]
    np.testing.assert_array_equal(got, np.repeat(levels[:, None], 3, axis=1))


def test_means_of_uint8_round():
    x = np.repeat(np.array([[[100], [101]]], np.uint8), 3, axis=2)
    assert ref.to_rgba(x, (1, 1)).tolist() == [[[101, 101, 101, 255]]]


def test_rgb_marks_are_transparent_unless_coloured():
    x = np.full((1, 2, 3), 0.5, np.float32)
    x[0, 1, 2] = NAN
    assert ref.to_rgba(x, (1, 1)).tolist() == [[[0, 0, 0, 0]]]
    assert ref.to_rgba(x, (1, 1), nan_color="r").tolist() == [[[255, 0, 0, 255]]]
    assert ref.to_rgba(x, (1, 1), nan="skip").tolist() == [[[127, 127, 127, 255]]]


def test_rgb_refuses_other_reductions_and_integers():
    with pytest.raises(ValueError):
        ref.to_rgba(np.zeros((8, 8, 3)), (2, 2), agg="max")
    with pytest.raises(ValueError):
        ref.to_rgba(np.zeros((3, 8, 8), np.int32), rgb=True)
    wide = np.array([[[300, -5, 7]]])
    assert ref.to_rgba(wide).tolist() == [[[255, 0, 7, 255]]]


def test_rgb_of_an_n_d_tensor():
    x = np.random.default_rng(4).random((2, 3, 6, 8)).astype(np.float32)
    got = ref.picture(x, (3, 4), rgb=1, reduce={0: "mean"}).cells.values
    want = x.astype(float).mean(axis=0).reshape(3, 3, 2, 4, 2).mean(axis=(2, 4)).transpose(1, 2, 0)
    np.testing.assert_allclose(got, want, rtol=1e-12)


# ---- classes --------------------------------------------------------------------------------------------------


def test_class_colours():
    tab10, tab20 = (matplotlib.colormaps[name] for name in ("tab10", "tab20"))
    for v in range(10):
        assert categorical.class_pixel(v) == tuple(tab10(v, bytes=True))
    assert [categorical.palette_entry(v) for v in (-1, 0, 9)] == [19, 0, 9]
    assert [categorical.tab20_entry(v) for v in (-1, 0, 9)] == [19, 0, 18]
    assert sorted(categorical.class_pixel(v) for v in range(20)) == sorted(tuple(tab20(i, bytes=True)) for i in range(20))


def test_when_numbers_are_classes():
    asked = categorical.is_shown_as_classes
    assert categorical.n_levels(np.arange(10.0)) == 10
    assert asked(None, "int32", values=np.arange(10.0), in_inspector=True)
    assert not asked(None, "int32", values=np.arange(-1.0, 21), in_inspector=True)
    assert asked(True, "int32", values=np.arange(-1.0, 21))
    assert not asked(None, "int32") and not asked(True, "int32", agg="mean")
    with pytest.raises(ValueError):
        asked(True, "float32")


def test_classes_are_sampled():
    picture = ref.picture(np.array([[7, 5, 6, 7]]), (1, 3), categorical=True)
    assert picture.cells.values.tolist() == [[7, 6, 7]]
    assert picture.rgba[0].tolist() == [list(categorical.class_pixel(v)) for v in (7, 6, 7)]
    assert ref.picture(np.array([[7, 5, 5, 7]]), (1, 3), categorical=True).cells.values.tolist() == [[7, 5, 7]]


def test_classes_with_a_colormap():
    got = ref.to_rgba(np.array([[2, 3, 4]]), categorical=True, cmap="gray")[0, :, 0]
    assert got.tolist() == [0, 127, 255]


# ---- complex --------------------------------------------------------------------------------------------------

Z = np.array([3 + 4j, -1j, -2, 0])


@pytest.mark.parametrize(
    ("mode", "want"),
    [
        ("amplitude", [5, 1, 2, 0]),
        ("phase", [0.9272952180016122, -1.5707963267948966, 3.141592653589793, 0]),
        ("square_amplitude", [25, 1, 4, 0]),
        ("real", [3, 0, -2, 0]),
        ("imaginary", [4, -1, 0, 0]),
    ],
)
def test_complex_modes(mode, want):
    np.testing.assert_array_equal(ref.downsample(Z, complex_mode=mode).values, [want])


def test_phase_of_a_negative_zero():
    assert complexes.mode_values(np.array([complex(-2, -0.0)]), "phase") == [math.pi]


def test_circular_mean():
    z = np.exp(1j * np.array([3.0, -3.0]))
    cells = ref.downsample(z, (1, 1), complex_mode="phase")
    assert abs(cells.values[0, 0]) == pytest.approx(math.pi, rel=1e-15)
    ref.assert_cells(-cells.values, cells)
    assert ref.downsample(z, (1, 1), complex_mode="phase", agg="max").values == pytest.approx(3)
    assert ref.downsample(np.zeros(2, complex), (1, 1), complex_mode="phase").values == [[0]]
    opposite = ref.downsample(np.array([1, -1 + 0j]), (1, 1), complex_mode="phase")
    assert opposite.tolerances == [[INF]]
    with pytest.raises(ValueError):
        ref.downsample(z, (1, 1), complex_mode="phase", agg="std")


def test_hidden_circular_mean():
    z = np.exp(1j * np.array([3.0, -3.0])).reshape(2, 1, 1)
    assert abs(ref.downsample(z, complex_mode="phase", reduce={0: "mean"}).values[0, 0]) == pytest.approx(math.pi)


def test_hue_of_the_sum_and_mean_amplitude():
    z = np.array([2 * np.exp(3j), np.exp(-3j)])
    picture = ref.picture(z, (1, 1), complex_mode="amplitude_phase")
    assert picture.cells.values == pytest.approx(3.094112849843381, rel=1e-15)
    assert ref.downsample(z, (1, 1)).values == pytest.approx(1.5)
    assert abs(z.mean()) == pytest.approx(1.4866641472270616)
    hue = int((3.094112849843381 + math.pi) / (2 * math.pi) * 256)
    assert picture.rgba[0, 0].tolist() == [*matplotlib.colormaps["hsv"](hue, bytes=True)[:3], int(255 * 1.5 / 2)]
    picture.assert_matches(picture.rgba)
    with pytest.raises(ValueError):
        ref.downsample(z, complex_mode="amplitude_phase")


@pytest.mark.parametrize(
    ("mode", "want"), [("amplitude_phase", [1, 0.1, 0.01, 0.005, 0]), ("log10_amplitude_phase", [1, 0.5, 0, 0, 0])]
)
def test_alpha_of_amplitudes(mode, want):
    np.testing.assert_allclose(complexes.amplitude_alpha([1000, 100, 10, 5, 0], 1000, mode), want, rtol=1e-15)


@pytest.mark.parametrize(
    ("mode", "want"),
    [
        ("real", [1, INF, NAN, 2]),
        ("imaginary", [NAN, 3, 1, -INF]),
        ("amplitude", [NAN, INF, NAN, INF]),
        ("phase", [NAN, INF, NAN, INF]),
    ],
)
def test_class_of_complex_elements(mode, want):
    z = np.array([complex(1, NAN), complex(INF, 3), complex(NAN, 1), complex(2, -INF)])
    np.testing.assert_array_equal(ref.downsample(z, complex_mode=mode).values, [want])


# ---- grids and saved pictures ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "nrow", "size"), [(5, 3, (62, 92)), (64, 8, (242, 242)), (3, 8, (32, 92)), (1, 8, (28, 28))])
def test_tile_layout(n, nrow, size):
    assert ref.tile_layout(n, 28, 28, nrow).size == size


def test_tile_starts():
    assert ref.tile_layout(5, 28, 28, 3).starts == [(2, 2), (2, 32), (2, 62), (32, 2), (32, 32)]


def test_tile_normalisation():
    x = np.array([-2.0, -1, 0, 3, 5])
    np.testing.assert_array_equal(tiles.normalised([x], (-1, 3))[0], [0, 0, 0.25, 1, 1])
    assert tiles.normalised([np.full(3, 7.0)])[0].tolist() == [0, 0, 0]
    got = tiles.normalised([np.array([0.0, 1, NAN]), np.array([0.0, 2])])
    np.testing.assert_array_equal(np.concatenate(got), [0, 0.5, NAN, 0, 1])
    assert tiles.normalised([np.array([0.0, 1]), np.array([0.0, 2])], scale_each=True)[0].tolist() == [0, 1]


def test_sizes_of_pictures():
    assert ref.saved_shape(32768, 65536, 1000) == (500, 1000)
    assert ref.saved_shape(1, 5000, 100) == (1, 100)
    assert ref.default_shape(10, 20) == (10, 20)
    assert ref.default_shape(8192, 16384) == (2048, 4096)
