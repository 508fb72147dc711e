"""`to_rgba` against the slow reference: colors of cells under every norm, color of a mark, RGB and complex picture; blank ones."""

import io
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
import reference
from effort import examples
from hypothesis import example, given
from hypothesis import strategies as st
from matplotlib import colors as mcolors
from on_device import there
from stored_tensors import CODED, REAL, as_source, storage_of

import gpuplot

NORMS = {
    "linear": lambda: "linear", "log": lambda: "log", "symlog": lambda: "symlog", "asinh": lambda: "asinh",
    "cbrt": lambda: "cbrt", "eq_hist": lambda: "eq_hist",
    "power": lambda: mcolors.PowerNorm(0.5), "centered": lambda: mcolors.CenteredNorm(0.25),
    "two_slope": lambda: mcolors.TwoSlopeNorm(0.1), "symlog 0.03": lambda: mcolors.SymLogNorm(0.03, linscale=0.5, base=2),
    "boundary": lambda: mcolors.BoundaryNorm([-1, -0.5, 0, 0.1, 2], 256), "boundary 4": lambda: mcolors.BoundaryNorm([-1, 0, 1], 2),
    "func": lambda: mcolors.FuncNorm((np.tanh, np.arctanh), -0.9, 0.9),
}


def check(X, shape, stored=None, dtype=None, **keywords):
    want = reference.picture(X if stored is None else stored, shape, dtype_name=dtype, **keywords)
    got = gpuplot.to_rgba(X if stored is None else as_source(stored, dtype), shape, **keywords)
    assert got.shape == (*shape, 4) and got.dtype == np.uint8
    want.assert_matches(got)


@examples(60)
@given(st.sampled_from(sorted(NORMS)), st.sampled_from(REAL), st.integers(0, 2**32 - 1), st.sampled_from((0, 3)),
       st.sampled_from(("mean", "max", "nearest", "absmax")), st.sampled_from(("viridis", "RdBu", "tab10", "jet")),
       st.sampled_from((None, 0.4)), st.sampled_from(((9, 7), (20, 25), (11, 1))))
def test_norms_equal_the_reference(name, dtype, seed, n_bad, agg, cmap, alpha, shape):
    """For every norm and dtype the color is that of the definition, or its neighbor where rounding decides."""
    rng = np.random.default_rng(seed)
    stored = storage_of(rng, dtype, (16, 19), n_bad)
    norm = NORMS[name]()
    make = NORMS[name]
    want = reference.picture(stored, shape, dtype_name=dtype, agg=agg, cmap=cmap, alpha=alpha, norm=norm)
    got = gpuplot.to_rgba(as_source(stored, dtype), shape, agg=agg, cmap=cmap, alpha=alpha, norm=make())
    want.assert_matches(got)


@examples(40)
@given(st.integers(0, 2**32 - 1), st.sampled_from((False, True, 5.0, (1, 90))), st.sampled_from((None, True, "auto", 0.3, 0.5)),
       st.sampled_from((None, -0.5)), st.sampled_from((None, 0.5, 1.5)), st.sampled_from(("show", "skip")),
       st.sampled_from(("auto", "elements", "pixels")), st.sampled_from((None, "symlog", "cbrt", "eq_hist")))
@example(0, False, 0.5, None, 0.5, "show", "auto", "eq_hist")
def test_limits(seed, robust, center, vmin, vmax, nan, limits, norm):
    """Limits that are not given come from elements, or from cells that use few of their colors; percentiles and centering as defined."""
    a = storage_of(np.random.default_rng(seed), "float32", (30, 41), 5)
    check(a, (11, 12), robust=robust, center=center, vmin=vmin, vmax=vmax, nan=nan, limits=limits, norm=norm)


@pytest.mark.parametrize("agg", ["range", "std", "var", "sum", "count"])
def test_limits_in_other_units_come_from_the_cells(agg):
    """The range of the elements says nothing about counts."""
    check(np.random.default_rng(3).normal(size=(50, 60)), (7, 9), agg=agg)


