"""`categorical=True` means the same in every front end, with reduced axes and without."""

import io

import matplotlib.image
import numpy as np
import pytest
from figures import axes_of, made
from matplotlib.colors import BoundaryNorm, ListedColormap, Normalize
from scenes import pixels, scene_of

import gpuplot

SHAPE = (3, 24, 32)
X = np.random.default_rng(0).integers(0, 60, SHAPE)
LARGE = np.random.default_rng(0).integers(-3, 60, (2, 1100, 1000)).astype("i2")


def drawn(X, **options):
    options = {"interpolation": "nearest"} | options
    return made(gpuplot.imshow(X, ax=axes_of(X.shape[-1], X.shape[-2]), **options))


def written(X, **options):
    file = io.BytesIO()
    gpuplot.imsave(file, X, **options)
    file.seek(0)
    return np.round(matplotlib.image.imread(file) * 255).astype("u1")


def inspected(X, **options):
    return pixels(scene_of(X, **options), X.shape[-2:])


FRONT_ENDS = {"imshow": drawn, "to_rgba": gpuplot.to_rgba, "imsave": written, "inspect": inspected}


@pytest.mark.parametrize("front_end", FRONT_ENDS)
@pytest.mark.parametrize("op", ["max", "min"])
@pytest.mark.parametrize("dtype", ["i8", "u1", "?"])
def test_the_largest_class_is_a_class(front_end, op, dtype):
    """With reduce= classes were classes in imshow and plain numbers elsewhere."""
    values = (X % 2 if dtype == "?" else X).astype(dtype)
    expected = gpuplot.to_rgba(getattr(values, op)(0), categorical=True)
    np.testing.assert_array_equal(FRONT_ENDS[front_end](values, reduce={0: op}, categorical=True), expected)


@pytest.mark.parametrize("front_end", ["imshow", "to_rgba", "inspect"])
def test_large_planes(front_end):
    shape = (60, 50)
    expected = gpuplot.to_rgba(LARGE.max(0), shape, categorical=True)
    if front_end == "imshow":  # which takes another one of two elements that are as near
        got, expected = (made(gpuplot.imshow(values, ax=axes_of(50, 60), reduce=reduce, categorical=True, aspect="auto"))
                         for values, reduce in ((LARGE, {0: "max"}), (LARGE.max(0), None)))
    elif front_end == "inspect":
        got = pixels(scene_of(LARGE, reduce={0: "max"}, categorical=True), shape)
    else:
        got = gpuplot.to_rgba(LARGE, shape, reduce={0: "max"}, categorical=True)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("front_end", FRONT_ENDS)
@pytest.mark.parametrize("reduce", [{0: "mean"}, {0: "sum"}, {0: "std"}, {0: "norm"}, {0: "max", 1: "mean"}])
@pytest.mark.parametrize("keywords", [{}, {"agg": "max"}, {"agg": "mean"}, {"cmap": "gray"}])
def test_what_is_no_class_is_refused(front_end, reduce, keywords):
    values = X if len(reduce) == 1 else X[:, None]
    op = next(op for op in reduce.values() if op != "max")
    with pytest.raises(ValueError, match=f"categorical=True: the {op} of class numbers is not a class; reduce with max or min"):
        FRONT_ENDS[front_end](values, reduce=reduce, categorical=True, **keywords)


