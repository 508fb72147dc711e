"""The README's code runs, and the files that the READMEs name exist."""

import re
from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
NATIVE = (ROOT / "native" / "README.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, flags=re.M | re.S)

# Large enough to be borrowed, which is what the page talks about.
SMALL = {"9, 8192": "9, 1100"}


def small(code):
    for size, smaller in SMALL.items():
        code = code.replace(size, smaller)
    return code


def test_the_big_array_of_the_page_is_replaced_by_a_small_one():
    assert all(size in BLOCKS[0] for size in SMALL)


@pytest.mark.filterwarnings("ignore:an inspector is shown by a notebook")
def test_code_runs(tmp_path, monkeypatch):
    """All blocks as one session, each under its own name in a traceback."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, code in enumerate(BLOCKS):
        if "import dask" in code and find_spec("dask") is None:
            continue
        if "import torch" in code or ("gpuplot.inspect" in code and find_spec("anywidget") is None):
            continue  # torch: below
        exec(compile(small(code), f"README block {number}", "exec"), names)
    plt.close("all")
    assert names["rgba"].shape == (800, 1200, 4) and names["cells"].shape == (800, 1200)
    assert plt.imread(tmp_path / "a.png").shape[1] == 1200
    assert plt.imread(tmp_path / "b.png").shape[1] == 600


def test_the_first_pictures_show_something(tmp_path, monkeypatch):
    """Noise of one strength is a page of one color as soon as it is averaged; the page opens with a pattern."""
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(small(BLOCKS[0]), "README block 0", "exec"), names)
    plt.close("all")
    assert names["gpuplot"].downsample(names["a"], (50, 50)).std() > names["a"].std() / 2


@pytest.mark.filterwarnings("ignore:an inspector is shown by a notebook")
def test_code_with_torch_runs(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    *others, code = [code for code in BLOCKS if "import torch" in code and "cuda" not in code]
    names = {}
    exec(compile(small(BLOCKS[0]), "README block 0", "exec"), names)
    for number, other in enumerate(others):
        if "gpuplot.watch" not in other or find_spec("anywidget") is not None:
            exec(compile(other, f"README block {number} with torch", "exec"), names)
    exec(compile(code, "README block with weights", "exec"), names)
    image = plt.gca().images[-1]
    plt.close("all")
    assert image.tensor is names["weights"] and image.get_clim()[0] == -image.get_clim()[1]


@pytest.mark.gpu
def test_code_for_a_gpu_runs():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch finds no CUDA device here")
    [code] = [code for code in BLOCKS if "cuda" in code]
    names = {}
    exec(compile("import gpuplot\n" + code, "README block for a GPU", "exec"), names)
    plt.close("all")
    assert names["im"].tensor is names["x"]


def test_lines_fit_the_page():
    assert max(len(line) for line in README.splitlines() if not line.startswith("![")) <= 130


def commands():
    """(command, target) of every make command in the README's shell blocks."""
    return re.findall(r"make ([\w-]+)", "\n".join(re.findall(r"^```sh\n(.*?)^```$", README, flags=re.M | re.S)))


@pytest.mark.parametrize("target", sorted(set(commands())))
def test_make_targets_exist(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), flags=re.M)


def paths_in(text):
    """What is written in backticks and looks like a file of the tree."""
    quoted = re.findall(r"`([\w./*]+/[\w.*]+\.(?:c|h|py|md|cmake|pyi))`", text)
    return sorted({*quoted, *re.findall(r"\]\((docs/[\w./]+)\)", text)})


@pytest.mark.parametrize("path", paths_in(README))
def test_files_named_in_the_readme_exist(path):
    assert list(ROOT.glob(path)), path


@pytest.mark.parametrize("path", paths_in(NATIVE))
def test_files_named_in_the_native_readme_exist(path):
    folder = ROOT if path.split("/")[0] in ("gpuplot", "tests") else ROOT / "native"
    assert list(folder.glob(path)), path


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(gp_\w+|GP_[A-Z_]+[A-Z])`", NATIVE))))
def test_names_in_the_native_readme_exist(name):
    files = [path for folder in ("core", "cpu", "cuda", "python") for path in (ROOT / "native" / folder).glob("*.[ch]")]
    sources = [path.read_text() for path in [*files, *(ROOT / "native" / "cuda" / "kernels").glob("*.cu*")]]
    assert any(re.search(rf"\b{name}\b", source) for source in sources), name


def test_keys_of_the_inspector_are_those_of_its_help():
    """The help is one text: keys and what they do in turn, between bars, in a few lines of JavaScript."""
    source = (ROOT / "widgets" / "keys.js").read_text()
    start = source.index('"Wheel')
    words = "".join(re.findall(r'"([^"]*)"', source[start:source.index(";", start)])).split("|")
    table = README[README.index("| keys, pointer |"):README.index("No key of the inspector")]
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", table, flags=re.M)[1:]
    assert rows == list(zip(words[::2], words[1::2], strict=True)) and len(rows) > 10
