"""The stubs that type checkers read say the same as the modules that run."""

import ast
import importlib
import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

import gpuplot
from gpuplot import _native

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

PACKAGE = Path(gpuplot.__file__).parent
# By the names of their modules below the package: "mpl.imshow", "inspector", "inspector.widget".
STUBS = sorted(".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__") for path in PACKAGE.rglob("*.pyi"))
PYTHON_STUBS = [name for name in STUBS if name != "_native"]


def tree_of(stub):
    path = PACKAGE.joinpath(*stub.split("."))
    return ast.parse((path / "__init__.pyi" if path.is_dir() else path.with_suffix(".pyi")).read_text())


def module_of(stub):
    if stub == "inspector.widget":
        pytest.importorskip("anywidget", reason="the inspector needs anywidget: pip install 'gpuplot[notebook]'")
    return importlib.import_module(f"gpuplot.{stub}")


def names_bound(body):
    """Names that a stub's module or class body defines, in order."""
    names = []
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.append(node.target.id)
    return list(dict.fromkeys(names))


def parameters_of_stub(function):
    """{name: (kind, default)} of a function in a stub; a default is its value, `inspect.Parameter.empty` without one."""
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


def functions_of(stub):
    """(qualified name, node) of each function and method in a stub that is not an overload."""
    for node in tree_of(stub).body:
        members = [("", node)] if isinstance(node, ast.FunctionDef) else \
            [(f"{node.name}.", member) for member in node.body] if isinstance(node, ast.ClassDef) else []
        for prefix, member in members:
            if isinstance(member, ast.FunctionDef) and not node.name.startswith("_") and \
                    "overload" not in [getattr(d, "id", "") for d in member.decorator_list]:
                yield f"{prefix}{member.name}", member


@pytest.mark.parametrize("stub", PYTHON_STUBS)
def test_signatures(stub):
    module = module_of(stub)
    n_checked = 0
    for name, node in functions_of(stub):
        owner, _, attribute = name.rpartition(".")
        there = inspect.getattr_static(getattr(module, owner), attribute) if owner else getattr(module, attribute)
        if isinstance(there, property):
            assert [d.id for d in node.decorator_list] == ["property"], name
        else:
            assert parameters_of_stub(node) == parameters_of(there), name
        n_checked += 1
    assert n_checked or stub in ("config", "transfer.asnumpy", "statistics.stats")  # whose only functions are overloaded


@pytest.mark.parametrize("stub", PYTHON_STUBS)
def test_names(stub):
    module, tree = module_of(stub), tree_of(stub)
    listed = [node for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"]
    assert ast.literal_eval(listed[0].value) == module.__all__
    public = {name for name in names_bound(tree.body) if not name.startswith("_")}
    assert public == set(module.__all__)


def test_overloads_cover_the_modes_of_show_config():
    nodes = [node for node in tree_of("config").body if isinstance(node, ast.FunctionDef)]
    assert [parameters_of_stub(node) for node in nodes] == [
        parameters_of(gpuplot.show_config),
        {"mode": (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty)},
    ]
    assert [type(gpuplot.show_config(mode)) for mode in ("stdout", "dicts")] == [type(None), dict]


def test_overloads_cover_the_results_of_asnumpy():
    nodes = [node for node in tree_of("transfer.asnumpy").body if isinstance(node, ast.FunctionDef)]
    said, there = [parameters_of_stub(node) for node in nodes], parameters_of(gpuplot.asnumpy)
    needed = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty)
    assert said == [there, there | {"out": needed}, there | {"blocking": needed}]
    assert [type(gpuplot.asnumpy([[1]], blocking=blocking)).__name__ for blocking in (True, False)] == ["ndarray", "Transfer"]


def test_overloads_cover_one_tensor_and_several():
    nodes = [node for node in tree_of("statistics.stats").body if isinstance(node, ast.FunctionDef)]
    assert [parameters_of_stub(node) for node in nodes] == [parameters_of(gpuplot.stats)] * 2
    assert [type(gpuplot.stats(X)) for X in ({"w": [1.0]}, [1.0])] == [gpuplot.StatsTable, gpuplot.Stats]


