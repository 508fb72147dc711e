"""Points with classes: colors, names, ignored classes, legends, and refusals."""

import pickle

import matplotlib as mpl
import numpy as np
import pytest
from figures import axes_of, drawn_cells, pixels
from point_clouds import cloud, shown

import gpuplot


def classes_of(x, y, n_classes=5):
    return ((x > 0).astype("int16") + 2 * (y > 0)) % n_classes


def test_pixels_have_the_mean_color_of_their_classes(put):
    """Next to a border between two classes there are pixels of both."""
    x, y = cloud(seed=4)
    c = classes_of(x, y)
    image = shown(put(x), put(y), c=put(c), categorical=True, xlim=(-1, 1), ylim=(-1, 1), size=(21, 21), spread=0)
    rgba = image.make_image(None)[0]
    palette = np.array([mpl.colors.to_rgb(f"C{i}") for i in range(4)])
    assert rgba[3, 3, :3].tolist() == np.rint(255 * palette[0]).tolist()
    assert rgba[17, 17, :3].tolist() == np.rint(255 * palette[3]).tolist()
    place = (np.floor((x + 1) * 10.5) == 10) & (np.floor((y + 1) * 10.5) == 3)
    shares = np.bincount(c[place], minlength=4) / place.sum()
    assert 0 < shares[0] < 1
    np.testing.assert_array_equal(rgba[3, 10, :3], np.rint(255 * shares @ palette))
    counts = drawn_cells(shown(x, y, xlim=(-1, 1), ylim=(-1, 1), size=(21, 21), spread=0))
    np.testing.assert_array_equal(drawn_cells(image), counts)


def test_few_points_have_the_colors_of_their_classes():
    x, y = cloud(300)
    points = gpuplot.scatter(x, y, c=classes_of(x, y), categorical=True, ax=axes_of())
    np.testing.assert_allclose(points.get_facecolors()[:, :3], np.array([mpl.colors.to_rgb(f"C{i}") for i in range(4)])[classes_of(x, y)])


@pytest.mark.parametrize("labels, texts", [(None, ["3", "5", "6"]), ({3: "ant", 5: "bee"}, ["ant", "bee", "6"])], ids=["numbers", "names"])
@pytest.mark.parametrize("is_pickled", [False, True])
def test_colorbar_of_few_points_has_their_classes(labels, texts, is_pickled):
    """It has the color and the name of each class that occurs, in the order of their numbers."""
    points = gpuplot.scatter(range(4), range(4), c=[3, 5, 5, 6], categorical=True, labels=labels, ax=axes_of())
    figure = pickle.loads(pickle.dumps(points.figure)) if is_pickled else points.figure
    bar = figure.colorbar(figure.axes[0].collections[0])
    figure.canvas.draw()
    assert bar.ax.get_yticks().tolist() == [3, 5, 6] and [text.get_text() for text in bar.ax.get_yticklabels()] == texts
    assert bar.ax.get_ylim() == (2.5, 6.5) and not bar.ax.yaxis.get_minorticklocs().size
    np.testing.assert_allclose(bar.cmap(bar.norm([3, 5, 6])), points.get_facecolors()[[0, 1, 3]])


def test_three_numbers_for_three_points_are_no_color():
    points = gpuplot.scatter([1, 2, 3], [1, 2, 3], c=(0.1, 0.2, 0.3), cmap="magma", ax=axes_of())
    assert points.get_array().tolist() == [0.1, 0.2, 0.3] and points.get_cmap().name == "magma"


@pytest.mark.parametrize("n", [300, 60_000])
@pytest.mark.parametrize("kind", ["list", "array", "series", "category", "categorical"])
def test_classes_may_have_names(kind, n):
    """The same picture as of their numbers; a legend has the names."""
    x, y = cloud(n)
    numbers = classes_of(x, y)
    texts = np.array(["ant", "bee", "cat", "dog"])[numbers]
    if kind not in ("list", "array"):
        pandas = pytest.importorskip("pandas")
        texts = {"series": pandas.Series, "category": lambda texts: pandas.Series(texts, dtype="category"),
                 "categorical": pandas.Categorical}[kind](texts)
    named = gpuplot.scatter(x, y, c=list(texts) if kind == "list" else texts, categorical=None if kind[:3] == "cat" else True, ax=axes_of())
    numbered = gpuplot.scatter(x, y, c=numbers, categorical=True, ax=axes_of())
    np.testing.assert_array_equal(pixels(named.figure), pixels(numbered.figure))
    handles, names = named.legend_elements()
    assert names == ["ant", "bee", "cat", "dog"] and handles[3].get_color()[:3] == pytest.approx(mpl.colors.to_rgb("C3"))
    assert numbered.legend_elements()[1] == ["0", "1", "2", "3"]


