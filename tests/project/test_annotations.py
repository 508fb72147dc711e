"""Annotations of public names are complete, name existing types, and agree with each other; so does the stub of the native module."""

import ast
import functools
import importlib
import inspect
import re
import sys
import typing
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D

import gpuplot
import gpuplot.typing as types
from gpuplot import _native
from gpuplot.color.style import VISIBLE_MARKS
from gpuplot.options import CELLS, SHARED, STREAM, STYLE, VIEW

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

PACKAGE = Path(gpuplot.__file__).parent
FUNCTIONS = [name for name in gpuplot.__all__ if inspect.isfunction(getattr(gpuplot, name))]
# Classes whose members have types, by module: those that users make, get or read.
CLASSES = {"arrays.pointers": ["PointerArray"], "color.norms": ["CbrtNorm", "EqHistNorm"], "inspector.widget": ["Inspector"],
           "mpl.hist": ["Histogram"], "mpl.hist2d": ["Histogram2D"], "mpl.images.image": ["TensorImage"], "mpl.images.lifetime": ["Keeper"],
           "mpl.lines.line": ["TensorLine"], "mpl.densities.density_image": ["DensityImage"],
           "mpl.densities.density_lifetime": ["DensityKeeper"],
           "mpl.densities.lines_image": ["LinesImage"], "mpl.densities.points_image": ["PointsImage"], "recording.recorder": ["Recorder"],
           "transfer.handle": ["Transfer"]}
# What hands on what others made, for the package's own use.
INNER = {"Transfer.of_array", "Transfer.start", "Inspector.open", "Inspector.get_state"}
# Where a function's own default or type is another one than that of the group: numbers decide nothing, `inspect` shows what is odd.
MARKS = {f"{name}_color": color for name, color in VISIBLE_MARKS.items()}
OTHER_DEFAULTS = {"downsample": {"nan": "show"}, "inspect": {"center": "auto"} | MARKS, "watch": {"center": "auto"} | MARKS}
OTHER_TYPES = {("downsample", "nan"), ("hist2d", "x"), ("hist2d", "y"), ("plot", "agg"),
               ("scatter", "nan"), ("scatter", "x"), ("scatter", "y"), ("scatter", "alpha")}


@functools.cache
def tree_of(module, suffix=".py"):
    path = PACKAGE.joinpath(*module.split("."))
    return ast.parse((path / f"__init__{suffix}" if path.is_dir() else path.with_suffix(suffix)).read_text())


def module_of(name):
    return getattr(gpuplot, name).__module__.removeprefix("gpuplot.")


def imported(module):
    if module == "inspector.widget":
        pytest.importorskip("anywidget", reason="the inspector needs anywidget: pip install anywidget")
    return importlib.import_module(f"gpuplot.{module}")


def decorators(node):
    """The names of a function's decorators: ``overload``, ``like``, ``setter``, ..."""
    called = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return [getattr(d, "id", getattr(d, "attr", "")) for d in called]


def definitions(name):
    """The overloads of a public function and the function itself, in this order."""
    return [node for node in tree_of(module_of(name)).body if isinstance(node, ast.FunctionDef) and node.name == name]


def members(module, name):
    [node] = [node for node in tree_of(module).body if isinstance(node, ast.ClassDef) and node.name == name]
    return node.body


def names_bound(body):
    """Names that a module or class body defines with a type, in order."""
    names = []
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.append(node.target.id)
    return list(dict.fromkeys(names))


def public(names):
    return {name for name in names if not name.startswith("_")}


def arguments_of(function):
    arguments = function.args
    return [a for a in (*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg) if a]


