"""The README's pictures of the inspector, taken from JupyterLab: a test looks at them, and this command writes them anew.

GPUPLOT_STILLS=docs .venv/bin/python -m pytest tests/hosts/test_stills.py
"""

import os
from pathlib import Path

import numpy as np
import pytest
from chromium import PATIENCE

from .shown import Shown

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
# A turbulent flow, a step of time after the other: waves of every length with random phases, which turn slowly.
FLOW = """import numpy as np
import gpuplot

rng = np.random.default_rng(7)
k = np.hypot(np.fft.fftfreq(512)[:, None], np.fft.rfftfreq(768))
waves = np.exp(2j * np.pi * rng.random(k.shape)) / (k + 0.006) ** 2.7
turns = np.exp(2j * np.pi * k * rng.normal(size=k.shape) * np.arange(24)[:, None, None])
flow = np.fft.irfft2(waves * turns, (512, 768)).astype("float32")      # (24, 512, 768)
flow /= flow.std()
flow[3, 300:304, 500:506] = np.nan                                     # where training went wrong
"""
SHOW = "w = gpuplot.inspect(flow, index={0: 3}, cmap='RdBu_r')\nw"


@pytest.fixture
def folder(tmp_path):
    """Where the stills are written to."""
    named = os.environ.get("GPUPLOT_STILLS")
    return ROOT / named if named else tmp_path


@pytest.fixture
def flow(open_notebook):
    """A function that opens the flow's notebook in JupyterLab: (notebook, inspector)."""

    def run(**options):
        notebook = open_notebook("lab", FLOW, SHOW, viewport={"width": 1180, "height": 1250}, **options)
        notebook.page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
        notebook.run_all()
        return notebook, Shown(notebook.page).wait_painted()

    return run


def wait_settled(notebook, shown):
    """Until histogram and statistics are there, and nothing changes any more."""
    notebook.page.wait_for_function("root => !root.textContent.includes('…')", arg=shown.root.element_handle())
    before = None
    for _ in range(PATIENCE // 500):
        now = shown.root.screenshot()
        if now == before:
            return
        before = now
        notebook.page.wait_for_timeout(500)
    raise AssertionError("the inspector does not come to rest")


def keep(path, png):
    """A still as a small file; it must show something."""
    from PIL import Image

    path.write_bytes(png)
    image = Image.open(path).convert("RGB")
    pixels = np.asarray(image)
    assert pixels.shape[1] > 500 and len(np.unique(pixels.reshape(-1, 3), axis=0)) > 100
    image.save(path, optimize=True)


def test_inspector_in_lab(flow, folder):
    notebook, shown = flow()
    wait_settled(notebook, shown)
    shown.hover(0.42, 0.37)
    shown.readout(r"\[3, \d+, \d+\]")
    keep(folder / "inspect_lab.png", shown.root.screenshot())


def test_numbers_in_cells(flow, folder):
    notebook, shown = flow()
    notebook.execute("w.view = ((296, 308), (494, 512))")
    wait_settled(notebook, shown)
    shown.hover(0.42, 0.37)
    shown.readout(r"\[3, 30\d, \d+\]")
    keep(folder / "inspect_values.png", shown.root.locator(".gp-picture").screenshot())


def test_inspector_in_the_dark(flow, folder):
    notebook, shown = flow(color_scheme="dark")
    notebook.page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Dark' })")
    notebook.page.wait_for_function("() => document.body.dataset.jpThemeLight === 'false'")
    wait_settled(notebook, shown)
    keep(folder / "inspect_dark.png", shown.root.screenshot())