@pytest.mark.host("polars holds host columns")
@pytest.mark.parametrize("dtype, names", [("String", ["ant", "bee", "cat"]), ("Categorical", ["ant", "bee", "cat"]),
                                          ("Enum", ["cat", "ant", "bee"])])
def test_texts_of_polars_name_classes(dtype, names):
    """An Enum keeps its order; a missing text is no class."""
    polars = pytest.importorskip("polars", reason="pip install polars")
    kind = polars.Enum(names) if dtype == "Enum" else getattr(polars, dtype)
    texts = polars.Series(["bee", "cat", None, "ant"], dtype=kind)
    points = gpuplot.scatter(range(4), range(4), c=texts, ax=axes_of())
    numbers = [names.index("bee"), names.index("cat"), -1, names.index("ant")]
    expected = gpuplot.scatter(range(4), range(4), c=numbers, categorical=True, ignore_index=-1, ax=axes_of())
    np.testing.assert_array_equal(pixels(points.figure), pixels(expected.figure))
    assert points.legend_elements()[1] == names


@pytest.mark.parametrize("n", [300, 60_000])
def test_points_of_no_class_are_not_drawn(n):
    """Neither those without a name, nor those of an ignored number beyond the others."""
    x, y = cloud(n)
    numbers = classes_of(x, y)
    texts = [None if number == 3 else "abc"[number] for number in numbers]
    ignored = np.where(numbers == 3, 255, numbers)
    pictures = [pixels(gpuplot.scatter(x, y, c=c, categorical=True, labels=labels, ax=axes_of()).figure)
                for c, labels in ((texts, None), (ignored, dict(enumerate("abc"))))]
    np.testing.assert_array_equal(*pictures)
    few = gpuplot.scatter(x[:100], y[:100], c=ignored[:100], categorical=True, ax=axes_of())
    assert (few.get_facecolors()[:, 3] == (numbers[:100] != 3)).all()


def test_ignored_classes_are_not_drawn():
    x, y = cloud()
    c = classes_of(x, y).astype("int64")
    c[x > 0] = 9
    image = shown(x, y, c=c, categorical=True, ignore_index=9, spread=0, labels={0: "low", 2: "high"})
    assert not drawn_cells(image)[:, 46:].any() and image.n_outside >= (x > 0).sum()
    handles, texts = image.legend_elements(markersize=3)
    assert texts == ["low", "high"] and handles[1].get_color()[:3] == pytest.approx(mpl.colors.to_rgb("C2"))


def test_classes_grow_with_their_points():
    x, y, c = np.array([[-0.5, 0.5], [0, 0], [1, 3]])
    image = shown(x, y, c=c.astype(int), categorical=True, density=True, xlim=(-1, 1), ylim=(-1, 1), size=(40, 40))
    rgba = image.make_image(None)[0]
    for number, part in ((1, rgba[:, :20]), (3, rgba[:, 20:])):
        assert (part[..., 3] > 0).sum() > 25
        assert (part[part[..., 3] > 0][:, :3] == np.rint(255 * np.array(mpl.colors.to_rgb(f"C{number}")))).all()


@pytest.mark.parametrize(("keywords", "message"), [
    ({"c": np.arange(2.0)}, "integer dtype"), ({"c": np.array([0, 64])}, "span more than the 64 num"), ({}, "class number of each point"),
    ({"c": np.arange(2), "norm": "log"}, "classes have a color each"),
])
def test_classes_that_are_none(keywords, message):
    with pytest.raises(ValueError, match=message):
        gpuplot.scatter([1, 2], [1, 2], categorical=True, ax=axes_of(), **keywords)


@pytest.mark.parametrize("density", [False, True])
def test_a_legend_names_classes_beside_markers_of_the_given_size(density):
    x, y = cloud()
    ax = gpuplot.scatter(x, y, s=9, c=np.where(x > 0, "right", "left"), density=density, ax=axes_of()).axes
    assert [handle.get_markersize() for handle in ax.get_legend_handles_labels()[0]] == [3, 3]


def test_a_legend_needs_classes():
    with pytest.raises(ValueError, match="categorical=True"):
        shown(*cloud()).legend_elements()


