"""gpuplot.inspect in marimo's run mode, where the widget is inside a shadow root and frames travel as text."""

import numpy as np
import pytest

from . import servers
from .notebooks import write_marimo
from .shown import Shown

pytestmark = pytest.mark.slow

VOLUME = "import numpy as np, gpuplot\nX = np.sqrt(np.arange(5 * 60 * 90, dtype=np.float32)).reshape(5, 60, 90)"
SHOW = "w = gpuplot.inspect(X, cmap='viridis', center=None)\nw"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A notebook with one inspector of a volume."""
    for name in ("anywidget", "marimo"):
        pytest.importorskip(name, reason=f"{name} is not installed: no notebook is run")
    notebook = tmp_path_factory.mktemp("marimo") / "notebook.py"
    write_marimo(notebook, (f"{VOLUME}\nreturn X, gpuplot", ()), (f"{SHOW}\nreturn", ("X", "gpuplot")))
    with servers.marimo(notebook) as address:
        yield address


@pytest.fixture
def shown(address, open_browser_page):
    """The inspector on a page of its own; each page gets a kernel of its own."""
    page = open_browser_page()
    page.goto(address)
    return Shown(page).wait_painted()


def test_the_picture_fills_its_column_and_follows_the_slider(shown):
    assert shown.canvas.evaluate("canvas => canvas.getRootNode() instanceof ShadowRoot")
    root, canvas = shown.root.bounding_box(), shown.canvas.bounding_box()
    assert 200 < canvas["width"] <= root["width"] <= shown.page.viewport_size["width"]
    first = shown.pixels()
    assert len(np.unique(first.reshape(-1, 4), axis=0)) > 20
    slider = shown.root.locator("input[type=range]").first
    slider.focus()
    slider.press("ArrowRight")
    shown.wait_other_pixels(first)


def test_wheel_drag_and_hover(shown):
    whole = shown.pixels()
    shown.hover(0.5, 0.5)
    found = shown.readout(r"\[0, (\d+), (\d+)\]\D*?([\d.]+)")
    i, j = int(found[1]), int(found[2])
    assert (abs(i - 30), abs(j - 45)) <= (1, 1)
    assert np.float32(found[3]) == np.sqrt(np.float32(i * 90 + j))
    shown.wheel(0.5, 0.5, -300)
    near = shown.wait_other_pixels(whole)
    shown.drag((0.5, 0.5), (0.7, 0.6))
    shown.wait_other_pixels(near)