@pytest.mark.parametrize("front_end", FRONT_ENDS)
@pytest.mark.parametrize("categorical", [0, 1, "yes", "", [], np.ones(2), {}], ids=repr)
def test_what_is_neither_true_nor_false_is_refused(front_end, categorical):
    """to_rgba took categorical=0 for a yes, and everything was taken by somebody."""
    with pytest.raises(ValueError, match="^categorical=.* is not one of None, True, False"):
        FRONT_ENDS[front_end](X[0], categorical=categorical)


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_truth_of_numpy(front_end):
    np.testing.assert_array_equal(FRONT_ENDS[front_end](X[0], categorical=np.True_), FRONT_ENDS[front_end](X[0], categorical=True))
    np.testing.assert_array_equal(FRONT_ENDS[front_end](X[0], categorical=np.False_), FRONT_ENDS[front_end](X[0], categorical=False))


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_colors_are_no_classes(front_end):
    """imshow took one pixel of many instead of their mean where categorical=True was given with colors."""
    rgb = np.random.default_rng(0).integers(0, 255, (3, 60, 50)).astype("u1")
    options = {"shape": (12, 10)} if front_end in ("to_rgba", "imsave") else {}
    if front_end == "imshow":
        images = [gpuplot.imshow(rgb, ax=axes_of(10, 12), categorical=categorical) for categorical in (True, None)]
        assert images[0]._cell_agg == images[1]._cell_agg == "mean"
        return
    got, expected = (FRONT_ENDS[front_end](rgb, rgb=0, categorical=categorical, **options) for categorical in (True, None))
    np.testing.assert_array_equal(got, expected)


def test_the_inspector_keeps_classes_and_refuses_others():
    scene = scene_of(X, categorical=True)
    scene.change({"reduce": {0: "max"}})
    assert scene.state()["is_categorical"]
    before = scene.state()
    with pytest.raises(ValueError, match="the mean of class numbers is not a class"):
        scene.change({"reduce": {0: "mean"}})
    assert scene.state() == before
    guessed = scene_of(X % 5)
    guessed.change({"reduce": {0: "max"}})
    assert guessed.state()["is_categorical"]
    guessed.change({"reduce": {0: "mean"}})
    assert not guessed.state()["is_categorical"]


def test_empty_planes_have_no_classes_to_mix():
    assert gpuplot.to_rgba(np.zeros((2, 0, 4), int), categorical=True).shape[-1] == 4


def test_labels_of_reduced_classes():
    im = gpuplot.imshow(np.stack([X[0] % 4, np.zeros_like(X[0])]), ax=axes_of(100), reduce={0: "max"}, categorical=True, labels={2: "cat"},
                        colorbar=True)
    assert im.format_cursor_data(np.float64(2)).startswith("[2.0: cat]")
    assert [text.get_text() for text in im.colorbar.ax.get_yticklabels()] == ["0", "1", "cat", "3"]


@pytest.mark.parametrize(("keywords", "named"), [
    ({"vmin": 0}, "vmin:"), ({"vmax": 3}, "vmax:"), ({"vmin": 0, "vmax": 3}, "vmin, vmax:"), ({"robust": True}, "robust:"),
    ({"center": 1}, "center:"), ({"gamma": 2}, "gamma:"), ({"under_color": "red"}, "under_color:"),
    ({"over_color": "red", "robust": (1, 99)}, "over_color, robust:"), ({"norm": "log"}, "norm:"), ({"norm": Normalize(0, 4)}, "norm:"),
    ({"norm": "eq_hist", "limits": "pixels"}, "norm, limits:"), ({"limits": "pixels"}, "limits:"), ({"limits": "elements"}, "limits:"),
])
def test_what_is_about_a_scale_is_refused(keywords, named):
    """In every front end alike; where the elements are numbers after all it is taken."""
    classes = np.arange(12).reshape(3, 4) % 5
    front_ends = (gpuplot.to_rgba, lambda X, **options: gpuplot.imshow(X, ax=axes_of(), **options),
                  lambda X, **options: gpuplot.imsave(io.BytesIO(), X, **options))
    for show in front_ends:
        with pytest.raises(ValueError, match=f"^{named} classes have a color each and no scale; leave .* out"):
            show(classes, categorical=True, **keywords)
        show(classes, categorical=True, robust=False, center=False, limits="auto")
        show(classes, **keywords)
        show(classes, categorical=True, agg="mean", **keywords)


