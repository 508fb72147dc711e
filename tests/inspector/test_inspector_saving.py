"""Exports of an inspector: PNG files by `snapshot`, figures by `to_figure`."""

import io
import json
import pickle
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from inspector_notebook import VOLUME, Page, notebook, w  # noqa: F401
from matplotlib.figure import Figure
from PIL import Image

import gpuplot

pytestmark = pytest.mark.host("what pages get is the same from any memory; the scene's own tests are run on devices")

RNG = np.random.default_rng(5)


def saved(w, **options):
    """The pixels of a snapshot."""
    file = io.BytesIO()
    w.snapshot(file, **options)
    with Image.open(file) as picture:
        return np.asarray(picture.convert("RGBA"))


def test_a_snapshot_is_what_is_shown(w):
    """A part of 10 x 40 elements was a picture of 10 x 40 pixels."""
    w.index, w.view, w.cmap = {0: 1}, ((3, 13), (5, 45)), "magma"
    shown = {"view": ((3, 13), (5, 45)), "vmin": w.vmin, "vmax": w.vmax, "cmap": "magma"}
    elements = gpuplot.to_rgba(VOLUME[1], (10, 40), **shown)
    assert np.array_equal(saved(w), elements.repeat(24, axis=0).repeat(24, axis=1))
    Page(w).look([0, 20, 0, 50], [400, 1000])
    assert np.array_equal(saved(w), gpuplot.to_rgba(VOLUME[1], (250, 1000), **shown | {"vmin": w.vmin, "vmax": w.vmax}))


def test_a_snapshot_in_the_cell_that_sets_the_view_does_not_wait_for_the_page(notebook):
    w = gpuplot.inspect(np.zeros((3000, 4000), "uint8"))
    Page(w).look([0, 3, 0, 4], [300, 500])
    assert saved(w).shape == (300, 400, 4)


@pytest.mark.parametrize(("options", "size"), [
    ({}, (570, 950)), ({"scale": 1}, (30, 50)), ({"scale": 3.0}, (90, 150)), ({"scale": 0.5}, (15, 25)),
    ({"width": 100}, (60, 100)), ({"height": 90}, (90, 150)), ({"width": 7, "height": 9}, (9, 7)), ({"scale": 0.001}, (1, 1))])
def test_sizes_of_a_snapshot(w, options, size):
    assert saved(w, **options).shape == (*size, 4)


@pytest.mark.parametrize(("shape", "size"), [
    ((2, 3), (640, 960)), ((500, 700), (500, 700)), ((961, 1), (961, 960)), ((3, 4000), (960, 4000)),
    ((9000, 4500), (4096, 2048)), ((7,), (200, 959))])
def test_without_a_page_a_picture_has_whole_pixels_for_each_element(notebook, shape, size):
    assert saved(gpuplot.inspect(np.zeros(shape, "uint8"))).shape == (*size, 4)


def test_a_snapshot_of_facets_has_each_of_the_size(notebook):
    w = gpuplot.inspect(VOLUME, rows=0)
    assert saved(w, scale=2).shape == (4 * 60 + 3 * 4, 100, 4)
    Page(w).look([0, 30, 0, 50], [15, 25])
    assert saved(w).shape == (4 * 15 + 3 * 4, 25, 4)


def test_a_snapshot_of_a_line_is_as_high_as_the_page_and_has_its_limits(notebook):
    w = gpuplot.inspect(np.arange(100.0))
    page = Page(w)
    page.look([0, 1, 0, 100], [120, 300])
    w.view = ((0, 1), (20, 60))
    assert saved(w).shape == (120, 300, 4) and saved(w, height=50, width=80).shape == (50, 80, 4)
    w.vmin, w.vmax = 0, 200
    # From 20 to 60 of 0 to 200: in the lower third of the picture, and not at its foot.
    rows = np.flatnonzero(saved(w)[..., 3].any(axis=1))
    assert rows.min() == pytest.approx(0.7 * 120, abs=3) and rows.max() == pytest.approx(0.9 * 120, abs=3)


@pytest.mark.parametrize("options", [{"agg": "sum"}, {"norm": "eq_hist"}, {}])
def test_a_snapshot_changes_nothing(notebook, options):
    for X in (VOLUME, VOLUME[0, 0]):
        w = gpuplot.inspect(X, **options)
        page = Page(w)
        page.look([0, 15, 0, 25], [40, 40])
        before, n = w._controller.state(), len(page.heard())
        saved(w, scale=2)
        w.to_figure()
        w._repr_mimebundle_()
        assert w._controller.state() == before and len(page.heard()) == n


