"""Statistics of pictures: `TensorImage.stats`, and of planes of the inspector."""

import foreign_arrays as foreign
import numpy as np
import pytest
from matplotlib import pyplot as plt

import gpuplot
from gpuplot.arrays.describe import describe
from gpuplot.plane.view import choose
from gpuplot.statistics.plane_stats import histogram_of, summarize_plane

# A side from which a plane is not copied.
LARGE = 1100


def random(*shape, dtype="float32"):
    return np.random.default_rng(7).normal(size=shape).astype(dtype)


def imshow(X, **keywords):
    _, ax = plt.subplots()
    return gpuplot.imshow(X, ax=ax, aspect="auto", **keywords)


def same(a, b):
    """Whether two results say the same of their elements."""
    sums, places = ("mean", "std", "l2"), ("argmin", "argmax", "first_nan", "shape", "numel", "nbytes", "device")
    return all(getattr(a, name) == pytest.approx(getattr(b, name), rel=1e-12, nan_ok=True) for name in sums) and all(
        repr(getattr(a, name)) == repr(getattr(b, name)) for name in a.__dataclass_fields__ if name not in sums + places + ("device",))


@pytest.mark.parametrize("shape", [(4, 6, 7), (2, LARGE, LARGE)])
def test_regions(shape):
    X = random(*shape)
    X[0, 1, 2], X[1, 0, 1] = np.nan, np.inf
    im = imshow(X, index={0: 1})
    im.axes.set(xlim=(0.7, 3.2), ylim=(4.2, 1.7))
    for region, part in (("slice", X[1]), ("view", X[1, 2:5, 1:4]), ("all", X)):
        found, want = im.stats(region), gpuplot.stats(part)
        assert same(found, want), region
        assert found.shape == X.shape and found.numel == X.size and found.nbytes == X.nbytes
        assert X[found.argmin] == want.min and X[found.argmax] == want.max
    assert im.stats().first_nan is None and im.stats("all").first_nan == (0, 1, 2)


@pytest.mark.parametrize("shape", [(4, 6, 7), (2, LARGE, LARGE)])
def test_a_tensor_on_a_device(runtime, shape):
    """Of a small plane the host has a copy; statistics are the tensor's all the same."""
    X = random(*shape)
    found = imshow(foreign.Stranger(runtime, X, device=1), index={0: 1}).stats()
    assert found.device == "cuda:1" and found.shape == X.shape and X[found.argmax] == X[1].max()


@pytest.mark.parametrize("X", [random(5, 6, 3) % 1, random(0, 6), random(0, 6, 3)], ids=["colors", "nothing", "no colors"])
@pytest.mark.filterwarnings("ignore:there is nothing to show")
def test_small_arrays_that_nothing_has_reduced_yet(X):
    """Their copies had no source: AttributeError."""
    for region in ("slice", "view", "all"):
        assert same(imshow(X).stats(region), gpuplot.stats(X)), region


def test_a_small_array_after_set_data():
    """It had no source until something reduced it: AttributeError."""
    im, X = imshow(random(4, 4)), random(5, 6)
    im.set_data(X)
    assert same(im.stats(), gpuplot.stats(X))


def test_nothing_is_seen():
    im = imshow(random(8, 8))
    im.axes.set_xlim(20, 30)
    found = im.stats("view")
    assert found.numel == 64 and found.zero == found.nan == 0 and np.isnan(found.min) and found.argmin is None