@examples(40)
@given(st.sampled_from(("uint8", "float32", "float64", "float16", "bfloat16")), st.sampled_from((3, 4)), st.booleans(),
       st.sampled_from((None, "imagenet", "symmetric", "minmax", ((0.5, 0.4, 0.3), 0.2))), st.sampled_from(("mean", "nearest")),
       st.sampled_from((None, 0.5)), st.sampled_from((0, 4)), st.integers(0, 2**32 - 1), st.sampled_from(("show", "skip")))
@pytest.mark.filterwarnings("ignore::gpuplot.GpuplotWarning")
def test_rgb(dtype, n_channels, is_first, denorm, agg, alpha, n_bad, seed, nan):
    """Channels are averaged apart, weighted by alpha, denormalized, clipped and rounded."""
    rng = np.random.default_rng(seed)
    shape = (n_channels, 21, 26) if is_first else (21, 26, n_channels)
    stored = storage_of(rng, dtype, shape, 0)
    if dtype == "bfloat16":
        stored = (rng.integers(0x3C00, 0x3F80, shape)).astype(np.uint16)
    elif dtype != "uint8":
        stored = np.clip(stored * 0.3 + 0.5, 0, 1).astype(dtype)
        if n_bad:
            stored.flat[rng.integers(0, stored.size, n_bad)] = np.nan
    check(stored, (8, 9), stored, dtype, rgb=0 if is_first else 2, denorm=denorm, agg=agg, alpha=alpha, nan=nan)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "int64"])
def test_opacity_of_integers_is_0_to_255(dtype):
    """Every alpha above 0 but those of bytes weighed as if it were opaque."""
    X = np.array([[[200, 0, 0, 128], [0, 200, 0, 44]]], dtype)
    assert gpuplot.to_rgba(X, (1, 1)).tolist() == [[[149, 51, 0, 86]]]


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64"])
def test_bands_of_integers_are_colors_on_every_axis(dtype):
    """Satellite images are (band, y, x) of uint16."""
    X = np.random.default_rng(0).integers(0, 120, (20, 30, 3)).astype(dtype)
    for denorm in (None, "minmax"):
        want = gpuplot.to_rgba(X, (7, 9), denorm=denorm)
        np.testing.assert_array_equal(gpuplot.to_rgba(np.moveaxis(X, 2, 0), (7, 9), rgb=0, denorm=denorm), want)
    with pytest.warns(gpuplot.GpuplotWarning, match="clipped; RGB is 0..255 for integers. Use denorm='minmax'"):
        gpuplot.to_rgba(np.full((3, 4, 5), 300), rgb=0)


@pytest.mark.filterwarnings("ignore::gpuplot.GpuplotWarning")
@pytest.mark.parametrize("alphas, want", [((1.2, 0.6), [89, 159, 0, 204]), ((-0.2, 0.6), [153, 0, 0, 76]), ((-1, -1), [0, 0, 0, 0])])
def test_opacity_is_clipped_before_it_weights(alphas, want):
    """The sum of colors had weights from 0 to 1, and was divided by the sum of alphas as they are."""
    X = np.array([[[0.2, 1, 0, alphas[0]], [0.6, 0, 0, alphas[1]]]], "f4")
    assert gpuplot.to_rgba(X, (1, 1)).tolist() == [[want]]


def test_clipped_colors_are_told():
    """Values outside the range are clipped with a warning that states what was found."""
    with pytest.warns(gpuplot.GpuplotWarning, match="-0.25 to 1.5"):
        rgba = gpuplot.to_rgba(np.array([[[-0.25, 0.5, 1.5]]]))
    assert rgba[0, 0].tolist() == [0, 127, 255, 255]