def parameters_of_node(function):
    """{name: (kind, default)} of a function in a tree; a default is its value, `inspect.Parameter.empty` without one."""
    kinds, empty, arguments = inspect.Parameter, inspect.Parameter.empty, function.args
    found = {}
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [empty] * (len(positional) - len(arguments.defaults)) + [*map(ast.literal_eval, arguments.defaults)]
    for i, (argument, default) in enumerate(zip(positional, defaults, strict=True)):
        is_only = i < len(arguments.posonlyargs)
        found[argument.arg] = (kinds.POSITIONAL_ONLY if is_only else kinds.POSITIONAL_OR_KEYWORD, default)
    if arguments.vararg:
        found[arguments.vararg.arg] = (kinds.VAR_POSITIONAL, empty)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found[argument.arg] = (kinds.KEYWORD_ONLY, empty if default is None else ast.literal_eval(default))
    if arguments.kwarg:
        found[arguments.kwarg.arg] = (kinds.VAR_KEYWORD, empty)
    return found


def parameters_of(function):
    return {p.name: (p.kind, p.default) for p in inspect.signature(function).parameters.values()}


# ---- all has a type --------------------------------------------------------------------------------------------------


def without_types(function):
    missing = [a.arg for a in arguments_of(function) if a.annotation is None and a.arg != "self"]
    return missing + ["return"] * (function.returns is None)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_of_a_function_has_a_type(name):
    *overloads, function = definitions(name)
    assert all("overload" in decorators(node) for node in overloads)
    for node in overloads or [function]:
        assert without_types(node) == []


@pytest.mark.parametrize("module", CLASSES)
def test_every_public_member_of_a_class_has_a_type(module):
    for name in CLASSES[module]:
        for node in members(module, name):
            if isinstance(node, ast.FunctionDef) and f"{name}.{node.name}" not in INNER and public([node.name]) \
                    and not {"like", "setter"} & set(decorators(node)):
                assert without_types(node) == [], node.name


@pytest.mark.parametrize("name", [name for name in gpuplot.__all__ if inspect.isclass(getattr(gpuplot, name))])
def test_every_public_class_is_known(name):
    """Data classes and errors have types by themselves."""
    known = {name for names in CLASSES.values() for name in names}
    assert name in known | {"ChunkError", "DeviceError", "GpuplotWarning", "UnsupportedError", "Stats", "StatsTable", "ComparisonTable"}


def test_only_the_native_module_has_a_stub():
    assert [path.name for path in PACKAGE.rglob("*.pyi")] == ["_native.pyi"]
    assert (PACKAGE / "py.typed").exists()


def names_for_checkers(module):
    """What the annotations of a module may name: all of the module, and what it imports for type checkers."""
    there = dict(vars(imported(module)))
    if module == "mpl.imshow":
        pytest.importorskip("matplotlib.colorizer", reason="type checkers need the Colorizer of matplotlib 3.10")
    for node in tree_of(module).body:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), module, "exec"), there)
    return there


def annotations_in(module):
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.FunctionDef):
            yield from (a.annotation for a in arguments_of(node) if a.annotation)
            yield from [node.returns] * (node.returns is not None)
        elif isinstance(node, ast.AnnAssign):
            yield node.annotation


def names_in(annotation):
    return [ast.unparse(node) for node in ast.walk(annotation) if isinstance(node, (ast.Name, ast.Attribute))]


@pytest.mark.parametrize("module", sorted({*map(module_of, FUNCTIONS), *CLASSES, "options", "typing"}))
def test_every_type_that_is_named_is_there(module):
    """Nothing else reads annotations when the program runs."""
    there, annotations = names_for_checkers(module), [*annotations_in(module)]
    assert annotations
    for annotation in annotations:
        [eval(name, there) for name in names_in(annotation)]


def test_types_in_quotes_are_there():
    there = names_for_checkers("typing")
    quoted = [value for name, value in vars(types).items() if isinstance(value, str) and public([name])]
    for text in quoted:
        [eval(name, there) for name in names_in(ast.parse(text))]
    assert "str | Colormap" in quoted


@pytest.mark.parametrize("name", [*gpuplot.__all__, "Inspector"])
def test_what_runs_shows_no_annotations(name):
    """`help` and libraries that make something of annotations see what they always saw."""
    thing = getattr(imported("inspector.widget") if name == "Inspector" else gpuplot, name)
    for function in vars(thing).values() if inspect.isclass(thing) and name not in ("Stats", "StatsTable", "ComparisonTable") else [thing]:
        if inspect.isfunction(function):
            parameters = inspect.signature(function).parameters.values()
            assert {p.annotation for p in parameters} <= {inspect.Parameter.empty}