def test_host_arrays_as_matplotlib_takes_them():
    found = imshow([[1, 2], [3, 4]]).stats(bins=4, percentiles=())
    assert (found.max, found.argmax, found.hist.tolist(), found.percentiles) == (4, (1, 1), [1, 1, 1, 1], {})
    masked = np.ma.array([[1.0, 2.0]], mask=[[True, False]])
    assert (imshow(masked).stats().nan, imshow(masked).stats().masked) == (0, 1)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_a_copied_plane_keeps_its_dtype(dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    X = np.array([[2.0**-127, 0.002, 0.25], [1.0, -3.0, 0.0]]).astype(getattr(ml_dtypes, dtype))
    found, want = imshow(X).stats(), gpuplot.stats(X)
    assert same(found, want) and found.dtype == dtype and found.nbytes == X.nbytes
    assert found.subnormal == want.subnormal == np.count_nonzero((X != 0) & (np.abs(X) < ml_dtypes.finfo(X.dtype).tiny))


@pytest.mark.parametrize("side", [5, LARGE])
def test_reduced_axes_are_reduced(side):
    X = random(3, side, side)
    found, want = imshow(X, reduce={0: "mean"}).stats(), gpuplot.stats(X.astype(float).mean(0))
    assert found.mean == pytest.approx(want.mean, abs=1e-9) and found.std == pytest.approx(want.std)
    assert found.argmin == (slice(0, 3), *want.argmin) or found.argmin == (slice(0, 3, 1), *want.argmin)
    assert same(imshow(X, reduce={0: "mean"}).stats("all"), gpuplot.stats(X))


def test_colors_count_with_all_channels():
    X = (random(3, 9, 8) % 1)
    im = imshow(X, rgb=True)
    assert same(im.stats(), gpuplot.stats(X)) and X[im.stats().argmin] == X.min()
    assert same(im.stats("all"), gpuplot.stats(X))


@pytest.mark.parametrize("mode, of", [("real", np.real), ("phase", np.angle), ("amplitude", np.abs)])
def test_complex_elements_as_they_are_shown(mode, of):
    X = random(2, 5, 6) + 1j * random(2, 6, 5).reshape(2, 5, 6)[::-1]
    im = imshow(X.astype("complex128"), complex_mode=mode)
    for region, part in (("slice", X[0]), ("all", X)):
        assert im.stats(region).max == pytest.approx(of(part).max()) and im.stats(region).dtype == "complex128"


def test_cropped_and_turned_views():
    X = random(4, 6, 7)
    im = imshow(X, x=0, y=2, index={1: 3, 2: slice(6, 1, -2)})
    part = X[:, 3, 6:1:-2]
    found = im.stats()
    assert same(found, gpuplot.stats(part)) and X[found.argmin] == part.min() and X[found.argmax] == part.max()


def test_mistakes():
    im = imshow(random(4, 8, 8))
    with pytest.raises(ValueError, match="region='rows' is not one of slice, view, all"):
        im.stats("rows")
    with pytest.raises(ValueError, match="bins"):
        im.stats(bins=0)
    im.freeze()
    assert im.stats().numel == 256
    with pytest.raises(ValueError, match=r"gpuplot\.stats"):
        im.stats("all")


# ---- planes ------------------------------------------------------------------------------------------------------------


def view_of(X, **keywords):
    source = describe(X)
    return source, choose(source.shape, source.dims, source.dtype, **keywords)


def test_a_box_of_a_plane():
    X = random(3, 30, 40, dtype="float64")
    source, view = view_of(X, index={0: 2})
    found = summarize_plane(source, view, (4, 20, 3, 9), bins=8, percentiles=(50,))
    part = X[2, 4:20, 3:9]
    assert found.min == part.min() and X[found.argmin] == part.min() and found.percentiles == {50: np.median(part)}
    counts, edges = histogram_of(source, view, (4, 20, 3, 9), 8)
    assert counts.tolist() == found.hist.tolist() == np.histogram(part, 8)[0].tolist()
    assert edges.tolist() == found.bin_edges.tolist() == np.histogram_bin_edges(part, 8).tolist()
    counts, edges = histogram_of(source, view, (4, 20, 3, 9), 5, (0, 1))
    assert counts.tolist() == np.histogram(part, 5, (0, 1))[0].tolist()


def test_boxes_without_elements():
    source, view = view_of(random(3, 4))
    assert summarize_plane(source, view, (2, 2, 0, 4)).zero == 0
    assert histogram_of(source, view, (0, 3, 4, 4), 3)[0].tolist() == [0, 0, 0]
    source, view = view_of(random(0, 4))
    assert summarize_plane(source, view).numel == 0 and histogram_of(source, view, None, 2)[1].tolist() == [0, 0.5, 1]


def test_few_axes():
    source, view = view_of(np.arange(5))
    assert summarize_plane(source, view, (0, 1, 1, 4)).max == 3
    source, view = view_of(np.float32(3.5))
    assert summarize_plane(source, view).argmax == ()


def test_colors_and_hidden_axes_together():
    X = random(2, 4, 5, 3, dtype="float64")
    source, view = view_of(X, rgb=3, reduce={0: "max"})
    found, want = summarize_plane(source, view, (1, 3, 0, 5)), X[:, 1:3].max(0)
    assert found.max == want.max() and found.neg == (want < 0).sum()
    assert X[found.argmax].max() == want.max()
    assert histogram_of(source, view, (1, 3, 0, 5), 6)[0].tolist() == np.histogram(want, 6)[0].tolist()


@pytest.mark.parametrize("region", ["slice", "view", "all"])
def test_a_frozen_image_has_no_statistics(region):
    image = imshow(random(LARGE, LARGE))
    image.figure.canvas.draw()
    image.freeze()
    with pytest.raises(ValueError, match=r"is frozen and has pixels, no tensor: give the tensor to gpuplot\.stats"):
        image.stats(region=region)