def test_the_inspector_refuses_it_too():
    pytest.importorskip("anywidget")
    for options in ({"vmin": 1}, {"norm": "log"}, {"limits": "pixels"}):
        with pytest.raises(ValueError, match=f"^{next(iter(options))}: classes have a color each"):
            gpuplot.inspect(np.arange(12).reshape(3, 4) % 5, categorical=True, **options)


def test_a_colorizer_is_refused_too():
    colorizer = pytest.importorskip("matplotlib.colorizer", reason="of matplotlib 3.10 and later").Colorizer("magma")
    with pytest.raises(ValueError, match="^colorizer: classes have a color each"):
        gpuplot.imshow(X[0], ax=axes_of(), categorical=True, colorizer=colorizer)


# ---- colormaps that say it ------------------------------------------------------------------------------------------------

# Regions of classes 2 and 8, between which lie those that must not be seen.
REGIONS = np.where((np.arange(300)[:, None] * 0.37 + np.arange(250) * 0.61) % 60 < 30, 2, 8)
OWN = {"cmap": ListedColormap(["red", "green", "blue"]), "norm": BoundaryNorm([-0.5, 2.5, 5.5, 9.5], 3)}
TAB10 = {"cmap": "tab10", "vmin": 0, "vmax": 9}


def _reduced(front_end, X, **options):
    """The colors of fewer pixels than elements."""
    if front_end == "imshow":
        rgba = made(gpuplot.imshow(X, ax=axes_of(50, 60), aspect="auto", **options))
    elif front_end == "grid":
        file = io.BytesIO()
        gpuplot.imsave(file, X[None], shape=(60, 50), grid={"padding": 0}, **options)
        file.seek(0)
        rgba = matplotlib.image.imread(file)
    else:
        rgba = gpuplot.to_rgba(X, (60, 50), **options) if front_end == "to_rgba" else pixels(scene_of(X, **options), (60, 50))
    return len(np.unique(rgba.reshape(-1, rgba.shape[-1]), axis=0))


REDUCED = ["imshow", "to_rgba", "grid", "inspect"]


@pytest.mark.parametrize("front_end", REDUCED)
@pytest.mark.parametrize("style", [TAB10, OWN], ids=["tab10", "own"])
def test_a_qualitative_colormap_shows_only_classes_that_occur(front_end, style):
    assert _reduced(front_end, REGIONS, **style) == 2
    assert _reduced(front_end, REGIONS == 2, **style | {"cmap": ListedColormap(["red", "green", "blue"])}) <= 2


@pytest.mark.parametrize("front_end", REDUCED)
def test_other_means_are_shown(front_end):
    """Of floats, of a colormap of many colors, and where the caller says so."""
    assert _reduced(front_end, REGIONS.astype("f4"), **TAB10) > 2
    assert _reduced(front_end, REGIONS, **TAB10 | {"cmap": "viridis"}) > 10
    for said in ({"agg": "mean"}, {"categorical": False}):
        assert _reduced(front_end, REGIONS, **TAB10, **said) > 2


def test_pictures_of_several_tensors_show_only_classes_that_occur():
    figure = gpuplot.grid(np.stack([REGIONS] * 2), **TAB10)
    assert figure.axes[0].images[0].agg == "nearest"
    figure = gpuplot.compare(REGIONS, REGIONS + 1, **TAB10)
    assert [ax.images[0].agg for ax in figure.axes[:3]] == ["nearest", "nearest", "absmax"]


def test_the_inspector_follows_its_colormap():
    scene = scene_of(REGIONS, **TAB10)
    assert scene.agg == "nearest" and scene.state()["agg"] == "nearest"
    scene.change({"cmap": "viridis"})
    assert scene.agg == "mean"


def test_colors_that_are_averaged_stay_colors():
    """``interpolation_stage="rgba"`` averages no numbers."""
    assert gpuplot.imshow(REGIONS, ax=axes_of(), interpolation_stage="rgba", **TAB10).agg is None
