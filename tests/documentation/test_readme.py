"""The code of the README and of the pages that it links to runs, and what they name exists."""

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from pyramid_group import Group, levels_of

import gpuplot
from gpuplot.cli import main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
NATIVE = (ROOT / "native" / "README.md").read_text()
# The pages whose blocks of code run as one session each; OTHER_PAGES have tests of their own.
PAGES = {name: (ROOT / name).read_text() for name in ("README.md", *(
    f"docs/{page}.md" for page in ("pictures", "graphs", "notebooks", "training", "input", "gpu", "command_line", "settings", "performance",
                                   "development")))}
WIDE_PAGES = {name: (ROOT / name).read_text() for name in ("docs/larger_than_memory.md", "docs/sharded_arrays.md")}
OTHER_PAGES = {"docs/from_any_framework.md": "documentation/test_from_any_framework.py",
               "docs/training_logs.md": "recording/test_training_logs.py"}
BLOCKS = {name: re.findall(r"^```python\n(.*?)^```$", page, flags=re.M | re.S) for name, page in (PAGES | WIDE_PAGES).items()}
NEEDED = {"import torch": "torch", "import dask": "dask", "gpuplot.inspect": "anywidget", "w.snapshot": "anywidget",
          "gpuplot.watch": "anywidget"}

# Large enough to be borrowed, which is what the pages talk about; what is for a GPU is tried on the CPU, too.
SMALL = {"9, 8192": "9, 1100"}
ON_CPU = {"16384, 16384": "1100, 1100", 'device="cuda"': 'device="cpu"'}


def small(code):
    for size, smaller in SMALL.items():
        code = code.replace(size, smaller)
    return code


def on_cpu(code):
    for of_gpu, of_cpu in ON_CPU.items():
        code = code.replace(of_gpu, of_cpu)
    return code


def can_run(code):
    """Whether the libraries that a block needs are here; on a GPU it runs below."""
    return all(find_spec(library) for text, library in NEEDED.items() if text in code)


def names_before(name):
    """What a page takes for granted: its blocks open no session of their own."""
    if name == "docs/sharded_arrays.md":  # by arrays of one process; of two they are in tests/spmd_*.py
        X = np.random.default_rng(0).normal(size=(300, 400)).astype("float32")
        model = type("Model", (), {"state_dict": lambda self: {"layer.weight": X}, "layer": type("Layer", (), {"weight": X})})()
        return {"gpuplot": gpuplot, "X": X, "model": model, "w": gpuplot.inspect(X) if find_spec("anywidget") else None}
    if name == "docs/larger_than_memory.md":
        levels = levels_of(np.random.default_rng(0).normal(size=(24, 64, 96)).astype("float32"), 4)
        store = type("zarr", (), {"open_group": staticmethod(lambda path: Group.of(levels))})
        return {"gpuplot": gpuplot, "zarr": store} | {f"x{k}": level[20] for k, level in enumerate(levels[:3])}
    return {}


def run(name, folder, monkeypatch):
    """The names after the blocks of a page, each compiled under its own name for tracebacks."""
    monkeypatch.chdir(folder)
    names = names_before(name)
    for number, code in enumerate(BLOCKS[name]):
        if can_run(code):
            exec(compile(small(on_cpu(code)), f"{name} block {number}", "exec"), names)
    return names


def test_large_arrays_are_replaced_by_small_ones():
    for name in ("README.md", "docs/pictures.md"):
        assert all(size in BLOCKS[name][0] for size in SMALL)


@pytest.mark.filterwarnings("ignore:an inspector is shown by a notebook")
@pytest.mark.filterwarnings("ignore:a module is watched in a notebook")
@pytest.mark.parametrize("name", [name for name, blocks in BLOCKS.items() if any(map(can_run, blocks))])
def test_code_runs(name, tmp_path, monkeypatch):
    names = run(name, tmp_path, monkeypatch)
    if name == "docs/pictures.md":
        assert names["rgba"].shape == (800, 1200, 4) and names["cells"].shape == (800, 1200)
    if name in ("README.md", "docs/pictures.md", "docs/training.md"):
        assert plt.imread(tmp_path / "a.png").shape[1] == 1200
    if name == "docs/input.md":
        assert plt.imread(tmp_path / "b.png").shape[1] == 600
    if "weights" in names and "torch" in names:
        image = names["gpuplot"].imshow(names["weights"], center=0)
        assert image.tensor is names["weights"] and image.get_clim()[0] == -image.get_clim()[1]


