"""Pictures of planes with hardly more elements than pixels: no grid pattern where the area mean of noise has one."""

import io
from dataclasses import replace

import numpy as np
import pytest
import reference
from device_planes import device_cells, host_plane
from effort import examples
from figures import axes_of
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import image as mimage
from matplotlib import pyplot
from matrix import matrix
from reference.mitchell import sharp_cells
from scenes import pixels, scene_of

import gpuplot
from gpuplot import _native
from gpuplot.arrays.describe import describe
from gpuplot.plane.mitchell import Taps, identity, resample, sharpened
from gpuplot.plane.reduce import reduce_view
from gpuplot.plane.view import choose
from gpuplot.plane.window import Span, Window

NOISE = np.random.default_rng(0).normal(size=(120, 110))
POLICIES = ("show", "skip", "unmasked", "infinite")


def cells_of(X, shape, view=None, nan="show", is_sharp=True):
    source = describe(X)
    ends = view or [(0.0, float(n)) for n in X.shape]
    window = Window(*(Span(*end, n) for end, n in zip(ends, shape, strict=True)))
    return reduce_view(source, choose(source.shape, None, source.dtype), window, "mean", nan, is_sharp=is_sharp).cells


def unevenness(cells, side=33):
    """The 5th to 95th percentile of the standard deviation in windows, over its mean."""
    height, width = cells.shape
    found = [cells[y:y + side, x:x + side].std() for y in range(0, height - side + 1, 8) for x in range(0, width - side + 1, 8)]
    return float(np.subtract(*np.percentile(found, [95, 5])) / np.mean(found))


def with_holes(seed, shape=(40, 30)):
    rng = np.random.default_rng(seed)
    X = np.ma.array(rng.normal(size=shape), mask=rng.random(shape) < 0.2)
    X.data[rng.random(shape) < 0.05], X.data[rng.random(shape) < 0.02], X.data[3, 4] = np.nan, np.inf, -np.inf
    X.mask[10:20, 10:20] = True
    return X


# ---- against the oracle ----------------------------------------------------------------------------------------------------


VIEWS = {
    "both axes": ((38, 27), None), "one axis": ((38, 5), None), "the other": ((4, 27), None), "magnified across": ((38, 70), None),
    "reversed": ((35, 26), ((40, 0), (0, 30))), "a part": ((18, 13), ((3.3, 23.9), (29.1, 13.4))),
    "beyond": ((50, 40), ((-10, 45), (-3, 41))), "at the limit": ((32, 24), None), "beyond the limit": ((31, 23), None),
}


@matrix(view=VIEWS, nan=POLICIES, has_holes=(False, True))
def test_equals_the_oracle(view, nan, has_holes):
    shape, ends = VIEWS[view]
    X = with_holes(1) if has_holes else np.ma.array(np.random.default_rng(2).normal(size=(40, 30)))
    got = cells_of(X, shape, ends, nan).numpy()
    values = reference.load(X)
    want = sharp_cells(values, shape, ends, nan)
    if view == "beyond the limit":
        assert want is None
        np.testing.assert_array_equal(got, cells_of(X, shape, ends, nan, is_sharp=False).numpy())
        return
    bits = got.view(np.uint64)
    assert (bits == _native.EMPTY_BITS).tolist() == (want.kinds == reference.EMPTY).tolist()
    assert (bits == _native.MASKED_BITS).tolist() == (want.kinds == reference.MASKED).tolist()
    is_value = want.kinds == reference.VALUE
    is_mark = ~is_value & (want.kinds != reference.EMPTY)
    np.testing.assert_array_equal(got[is_mark], want.values[is_mark])
    assert (abs(got[is_value] - want.values[is_value]) <= want.tolerances[is_value]).all()