def test_a_tensor_that_cannot_be_read_is_no_empty_picture(notebook):
    X = np.ones((4, 5))
    w = gpuplot.inspect(X)
    w._controller.ask(lambda scene: scene._store.drop_frame())
    X.resize((2, 2), refcheck=False)
    with pytest.raises(Exception, match="."):
        saved(w)
    with pytest.raises(Exception, match="."):
        w.to_figure()
    assert "image/png" not in w._repr_mimebundle_()[0]


def test_snapshot_checks_first(w, tmp_path):
    with pytest.raises(TypeError, match=r"not int; it comes first, snapshot\(fname, width=800\)"):
        w.snapshot(320)
    for fname, options, error in (("a.jpg", {}, ValueError), (3, {}, TypeError), ("a.png", {"width": 0}, ValueError),
                                  ("a.png", {"dpi": -1}, ValueError), ("a.png", {"width": 1.5}, TypeError),
                                  ("a.png", {"height": 0}, ValueError), ("a.png", {"scale": 0}, ValueError),
                                  ("a.png", {"scale": "2"}, TypeError), ("a.png", {"scale": 2, "width": 5}, ValueError),
                                  ("a.png", {"width": 10**6, "height": 10**6}, ValueError)):
        with pytest.raises(error):
            w.snapshot(tmp_path / fname if isinstance(fname, str) else fname, **options)
    assert list(tmp_path.iterdir()) == []
    w.snapshot(tmp_path / "b.png", width=100)
    with Image.open(tmp_path / "b.png") as picture:
        assert picture.size == (100, 60)


def test_a_figure_has_the_same_part_colors_and_limits(w):
    w.index, w.view, w.cmap, w.vmin, w.vmax = {0: 2}, ((3, 13), (5, 45)), "magma", -1, 1
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    figure = w.to_figure()
    [image] = figure.axes[0].images
    assert isinstance(image, gpuplot.TensorImage) and image.get_cmap().name == "magma"
    assert image.get_clim() == (-1, 1) and image.hidden_text == "index {0: 2}"
    assert figure.axes[0].get_xlim() == (4.5, 44.5) and figure.axes[0].get_ylim() == (12.5, 2.5)
    assert figure.axes[0].get_title() == "axis 0 = 2" and figure.axes[1].get_ylim() == (-1, 1)
    assert plt.get_fignums() == before


def test_a_figure_says_what_it_is_of(notebook):
    w = gpuplot.inspect({"conv.weight": VOLUME + 1j, "b": VOLUME}, dims="depth y x", index={"depth": 3})
    assert w.to_figure().axes[0].get_title() == "conv.weight, depth = 3, amplitude"
    w._controller.change({"reduce": {"depth": "max"}, "item": "b"})
    assert w.to_figure().axes[0].get_title() == "b, max over depth"


def test_a_figure_of_classes_has_their_names(notebook):
    figure = gpuplot.inspect(np.arange(6).reshape(2, 3), labels={1: "cat"}).to_figure()
    assert [text.get_text() for text in figure.axes[1].get_yticklabels()] == ["0", "cat", "2", "3", "4", "5"]


@pytest.mark.parametrize("options", [{"index": {0: 2}}, {"columns": 0}], ids=["picture", "facets"])
def test_the_colorbar_of_a_figure_says_what_values_are(notebook, options):
    xr = pytest.importorskip("xarray", reason="pip install xarray")
    field = xr.DataArray(VOLUME, name="t", attrs={"units": "K"})
    assert gpuplot.inspect(field, **options).to_figure().axes[-1].get_ylabel() == "t [K]"


@pytest.mark.parametrize("mode, label", [("phase", ""), ("amplitude_phase", "phase")])
def test_the_colorbar_of_a_figure_has_parts_of_a_turn(notebook, mode, label):
    bar = gpuplot.inspect(np.exp(1j * VOLUME[0]), complex_mode=mode).to_figure().axes[-1]
    assert [text.get_text() for text in bar.get_yticklabels()] == ["−π", "−π/2", "0", "π/2", "π"] and bar.get_ylabel() == label


def test_a_figure_of_a_line_has_its_limits(notebook):
    w = gpuplot.inspect(np.arange(100.0))
    w.view, w.vmin, w.vmax = ((0, 1), (20, 60)), 0, 200
    ax = w.to_figure().axes[0]
    assert ax.get_xlim() == (19.5, 59.5) and ax.get_ylim() == (-10, 210)


def test_a_figure_of_facets_has_one_picture_each(notebook):
    figure = gpuplot.inspect(VOLUME, columns=0).to_figure()
    images = [image for ax in figure.axes for image in ax.images]
    assert [image.hidden_text for image in images] == [f"index {{0: {i}}}" for i in range(4)]
    figure.canvas.draw()


