"""The slow reference against worked examples: RGB, classes, complex numbers and grids of images."""

import math

import matplotlib
import numpy as np
import pytest

import reference as ref
from reference import categorical, complexes, rgb, tiles

NAN, INF = math.nan, math.inf


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


def test_alpha_weights_the_colors():
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


def test_rgb_marks_are_transparent_unless_colored():
    x = np.full((1, 2, 3), 0.5, np.float32)
    x[0, 1, 2] = NAN
    assert ref.to_rgba(x, (1, 1), nan="show").tolist() == [[[0, 0, 0, 0]]]
    assert ref.to_rgba(x, (1, 1), nan="show", nan_color="r").tolist() == [[[255, 0, 0, 255]]]
    assert ref.to_rgba(x, (1, 1), nan="skip").tolist() == [[[127, 127, 127, 255]]]
    assert ref.to_rgba(x, (1, 1)).tolist() == [[[127, 127, 127, 255]]]


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


def test_class_colors():
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
    assert not asked(None, "int32", values=np.arange(-1.0, 32), in_inspector=True)
    assert asked(True, "int32", values=np.arange(-1.0, 32))
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


def test_tile_normalization():
    x = np.array([-2.0, -1, 0, 3, 5])
    np.testing.assert_array_equal(tiles.normalized([x], (-1, 3))[0], [0, 0, 0.25, 1, 1])
    assert tiles.normalized([np.full(3, 7.0)])[0].tolist() == [0, 0, 0]
    got = tiles.normalized([np.array([0.0, 1, NAN]), np.array([0.0, 2])])
    np.testing.assert_array_equal(np.concatenate(got), [0, 0.5, NAN, 0, 1])
    assert tiles.normalized([np.array([0.0, 1]), np.array([0.0, 2])], scale_each=True)[0].tolist() == [0, 1]


def test_sizes_of_pictures():
    assert ref.saved_shape(32768, 65536, 1000) == (500, 1000)
    assert ref.saved_shape(1, 5000, 100) == (1, 100)
    assert ref.default_shape(10, 20) == (10, 20)
    assert ref.default_shape(8192, 16384) == (2048, 4096)