def test_marks_in_more_rows_than_a_band():
    """Half of the columns make half as many cells, which one band has."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(900, 1000)).astype(np.float32)
    X[rng.random(X.shape) < 1e-3] = np.nan
    for nan in ("show", "skip"):
        whole = cells_of(X, (850, 880), None, nan).numpy()
        half = cells_of(X, (850, 440), [(0.0, 900.0), (0.0, 500.0)], nan).numpy()
        np.testing.assert_allclose(whole[:, :430], half[:, :430], rtol=1e-12, atol=1e-14)
    assert np.isnan(whole).sum() < 20


@matrix(nan=POLICIES, shape=((38, 27), (38, 70), (9, 200)), has_holes=(False, True))
def test_devices_agree(emulated, nan, shape, has_holes):
    """The same cells from the emulated device, marks bit by bit."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(40, 30))
    if has_holes:
        kinds = rng.random(values.shape)
        values[kinds < 0.1], values[kinds > 0.97], values[5:9, 5:9] = np.nan, np.inf, -np.inf
    taps = [sharpened(Span(0.0, float(n), m), n) for n, m in zip(values.shape, shape, strict=True)]
    host = resample(_native.Cells.from_array(values), *taps, nan) if taps != [None, None] else None
    if host is None:
        return
    device = resample(device_cells(values), *taps, nan)
    got, want = device.numpy(), host.numpy()
    assert (np.isfinite(got) == np.isfinite(want)).all()
    np.testing.assert_array_equal(got[~np.isfinite(got)].view(np.uint64), want[~np.isfinite(want)].view(np.uint64))
    np.testing.assert_allclose(got, want, 1e-12, 1e-14)


@examples(60)
@given(n=st.integers(1, 400), share=st.floats(1.0001, 1.25), start=st.floats(-20, 20), is_reversed=st.booleans())
def test_weights(n, share, start, is_reversed):
    """They sum to one, lie inside of the axis, and have all that a pixel covers."""
    n_cells = max(1, int(n / share))
    ends = (start, start + n_cells * share)
    taps = sharpened(Span(*(ends[::-1] if is_reversed else ends), n_cells), n)
    if taps is None:
        return
    assert isinstance(taps, Taps) and 0 <= taps.begin < taps.end <= n
    sums = taps.weights.sum(1)
    is_empty = taps.touched[:, 0] >= taps.touched[:, 1]
    assert np.allclose(sums[~is_empty], 1) and (taps.first >= 0).all()
    assert (taps.first + taps.weights.shape[1] <= taps.end - taps.begin).all()
    assert (taps.touched[:, 0] >= taps.first).all() and (taps.touched[:, 1] <= taps.first + taps.weights.shape[1]).all()