# ---- they agree ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["downsample", "to_rgba", "imsave", "imshow", "inspect"])
def test_shared_keywords_are_those_of_the_groups(name):
    """Written in each signature, where everybody and every tool reads them; with one order, one default and one type."""
    ours = {keyword: default for keyword, (_, default) in parameters_of(getattr(gpuplot, name)).items() if keyword in SHARED}
    shared = VIEW | CELLS | STREAM if name == "downsample" else VIEW | CELLS | STYLE | STREAM
    assert ours == shared | OTHER_DEFAULTS.get(name, {})
    own = {"imshow": ["cmap", "norm"]}.get(name, [])  # without a name, as matplotlib's
    assert list(ours) == own + [keyword for keyword in shared if keyword not in own]


@pytest.mark.parametrize("name", ["compare", "inspect", "watch"])
def test_marks_have_the_same_colors_wherever_they_are_visible(name):
    signatures = [parameters_of_node(node) for node in definitions(name)]
    colors = [{keyword: parameters[keyword][1] for keyword in MARKS} for parameters in signatures if "nan_color" in parameters]
    assert colors and all(found == MARKS for found in colors)


def test_shared_keywords_have_one_type():
    said = {}
    for name in FUNCTIONS:
        for argument in arguments_of(definitions(name)[-1]):
            if argument.arg in SHARED and argument.annotation and (name, argument.arg) not in OTHER_TYPES:
                said.setdefault(argument.arg, set()).add(ast.unparse(argument.annotation))
    assert said.keys() == SHARED.keys() and all(len(texts) == 1 for texts in said.values()), said


def test_overloads_cover_the_modes_of_show_config(monkeypatch):
    *overloads, _ = definitions("show_config")
    assert [parameters_of_node(node) for node in overloads] == [
        parameters_of(gpuplot.show_config),
        {"mode": (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty)},
    ]
    assert [type(gpuplot.show_config(mode)) for mode in ("stdout", "dicts")] == [type(None), dict]
    monkeypatch.setattr(sys, "stdout", None)  # as in a program without a console
    assert gpuplot.show_config() is None


def test_overloads_cover_the_results_of_asnumpy():
    *overloads, _ = definitions("asnumpy")
    said, there = [parameters_of_node(node) for node in overloads], parameters_of(gpuplot.asnumpy)
    needed = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty)
    assert said == [there, there | {"out": needed}, there | {"blocking": needed}]
    assert [type(gpuplot.asnumpy([[1]], blocking=blocking)).__name__ for blocking in (True, False)] == ["ndarray", "Transfer"]


def test_overloads_cover_one_tensor_and_several():
    *overloads, _ = definitions("stats")
    assert [parameters_of_node(node) for node in overloads] == [parameters_of(gpuplot.stats)] * 2
    assert [type(gpuplot.stats(X)) for X in ({"w": [1.0]}, [1.0])] == [gpuplot.StatsTable, gpuplot.Stats]


def test_an_image_adds_the_names_that_it_declares_and_no_others():
    """What `help`, `dir` and completion show beside the names that matplotlib's image has."""
    ax = Figure().subplots()
    declared = public(names_bound([*members("mpl.images.image", "TensorImage"), *members("mpl.images.lifetime", "Keeper")]))
    ours, theirs = public(dir(gpuplot.TensorImage(ax))), public(dir(AxesImage(ax)))
    assert ours - theirs == declared - theirs
    assert declared <= ours


def test_artist_properties_are_those_that_matplotlib_sets():
    """`imshow` passes on every property of the artist that is not a parameter of its own."""
    from matplotlib.artist import ArtistInspector

    settable = set(ArtistInspector(AxesImage).get_setters())
    assert types.ArtistProperties.__annotations__.keys() == settable - set(parameters_of(gpuplot.imshow))