def test_every_page_with_code_is_tested():
    pages = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md") if "```" in path.read_text()}
    assert pages <= BLOCKS.keys() | OTHER_PAGES.keys()
    for page, test in OTHER_PAGES.items():
        assert Path(page).name in (ROOT / "tests" / test).read_text() + (ROOT / "tests" / "framework_page.py").read_text()


def save_files(folder):
    """The files that the page of the command names."""
    import h5py
    import safetensors.numpy
    import torch

    loss = np.geomspace(9, 0.1, 500).astype("float32")
    np.save(folder / "weights.npy", np.random.default_rng(0).normal(size=(90, 120)).astype("float32"))
    np.savez(folder / "run.npz", step=np.arange(500), loss=loss, val_loss=loss + 0.1)
    (folder / "log.csv").write_text("step,loss\n" + "".join(f"{step},{value}\n" for step, value in enumerate(loss)))
    safetensors.numpy.save_file({"layer.3.mlp.weight": np.eye(30, dtype="float32")}, folder / "model.safetensors")
    for name, scale in (("model", 1), ("before", 1), ("after", 1.01)):
        torch.save({"0.weight": torch.arange(600.0).reshape(20, 30) * scale}, folder / f"{name}.pt")
    with h5py.File(folder / "run.h5", "w") as file:
        file["acts"] = np.random.default_rng(0).normal(size=(50, 20, 30))
        for axis, label in enumerate(("time", "row", "column")):
            file["acts"].dims[axis].label = label


COMMANDS = [line.partition("  #")[0].partition(" |")[0]
            for line in re.findall(r"^gpuplot .*$", PAGES["docs/command_line.md"], flags=re.M)]


@pytest.mark.host("reads files")
@pytest.mark.skipif(not all(map(find_spec, ("h5py", "safetensors", "torch"))), reason="needs libraries of files")
def test_commands_run(tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    save_files(tmp_path)
    for command in COMMANDS:
        assert main.main(shlex.split(command)[1:]) == 0, (command, capfdbinary.readouterr().err)
    assert len(COMMANDS) > 5 and plt.imread(tmp_path / "weights.png").shape[1] == 1000


def test_the_first_pictures_show_something(tmp_path, monkeypatch):
    """Noise of one strength is a page of one color as soon as it is averaged; the page opens with a pattern."""
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(small(BLOCKS["README.md"][0]), "README block 0", "exec"), names)
    assert names["gpuplot"].downsample(names["a"], (50, 50)).std() > names["a"].std() / 2


@pytest.mark.gpu
def test_code_for_a_gpu_runs():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch finds no CUDA device here")
    [code] = [code for blocks in BLOCKS.values() for code in blocks if "cuda" in code]
    names = {}
    exec(compile(code, "block for a GPU", "exec"), names)
    assert names["im"].tensor is names["x"]


def test_the_readme_is_read_in_three_minutes():
    words = re.sub(r"^```.*?^```$|\]\([^)]*\)", "", README, flags=re.M | re.S).split()
    assert len(words) < 1200


@pytest.mark.parametrize("name", PAGES)
def test_lines_fit_the_page(name):
    assert max(len(line) for line in PAGES[name].splitlines() if not line.startswith("![")) <= 130


def commands():
    """The target of every make command in the shell blocks of the pages."""
    return re.findall(r"^make ([\w-]+)", "\n".join(re.findall(r"^```sh\n(.*?)^```$", "\n".join(PAGES.values()), flags=re.M | re.S)),
                      flags=re.M)


@pytest.mark.parametrize("target", sorted(set(commands())))
def test_make_targets_exist(target):
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), flags=re.M)


def paths_in(text):
    """What is written in backticks and looks like a file of the tree."""
    quoted = re.findall(r"`([\w./*]+/[\w.*]+\.(?:c|h|py|md|cmake|pyi))`", text)
    return sorted({*quoted, *re.findall(r"\]\((docs/[\w./]+)\)", text)})


@pytest.mark.parametrize("path", sorted({path for page in PAGES.values() for path in paths_in(page)}))
def test_files_named_in_the_pages_exist(path):
    assert list(ROOT.glob(path)), path


def heading_anchors(page):
    """The anchors that a page's headings get."""
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.+)$", page, flags=re.M)}


@pytest.mark.parametrize("name, page", (PAGES | WIDE_PAGES).items(), ids=[*PAGES, *WIDE_PAGES])
def test_links_lead_somewhere(name, page):
    for target, _, anchor in (link.partition("#") for link in re.findall(r"\]\((?!https?:)([^)]+)\)", page)):
        path = (ROOT / name).parent / (target or Path(name).name)
        assert path.exists(), target
        assert not anchor or anchor in heading_anchors(path.read_text()), anchor


PACKAGE = (ROOT / "gpuplot" / "README.md").read_text()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w/]+\.pyi?|\w+/)`", PACKAGE))))
def test_modules_named_in_the_map_of_the_package_exist(name):
    assert list((ROOT / "gpuplot").rglob(name)) or (ROOT / name).exists(), name


@pytest.mark.parametrize("path", paths_in(NATIVE))
def test_files_named_in_the_native_readme_exist(path):
    folder = ROOT if path.split("/")[0] in ("gpuplot", "tests") else ROOT / "native"
    assert list(folder.glob(path)), path


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(gp_\w+|GP_[A-Z_]+[A-Z])`", NATIVE))))
def test_names_in_the_native_readme_exist(name):
    files = [path for folder in ("core", "cpu", "cuda", "python") for path in (ROOT / "native" / folder).rglob("*.[ch]")]
    sources = [path.read_text() for path in [*files, *(ROOT / "native" / "cuda" / "kernels").glob("*.cu*")]]
    assert any(re.search(rf"\b{name}\b", source) for source in sources), name


def test_files_and_names_in_comments_of_the_native_layer_exist():
    """Names that macros put together, such as gp_load_F16, count where the macro writes gp_load_##."""
    paths = [path for path in (ROOT / "native").rglob("*.*") if path.suffix in (".c", ".h", ".cu", ".cuh")]
    known = {path.name for folder in ("native", "gpuplot", "tests") for path in (ROOT / folder).rglob("*.*")}
    comment, texts = re.compile(r"/\*.*?\*/|//[^\n]*", re.S), {path: path.read_text() for path in paths}
    code = [comment.sub(" ", text) for text in texts.values()] + [path.read_text() for path in (ROOT / "native").rglob("*.cmake")]
    names = set(re.findall(r"\bgp_\w*(?:##)?", "\n".join(code), re.I))
    for path, text in texts.items():
        comments = " ".join(comment.findall(text))
        for name in re.findall(r"\bgp_\w*\w\b(?<!_)(?![*<])", comments, re.I):
            assert name in names or re.sub(r"^(gp_[a-z]+_)[A-Z]\w*$", r"\1##", name) in names, (path, name)
        for name in re.findall(r"(?<![*\w])\w+\.(?:cuh?|[ch]|py)\b", comments):
            assert name in known | {"Python.h"}, (path, name)


def test_keys_of_the_inspector_are_those_of_its_help():
    """The help is one text: keys and what they do in turn, between bars, in a few lines of JavaScript."""
    source = (ROOT / "widgets" / "keys.js").read_text()
    start = source.index('"Wheel')
    words = "".join(re.findall(r'"([^"]*)"', source[start:source.index(";", start)])).split("|")
    page = PAGES["docs/notebooks.md"]
    table = page[page.index("| keys, pointer |"):page.index("While the inspector has the focus")]
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", table, flags=re.M)[1:]
    assert rows == list(zip(words[::2], words[1::2], strict=True)) and len(rows) > 10