@pytest.mark.parametrize("n", [1, 3, 4, 26, 101])
@matrix(order=("reversed", "shuffled"), has_holes=(False, True))
def test_cells_in_any_order(order, has_holes, n):
    """What columns the cells beside one need changes nothing but the last bits."""
    rng = np.random.default_rng(n)
    values = rng.normal(size=(9, n + n // 5 + 1))
    if has_holes:
        values[rng.random(values.shape) < 0.1] = np.nan
        values[4, -1] = np.inf
    taps = sharpened(Span(0.0, float(values.shape[1]), n), values.shape[1]) or identity(n)
    places = np.arange(n)[::-1] if order == "reversed" else rng.permutation(n)
    moved = replace(taps, first=taps.first[places], touched=taps.touched[places], weights=taps.weights[places])
    cells = _native.Cells.from_array(values)
    got, want = (resample(cells, None, axis, "skip").numpy() for axis in (moved, taps))
    np.testing.assert_allclose(got, want[:, places], 1e-13, 1e-15)


def test_arrays_that_reach_outside_are_refused():
    cells = _native.Cells.from_array(NOISE)
    one = np.zeros(3, np.int64), np.tile([0, 1], (3, 1)), np.ones((3, 1))
    bad = [(one[0] + 110, *one[1:]), (one[0] - 1, *one[1:]), (one[0], one[1] + 1, one[2]), (one[0], one[1], np.ones((3, 9))),
           (one[0], one[1], np.ones((2, 1))), (one[0], one[1][:, ::-1], one[2]),
           (one[0] + 110, one[1] + 110, one[2]), (one[0] + 109, one[1] + 109, np.ones((3, 2)))]
    for axis in bad:
        with pytest.raises(ValueError, match="all within its 110 cells"):
            _native.filter(cells, one, axis, "show")
    assert _native.filter(cells, one, one, "show").numpy().tolist() == [[NOISE[0, 0]] * 3] * 3


# ---- what it is for --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(300, 400), (301, 402), (372, 500), (700, 900)], ids=str)
def test_noise_is_even_in_a_default_figure(shape):
    figure, ax = pyplot.subplots()
    X = np.random.default_rng(4).normal(size=shape)
    im = gpuplot.imshow(X, ax=ax, colorbar=True)
    assert unevenness(im._present_frame().cells.numpy()) < 0.3
    pyplot.close(figure)


def test_a_spike_and_a_line_stay_visible():
    X = np.zeros((300, 400))
    X[::37, 3::41], X[:, 200] = 1, 1
    cells = cells_of(X, (297, 397)).numpy()
    assert (cells.max(1) > 0.2).all() and cells.min() >= 0 and cells.max() <= 1
    assert (cells > 0.2).sum() >= len(range(0, 300, 37)) * len(range(3, 400, 41))


def test_a_flat_plane_stays_flat():
    assert (cells_of(np.full((300, 400), 0.1), (297, 397)).numpy() == 0.1).all()


def test_what_was_chosen_is_done():
    """An aggregation or a filter that was given is what it was; so are numbers."""
    area = gpuplot.downsample(NOISE, (110, 100))
    for cells in (gpuplot.downsample(NOISE, (110, 100), agg="mean"), cells_of(NOISE, (110, 100), is_sharp=False).numpy()):
        np.testing.assert_array_equal(cells, area)
    assert abs(cells_of(NOISE, (110, 100)).numpy() - area).max() > 0.1
    norm = {"vmin": -2, "vmax": 2}
    for options in ({"agg": "mean"}, {"agg": "max"}):
        np.testing.assert_array_equal(gpuplot.to_rgba(NOISE, (110, 100), **options, **norm),
                                      gpuplot.to_rgba(gpuplot.downsample(NOISE, (110, 100), **options), **norm))
    for options in ({}, {"agg": "mean"}, {"interpolation": "bilinear"}):
        im = gpuplot.imshow(NOISE, ax=axes_of(100, 110), aspect="auto", **options, **norm)
        # rows of a figure's cells begin at its foot
        assert np.allclose(im._present_frame().cells.numpy(), area[::-1], 1e-6, 1e-9) == bool(options)
        im.set_agg("mean")
        np.testing.assert_allclose(im._present_frame().cells.numpy(), area[::-1], 1e-6, 1e-9)


def test_every_front_end_shows_the_same():
    """Figure, array, file and inspector, at one size."""
    shape = (109, 100)  # of a file of this width
    wanted = gpuplot.to_rgba(NOISE, shape, cmap="viridis")
    ax = axes_of(100, 109)
    gpuplot.imshow(NOISE, ax=ax, aspect="auto", cmap="viridis")
    ax.figure.canvas.draw()
    np.testing.assert_array_equal(np.asarray(ax.figure.canvas.buffer_rgba()), wanted)
    np.testing.assert_array_equal(pixels(scene_of(NOISE, cmap="viridis", center=None), shape), wanted)
    file = io.BytesIO()
    gpuplot.imsave(file, NOISE, width=100, cmap="viridis")
    file.seek(0)
    np.testing.assert_array_equal((mimage.imread(file) * 255).round().astype(np.uint8), wanted)
    reference.picture(NOISE, shape, cmap="viridis").assert_matches(wanted)


@pytest.mark.filterwarnings("error::gpuplot.GpuplotWarning")
@pytest.mark.parametrize("opaque", [255, 1])
def test_colors_of_transparent_elements_are_not_called_clipped(opaque):
    """Pixels with nearly no opacity had colors of "0 to 39127", as negative weights cancel the sum of opacities."""
    colors = opaque * (np.random.default_rng(0).random((110, 110, 3)) < 0.5).repeat(3, 0).repeat(3, 1)
    X = np.dstack([colors, colors[..., :1]]).astype("uint8" if opaque == 255 else "float32")
    for n in (300, 270):
        assert gpuplot.to_rgba(X, (n, n)).shape == (n, n, 4)


def test_colors_beyond_one_are_told_for_transparent_elements():
    X = np.ones((120, 110, 4), "float32")
    X[::2, ::3, 1], X[::2, ::3, 3] = 3.5, 0.5
    with pytest.warns(gpuplot.GpuplotWarning, match="are clipped"):
        gpuplot.to_rgba(X, (110, 100))


@pytest.mark.host("a device adds up in another order")
def test_planes_of_the_native_layer_are_not_filtered_by_themselves():
    axes = [_native.Axis(n, 0, n, m) for n, m in zip(NOISE.shape, (110, 100), strict=True)]
    np.testing.assert_array_equal(_native.reduce(host_plane(NOISE), *axes)[0].numpy(), gpuplot.downsample(NOISE, (110, 100)))