@pytest.mark.parametrize("X", [np.arange(50.0), RNG.normal(size=(8, 8)) > 0, RNG.integers(0, 255, (9, 9, 3), dtype=np.uint8),
                               RNG.normal(size=(6, 7)) + 1j])
def test_figures_of_other_kinds(notebook, X):
    figure = gpuplot.inspect(X).to_figure()
    figure.canvas.draw()
    assert figure.axes[0].lines or figure.axes[0].images


@pytest.mark.parametrize("norm", ["log", "symlog", "cbrt", "eq_hist"])
def test_a_figure_of_colors_has_no_use_for_a_norm(notebook, norm):
    w = gpuplot.inspect(RNG.integers(0, 255, (3, 20, 20), dtype=np.uint8))
    w.norm = norm
    assert w.to_figure().axes[0].images[0].get_array().shape == (20, 20, 3)


def test_a_figure_of_a_difference(notebook):
    w = gpuplot.inspect({"a": VOLUME[0], "b": VOLUME[1]})
    Page(w).say("set", values={"item": w._controller.state()["items"][-1]})
    w.to_figure().canvas.draw()


def test_there_is_no_picture_of_nothing(notebook):
    for X in (np.float32(3.5), np.zeros((0, 4))):
        w = gpuplot.inspect(X)
        with pytest.raises(ValueError, match="no.*picture|nothing to draw"):
            w.to_figure()
        with pytest.raises(ValueError, match="nothing to draw"):
            w.snapshot(io.BytesIO())


FORMATTED = """
import json, pickle, sys
from IPython.core.interactiveshell import InteractiveShell
shell, formats = InteractiveShell.instance(), json.loads(sys.argv[1])
if formats:
    from IPython.core.pylabtools import select_figure_formats
    select_figure_formats(shell, formats)
data, _ = shell.display_formatter.format(pickle.load(sys.stdin.buffer))
print(json.dumps({name: len(value) for name, value in data.items()}))
"""


@pytest.mark.parametrize("formats", [[], ["png"], ["retina"], ["svg"]])
def test_a_figure_shows_itself_whether_matplotlibs_formatters_are_there_or_not(notebook, formats):
    pytest.importorskip("IPython")
    figure = pickle.dumps(gpuplot.inspect(VOLUME).to_figure())
    done = subprocess.run([sys.executable, "-c", FORMATTED, json.dumps(formats)], input=figure, capture_output=True, check=True)
    pictures = {name: size for name, size in json.loads(done.stdout).items() if name.startswith("image/")}
    # Of the forms in one bundle a page shows one.
    assert set(pictures) == ({"image/svg+xml", "image/png"} if formats == ["svg"] else {"image/png"})
    assert min(pictures.values()) > 1000


def test_marimo_shows_a_figure(notebook):
    pytest.importorskip("marimo")
    from marimo._output.formatters.repr_formatters import maybe_get_repr_formatter

    figure = gpuplot.inspect(VOLUME).to_figure()
    mime, data = maybe_get_repr_formatter(figure)(figure)
    assert mime == "image/png" and len(data) > 1000


def test_a_figure_is_one_to_pyplots_functions_too(notebook):
    figure = gpuplot.inspect(VOLUME).to_figure()
    before = plt.get_fignums()
    assert isinstance(figure, Figure) and plt.get_fignums() == before
    again = pickle.loads(pickle.dumps(figure))
    assert type(again) is type(figure) and again._repr_png_()[:4] == b"\x89PNG"


@pytest.mark.parametrize("options, extend", [
    ({}, "neither"), ({"vmin": 0}, "min"), ({"vmin": -1, "vmax": 1}, "both"), ({"columns": 0, "vmax": 1}, "max")])
def test_the_colorbar_of_a_figure_says_whether_elements_lie_beyond_the_limits(notebook, options, extend):
    X = RNG.standard_normal((5, 40, 50))
    figure = gpuplot.inspect(X, center=None, **options).to_figure()
    bar = figure.axes[0].images[0].colorbar
    figure.canvas.draw()
    assert bar.extend == extend


def test_the_colorbar_of_a_figure_says_what_limits_of_pixels_leave_out(notebook):
    w = gpuplot.inspect(np.random.default_rng(5).standard_normal((2000, 2000)).astype("f4"))
    figure = w.to_figure()
    figure.canvas.draw()
    assert w.limits == "auto" and w.vmax < 4 and figure.axes[0].images[0].colorbar.extend == "both"
