"""The examples run headless on small arrays and write the pictures that they name."""

import ast
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import matplotlib.image
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
ON_DEVICE = ROOT / "tests" / "on_device.py"
SCRIPTS = sorted(EXAMPLES.glob("[0-9][0-9]_*.py"))
SIZES = {"00": 1024, "01": 300, "02": 1024, "03": 5, "05": 1024, "06": 64, "07": 200, "08": 1100, "09": 200, "10": 300, "11": 1024,
         "12": 1024, "16": 100}


def run(script, *arguments, size=None, device="host"):
    """Runs a script as a user does, without a display, warnings about a missing one included."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg", "PYTHONWARNINGS": "error::UserWarning"}
    if size:
        environment["GPUPLOT_EXAMPLE_SIZE"] = str(size)
    before = [ON_DEVICE] if device == "emulated" else []
    done = subprocess.run([sys.executable, *before, script, *map(str, arguments)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def pictures(folder):
    """Pixels of every PNG file there."""
    return {path.name: matplotlib.image.imread(path) for path in sorted(folder.glob("*.png"))}


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The examples in a folder of their own, so that a test run leaves none of its files in the tree."""
    folder = tmp_path_factory.mktemp("examples")
    for path in EXAMPLES.iterdir():
        if path.suffix in (".py", ".mplstyle"):
            (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.fixture(scope="module")
def device(request):
    """Where the scripts have their arrays."""
    return request.config.getoption("device")


@pytest.fixture(scope="module")
def demo(copy, device):
    """What the demo prints, and its pictures."""
    folder = copy / "demo"
    return run(copy / "00_demo.py", folder, size=SIZES["00"], device=device), pictures(folder)


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS[1:], ids=lambda path: path.stem)
def test_example_leaves_its_pictures(script, copy, device):
    text = run(copy / script.name, size=SIZES.get(script.name[:2]), device=device)
    if needs := re.search(r"^this example needs .*: pip install .*", text, re.MULTILINE):
        pytest.skip(needs[0])
    named = set(re.findall(r'"(\d\d_\w+\.png)"', script.read_text()))
    made = pictures(copy / "output")
    left = {name: pixels for name, pixels in made.items() if name.startswith(script.name[:2])}
    assert left
    assert named <= set(left)
    for name, pixels in left.items():
        assert np.ptp(pixels[..., :3]) > 0.2, f"{name} is all one color"


def test_demo_says_what_it_makes(demo):
    text, made = demo
    assert len(made) == 5
    for name in made:
        assert re.search(rf"\d+ ms  {name} \(\d+ kB\)", text), f"{name} is not reported"


def test_lone_nan_is_in_every_picture_of_the_zoom(demo):
    zoom = demo[1]["2_lone_nan.png"][..., :3]
    is_cyan = np.abs(zoom - np.array([0x35, 0xE0, 0xD0]) / 255).max(axis=-1) < 0.02
    panels = np.array_split(is_cyan, 4, axis=1)
    assert all(panel.any() for panel in panels)


@pytest.mark.slow
def test_readme_picture_is_small_enough_to_load(copy, tmp_path):
    path = tmp_path / "readme.png"
    run(copy / "readme_picture.py", path, size=1024)
    assert matplotlib.image.imread(path).shape[1] > 1500
    kept = ROOT / "docs" / "readme.png"
    assert kept.stat().st_size <= 300_000


def notebook_maker():
    """examples/make_notebooks.py as a module."""
    spec = importlib.util.spec_from_file_location("make_notebooks", EXAMPLES / "make_notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_notebook_holds_the_whole_script(script):
    source = script.read_text()
    cells = json.loads(json.dumps(notebook_maker().notebook_of(source)))["cells"]
    code = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "code")
    tree = ast.parse(source)
    has_docstring = isinstance(tree.body[0], ast.Expr)
    assert ast.dump(ast.parse(code)) == ast.dump(ast.Module(tree.body[has_docstring:], []))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example_is_a_short_read(script):
    assert len(script.read_text().splitlines()) <= 110


@pytest.mark.slow
def test_gallery_shows_every_tensor(tmp_path):
    """All calls of the page work, each leaves a picture, and what gpuplot warns of is about the call."""
    text = run(EXAMPLES / "gallery.py", tmp_path, size=200)
    page = (tmp_path / "index.html").read_text()
    names = re.findall(r'<section id="(\w+)">', page)
    assert len(names) >= 30
    assert f"{len(names)} tensors" in text
    for name in names:
        assert f'src="{name}.png"' in page
        assert (tmp_path / f"{name}.png").stat().st_size > 1000
        assert f'src="{name}_plt.png"' in page or f"plt.imshow of {name} raises" in text
    warned = re.findall(r"^    (\S+): GpuplotWarning", text, re.MULTILINE)
    assert all(re.fullmatch(r"<\w+>:1", line) for line in warned), "a warning names another line than the call's"


@pytest.mark.slow
def test_gallery_draws_what_is_named(tmp_path):
    run(EXAMPLES / "gallery.py", tmp_path, "one_spike", "small", size=64)
    assert sorted(pictures(tmp_path)) == ["one_spike.png", "one_spike_plt.png", "small.png", "small_plt.png"]
