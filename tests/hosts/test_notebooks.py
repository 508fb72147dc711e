"""gpuplot.inspect in JupyterLab and Notebook 7 with a real kernel, in a real browser, by hand and by code."""

import itertools
import json
import re

import numpy as np
import pytest
from chromium import PATIENCE, wait_until

from .shown import READOUT, Shown

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("host", ["lab", "notebook"])]

SETUP = "import numpy as np, gpuplot, time\n"
# Every element is its own place: 10000 k + 100 i + j / 100 would do, but floats that do not print short are the better test.
VOLUME = SETUP + "X = np.sqrt(np.arange(5 * 60 * 90, dtype=np.float32)).reshape(5, 60, 90)\n"
SHOW = "w = gpuplot.inspect(X, cmap='viridis', center=None)\nw"
NUMBER = r"-?\d[\d.]*(?:e[+-]?\d+)?"
# Notebook shortcuts of the command mode, and the widget's own keys; pairs are typed one after the other.
KEYS = [
    "r", "x", "b", "a", "c", "v", "z", "y", "m", "j", "k", "f", "h", "l", "o", "n", "p", "q", "t", "u", "1", "2", "3", "4", "5",
    "6", "Space", "Shift+Space", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown",
    "Enter", "Delete", "Backspace", "+", "-", "=", "?", "/", "d d", "i i", "0 0", "Shift+A", "Shift+M", "Shift+V", "Shift+L",
    "Shift+O", "Shift+ArrowDown", "Shift+Enter", "Control+Enter", "Alt+Enter", "Control+a", "Control+x", "Escape",
]


@pytest.fixture
def show(open_notebook, host):
    """A function that runs a notebook of these cells: (the notebook's page, its first inspector with a picture)."""

    def run(*cells, n=0, **options):
        notebook = open_notebook(host, *cells, **options)
        notebook.run_all()
        return notebook, Shown(notebook.page, n).wait_painted()

    return run