@pytest.mark.parametrize("values", [(np.inf, -np.inf), (1.7e308, 1.7e308)], ids=["infinities", "large"])
def test_colors_without_a_finite_sum_give_no_warning_of_numpy(values):
    array = np.full((9, 9, 3), 0.5)
    array[[2, 7], [2, 7], 0] = values
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gpuplot.GpuplotWarning)  # about clipped colors
        warnings.simplefilter("error", RuntimeWarning)
        gpuplot.to_rgba(array, (9, 9))


def test_bytes_as_floats_are_told_to_divide():
    with pytest.warns(gpuplot.GpuplotWarning, match="these go to 254.*Divide by 255, or convert them to uint8$"):
        gpuplot.to_rgba(np.array([[[0.0, 10.0, 254.0]]]))
    with pytest.warns(gpuplot.GpuplotWarning, match="from 0 to 3.5 .1 is full. are clipped.*denorm="):
        gpuplot.to_rgba(np.array([[[0.0, 1.0, 3.5]]]))


@pytest.mark.parametrize(("low", "high", "advice"), [
    (-4e-4, 5e-4, "Use rgb=False to look at one channel, or denorm="), (-40, 100, "Use rgb=False to look at one channel, or denorm="),
    (-2.1, 2.6, "Use denorm= to undo a normalization, or rgb=False"), (-0.01, 1, "Use denorm="), (0, 40.0, "Divide by 255"),
    (0, 400.0, "Use denorm=")])
def test_numbers_around_zero_are_rather_no_colors(low, high, advice):
    """Of floats (3, H, W) such as weights, whose size is not that of colors, single channels are advised first."""
    X = np.full((3, 20, 20), low, "float32")
    X[1] = high
    with pytest.warns(gpuplot.GpuplotWarning, match=advice):
        gpuplot.to_rgba(X)