def test_lone_points_with_classes_grow():
    """As those without: outliers of a class were single pixels."""
    x, y = np.concatenate([cloud(), [[100, -100], [100, 100]]], axis=1)
    image = shown(x, y, c=(x > 0).astype(int), categorical=True)
    plain = shown(x, y)
    np.testing.assert_array_equal(drawn_cells(image) > 0, drawn_cells(plain) > 0)
    rgba = image.make_image(None)[0]
    assert (rgba[..., 3] > 0)[:5, :5].sum() >= 1 and len(np.unique(rgba[rgba[..., 3] > 0][:, :3], axis=0)) >= 2


@pytest.mark.parametrize("given, is_by_class", [({"cmap": "tab10"}, True), ({"cmap": "viridis"}, False), ({}, False),
                                                ({"cmap": "tab10", "vmin": 0}, False), ({"cmap": "tab10", "agg": "max"}, False),
                                                ({"cmap": "tab10", "categorical": False}, False)], ids=str)
def test_integers_with_a_qualitative_colormap_are_classes(given, is_by_class):
    """The mean of classes 1 and 9 was drawn in the color of class 5, which there was not."""
    x, y = cloud()
    numbers = np.where(x > 0, 1, 9)
    assert (shown(x, y, c=numbers, **given).classes is not None) is is_by_class
    assert shown(x, y, c=1000 * numbers, **given).classes is None
    assert shown(x, y, c=numbers * 1.0, **given).classes is None


@pytest.mark.host("texts are on the host")
@pytest.mark.parametrize("n", [300, 60_000])
@pytest.mark.parametrize("kind", ["list", "array", "pandas"])
def test_texts_that_are_no_colors_are_names_of_classes(n, kind):
    names = np.array(["setosa", "virginica"])[np.arange(n) % 2]
    x, y = np.random.default_rng(0).normal(size=(2, n))
    c = {"list": names.tolist(), "array": names}.get(kind)
    c = pytest.importorskip("pandas", reason="has Series: pip install pandas").Series(names) if c is None else c
    points = gpuplot.scatter(x, y, c=c)
    assert points.legend_elements()[1] == ["setosa", "virginica"]
    with pytest.raises(ValueError, match="some are colors and 1 are not, such as 'setosa'.*categorical=True"):
        gpuplot.scatter(x[:3], y[:3], c=["red", "tan", "setosa"])
    assert gpuplot.scatter(x[:3], y[:3], c=["red", "tan", "setosa"], categorical=True).legend_elements()[1] == ["red", "setosa", "tan"]
    assert len(gpuplot.scatter(x[:2], y[:2], c=["r", "b"]).get_facecolors()) == 2


@pytest.mark.host("texts are on the host")
@pytest.mark.parametrize("categorical", [None, True])
@pytest.mark.parametrize("kind", ["list", "array", "fixed", "variable"])
def test_texts_may_be_bytes_as_files_have_them(kind, categorical, tmp_path):
    """Texts of h5py ended in errors of its own, and names of other bytes were written as b'cow'."""
    texts = [b"ox", b"cow", b"ox"]
    if kind in ("list", "array"):
        c = texts if kind == "list" else np.array(texts)
    else:
        h5py = pytest.importorskip("h5py")
        c = h5py.File(tmp_path / "texts.h5", "w").create_dataset("c", data=texts, dtype="S3" if kind == "fixed" else h5py.string_dtype())
    assert gpuplot.scatter([1, 2, 3], [1, 2, 3], c=c, categorical=categorical).legend_elements()[1] == ["cow", "ox"]


@pytest.mark.host("texts are on the host")
def test_colors_may_be_texts_of_a_file(tmp_path):
    c = pytest.importorskip("h5py").File(tmp_path / "colors.h5", "w").create_dataset("c", data=["red", "blue", "red"])
    colors = gpuplot.scatter([1, 2, 3], [1, 2, 3], c=c).get_facecolors()
    np.testing.assert_array_equal(colors, mpl.colors.to_rgba_array(["red", "blue", "red"]))


@pytest.mark.parametrize("density", [False, True])
def test_a_legend_names_booleans(density):
    ax = axes_of()
    gpuplot.scatter([1, 2, 3], [1, 2, 3], c=np.array([True, False, True]), categorical=True, density=density, ax=ax)
    assert ax.get_legend_handles_labels()[1] == ["False", "True"]