def test_every_public_function_that_is_decorated_has_a_stub():
    for name in gpuplot.__all__:
        function = getattr(gpuplot, name)
        if inspect.isfunction(function) and hasattr(function, "__wrapped__"):
            assert function.__module__.removeprefix("gpuplot.") in STUBS, name


def test_an_image_adds_the_names_of_its_stub_and_no_others():
    """What `help`, `dir` and completion show beside the names that matplotlib's image has."""
    [node] = [node for node in tree_of("mpl.image").body if getattr(node, "name", "") == "TensorImage"]
    ax = Figure().subplots()
    ours, theirs, stubbed = public(dir(gpuplot.TensorImage(ax))), public(dir(AxesImage(ax))), public(names_bound(node.body))
    assert ours - theirs == stubbed - theirs
    assert stubbed <= ours


def test_artist_properties_are_those_that_matplotlib_sets():
    """`imshow` passes on every property of the artist that is no parameter of its own."""
    from matplotlib.artist import ArtistInspector

    [properties] = [node for node in tree_of("mpl.imshow").body if getattr(node, "name", "") == "_ArtistProperties"]
    settable = set(ArtistInspector(AxesImage).get_setters())
    assert set(names_bound(properties.body)) == settable - set(parameters_of(gpuplot.imshow))


# ---- the choices in Literal types -----------------------------------------------------------------------------------


def literals(stub):
    """{alias: strings of its Literal} in a stub."""
    found = {}
    for node in tree_of(stub).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Subscript) and node.value.value.id == "Literal":
            found[node.target.id] = ast.literal_eval(node.value.slice)
    return found


def test_choices_are_those_of_the_native_tables():
    from gpuplot.plane.dims import HIDDEN_OPS
    from gpuplot.plane.reduce import AGGS, NAN_POLICIES, native_nan
    from gpuplot.plane.view import COMPLEX_MODES

    found = literals("options")
    assert found["_Agg"] == literals("_native")["_Agg"] == AGGS
    assert found["_Nan"] == NAN_POLICIES and set(map(native_nan, NAN_POLICIES)) < set(literals("_native")["_Nan"])
    assert found["_HiddenOp"] == HIDDEN_OPS
    assert found["_ComplexMode"] == tuple(COMPLEX_MODES)


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
    assert tuple(listed) == literals("_native")[what]


# ---- the native module ----------------------------------------------------------------------------------------------


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_native_names():
    assert public(names_bound(tree_of("_native").body)) == public(vars(_native))


@pytest.mark.parametrize("node", [n for n in tree_of("_native").body if isinstance(n, ast.ClassDef)], ids=lambda n: n.name)
def test_native_members(node):
    there = vars(getattr(_native, node.name))
    stubbed = names_bound(node.body)
    assert public(stubbed) == public(there)
    for member in node.body:
        if isinstance(member, ast.FunctionDef):
            is_property = "property" in [getattr(d, "id", "") for d in member.decorator_list]
            assert is_property == inspect.isgetsetdescriptor(there.get(member.name)), member.name


def test_native_parameters_are_those_of_the_docstrings():
    """C functions have no signature; the first line of each docstring is one."""
    nodes = {node.name: node for node in tree_of("_native").body if isinstance(node, ast.FunctionDef)}
    for name, node in nodes.items():
        line = getattr(_native, name).__doc__.partition(")")[0] + ")"
        said = ast.parse(f"def {line}: ...").body[0]
        ours, theirs = parameters_of_stub(node), parameters_of_stub(said)
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
    cache = f"--cache-dir={tmp_path / 'cache'}"
    output, _, status = api.run(["--strict", cache, str(tmp_path / "good.py")])
    assert status == 0, output
    output, _, _ = api.run([cache, str(tmp_path / "bad.py")])
    lines = sorted({int(line) for line in re.findall(r"bad\.py:(\d+): error", output)})
    wrong = [number for number, line in enumerate(BAD.splitlines(), 1) if line.startswith("gpuplot.")]
    assert lines == wrong, output
