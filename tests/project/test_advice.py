"""Errors about unknown names: they suggest the nearest right name, or what to write instead, before anything is drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import gpuplot

A = np.arange(12.0).reshape(3, 4)


@pytest.fixture(autouse=True)
def no_figures():
    before = plt.get_fignums()
    yield
    assert plt.get_fignums() == before


@pytest.mark.parametrize(("keyword", "words"), [
    ("colourbar", r"did you mean colorbar=\?"), ("colormap", r"did you mean cmap=\?"), ("color_map", r"did you mean cmap=\?"),
    ("v_min", r"did you mean vmin=\?"), ("catagorical", r"did you mean categorical=\?"), ("axes", r"did you mean dims=\?"),
    ("title", r"imshow\(X\)\.axes\.set_title"), ("figsize", r"plt\.subplots\(figsize=\.\.\.\), then imshow\(X, ax=ax\)"),
    ("nonsense", r"; help\(gpuplot\.imshow\) lists"), ("width", r"to_rgba\(X, shape\)"),
])
def test_an_unknown_keyword_of_imshow_names_what_there_is(keyword, words):
    with pytest.raises(AttributeError, match=rf"^imshow\(\) got an unexpected keyword argument '{keyword}'.*{words}"):
        gpuplot.imshow(A, **{keyword: 1})


@pytest.mark.parametrize(("function", "args", "keyword", "words"), [
    (gpuplot.to_rgba, (A,), "color_map", r"did you mean cmap=\?"), (gpuplot.downsample, (A, (2, 2)), "reduction", r"did you mean agg=\?"),
    (gpuplot.imsave, ("x.png", A), "dp", r"did you mean dpi=\?"), (gpuplot.inspect, (A,), "sliderz", r"did you mean sliders=\?"),
    (gpuplot.stats, (A,), "axis", r"did you mean dim=\?"), (gpuplot.stats, (A,), "dims", r"did you mean dim=\?"),
    (gpuplot.asnumpy, (A,), "dtpye", r"did you mean dtype=\?"), (gpuplot.asnumpy, (A,), "xyz", r"; help\(gpuplot\.asnumpy\)"),
    (gpuplot.inspect, (A,), "colour", r"did you mean cmap=\?"), (gpuplot.inspect, (A,), "heigth", r"did you mean height=\?"),
    (gpuplot.to_rgba, (A,), "colorbar", r"imshow\(X, colorbar=True\) draws one"), (gpuplot.inspect, (A,), "figsize", "as wide as its cell"),
    (gpuplot.compare, (A, A), "colorbar", "both scales have one"),
    (gpuplot.downsample, (A, (2, 2)), "colourbar", "cells are numbers"), (gpuplot.imsave, ("x.png", A), "colorbar", "Figure.savefig"),
    (gpuplot.to_rgba, (A,), "width", r"did you mean shape=\?"), (gpuplot.imsave, ("x.png", A), "heigth", r"did you mean shape=\?"),
])
def test_so_does_one_of_the_other_functions(function, args, keyword, words):
    with pytest.raises(TypeError, match=rf"^{function.__name__}\(\) got an unexpected keyword argument '{keyword}'.*{words}"):
        function(*args, **{keyword: 1})


@pytest.mark.parametrize(("function", "args", "keyword", "right"), [
    (gpuplot.plot, (A,), "colour", "color"), (gpuplot.plot, (A,), "colors", "color"), (gpuplot.plot, (A,), "linewdith", "linewidth"),
    (gpuplot.scatter, (A, A), "colour", "color"), (gpuplot.hist, (A,), "edgecolour", "edgecolor"), (gpuplot.hist, (A,), "bin", "bins"),
    (gpuplot.scatter, (A, A), "markers", "marker"), (gpuplot.imshow, (A,), "zorders", "zorder"), (gpuplot.plot, (A,), "colormap", "cmap"),
])
def test_properties_of_artists_are_named_as_well(function, args, keyword, right):
    """plot(y, colour="r") was advised to say cmap."""
    with pytest.raises(AttributeError, match=rf"'{keyword}': did you mean {right}=\?"):
        function(*args, **{keyword: 1})


@pytest.mark.parametrize(("function", "args", "keyword", "right", "value"), [
    (gpuplot.plot, (A,), "colr", "color", "r"), (gpuplot.plot, (A,), "edgecolor", "markeredgecolor", "r"),
    (gpuplot.plot, (A,), "facecolors", "markerfacecolor", "r"), (gpuplot.plot, (A,), "opacity", "alpha", 0.5),
    (gpuplot.scatter, (A, A), "colr", "color", "r"), (gpuplot.scatter, (A, A), "lable", "label", "one"),
    (gpuplot.hist2d, (A.ravel(), A.ravel()), "colr", "color", "r"), (gpuplot.imshow, (A,), "lable", "label", "one"),
    (gpuplot.imshow, (A,), "colr", "cmap", "gray"), (gpuplot.scatter, (A, A, 5, A), "cmpa", "cmap", "gray"),
    (gpuplot.scatter, (A, A, 5, A), "palette", "cmap", "gray")])
def test_a_name_that_is_suggested_can_be_given(function, args, keyword, right, value):
    """plot(y, colr="r") was advised to say cmap, which lines do not take, and scatter(lable=...) to say labels."""
    with pytest.raises(AttributeError, match=rf"'{keyword}': did you mean {right}=\?$"):
        function(*args, **{keyword: value})
    function(*args, **{right: value})
    plt.close()


@pytest.mark.parametrize(("function", "args", "keyword", "words"), [
    ("plot", (A,), "logx", r'write plt\.xscale\("log"\)'), ("plot", (A,), "log", r'write plt\.yscale\("log"\)'),
    ("scatter", (A, A), "logy", r'write plt\.yscale\("log"\)'), ("hist", (A,), "logx", r'write plt\.xscale\("log"\)'),
    ("hist", (A,), "logy", r"write hist\(X, log=True\)"), ("hist2d", (A, A), "logx", r'write plt\.xscale\("log"\)'),
    ("imshow", (A,), "logx", "norm='log'"), ("scatter", (A, A), "markersize", r"write s=\.\.\., the area"),
    ("imshow", (A,), "edgecolor", r"help\(gpuplot\.imshow\)"), ("plot", (A,), "hue", r"help\(gpuplot\.plot\)")])
def test_axes_on_a_log_scale_are_of_matplotlib(function, args, keyword, words):
    """They were advised to say norm, and a name with "color" in it to say cmap."""
    with pytest.raises(AttributeError, match=rf"'{keyword}'[:;] .*{words}"):
        getattr(gpuplot, function)(*args, **{keyword: True})


@pytest.mark.parametrize(("function", "args", "words"), [
    (gpuplot.scatter, (A, A), r"plt\.colorbar\(scatter"), (gpuplot.hist2d, (A, A), r"plt\.colorbar\(hist2d"),
    (gpuplot.plot, (A,), "density=True")])
def test_a_colorbar_is_added_by_matplotlib(function, args, words):
    """They were advised to say cmap."""
    with pytest.raises(AttributeError, match=f"'colorbar': .*{words}"):
        function(*args, colorbar=True)


@pytest.mark.parametrize(("function", "args"), [(gpuplot.plot, (A,)), (gpuplot.hist, (A,)), (gpuplot.hist2d, (A, A)),
                                                 (gpuplot.scatter, (A, A))])
def test_keywords_about_axes_name_the_method_of_axes(function, args):
    """plot(y, xscale="log") was advised to say norm, and xlabel to say label."""
    for keyword, words in (("xscale", r"plt\.gca\(\)\.set_xscale"), ("xlabel", "set_xlabel"), ("xlim", "set_xlim"), ("grid", r"plt\.grid"),
                           ("figsize", rf"plt\.subplots\(figsize=\.\.\.\), then {function.__name__}\("), ("legend", r"label=\.\.\., then")):
        with pytest.raises(AttributeError, match=rf"'{keyword}': .*{words}"):
            function(*args, **{keyword: 1})


@pytest.mark.parametrize(("function", "args", "keyword", "words"), [
    (gpuplot.compare, (A, A), "ax", r"it makes a figure"), (gpuplot.compare, (A, A), "figsize", r"set_size_inches"),
    (gpuplot.grid, (A,), "figsize", r"then grid\(X, ax=ax\)"), (gpuplot.hist, (), "x", r"write hist\(X\)"),
    (gpuplot.imshow, (A,), "mask", r"np\.ma\.masked_array\(X, mask\)"),
    (gpuplot.imshow, (A,), "annot", r"inspect\(X\)"), (gpuplot.imshow, (A,), "cbar_label", r"colorbar\.set_label"),
    (gpuplot.scatter, (A, A), "hue", "did you mean c=")])
def test_keywords_of_other_libraries(function, args, keyword, words):
    with pytest.raises((AttributeError, TypeError), match=rf"'{keyword}': .*{words}"):
        function(*args, **{keyword: 1})


def test_the_third_value_of_hist_has_a_name():
    with pytest.raises(TypeError, match=r"such as range=\(low, high\)$"):
        gpuplot.hist(A, 50, (0, 1))


@pytest.mark.parametrize("function", [gpuplot.imshow, gpuplot.to_rgba, gpuplot.stats, gpuplot.asnumpy, gpuplot.inspect])
def test_a_tensor_by_its_name(function):
    name = function.__name__
    with pytest.raises(TypeError, match=rf"{name}\(\) takes X without its name: write {name}\(x, \.\.\.\) instead of {name}\(X=x"):
        function(X=A)


def test_a_file_and_its_tensor_in_their_order():
    with pytest.raises(TypeError, match=r"write imsave\(fname, x, \.\.\.\) instead of imsave\(fname, X=x"):
        gpuplot.imsave("x.png", X=A)
    with pytest.raises(TypeError, match=r"not ndarray; it comes first, imsave\(fname, X\)"):
        gpuplot.imsave(A, "x.png")


@pytest.mark.parametrize("options", [{"agg": "mena"}, {"nan": "foo"}, {"cmap": "virids"}, {"norm": "lgo"}, {"center": "foo"},
                                     {"robust": "yes"}, {"x": 7}, {"colorbar": 3.5}])
def test_values_that_are_refused_leave_no_figure(options):
    with pytest.raises((ValueError, TypeError, IndexError)):
        gpuplot.imshow(A, **options)
    with pytest.raises(TypeError):
        gpuplot.imshow(None)


@pytest.mark.parametrize(("function", "options", "nearest"), [
    ("imshow", {"agg": "average"}, "mean"), ("imshow", {"agg": "ABS"}, "absmax"), ("imshow", {"nan": "Skip"}, "skip"),
    ("imshow", {"limits": "pixel"}, "pixels"), ("imshow", {"reduce": {0: "nanmean"}}, "mean"),
    ("imshow", {"complex_mode": "abs"}, "amplitude"),
    ("to_rgba", {"complex_mode": "angle"}, "phase"), ("downsample", {"agg": "summ"}, "sum"), ("hist", {"bins": "Auto"}, "auto"),
    ("hist", {"histtype": "steps"}, "step")])
def test_a_value_that_is_spelled_otherwise(function, options, nearest):
    with pytest.raises(ValueError, match=f"is not one of .*: did you mean '{nearest}'\\?$"):
        getattr(gpuplot, function)(A, *[(4, 4)] * (function in ("to_rgba", "downsample")), **options)


def test_a_value_that_is_like_no_other():
    with pytest.raises(ValueError, match=r"agg='foo' is not one of mean, [a-z, ]*nearest$"):
        gpuplot.imshow(A, agg="foo")


def test_values_that_are_refused_leave_the_current_figure_as_it_was():
    fig = plt.figure()
    try:
        with pytest.raises(ValueError, match="mena"):
            gpuplot.imshow(A, agg="mena")
        assert fig.axes == [] and plt.gcf() is fig
        ax = fig.subplots()
        with pytest.raises(ValueError, match="mena"):
            gpuplot.imshow(A, agg="mena")
        assert fig.axes == [ax] and not ax.images
        assert plt.gci() is None and gpuplot.imshow(A) is plt.gci()
    finally:
        plt.close(fig)


def test_an_axes_in_the_place_of_the_colormap():
    fig, ax = plt.subplots()
    with pytest.raises(TypeError, match=r"the Axes by keyword: imshow\(X, ax=ax\)"):
        gpuplot.imshow(A, ax)
    with pytest.raises(TypeError, match=r"the Axes by keyword: imshow\(X, ax=ax\)"):
        gpuplot.imshow(A, "gray", ax)
    with pytest.raises(TypeError, match=r"^imshow\(\) takes X, cmap, norm without a name and was given 4 values: .* such as ax=ax$"):
        gpuplot.imshow(A, None, None, ax)
    with pytest.raises(TypeError, match=r"^stats\(\) takes .* was given 7 values: give the others by their names$"):
        gpuplot.stats(A, 1, 2, 3, 4, 5, 6)
    assert not ax.images
    plt.close(fig)


def test_an_axis_by_a_name_that_there_is_not():
    with pytest.raises(ValueError, match="^dim: there is no axis 'x'; the axes have no names: give an integer$"):
        gpuplot.stats(A, dim="x")
    with pytest.raises(ValueError, match="^x: there is no axis 'time'; .*give an integer, or names with dims="):
        gpuplot.to_rgba(A, x="time")
    for options in ({}, {"density": True}):
        with pytest.raises(ValueError, match="^x: there is no axis 'time'; the axes have no names: give an integer$"):
            gpuplot.plot(A, x="time", **options)


@pytest.mark.parametrize(("name", "words"), [
    ("histogram", r"write hist\(X\)"), ("show", r"plt\.show"), ("heatmap", r"write imshow\(X\)"),
    ("imshwo", r"did you mean imshow\?"), ("imread", r"plt\.imread"), ("contour", r"plt\.contour"), ("line", r"write plot\(y\)"),
    ("histogram2d", r"write hist2d\(x, y\)"), ("display", r"inspect\(X\)"), ("array", r"imshow\(X\)"),
    ("make_grid", r"write grid\(X\)"), ("difference", r"write compare\(a, b\)"), ("save_image", "grid=True"),
    ("boxplot", r"plt\.boxplot\(gpuplot\.asnumpy"), ("bar", r"plt\.bar"),
    ("StatTable", r"did you mean StatsTable\?"), ("as_numpy", r"did you mean asnumpy\?"), ("_private", "'_private'$"), ("zzz", "'zzz'$"),
])
def test_an_unknown_name_of_the_package(name, words):
    with pytest.raises(AttributeError, match=rf"^module 'gpuplot' has no attribute .*{words}"):
        getattr(gpuplot, name)
    assert not hasattr(gpuplot, name)


def test_completion_shows_public_names_alone():
    shown = dir(gpuplot)
    assert set(shown) == {*gpuplot.__all__, "Inspector"} and "imshow" in shown
    assert all(hasattr(gpuplot, name) for name in gpuplot.__all__)
