"""Each tool of `make lint` passes this tree's own style and fails on a planted defect, in its own words."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.host("no array that somebody hands to gpuplot"), pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / "tests" / "lint" / "run.py"

# Tool, file, a text that passes, a text that does not, and what the tool then says.
PLANTED = {
    "an unused import": (
        "ruff", "gpuplot/thing.py", '"""A thing."""\n\nTHING = 1\n', '"""A thing."""\n\nimport os\n\nTHING = 1\n', "F401"),
    "imports out of order": (
        "ruff", "gpuplot/thing.py", '"""A thing."""\n\nimport os\nimport re\n\nTHING = os, re\n',
        '"""A thing."""\n\nimport re\nimport os\n\nTHING = os, re\n', "I001"),
    "a closure over a loop's variable": (
        "ruff", "gpuplot/thing.py", '"""A thing."""\n\nTHINGS = [lambda n=n: n for n in range(3)]\n',
        '"""A thing."""\n\nTHINGS = []\nfor n in range(3):\n    THINGS.append(lambda: n)\n', "B023"),
    "a function without a docstring": (
        "ruff", "gpuplot/thing.py", '"""A thing."""\n\n\ndef thing():\n    """The thing."""\n',
        '"""A thing."""\n\n\ndef thing():\n    pass\n', "D103"),
    "a line that is too long": (
        "ruff", "tests/thing.py", '"""A thing."""\n', f'"""A thing."""\n\nTHING = {"1 + " * 40}1\n', "E501"),
    "C that is laid out otherwise": (
        "clang-format", "native/thing.c", "/* A thing. */\nint thing = 1;\n", "/* A thing. */\nint  thing = 1;\n",
        "clang-format-violations"),
    "a kernel that is laid out otherwise": (
        "clang-format", "native/thing.cu", "/* A thing. */\nint thing(void);\n", "/* A thing. */\nint thing( void );\n",
        "clang-format-violations"),
    "JavaScript that is none": (
        "javascript", "widgets/thing.js", "// A thing.\nexport const thing = 1;\n", "// A thing.\nexport const thing = (1;\n",
        "SyntaxError"),
    "a script that is none": ("shell", "tests/thing.sh", "# A thing.\nif true; then true; fi\n", "# A thing.\nif true; then true\n",
                              "Syntax error"),
    "a file that says not what it is": (
        "house-rules", "native/thing.c", "/* A thing. */\nint thing;\n", "#include <math.h>\nint thing;\n",
        "thing.c:1: the file does not open with what it is"),
    "an opening without an end": (
        "house-rules", "tests/thing.py", '"""A thing."""\n', '"""A thing"""\n', "thing.py:1: the opening is not a sentence"),
    "a mark of unfinished work": (
        "house-rules", "native/thing.c", "/* A thing. */\n", f"/* A thing. */\n/* {'TO' + 'DO'}: more */\n", "thing.c:2"),
    "a path of one machine": (
        "house-rules", "docs/thing.md", "# A thing\n\nUnder /usr/lib.\n", f"# A thing\n\nUnder {'/ho' + 'me'}/me/gpuplot.\n",
        "thing.md:3: a path of one machine"),
    "a tab": ("house-rules", "native/thing.c", "/* A thing. */\n", "/* A thing. */\n\tint thing;\n", "thing.c:2: a tab"),
    "blanks at the end": ("house-rules", "tests/thing.py", '"""A thing."""\n', '"""A thing."""\nX = 1 \n', "thing.py:2: blanks"),
    "a test that is replaced": (
        "house-rules", "tests/test_thing.py", '"""A thing."""\n\n\ndef test_a():\n    pass\n',
        '"""A thing."""\n\n\ndef test_a():\n    pass\n\n\ndef test_a():\n    pass\n', "test_a is defined 2 times"),
}


@pytest.fixture
def tree(tmp_path):
    """A repository with the configuration of this one, and no files."""
    for name in ("pyproject.toml", ".clang-format"):
        shutil.copy(ROOT / name, tmp_path / name)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    return tmp_path


def lint(tree, name, pytest_args=""):
    done = subprocess.run([sys.executable, RUN, "--root", tree, name], env=os.environ | {"PYTEST_ARGS": pytest_args},
                          capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 2 or "not run" in done.stdout:
        pytest.skip((done.stderr or done.stdout).strip())
    return done


def write(tree, name, text):
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("defect", PLANTED)
def test_a_planted_defect_is_named_and_what_is_right_passes(tree, defect):
    name, file, right, wrong, words = PLANTED[defect]
    write(tree, file, right)
    done = lint(tree, name)
    assert done.returncode == 0, done.stdout
    write(tree, file, wrong)
    done = lint(tree, name)
    assert done.returncode == 1 and words in done.stdout


STATIC = {
    "a parameter without a type": ("gpuplot/picture/imsave.py", "width: int | None = None", "width=None", "width"),
    "a parameter without a description": ("gpuplot/arrays/pointers.py", "    strides : ", "    stride : ", "strides"),
    "a section that is gone": ("gpuplot/picture/imsave.py", "    Raises\n    ------\n", "    Errors\n    ------\n", "Raises"),
}


@pytest.fixture
def package(tree):
    """The repository with this one's package and tests."""
    for folder in ("gpuplot", "widgets"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for file in [*(ROOT / "tests").glob("*.py"), *(ROOT / "tests" / "project").glob("*.py"), ROOT / "tests" / "sources.toml"]:
        write(tree, str(file.relative_to(ROOT)), file.read_text())
    return tree


@pytest.mark.parametrize("defect", STATIC)
def test_annotations_and_docstrings_are_compared_with_the_code(package, defect):
    assert lint(package, "annotations-docstrings").returncode == 0
    file, right, wrong, words = STATIC[defect]
    text = (package / file).read_text()
    assert right in text
    (package / file).write_text(text.replace(right, wrong, 1))
    done = lint(package, "annotations-docstrings")
    assert done.returncode == 1 and words in done.stdout


def test_cases_that_ran_are_noted_for_the_tests_after_it(package):
    """CI gives every stage the same file, so that none runs twice."""
    assert lint(package, "annotations-docstrings", "--ran=ran").returncode == 0
    cases = (package / "ran").read_text().splitlines()
    assert {case.partition("::")[0] for case in cases} == {f"host tests/project/test_{name}.py" for name in ("annotations", "docstrings")}