def test_line_properties_are_those_that_matplotlib_sets():
    """`plot` passes on every property of a line but the data, which come first."""
    settable = {name.removeprefix("set_") for name in dir(Line2D) if name.startswith("set_")}
    assert types.LineProperties.__annotations__.keys() == settable - {"data", "xdata", "ydata"}


# ---- the choices in Literal types -----------------------------------------------------------------------------------


def native_literals():
    """{alias: strings of its Literal} in the stub of the native module."""
    found = {}
    for node in tree_of("_native", ".pyi").body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Subscript) and node.value.value.id == "Literal":
            found[node.target.id] = ast.literal_eval(node.value.slice)
    return found


def test_choices_are_those_of_the_native_tables():
    from gpuplot.plane.aggs import AGGS, NAN_POLICIES, native_nan
    from gpuplot.plane.dims import HIDDEN_OPS
    from gpuplot.plane.view import COMPLEX_MODES

    native = native_literals()
    assert typing.get_args(types.Agg) == native["_Agg"] == AGGS
    assert typing.get_args(types.Nan) == NAN_POLICIES and set(map(native_nan, NAN_POLICIES)) < set(native["_Nan"])
    assert typing.get_args(types.HiddenOp) == HIDDEN_OPS
    assert typing.get_args(types.ComplexMode) == tuple(COMPLEX_MODES)


@pytest.mark.parametrize("what", ["_Agg", "_Nan", "_Tie", "_Component"])
def test_choices_of_the_native_module(what):
    """The native layer lists its names when it is given a wrong one."""
    tensor = _native.Tensor.from_array(np.zeros((2, 2)), "float64")
    uses = [("rows", 0, 1, 2, 0), ("cols", 0, 1, 2, 0)]
    plane, axis = _native.Plane(tensor, uses, []), _native.Axis(2, 0, 2, 2)
    calls = {
        "_Agg": lambda: _native.reduce(plane, axis, axis, agg="?"),
        "_Nan": lambda: _native.reduce(plane, axis, axis, nan="?"),
        "_Tie": lambda: _native.Axis(2, 0, 2, 2, tie="?"),
        "_Component": lambda: _native.Plane(tensor, uses, [], component="?"),
    }
    with pytest.raises(ValueError) as caught:
        calls[what]()
    listed = re.findall(r"'(\w+)'", str(caught.value).partition("one of")[2])
    assert tuple(listed) == native_literals()[what]


# ---- the native module ----------------------------------------------------------------------------------------------


def test_native_names():
    assert public(names_bound(tree_of("_native", ".pyi").body)) == public(vars(_native))


@pytest.mark.parametrize("node", [n for n in tree_of("_native", ".pyi").body if isinstance(n, ast.ClassDef)], ids=lambda n: n.name)
def test_native_members(node):
    there = vars(getattr(_native, node.name))
    stubbed = names_bound(node.body)
    assert public(stubbed) == public(there)
    for member in node.body:
        if isinstance(member, ast.FunctionDef):
            is_property = "property" in [getattr(d, "id", "") for d in member.decorator_list]
            found = there.get(member.name)
            assert is_property == (inspect.isgetsetdescriptor(found) or inspect.ismemberdescriptor(found)), member.name


def test_native_parameters_are_those_of_the_docstrings():
    """C functions have no signature; the first line of each docstring is one."""
    nodes = {node.name: node for node in tree_of("_native", ".pyi").body if isinstance(node, ast.FunctionDef)}
    for name, node in nodes.items():
        line = getattr(_native, name).__doc__.partition(")")[0] + ")"
        said = ast.parse(f"def {line}: ...").body[0]
        ours, theirs = parameters_of_node(node), parameters_of_node(said)
        assert list(ours) == list(theirs), name
        assert [default for _, default in ours.values()] == [default for _, default in theirs.values()], name


# ---- what a checker makes of them -----------------------------------------------------------------------------------