def wait_exact(notebook, shown, name="w"):
    """Until the canvas shows what `to_rgba` of the kernel makes of the window and size that the page asked for."""
    notebook.page.wait_for_timeout(0)  # messages under way are noted
    for _ in range(PATIENCE // 200):
        viewport = notebook.newest("viewport")
        (row0, row1, col0, col1), size = viewport["window"], tuple(viewport["size"])
        notebook.execute(f"np.save('wanted.npy', gpuplot.to_rgba(X, {size}, view=(({row0}, {row1}), ({col0}, {col1})), "
                         f"index=dict({name}.index), cmap='viridis', vmin={name}.vmin, vmax={name}.vmax))")
        wanted, got = np.load(notebook.path.parent / "wanted.npy"), shown.pixels()
        if got.shape == wanted.shape and viewport is notebook.newest("viewport") and (got == wanted).all():
            return wanted
        notebook.page.wait_for_timeout(200)
    raise AssertionError(f"canvas {got.shape}, wanted {wanted.shape}, looked at {viewport}: "
                         f"{np.mean(np.any(got != wanted, axis=-1)) if got.shape == wanted.shape else 'all'} of the pixels differ")


def test_the_picture_is_what_to_rgba_makes(show):
    notebook, shown = show(VOLUME + SHOW)
    first = wait_exact(notebook, shown)
    assert len(np.unique(first[first[..., 3] == 255], axis=0)) > 20
    notebook.execute("w.index = {0: 2}")
    shown.wait_other_pixels(first)
    wait_exact(notebook, shown)


def test_wheel_drag_and_double_click(show):
    notebook, shown = show(VOLUME + SHOW)
    whole = wait_exact(notebook, shown)
    shown.wheel(0.5, 0.5, -300)
    shown.wait_other_pixels(whole)
    near = wait_exact(notebook, shown)
    assert notebook.newest("viewport")["window"][1] - notebook.newest("viewport")["window"][0] < 60
    shown.drag((0.5, 0.5), (0.7, 0.6))
    shown.wait_other_pixels(near)
    wait_exact(notebook, shown)
    x, y = shown.at(0.5, 0.5)
    notebook.page.mouse.dblclick(x, y)
    shown.wait_pixels(whole)


def test_the_slider_changes_the_index(show):
    notebook, shown = show(VOLUME + SHOW)
    before = shown.pixels()
    slider = shown.root.locator("input[type=range]").first
    slider.focus()
    slider.press("ArrowRight")
    shown.wait_other_pixels(before)
    notebook.wait_printed("print(w.index[0])", "1")
    wait_exact(notebook, shown)


@pytest.mark.parametrize("element", [(0, 0), (31, 28), (59, 89)])
def test_the_value_under_the_pointer_is_the_element(show, element):
    notebook, shown = show(VOLUME + SHOW)
    row0, row1, col0, col1 = notebook.newest("viewport")["window"]
    shown.hover((element[0] + 0.4 - row0) / (row1 - row0), (element[1] + 0.6 - col0) / (col1 - col0))
    found = shown.readout(rf"\[(\d+), (\d+), (\d+)\]\D*?({NUMBER})")
    k, i, j = (int(found[n]) for n in (1, 2, 3))
    assert (k, i, j) == (0, *element)
    assert np.float32(found[4]) == np.sqrt(np.float32((k * 60 + i) * 90 + j))


def test_no_key_reaches_the_notebook(show):
    notebook, shown = show(VOLUME + SHOW, "y = 1", "z = 2")
    before = [(cell["cell_type"], cell["source"]) for cell in notebook.cells()]
    counts = [cell["execution_count"] for cell in notebook.cells()]
    shown.canvas.click()
    for keys in KEYS:
        for key in keys.split():
            shown.canvas.focus()
            notebook.page.keyboard.press(key)
        assert [(cell["cell_type"], cell["source"]) for cell in notebook.cells()] == before, keys
        assert notebook.page.locator(".jp-Dialog").count() == 0, keys
    notebook.wait_idle()
    assert [cell["execution_count"] for cell in notebook.cells()] == counts
    shown.wait_painted()


def test_no_key_on_any_control_reaches_the_notebook(show):
    notebook, shown = show(VOLUME + SHOW, "y = 1")
    before = [(cell["cell_type"], cell["source"]) for cell in notebook.cells()]
    shown.canvas.click()
    controls = shown.focusables()
    assert len(controls) > 5
    for control in controls:
        assert control.get_attribute("data-lm-suppress-shortcuts") == "true", control.evaluate("node => node.outerHTML.slice(0, 200)")
        control.evaluate("node => node.focus({ preventScroll: true })")
        for key in ("r", "x", "b", "y", "m", "d", "d"):
            notebook.page.keyboard.press(key)
        assert [(cell["cell_type"], cell["source"]) for cell in notebook.cells()] == before


MIDDLE = """canvas => {
  const { width, height } = canvas;
  return width && height ? [...canvas.getContext('2d').getImageData(width >> 1, height >> 1, 1, 1).data] : [0, 0, 0, 0];
}"""


def middle_of(shown):
    """Red in the middle of the picture, None where there is none."""
    red, _, _, alpha = shown.canvas.evaluate(MIDDLE)
    return red if alpha == 255 else None


@pytest.mark.parametrize("is_same_cell", [False, True], ids=["next cell", "same cell"])
@pytest.mark.parametrize("subshell", ["at once", "late", "never"])
def test_update_shows_while_the_cell_runs(open_notebook, host, tmp_path, subshell, is_same_cell):
    """The loop runs until the page has seen it run, however slow the machine, and whenever messages are read beside it."""
    enough = tmp_path / "enough"
    first = SETUP + "w = gpuplot.inspect(np.zeros((60, 90), np.float32), vmin=0, vmax=60, cmap='gray')\ndisplay(w)"
    loop = (f"import itertools, pathlib\nfor i in itertools.count():\n"
            f"    w.update(np.full((60, 90), 1 + i % 59, np.float32))\n    time.sleep(0.05)\n"
            f"    if pathlib.Path({str(enough)!r}).exists():\n        break\n"
            f"w.update(np.full((60, 90), 60, np.float32))")
    cells = [f"{first}\n{loop}"] if is_same_cell else [first, loop]
    notebook = open_notebook(host, *cells, "done = True")
    notebook.set_subshell(subshell)
    notebook.start_all()
    shown, seen = Shown(notebook.page), set()

    def sees():
        shown.canvas.scroll_into_view_if_needed()
        if notebook.is_busy():
            seen.add(middle_of(shown))
        return len(seen - {None}) >= 5

    def hears():
        shown.hover(0.5, next(places))
        return re.search(r"\[\d+, \d+\]", shown.root.locator(READOUT).text_content())

    places = itertools.cycle([0.4, 0.6])
    try:
        shown.root.wait_for()
        wait_until(notebook.page, sees, lambda: f"seen {seen}, sent {notebook.sent}, {shown.root.inner_text()}")
        if subshell != "never":
            wait_until(notebook.page, hears, lambda: f"nobody hears: sent {notebook.sent[-5:]}, {shown.root.inner_text()}")
            seen.clear()  # the page's own frames, now
            wait_until(notebook.page, sees, lambda: f"seen {seen}, sent {notebook.sent}, {shown.root.inner_text()}")
    finally:
        enough.touch()
    notebook.wait_idle()
    size = shown.pixels().shape
    wait_until(notebook.page, lambda: middle_of(shown) == 255, lambda: f"{middle_of(shown)} is the last, {shown.root.inner_text()}")
    assert shown.pixels().shape == size


def test_a_figure_that_a_cell_has_begun_outlives_what_the_page_says(open_notebook, host):
    """matplotlib's inline backend closes all figures at the end of a cell, and a message is no such end."""
    figure = ("%matplotlib inline\nimport matplotlib.pyplot as plt\nfigure, before = plt.figure(), w.view\n"
              "for _ in range(100):\n    time.sleep(0.1)\n    if w.view != before:\n        break\n"
              "print(plt.gcf() is figure)")
    notebook = open_notebook(host, VOLUME + SHOW, figure)
    notebook.start_all()
    shown = Shown(notebook.page).wait_painted()
    turns = itertools.cycle([-100, -100, 100])
    wait_until(notebook.page, lambda: shown.wheel(0.5, 0.5, next(turns)) or notebook.cells()[1]["outputs"],
               lambda: "the cell does not end")
    notebook.wait_idle()
    assert notebook.cells()[1]["outputs"][0]["text"] in ("True\n", ["True\n"])


def test_a_new_kernel_leaves_the_picture_and_says_that_its_own_is_gone(show):
    notebook, shown = show(VOLUME + SHOW)
    before = shown.pixels()
    notebook.restart()
    shown.readout("The kernel is gone")
    np.testing.assert_array_equal(shown.pixels(), before)
    shown.wheel(0.5, 0.5, -300)  # the page may scroll, and nothing breaks
    notebook.run_all()
    again = Shown(notebook.page).wait_painted()
    again.wait_pixels(before)
    again.readout("^(?!.*The kernel is gone)")


@pytest.mark.parametrize("end", ["by itself", "by hand"])
def test_a_kernel_that_ends_is_missed_at_once(show, end):
    notebook, shown = show(VOLUME + SHOW)
    if end == "by itself":
        notebook.end_kernel()
    else:
        notebook.shut_down()
    shown.readout("The kernel is gone")


def test_menus_obey_keys_and_no_key_in_them_reaches_the_notebook(show):
    notebook, shown = show(VOLUME + SHOW, "y = 1")
    before = [(cell["cell_type"], cell["source"]) for cell in notebook.cells()]
    menu = shown.root.locator("select[aria-label=Colormap]")
    menu.focus()
    for key in ("Space", "x", "r", "b", "y", "d", "d", "ArrowDown", "ArrowUp", "End", "Enter"):
        notebook.page.keyboard.press(key)
    shown._until(menu, "menu => menu.value === menu.options[menu.options.length - 1].value")
    assert [(cell["cell_type"], cell["source"]) for cell in notebook.cells()] == before
    notebook.wait_idle()
    assert notebook.execute("print(w.cmap)") == menu.input_value()


def test_somebody_elses_notebook_shows_a_static_picture(show, open_notebook, host):
    """A file with another signature, as it comes from elsewhere: hosts then show its picture and start no widget."""
    notebook, _ = show(VOLUME + SHOW)
    notebook.save()
    notebook.leave()
    copy = notebook.path.with_name(f"copy-{notebook.name}")
    saved = json.loads(notebook.path.read_text())
    saved["cells"][0]["source"] += "\n# from elsewhere"
    copy.write_text(json.dumps(saved))
    again = open_notebook(host, name=copy.name)
    image = again.page.locator(".jp-OutputArea-output img")
    image.wait_for()
    assert image.get_attribute("src").startswith("data:image/png;base64,")
    again.page.wait_for_function("image => image.complete && image.naturalWidth > 50", arg=image.element_handle())
    assert again.page.locator(".gpuplot").count() == 0


# A switch that the server remembers for the notebooks that are opened later.
SAVE_STATE = """() => {
  const { commands } = window.jupyterapp, name = '@jupyter-widgets/jupyterlab-manager:saveWidgetState';
  return commands.isToggled(name) || commands.execute(name);
}"""


def test_saved_widget_state_shows_a_poster(open_notebook, host):
    """The model comes back without its kernel. Only JupyterLab has a command that saves it at once."""
    notebook = open_notebook("lab", VOLUME + SHOW)
    notebook.run_all()
    Shown(notebook.page).wait_painted()
    notebook.page.evaluate(SAVE_STATE)
    notebook.save()  # collects the state as it begins, and may write the file before it is there
    notebook.page.wait_for_function("() => window.jupyterapp.shell.currentWidget.context.model.toJSON().metadata.widgets")
    notebook.save()
    assert "application/vnd.jupyter.widget-state+json" in notebook.path.read_text()
    notebook.leave()
    again = open_notebook(host, name=notebook.name)
    again.page.locator(".gpuplot .gp-poster").wait_for()


def test_a_page_that_is_loaded_again_has_the_inspector_again(show):
    notebook, _ = show(VOLUME + SHOW)
    notebook.execute("w.index = {0: 3}")
    notebook.save()
    notebook.open(notebook.name)
    again = Shown(notebook.page).wait_painted()
    wait_exact(notebook, again)
    assert notebook.execute("print(w.index[0])") == "3"


def test_an_inspector_that_was_made_out_of_sight_looks_as_it_should(show):
    """JupyterLab leaves cells unstyled that are out of sight."""
    notebook, _ = show(VOLUME + SHOW, *["gpuplot.inspect(X)"] * 3, "gpuplot.inspect(X[:0, 0])", *["gpuplot.inspect(X)"] * 3)
    root = notebook.page.locator(".gpuplot").nth(4)
    for _ in range(8):  # cells get other heights as they come into sight
        root.evaluate("node => node.scrollIntoView({ block: 'center' })")
        notebook.page.wait_for_timeout(250)
    text = root.inner_text()
    assert "empty: shape (0, 90), float32" in text and "Statistics" not in text, text


def test_several_inspectors_link_and_close(show):
    notebook, first = show(VOLUME + SHOW, "v = gpuplot.inspect(X + 1, cmap='viridis', center=None, link=w)\nv",
                           "u = gpuplot.inspect(np.arange(12.0))\nu", "gpuplot.inspect(np.float32(3.25))")
    second = Shown(notebook.page, 1).wait_painted()
    Shown(notebook.page, 2).wait_painted()
    assert "3.25" in Shown(notebook.page, 3).root.text_content()
    before = second.pixels()
    first.wheel(0.3, 0.3, -300)
    second.wait_other_pixels(before)
    notebook.wait_printed("print(v.view == w.view != None)", "True")
    assert notebook.execute("print(u.view)") == "None"
    notebook.execute("w.index = {0: 1}")
    notebook.wait_printed("print(v.index[0])", "1")
    notebook.execute("w.close()")
    notebook.page.wait_for_function("() => document.querySelectorAll('.gpuplot').length === 3")
    assert re.search(r"closed", notebook.execute("print(repr(w))"), re.I)