@pytest.mark.host("matplotlib logs the range of arrays that it would read itself")
@pytest.mark.parametrize("shape", [(20, 20, 3), (1100, 1100, 3)], ids=str)
def test_clipped_integers_are_told_in_their_own_numbers(shape, caplog):
    """They were parts of 255: "14.9 (1 is full)", and in matplotlib's log "Got range [0.0..14.9]"."""
    X = np.full(shape, 3800, "uint16")
    X[:len(X) // 2] = 0
    with pytest.warns(gpuplot.GpuplotWarning, match="colors from 0 to 3800 are clipped; RGB is 0..255 for integers. Use denorm='minmax'"):
        gpuplot.to_rgba(X, (40, 40))
    figure = plt.figure()
    gpuplot.imshow(X, ax=figure.subplots())
    figure.canvas.draw()
    assert "Got range [0..3800]. Use denorm='minmax', which stretches each channel over its range, or rgb=False" in caplog.text


@pytest.mark.parametrize("options, names", [({"robust": True}, "robust"), ({"vmin": 0, "vmax": 0.4}, "vmin, vmax"),
                                            ({"center": 0}, "center"), ({}, ""), ({"cmap": "gray"}, "")], ids=str)
def test_limits_of_colors_come_with_advice(options, names):
    """They were left out without a word, and the picture of reflectances stayed dark."""
    X, figure = np.full((3, 20, 30), 0.3, "float32"), plt.figure()
    for draw, remedy in ((gpuplot.to_rgba, "denorm="), (lambda X, **options: gpuplot.imshow(X, ax=figure.subplots(), **options), "denorm="),
                         (lambda X, **options: plt.close(gpuplot.grid(X[None], **options)), "normalize=True"),
                         (lambda X, **options: gpuplot.imsave(io.BytesIO(), X[None], grid=True, **options), "normalize=True")):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            draw(X, **options)
        said = [str(one.message) for one in caught]
        assert len(said) == bool(names) and all(text.startswith(f"{names}: ") and remedy in text for text in said)


@examples(30)
@given(st.sampled_from(("amplitude", "phase", "amplitude_phase", "log10_amplitude_phase")), st.integers(0, 2**32 - 1),
       st.sampled_from((0, 3)), st.sampled_from(((5, 6), (40, 40))), st.sampled_from((None, 0.5)))
def test_complex_pictures(mode, seed, n_bad, shape, alpha):
    """Hue from the angle, opacity from the size."""
    z = storage_of(np.random.default_rng(seed), "complex64", (19, 23), n_bad)
    check(z, shape, complex_mode=mode, alpha=alpha, nan_color="#ff00ff")


def test_marks_have_their_own_colors():
    """NaN, +Inf, -Inf, under and over are told apart where a color is given."""
    a = np.array([[np.nan, np.inf, -np.inf, -5.0, 0.5, 5.0]])
    colors = dict(nan_color="#ff00ff", pos_inf_color="#00ffff", neg_inf_color="#ff8000", under_color="#000001",
                  over_color="#000002")
    rgba = gpuplot.to_rgba(a, vmin=0, vmax=1, cmap="gray", **colors)[0]
    assert [tuple(p[:3]) for p in rgba.tolist()] == [(255, 0, 255), (0, 255, 255), (255, 128, 0), (0, 0, 1), (128, 128, 128), (0, 0, 2)]
    plain = gpuplot.to_rgba(a, vmin=0, vmax=1, cmap="gray")[0]
    assert plain[:3].tolist() == [[0, 0, 0, 0]] * 3


@examples(60)
@given(st.sampled_from(("bool", "uint8", "int32")), st.integers(0, 2**32 - 1), st.sampled_from((None, "max", "absmax", "nearest")),
       st.sampled_from((None, "viridis")))
def test_categories(dtype, seed, agg, cmap):
    """A class keeps its color whatever other classes there are."""
    rng = np.random.default_rng(seed)
    low, high = {"bool": (0, 2), "int32": (-3, 30)}.get(dtype, (0, 30))
    a = rng.integers(low, high, (20, 20)).astype(dtype)
    check(a, (6, 7), categorical=True, agg=agg, cmap=cmap)


def test_categorical_floats_are_refused():
    """Floats are not class numbers."""
    with pytest.raises(ValueError, match="integer"):
        gpuplot.to_rgba(np.zeros((2, 2)), categorical=True)


@pytest.mark.parametrize("keywords, error", [
    ({"vmin": 2, "vmax": 1}, ValueError), ({"norm": "lgo"}, ValueError), ({"cmap": "virids"}, ValueError),
    ({"norm": mcolors.LogNorm(), "vmin": 1}, ValueError), ({"gamma": 2, "norm": "log"}, ValueError),
    ({"robust": 60}, ValueError), ({"center": 0, "norm": "log"}, ValueError), ({"alpha": 2}, ValueError),
    ({"alpha": np.ones(3)}, TypeError), ({"alpha": np.full((2, 2), 1.5)}, ValueError), ({"denorm": "imagenet"}, ValueError),
    ({"nan_color": "notacolor"}, ValueError),
    ({"vmin": 3}, ValueError), ({"nonsense": 1}, TypeError), ({"norm": 5}, TypeError), ({"gamma": -1}, ValueError),
])
def test_bad_styles_are_refused(keywords, error):
    """One clear exception, before anything is drawn."""
    with pytest.raises(error):
        gpuplot.to_rgba(np.array([[0.0, 1.0], [1.0, 2.0]]), **keywords)


def test_alpha_plane_is_reduced_like_the_picture():
    """One factor per element gives one factor per cell."""
    rgba = gpuplot.to_rgba(np.zeros((2, 4)), (1, 2), alpha=np.array([[0, 1, 1, 1], [0, 1, 1, 1.0]]))
    assert rgba[0, :, 3].tolist() == [127, 255]


def test_empty_tensors_give_empty_pictures():
    """No element, no pixel, no error."""
    assert gpuplot.to_rgba(np.zeros((0, 4))).shape == (0, 4, 4)
    assert not gpuplot.to_rgba(np.zeros((0, 4)), (3, 3)).any()


def test_default_shape():
    """One pixel per element up to 4096 a side, then the same aspect."""
    assert gpuplot.to_rgba(np.zeros((3, 5), "u1")).shape == (3, 5, 4)
    assert gpuplot.to_rgba(np.broadcast_to(np.uint8(0), (8192, 6144))).shape == (4096, 3072, 4)


@pytest.mark.parametrize("dtype", sorted(CODED))
def test_coded_dtypes_have_pictures(dtype):
    """bfloat16 and every 8-bit float format."""
    check(None, (5, 5), storage_of(np.random.default_rng(1), dtype, (16, 16), 0), dtype)


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize("nan", ["show", "skip"])
def test_limits_of_reduced_hidden_axes_follow_the_policy(nan, robust):
    """The plane that limits come from is reduced under the same policy as the picture."""
    a = np.random.default_rng(5).normal(size=(6, 12, 14)).astype(np.float32)
    a[:5, 3, 4] = np.nan
    a[5, 3, 4] = 50
    check(a, (5, 6), reduce={0: "mean"}, nan=nan, robust=robust)


# ---- blank pictures --------------------------------------------------------------------------------------------------

NAN = np.full((20, 30), np.nan, "f4")


@pytest.mark.parametrize("X, said, keywords", [
    (NAN, "all NaN", {}), (NAN, "all NaN", {"vmin": 0, "vmax": 1}), (np.full((1100, 1100), np.nan, "f4"), "all NaN", {}),
    (np.full((20, 30), np.inf, "f4"), "no finite element", {}), (np.full((20, 30, 3), np.nan, "f4"), "all NaN", {}),
    (np.zeros((0, 5), "f4"), r"the tensor of shape \(0, 5\) has no elements", {}),
    (np.full((4, 9, 9), np.nan, "f4"), "all NaN", {"grid": True}),
], ids=["NaN", "limits", "large", "infinite", "colors", "empty", "grid"])
def test_a_blank_picture_is_told(emulated_library, X, said, keywords):
    """imsave wrote a picture in which nothing is seen without a word."""
    with pytest.warns(gpuplot.GpuplotWarning, match=f"the picture is blank: {said}$"):
        gpuplot.imsave(io.BytesIO(), there(X), **keywords)


@pytest.mark.parametrize("X, keywords", [(NAN, {"nan_color": "red"}), (np.eye(3), {"alpha": 0}), (np.eye(3), {"view": ((5, 9), (0, 3))})],
                         ids=["a color of NaN", "transparent", "outside"])
def test_other_pictures_are_not(X, keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gpuplot.imsave(io.BytesIO(), there(X), **keywords)


@pytest.mark.parametrize("shape, width, is_strip", [((3, 4096), 1000, True), ((400, 2), 10, True), ((3, 4096), None, False),
                                                    ((30, 1000), 500, False)], ids=str)
def test_a_strip_comes_with_advice(tmp_path, shape, width, is_strip):
    X = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gpuplot.imsave(tmp_path / "a.png", X, width=width)
    assert [f"in place of width, such as shape=({width}, {width})" in str(one.message) for one in caught] == [True] * is_strip


@pytest.mark.parametrize("draw", [lambda X: gpuplot.imsave(io.BytesIO(), X), lambda X: gpuplot.to_rgba(X, X.shape),
                                  lambda X: gpuplot.downsample(X, X.shape)], ids=["imsave", "to_rgba", "downsample"])
def test_a_picture_that_memory_does_not_hold_is_refused_before_it_is_made(draw):
    """One of 10^11 pixels raised NumPy's own error, or was begun where the system promises more memory than there is."""
    with pytest.raises(MemoryError, match=r"a picture of 1000000 x 100000 pixels takes 37\d GB and .*: ask for fewer, such as shape="):
        draw(np.broadcast_to(np.float32(3), (10**6, 10**5)))
