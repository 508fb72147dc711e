"""Docstrings of public names: every parameter and section is there, and the examples run."""

import doctest
import inspect
import re

import matplotlib.pyplot as plt
import pytest

import gpuplot
from gpuplot.options import CELLS, STREAM, STYLE, VIEW

FUNCTIONS = sorted(name for name in gpuplot.__all__ if inspect.isfunction(getattr(gpuplot, name)))
NAMES = sorted(name for name in gpuplot.__all__ if callable(getattr(gpuplot, name)))
SHARED = {**VIEW, **CELLS, **STYLE, **STREAM}


def sections(name):
    """{title: text} of a docstring, the part before the first title under ""."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", inspect.cleandoc(getattr(gpuplot, name).__doc__), flags=re.M)
    return {"": parts[0], **{title: text.strip("\n") for title, text in zip(parts[1::2], parts[2::2], strict=True)}}


def documented(text):
    """{parameter: its description} of a Parameters section."""
    found = {}
    for entry in re.split(r"^(?=\S)", text, flags=re.M):
        head, _, description = entry.partition("\n")
        for parameter in head.partition(" : ")[0].split(","):
            if parameter.strip():
                found[parameter.strip().lstrip("*")] = description.strip()
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_documented(name):
    parameters = set(inspect.signature(getattr(gpuplot, name)).parameters)
    found = documented(sections(name)["Parameters"]) if parameters else {}
    assert all(found.values()), f"without a description: {[p for p, text in found.items() if not text]}"
    assert set(found) == parameters


def test_imshow_explains_every_shared_keyword_itself():
    found = documented(sections("imshow")["Parameters"])
    assert set(SHARED) <= set(found)


def test_defaults_are_said():
    """A parameter that may be left out says what happens then, where its text does not make that plain by itself."""
    found = documented(sections("imshow")["Parameters"])
    plain = {"aspect", "interpolation", "origin", "extent", "interpolation_stage", "filternorm", "filterrad", "resample",
             "url", "colorizer", "data", "colorbar", "stream", "reduce", "denorm", "labels", "gamma", "center",
             "artist_properties", "X"}
    assert {name for name, text in found.items() if not re.search(r"[Dd]efault", text)} <= plain


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sections_of_functions(name):
    found = sections(name)
    wanted = {"Parameters", "Raises", "Examples"} if inspect.signature(getattr(gpuplot, name)).parameters else {"Examples"}
    assert wanted <= set(found)
    returns_nothing = name in ("install", "uninstall")
    assert ("Returns" in found) != returns_nothing
    usual = ["", "Parameters", "Returns", "Raises", "Warns", "Examples"]
    assert list(found) == [title for title in usual if title in found]


@pytest.mark.parametrize("name", NAMES)
def test_first_line_is_one_sentence(name):
    first, _, rest = sections(name)[""].strip().partition("\n")
    assert first.endswith(".") and not rest.startswith((" ", "    ")) and (not rest or rest.startswith("\n"))


# What is shared with a host array is not shared with one that was put on a device.
ABOUT_HOST = {"asnumpy": pytest.mark.host("shows that memory is shared")}


@pytest.mark.parametrize("name", [pytest.param(name, marks=ABOUT_HOST.get(name, ())) for name in NAMES])
def test_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    thing = getattr(gpuplot, name)
    globs = {"plt": plt}
    found = [test for test in doctest.DocTestFinder(recurse=False).find(thing, name, globs=globs) if test.examples]
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert found, f"{name} has no example"
    with plt.rc_context({"figure.figsize": (3, 2)}):
        results = [runner.run(test) for test in found]
    plt.close("all")
    assert sum(result.failed for result in results) == 0


def test_imsave_example_writes_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [test] = doctest.DocTestFinder(recurse=False).find(gpuplot.imsave, "imsave", globs={})
    doctest.DocTestRunner().run(test)
    assert plt.imread(tmp_path / "weights.png").shape[:2] == (256, 688)
