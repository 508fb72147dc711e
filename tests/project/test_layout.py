"""Imports between packages of gpuplot, and includes between folders of native/, have one direction; only drawing loads matplotlib."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import gpuplot

pytestmark = pytest.mark.host("reads the modules themselves")

PACKAGE = Path(gpuplot.__file__).parent
# Which packages each may import; all may import the modules beside them.
MAY_IMPORT = {
    "arrays": set(),
    "plane": {"arrays"},
    "statistics": {"arrays", "plane"},
    "color": {"arrays", "plane", "statistics"},
    "transfer": {"arrays"},
    "picture": {"arrays", "plane", "color", "transfer"},
    "mpl": {"arrays", "plane", "statistics", "color", "transfer", "picture"},
    "inspector": {"arrays", "plane", "statistics", "color", "picture", "mpl"},
    "recording": {"arrays", "plane", "statistics", "color", "transfer", "picture"},
    "watching": {"arrays", "inspector"},
    "cli": {"arrays", "plane", "statistics", "color", "transfer", "picture", "mpl"},
}
# Packages above `color` meet in these modules alone: files of pixels, tiles in a grid, and the figure of an inspector.
MEETING = {"mpl": {"picture.png", "picture.grid_spec"},
           "inspector": {"picture.png", "picture.imsave", "picture.tiles", "mpl.imshow", "mpl.part"},
           "recording": {"picture.png", "picture.imsave", "picture.render_spec"},
           "cli": {"picture.png", "picture.imsave", *(f"mpl.{name}" for name in ("imshow", "plot", "hist", "hist2d", "scatter", "grid",
                                                                                "compare", "axis_labels", "drawable_text", "part"))}}
# Which folders of artists import which; all may import the modules of mpl beside them.
MAY_IMPORT_INSIDE = {"lines": set(), "images": set(), "densities": {"lines", "images"}, "histograms": set()}
FRAMEWORKS = ("torch", "tensorflow", "jax", "cupy", "numba", "pandas", "xarray", "polars", "dask")


def modules():
    """(dotted name below the package, its file)."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"), path