GOOD = """
import matplotlib.pyplot as plt
import numpy as np
import gpuplot

a = np.zeros((10, 20), np.float32)
cells = gpuplot.downsample(a, (4, 5), agg="absmax", nan="skip", view=((0, 5), (0.5, 3)))
rgba = gpuplot.to_rgba([[0.0, 1.0]], cmap="magma", norm="log", robust=(1, 99), nan_color="red")
gpuplot.imsave("w.png", a, width=10, cmap="RdBu", center=0, metadata={"Title": "x"})
planes = gpuplot.downsample(np.zeros((2, 3, 4)), (2, 2), index={0: 1}, reduce={1: "mean"}, x=2)
norm = gpuplot.EqHistNorm(vmin=0).fit([1.0, 2.0])
version = gpuplot.show_config(mode="dicts")["gpuplot"]["version"]
figure, axes = plt.subplots()
im = gpuplot.imshow(a, agg="max", robust=True, cmap="magma", norm="log", colorbar=True, ax=axes, zorder=2, extent=(0, 1, 0, 1))
gpuplot.imshow(np.zeros((2, 3, 4, 5)), x=3, y=2, index={0: 1}, reduce={1: "mean"}).set_index({0: 0})
im.update()
im.update(a)
half = gpuplot.asnumpy(a.T, "float16", order="K", copy=True, progress=lambda done, n: None).astype(np.int8)
moved = gpuplot.asnumpy(a, out=np.ma.empty((10, 20))).mask
spread = gpuplot.stats(a, dim=(0, -1), percentiles=(), region=((0, 2), (0.5, 3))).std
worst = gpuplot.stats({"w": a}, bins=8, value_range=(0, 1))["w"].first_nan
together = gpuplot.stats(a, collective=True).max, gpuplot.downsample(a, (4, 5), collective=True).shape
gpuplot.imsave("w.png", a, width=10, collective=True)
waiting = gpuplot.asnumpy(a, blocking=False).result(timeout=1.0).shape
im.set_clim(0, 1)
im.autoscale("view", robust=(1, 99))
im.freeze()
with gpuplot.inspect({"a": a, "b": a}, columns=0, link=[], throttle=20.5) as w:
    w.index = {0: 1}
    w.view = ((0, 1), (2.5, 3))
    w.update(a, name="a")
    w.snapshot("w.png", width=100)
    w.to_figure().savefig("w.pdf")
"""
BAD = """
import gpuplot

gpuplot.downsample([[1]], (4, 5), aggg="max")
gpuplot.downsample([[1]], (4, 5), agg="median")
gpuplot.downsample([[1]])
gpuplot.to_rgba([[1]], colormap="magma")
gpuplot.to_rgba([[1]], collective="all")
gpuplot.imsave("w.png", [[1]], width="12")
gpuplot.imshow([[1]], aggg="max")
gpuplot.imshow([[1]], zorder="front")
gpuplot.imshow([[1]]).autoscale("everything")
gpuplot.inspect([[1]], values="never")
gpuplot.inspect([[1]]).update()
gpuplot.downsample(X=[[1]], shape=(2, 3))
gpuplot.asnumpy([[1]], order="Z")
gpuplot.asnumpy([[1]], blocking=True).result()
gpuplot.stats([[1]], range=(0, 1))
gpuplot.stats([[1]])["w"]
"""


@pytest.mark.slow
def test_mypy_takes_good_calls_and_names_each_wrong_one(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    monkeypatch.setenv("MYPYPATH", str(PACKAGE.parent))
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(BAD)
    # Of an installed package, too, nothing is said but about how it is called.
    options = [f"--cache-dir={tmp_path / 'cache'}", "--follow-imports=silent"]
    output, _, status = api.run(["--strict", *options, str(tmp_path / "good.py")])
    assert status == 0, output
    output, _, _ = api.run([*options, str(tmp_path / "bad.py")])
    lines = sorted({int(line) for line in re.findall(r"bad\.py:(\d+): error", output)})
    wrong = [number for number, line in enumerate(BAD.splitlines(), 1) if line.startswith("gpuplot.")]
    assert lines == wrong, output
