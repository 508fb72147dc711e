"""Masked elements as a class of their own, and `nan="auto"`: marks of pixels, what is left out, and warnings."""

import io
import warnings

import numpy as np
import pytest
import reference
from device_planes import device_plane, host_plane, summary_of
from figures import axes_of
from matplotlib.backend_bases import MouseEvent
from matplotlib.colors import Normalize, to_rgba
from matrix import matrix
from on_device import lend
from scenes import pixels, scene_of, snapshot, whole

import gpuplot
from gpuplot import _native
from gpuplot.inspector.model.wide_marks import widen_marks

POLICIES = ("show", "skip", "unmasked", "infinite")
RNG = np.random.default_rng
NOISE = RNG(0).normal(size=(1200, 1100)).astype("f4")
SMALL = NOISE[:900, :1000]
BOTH = pytest.mark.parametrize("X", [SMALL, NOISE], ids=["copied", "borrowed"])
FUNCTIONS = ("imshow", "to_rgba", "imsave", "inspect")


def odd(shape, dtype, seed=0):
    """Elements and a mask: whole cells of each kind, and kinds together."""
    rng = RNG(seed)
    values = rng.integers(0, 50, shape).astype(dtype)
    kind = np.kron(rng.integers(0, 4, [(n + 3) // 4 for n in shape]), np.ones([4] * len(shape), int))[tuple(map(slice, shape))]
    if values.dtype.kind == "f":
        share = rng.random(shape)
        values[(kind == 1) & (share < 0.6)] = np.nan
        values[(kind == 2) & (share < 0.2)], values[(kind == 2) & (share > 0.8)] = np.inf, -np.inf
        values[:4, :4] = np.nan
    mask = (rng.random(shape) < 0.3) & (kind != 0)
    mask[4:12, 4:12] = True
    return values, mask


def share_of_nan(X, share, seed=1):
    X = X.copy()
    X[RNG(seed).random(X.shape) < share] = np.nan
    return X


def figure_pixels(X, **options):
    """The pixels of a figure that the image fills, row 0 on top."""
    ax = axes_of(100)
    gpuplot.imshow(X, ax=ax, aspect="auto", **options)
    ax.figure.canvas.draw()
    return np.asarray(ax.figure.canvas.buffer_rgba())


# ---- cells, on both devices, against the oracle ----------------------------------------------------------------------------


@matrix(dtype=("float32", "float64", "float16", "int16", "uint8"),
        agg=("mean", "max", "absmax", "range", "std", "var", "sum", "count", "nearest"),
        nan=POLICIES, shape=((48, 52), (4, 1200), (700, 12)), where_is=("host", "device"), is_masked=(False, True))
def test_cells(request, dtype, agg, nan, shape, where_is, is_masked):
    """Kinds of mark, values, and the bits by which a cell of nothing but masked elements is told from a NaN."""
    if where_is == "device":
        request.getfixturevalue("emulated")
    values, mask = odd(shape, dtype)
    mask = mask if is_masked else None
    plane = (host_plane if where_is == "host" else device_plane)(values, mask=mask)
    n_cells = [max(1, n // 5) for n in shape]
    axes = [_native.Axis(n, 0, n, n_cells[i], "up", agg == "nearest") for i, n in enumerate(shape)]
    got = _native.reduce(plane, *axes, agg, nan)[0].numpy()
    want = reference.downsample(values, n_cells, mask=mask, agg=agg, nan=nan)
    assert (got.view(np.uint64) == _native.MASKED_BITS).tolist() == (want.kinds == reference.MASKED).tolist()
    is_value = want.kinds == reference.VALUE
    np.testing.assert_array_equal(got[~is_value], want.values[~is_value])
    size = abs(want.values[is_value])
    assert (abs(got[is_value] - want.values[is_value]) <= want.tolerances[is_value] + 1e-6 * size).all()


@matrix(dtype=("float32", "float64", "float16", "bool", "uint8", "int64"), agg=("mean", "min", "std", "sum"), nan=POLICIES,
        place=("nowhere", "left", "right", "in turn"))
def test_tiles_without_masked_elements(dtype, agg, nan, place):
    """Tiles of some thousand columns are read as without a mask where nothing is masked in them, integers as such."""
    values, mask = np.full((9, 4500), 3).astype(dtype), np.zeros((9, 4500), bool)
    values[::2, ::3] = 0
    columns = {"nowhere": [], "left": [0, 7], "right": [4499], "in turn": [100, 101, 2300, 4400]}[place]
    mask[4, columns] = True
    if values.dtype.kind == "f":
        values[2, [1200, 2301]] = np.nan
        values[7, 3000] = np.inf
    axes = [_native.Axis(9, 0, 9, 2), _native.Axis(4500, 0, 4500, 450)]
    got = _native.reduce(host_plane(values, mask=mask), *axes, agg, nan)[0].numpy()
    want = reference.downsample(values, (2, 450), mask=mask, agg=agg, nan=nan)
    is_value = want.kinds == reference.VALUE
    np.testing.assert_array_equal(got[~is_value], want.values[~is_value])
    np.testing.assert_allclose(got[is_value], want.values[is_value], 1e-6)


@matrix(op=("mean", "max", "std"), nan=POLICIES, where_is=("host", "device"))
def test_hidden_axes(request, op, nan, where_is):
    """Elements of the plane that are reductions themselves."""
    if where_is == "device":
        request.getfixturevalue("emulated")
    values, mask = odd((6, 9, 8), "float32")
    mask[:, 2, 2] = True
    tensor = lend(values, mask) if where_is == "device" else _native.Tensor.from_array(values, "float32", mask)
    uses = [("hidden", 0, 1, 6, 0), ("rows", 0, 1, 9, 0), ("cols", 0, 1, 8, 0)]
    plane = _native.Plane(tensor, uses, [op], nan=nan)
    got = _native.reduce(plane, _native.Axis(9, 0, 9, 9), _native.Axis(8, 0, 8, 8), "nearest", nan)[0].numpy()
    want = reference.downsample(values, (9, 8), mask=mask, reduce={0: op}, nan=nan)
    assert (got.view(np.uint64) == _native.MASKED_BITS).tolist() == (want.kinds == reference.MASKED).tolist()
    assert (want.kinds == reference.MASKED).any()
    np.testing.assert_allclose(got, want.values, 1e-6, 1e-9)
    for kind, bit in ((reference.NAN, _native.HAS_NAN), (reference.MASKED, _native.HAS_MASKED), (reference.VALUE, _native.HAS_FINITE)):
        at = np.flatnonzero(want.kinds == kind)
        assert [_native.find(plane, bit), _native.find(plane, bit, 71, True)] == ([at[0], at[-1]] if at.size else [-1, -1])


@pytest.mark.parametrize("where_is", ["host", "device"])
def test_counts(request, where_is):
    """Limits and summaries count masked elements apart."""
    if where_is == "device":
        request.getfixturevalue("emulated")
    values, mask = odd((40, 60), "float32")
    plane = (host_plane if where_is == "host" else device_plane)(values, mask=mask)
    seen = values[~mask]
    *_, has, n_finite, n_nan, _, _, n_masked = _native.limits(plane, _native.WANT_RANGE | _native.WANT_COUNTS)
    assert (n_masked, n_nan, n_finite) == (mask.sum(), np.isnan(seen).sum(), np.isfinite(seen).sum())
    assert has & _native.HAS_MASKED and has & _native.HAS_NAN
    summary = summary_of(plane)
    assert (summary.n_masked, summary.n_nan, summary.first_nan) == (mask.sum(), n_nan, np.flatnonzero(np.isnan(values) & ~mask)[0])


def test_stats_and_conversion_of_masks():
    X = np.ma.array([[1.0, np.nan, 3.0], [4.0, 5.0, np.inf]], mask=[[0, 0, 1], [1, 0, 0]])
    found = gpuplot.stats(X)
    assert (found.masked, found.nan, found.pos_inf, found.pos, found.first_nan, found.max) == (2, 1, 1, 2, (0, 1), 5)
    assert "2 masked" in repr(found) and "masked: 2" in found._repr_html_()
    by_row = gpuplot.stats(X, dim=1)
    assert by_row.masked.tolist() == [1, 1] and by_row.nan.tolist() == [1, 0]
    assert gpuplot.stats(X.data).masked == 0
    assert np.isnan(gpuplot.asnumpy(X)).tolist() == [[False, True, True], [True, False, False]]


def test_missing_values_of_columns():
    pandas = pytest.importorskip("pandas")
    column = pandas.array([1, None, 3, None], dtype="Int64")
    assert (gpuplot.stats(column).masked, gpuplot.stats(column).nan) == (2, 0)


# ---- pictures ------------------------------------------------------------------------------------------------------------


@BOTH
def test_the_first_picture_of_a_masked_array(X):
    """Every pixel touches a masked element: it was a blank rectangle, without a word."""
    masked = np.ma.masked_greater(X, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (figure_pixels(masked)[..., :3] != 255).any(-1).all()
        rgba = gpuplot.to_rgba(masked, (100, 100))
    assert (rgba[..., 3] == 255).all() and len(np.unique(rgba.reshape(-1, 4), axis=0)) > 50
    np.testing.assert_array_equal(gpuplot.to_rgba(masked, (100, 100), nan="skip"), rgba)
    assert (gpuplot.to_rgba(masked, (100, 100), nan="show")[..., 3] == 0).all()
    assert (pixels(scene_of(masked), (100, 100))[..., 3] == 255).all()


def test_pixels_of_nothing_but_masked_elements_have_the_bad_color():
    X = np.ma.array(np.ones((40, 40)), mask=np.zeros((40, 40), bool))
    X.mask[:20] = True
    X[20:, :20] = np.nan
    X.data[20:, :20] = np.nan
    for nan in ("auto", "skip", "show"):
        rgba = gpuplot.to_rgba(X, (4, 4), nan=nan, nan_color="lime", vmin=0, vmax=1)
        assert (rgba[:2] == 0).all() and (rgba[2:, :2] == [0, 255, 0, 255]).all()
    np.testing.assert_array_equal(gpuplot.to_rgba(X, (4, 4), norm=Normalize(0, 1), nan_color="lime")[:2], 0)


@BOTH
def test_a_few_nan_mark_and_say_nothing(X):
    X = X.copy()
    X[17, 500] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rgba in (gpuplot.to_rgba(X, (100, 100), nan_color="lime"), figure_pixels(X, nan_color="lime"),
                     pixels(scene_of(X, nan_color="lime"), (100, 100))):
            assert (rgba == [0, 255, 0, 255]).all(-1).sum() == 1


@pytest.mark.parametrize("function", FUNCTIONS)
@BOTH
def test_many_nan_are_left_out_with_one_warning(function, X):
    """One in a hundred, which marked every pixel: the finite elements are shown; infinities still mark."""
    X = share_of_nan(X, 0.05)
    X[40, 40] = np.inf

    def draw(**options):
        options |= {"pos_inf_color": "red", "nan_color": "lime"}
        if function == "imshow":
            return figure_pixels(X, **options)
        if function == "to_rgba":
            return gpuplot.to_rgba(X, (100, 100), **options)
        if function == "imsave":
            return gpuplot.imsave(io.BytesIO(), X, width=100, **options)
        scene = scene_of(X, **options)
        rgba = whole(scene, (100, 100)).pixels[0]
        assert (options.get("nan") is None) == ("NaN is left out" in " ".join(snapshot(scene)["tensor"]["notes"])
                                                 or "NaN is left out" in str(snapshot(scene)))
        return rgba
    with pytest.warns(gpuplot.GpuplotWarning) as caught:
        warnings.warn("none", gpuplot.GpuplotWarning, stacklevel=1)
        rgba = draw()
    texts = [str(one.message) for one in caught if "are NaN" in str(one.message)]
    assert len(texts) == (function != "inspect")
    if texts:
        n = int(np.isnan(X).sum())
        assert f"{n:,} of {X.size:,} elements (5 %) are NaN" in texts[0] and "nan='show'" in texts[0]
        assert [one.filename for one in caught if "are NaN" in str(one.message)] == [__file__]
    if rgba is not None:
        assert (rgba == [255, 0, 0, 255]).all(-1).sum() == 1 and not (rgba == [0, 255, 0, 255]).all(-1).any()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert (draw(nan="show") == [0, 255, 0, 255]).all(-1).mean() > 0.5


def test_where_half_of_the_pixels_stay():
    """NaN marks half of the cells and no more: a hole is a hole."""
    X = NOISE.copy()
    X[:590] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (gpuplot.to_rgba(X, (120, 110))[:59, :, 3] == 0).all()
        X[:700] = np.nan  # more than half, and none of them has a finite element: leaving them out shows nothing more
        assert (gpuplot.to_rgba(X, (120, 110))[:70, :, 3] == 0).all()


def test_magnified_planes_are_matplotlibs():
    X = share_of_nan(NOISE[:20, :20], 0.7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (gpuplot.to_rgba(X, (40, 40))[..., 3] == 0).mean() > 0.5
        ax, other = axes_of(100), axes_of(100)
        gpuplot.imshow(X, ax=ax, aspect="auto")
        other.imshow(X, aspect="auto")
        for axes in (ax, other):
            axes.figure.canvas.draw()
    np.testing.assert_array_equal(ax.figure.canvas.buffer_rgba(), other.figure.canvas.buffer_rgba())


def test_a_warning_is_given_once_for_each_tensor():
    ax = axes_of(100)
    with pytest.warns(gpuplot.GpuplotWarning, match="are NaN"):
        im = gpuplot.imshow(share_of_nan(NOISE, 0.05), ax=ax, aspect="auto")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax.figure.canvas.draw()
        ax.set_xlim(0, 700)
        ax.figure.canvas.draw()
        im.update()
        ax.figure.canvas.draw()
    with pytest.warns(gpuplot.GpuplotWarning, match="are NaN"):
        im.update(share_of_nan(NOISE, 0.06))
        ax.figure.canvas.draw()


@pytest.mark.parametrize("options", [{}, {"agg": "max"}, {"rgb": True}, {"reduce": {0: "mean"}}, {"complex_mode": "phase"}], ids=str)
def test_equals_the_oracle(options):
    """Whatever is drawn: channels, angles, hidden axes."""
    X = share_of_nan(RNG(2).random((3, 60, 50) if options.keys() & {"rgb", "reduce"} else (60, 50)), 0.03)
    X = X * (1 + 1j) if "complex_mode" in options else X
    want = reference.picture(X, (12, 10), nan_color="lime", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gpuplot.GpuplotWarning)
        got = gpuplot.to_rgba(X, (12, 10), nan_color="lime", **options)
    want.assert_matches(got)
    assert (got == [0, 255, 0, 255]).all(-1).mean() < 0.5


def test_downsample_decides_nothing():
    X = share_of_nan(NOISE, 0.05)
    assert np.isnan(gpuplot.downsample(X, (50, 50))).all()
    assert np.isnan(gpuplot.downsample(np.ma.masked_greater(NOISE, 1), (50, 50))).all()
    with pytest.raises(ValueError, match="choose nan='show' or nan='skip'"):
        gpuplot.downsample(X, (50, 50), nan="auto")


# ---- nothing to see --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("X", [np.full((900, 1000), np.nan), np.ma.masked_all((1300, 1100)), np.full((1300, 1100), np.inf)],
                         ids=["copied", "borrowed", "infinite"])
def test_a_plane_without_a_finite_element_says_so(X):
    for part in (X, X[:5, :5]):
        is_ink = (figure_pixels(part)[..., :3] < 128).all(-1)
        assert 20 < is_ink.sum() < is_ink.size / 4


def test_a_layer_without_a_finite_element_is_silent():
    ax = axes_of(100)
    ax.imshow(np.ones((5, 5)), cmap="Reds", vmin=0)
    ax.figure.canvas.draw()
    before = np.array(ax.figure.canvas.buffer_rgba())
    gpuplot.imshow(np.full((5, 5), np.nan), ax=ax)
    ax.figure.canvas.draw()
    np.testing.assert_array_equal(ax.figure.canvas.buffer_rgba(), before)


def test_what_is_said_names_the_kind(monkeypatch):
    said = []
    monkeypatch.setattr("gpuplot.mpl.images.draw.Text.draw", lambda text, renderer: said.append(text.get_text()))
    for X in (np.full((900, 1000), np.nan), np.ma.masked_all((1300, 1100)), np.full((1300, 1100), np.inf), NOISE, np.zeros((0, 5))):
        ax = axes_of(100)
        gpuplot.imshow(X, ax=ax, aspect="auto")
        said.clear()
        ax.figure.canvas.draw()
        ours = [text for text in said if text in ("all NaN", "all masked", "no finite element")]
        kind = {"all NaN": np.isnan, "all masked": np.ma.getmaskarray, "no finite element": np.isinf}
        assert len(ours) == (X.size > 0 and not np.isfinite(np.ma.filled(X, np.nan)).any())
        assert all(kind[text](X).all() for text in ours)


@pytest.mark.parametrize("limits", [{}, {"vmin": 0, "vmax": 1}], ids=["found", "given"])
@pytest.mark.parametrize("X", [np.full((5, 6), np.nan), np.full((500, 600), np.nan), np.ma.masked_all((5, 6)),
                               np.ma.masked_all((500, 600))],
                         ids=["small NaN", "large NaN", "small masked", "large masked"])
def test_what_is_said_stands_in_the_middle_of_the_picture(X, limits):
    ax = axes_of(100)
    ax.set_axis_off()
    gpuplot.imshow(X, ax=ax, aspect="auto", **limits)
    ax.figure.canvas.draw()
    dark = np.argwhere((np.asarray(ax.figure.canvas.buffer_rgba())[..., :3] < 100).all(-1))
    assert abs((dark.min(0) + dark.max(0)) / 2 - 49.5).max() < 5


def test_the_pointer_tells_masked_elements():
    X = np.ma.masked_greater(NOISE, 1)
    im = gpuplot.imshow(X, ax=axes_of(100), aspect="auto")
    im.axes.figure.canvas.draw()
    x, y = im.axes.transAxes.transform((0.5, 0.5))
    event = MouseEvent("motion_notify_event", im.axes.figure.canvas, x, y)
    data = im.get_cursor_data(event)
    text = im.format_cursor_data(data)
    assert np.isfinite(data) and "masked" in text and "NaN" not in text
    lines = dict(map(tuple, scene_of(X).hover(600.5, 500.5, cell=(10.0, 10.0))["lines"]))
    assert int(lines["masked"]) > 0 and "NaN" not in lines


def test_a_line_breaks_at_masked_elements():
    X = np.ma.array(np.sin(np.arange(5000) / 300), mask=False)
    X[1000:2000] = np.ma.masked
    line = scene_of(X).draw((0, 1, 0, 5000), (10, 100)).line
    assert (line[3] == 0).all() and np.isnan(line[2][25:35]).all() and np.isfinite(line[2][:19]).all()
    Y = share_of_nan(np.asarray(X.data), 0.5)
    assert (scene_of(Y).draw((0, 1, 0, 5000), (10, 100)).line[3] == 1).mean() > 0.9


def test_colors_of_marks_are_given_as_before():
    """`nan_color` is of NaN, `pos_inf_color` of +Inf; the colormap's bad color is of masked elements."""
    from matplotlib import colormaps

    cmap = colormaps["viridis"].with_extremes(bad="orange")
    X = np.ma.array([[1.0, np.nan, np.inf, 5.0]], mask=[[0, 0, 0, 1]])
    rgba = gpuplot.to_rgba(X, cmap=cmap, nan_color="lime", pos_inf_color="red", vmin=0, vmax=2)
    orange = (np.array(to_rgba("orange")) * 255).astype(np.uint8).tolist()
    assert rgba[0, 1:].tolist() == [[0, 255, 0, 255], [255, 0, 0, 255], orange]


# ---- lone marks in a page ---------------------------------------------------------------------------------------------------


def page_pixels(X, size=(100, 110), window=None, **options):
    """What a page of the inspector gets, and what its model draws."""
    scene = scene_of(X, nan_color="lime", pos_inf_color="red", **options)
    window = window or (0.0, float(X.shape[0]), 0.0, float(X.shape[1]))
    drawn = scene.draw(window, size)
    plain = drawn.pixels[0].copy()
    for shown, marked in zip(drawn.pixels, drawn.marked, strict=True):
        if marked is not None:
            widen_marks(shown, marked, ((window[1] - window[0]) / size[0], (window[3] - window[2]) / size[1]))
    return drawn.pixels[0], plain


def test_a_lone_mark_is_three_pixels_wide():
    X = NOISE.copy()
    X[615, 505], X[3, 3], X[900, 1095] = np.nan, np.nan, np.inf
    shown, plain = page_pixels(X)
    lime = (shown == [0, 255, 0, 255]).all(-1)
    assert lime[50:53, 49:52].all() and lime[:2, :2].all() and lime.sum() == 9 + 4
    assert (shown == [255, 0, 0, 255]).all(-1).sum() == 6
    np.testing.assert_array_equal(plain, gpuplot.to_rgba(X, (100, 110), nan_color="lime", pos_inf_color="red", cmap="RdBu_r",
                                                         center="auto"))


def test_many_marks_and_large_elements_stay_as_they_are():
    X = share_of_nan(NOISE, 0.0005)
    shown, plain = page_pixels(X)
    np.testing.assert_array_equal(shown, plain)
    Y = NOISE[:200, :220].copy()
    Y[50, 60] = np.nan
    shown, plain = page_pixels(Y, (120, 120), (40.0, 60.0, 50.0, 70.0))
    np.testing.assert_array_equal(shown, plain)
    assert (shown == [0, 255, 0, 255]).all(-1).sum() == 36
    shown, plain = page_pixels(NOISE)
    np.testing.assert_array_equal(shown, plain)


def test_a_lone_mark_of_a_color_channel_is_three_pixels_wide():
    X = RNG(0).random((900, 1100, 3))
    X[405, 505, 1], X[205, 605, 2] = np.nan, np.inf
    shown, plain = page_pixels(X, (90, 110))
    for color, (row, col) in (([0, 255, 0, 255], (40, 50)), ([255, 0, 0, 255], (20, 60))):
        found = (shown == color).all(-1)
        assert found[row - 1:row + 2, col - 1:col + 2].all() and found.sum() == 9 and (plain == color).all(-1).sum() == 1


@pytest.mark.parametrize("nan", ["auto", "skip"])
def test_marks_of_nan_that_is_left_out_stay_as_they_are(nan):
    """Those few are where nothing else is, and all of it would be thought to be there; infinities are as few as they look."""
    X = share_of_nan(NOISE, 0.5)
    X[615, 505] = np.inf
    shown, plain = page_pixels(X, (400, 400), nan=nan)
    is_nan = [(pixels == [0, 255, 0, 255]).all(-1).sum() for pixels in (shown, plain)]
    assert 0 < is_nan[0] <= is_nan[1] < 0.01 * 400 * 400
    assert nan == "skip" or [(pixels == [255, 0, 0, 255]).all(-1).sum() for pixels in (shown, plain)] == [9, 1]