def imported_by(name, path):
    """The modules of gpuplot that a module imports, wherever in it, but for type checkers."""
    parts = name.split(".") if name != "__init__" else []
    package = parts if path.name == "__init__.py" else parts[:-1]
    tree = ast.parse(path.read_text())
    guarded = {id(node) for guard in ast.walk(tree) if isinstance(guard, ast.If) and "TYPE_CHECKING" in ast.dump(guard.test)
               for node in ast.walk(guard)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level and id(node) not in guarded:
            base = package[:len(package) - node.level + 1] + (node.module or "").split(".") * bool(node.module)
            for alias in node.names:
                whole = ".".join([*base, alias.name])
                yield whole if whole in NAMES else ".".join(base)


NAMES = {name for name, _ in modules()}
IMPORTS = {name: set(imported_by(name, path)) - {""} for name, path in modules()}


def package_of(name):
    return name.split(".")[0] if name.split(".")[0] in MAY_IMPORT else ""


def test_all_packages_are_known():
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders == set(MAY_IMPORT)
    assert sum(map(len, IMPORTS.values())) > 300


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_packages_import_one_way(package):
    theirs = {(name, target) for name, targets in IMPORTS.items() if package_of(name) == package for target in targets}
    wrong = {edge for edge in theirs if package_of(edge[1]) not in {"", package} | MAY_IMPORT[package]}
    assert wrong == set()
    upper = {edge[1] for edge in theirs if package_of(edge[1]) in ("picture", "mpl") and package_of(edge[1]) != package}
    assert upper <= MEETING.get(package, set())


def test_folders_of_artists_import_one_way():
    def folder_of(name):
        parts = name.split(".")
        return parts[1] if parts[0] == "mpl" and len(parts) > 2 else ""
    inside = {(folder_of(name), folder_of(target)) for name, targets in IMPORTS.items() for target in targets}
    inside = {(folder, target) for folder, target in inside if folder and target and folder != target}
    assert inside >= {("densities", "images"), ("densities", "lines")}
    assert {(folder, target) for folder, target in inside if target not in MAY_IMPORT_INSIDE[folder]} == set()


def test_the_model_of_the_inspector_knows_neither_pages_nor_widgets():
    inside = {(name.split(".")[1], target.split(".")[1]) for name, targets in IMPORTS.items() for target in targets
              if name.startswith("inspector.") and target.startswith("inspector.")}
    upper = {target for part, target in inside if part == "model"} | {target for part, target in inside if part == "export"}
    assert upper == {"model", "export", "options"}
    assert {target for part, target in inside if part == "kernel"} == {"model", "export", "kernel"}


def test_modules_beside_the_packages_import_none_of_them():
    assert {(name, target) for name, targets in IMPORTS.items() for target in targets
            if not package_of(name) and package_of(target)} == {("__main__", "cli.main")}  # `python -m gpuplot`


def test_there_is_no_circle():
    left = {name: {target for target in targets if target != name} for name, targets in IMPORTS.items()}
    while free := {name for name, targets in left.items() if not targets & left.keys()}:
        left = {name: targets for name, targets in left.items() if name not in free}
    assert left == {}


def test_only_plane_and_statistics_reduce():
    """Elements become cells in one place."""
    calls = {"reduce", "reduce_states", "limits", "percentiles", "find", "summarize", "summarize_slices"}
    callers = {package_of(name) for name, path in modules() for node in ast.walk(ast.parse(path.read_text()))
               if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "_native" and node.attr in calls}
    assert callers <= {"plane", "statistics", "inspector"}


LAZY = """
import sys
import gpuplot
loaded = lambda: {name.partition(".")[0] for name in sys.modules} & set(%r)
assert not loaded(), loaded()
gpuplot.asnumpy([[1, 2], [3, 4]]), gpuplot.stats({"w": [1.0, 2.0]}), gpuplot.show_config("dicts"), dir(gpuplot)
assert not loaded(), loaded()
for name in [*dir(gpuplot), *gpuplot.__all__]:
    if name != "Inspector":
        getattr(gpuplot, name)
assert "matplotlib" in loaded() and not loaded() & {"torch", "jax"}
"""


PICTURE = """
import sys
import matplotlib
matplotlib.use("agg")
import gpuplot
gpuplot.imshow([[1, 2], [3, 4]], colorbar=True).axes.figure.canvas.draw()
assert not [name for name in sys.modules if name.startswith("gpuplot.statistics")]
"""


def test_pictures_need_no_statistics():
    done = subprocess.run([sys.executable, "-c", PICTURE], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_numbers_need_no_matplotlib():
    """`import gpuplot` loads neither matplotlib nor PIL nor a framework, and `asnumpy` and `stats` never do."""
    done = subprocess.run([sys.executable, "-c", LAZY % (("matplotlib", "PIL", *FRAMEWORKS),)], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


AT_ONCE = """
import threading
import gpuplot
names, gate, failed = %r, threading.Barrier(8), []
def ask(name):
    gate.wait()
    try:
        getattr(gpuplot, name)
    except BaseException as error:
        failed.append(error)
threads = [threading.Thread(target=ask, args=(names[i %% len(names)],)) for i in range(8)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
assert not failed, failed
gpuplot.imshow([[1.0, 2.0]])
"""


@pytest.mark.parametrize("names", [("CbrtNorm", "TensorImage"), ("imshow", "to_rgba", "CbrtNorm", "imsave")])
def test_threads_may_ask_for_names_at_once(names):
    """matplotlib itself does not stand it: a part that another thread had half imported was broken for good."""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", AT_ONCE % (names,)], text=True, capture_output=True)
        assert done.returncode == 0, done.stderr


# Which folders of native/ the files of each may include; "" are the files beside the folders, the table of a backend among them.
NATIVE = PACKAGE.parent / "native"
MAY_INCLUDE = {
    "core": set(),
    "png": {"core"},
    "cpu": {"core", ""},
    "cuda": {"core", ""},
    "": {"core", "cpu", "cuda"},
    "tools": {"cuda", "core"},
    "include": {"core", "png", ""},
    "python": {"core", "png", "cpu", "cuda", "include", ""},
}
# The same inside of core: what planes are is below grids, statistics and colors, which know nothing of each other.
PLANES = {f"core/{name}" for name in ("base", "states", "tensor")}
MAY_INCLUDE_IN_CORE = {
    "core/base": set(),
    "core/states": {"core/base"},
    "core/tensor": {"core/base", "core/states"},
    **{f"core/{name}": PLANES for name in ("grids", "statistics", "color")},
}
# And of the two devices: loops and what reads elements are below the operations, which are beside each other.
READS = {"core", "cpu/simd", "cpu/read"}
MAY_INCLUDE_INSIDE = {
    "cpu/simd": {"core"},
    "cpu/read": {"core", "cpu/simd"},
    **{f"cpu/{name}": READS | {"", "cpu"} for name in ("reduce", "select", "convert", "lines")},
    "cuda/runtime": {"core"},
    "cuda/kernels": {"core"},
}
# What folders of operations include of the CPU beside them: the list of operations, which they fill.
OPERATIONS = {"cpu.h"}
# The one file that knows both devices: it chooses.
CHOOSES = "backend.c"


def includes():
    """(a C or CUDA file, a header that it includes), below native/."""
    headers = {path.name: path for path in NATIVE.rglob("*.h")}
    for path in sorted(NATIVE.rglob("*")):
        if path.suffix in (".c", ".h", ".cu", ".cuh"):
            for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
                beside = (path.parent / name).resolve()
                target = beside if beside.exists() else headers.get(Path(name).name)
                if target is not None:
                    yield path.relative_to(NATIVE), target.relative_to(NATIVE)


def folder_of(path):
    return path.parts[0] if len(path.parts) > 1 else ""


def test_folders_of_the_native_layer_include_one_way():
    found = {(folder_of(path), path.name, folder_of(target)) for path, target in includes()}
    assert len(found) > 100
    wrong = {(folder, name, target) for folder, name, target in found if target not in {folder} | MAY_INCLUDE[folder]}
    assert wrong == set()
    assert {name for folder, name, target in found if folder == "" and target in ("cpu", "cuda")} == {CHOOSES}


def test_folders_of_core_include_one_way():
    found = {(path.parent.as_posix(), path.name, target.parent.as_posix()) for path, target in includes() if folder_of(path) == "core"}
    assert {folder for folder, _, _ in found} == set(MAY_INCLUDE_IN_CORE)
    assert {row for row in found if row[2] not in {row[0]} | MAY_INCLUDE_IN_CORE[row[0]]} == set()


def test_folders_inside_of_the_devices_include_one_way():
    def inside_of(target):
        return "core" if folder_of(target) == "core" else target.parent.as_posix()
    found = {(path.parent.as_posix(), path.name, inside_of(target), target.name) for path, target in includes()}
    inside = {row for row in found if row[0] in MAY_INCLUDE_INSIDE}
    assert {row[0] for row in inside} == set(MAY_INCLUDE_INSIDE)
    assert {row for row in inside if row[2].replace(".", "") not in {row[0]} | MAY_INCLUDE_INSIDE[row[0]]} == set()
    assert {row[3] for row in inside if row[2] == "cpu"} <= OPERATIONS
