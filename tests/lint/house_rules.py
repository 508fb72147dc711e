"""Checks rules of this repository that no linter has: opening sentences, marks of unfinished work, paths of one machine.

usage: python tests/lint/house_rules.py FILE...   (each finding is a line; the status is 1 where there is one)
"""

import ast
import re
import sys
from collections import Counter
from pathlib import Path

# How the first line of a file begins, by the end of its name.
OPENINGS = {
    (".py", ".pyi"): r'r?"""\S|# %% \[markdown\]',
    (".c", ".h", ".cu", ".cuh", ".cpp", ".in", ".css", ".map"): r"/\*( \S|$)|// \S",
    (".js",): r"// \S|/\*\* \S",
    (".sh", ".cmake", "CMakeLists.txt", ".mplstyle", "Makefile", ".clang-format"): r"# \S",
    (".md",): r"# \S",
}
TEXTS = (*(suffix for suffixes in OPENINGS for suffix in suffixes), ".toml", ".html", ".txt", ".ipynb", ".yml")
MARK = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b")
# Folders of one person or one machine; what every Linux or macOS has, such as /usr, is none.
LOCAL_PATH = re.compile(r"(?<![\w.~$}])/(home|root|Users|work|mnt)/\w|\bfile:///\w")


def check_opening(name, text):
    """The first line says in a sentence what the file is."""
    for suffixes, opening in OPENINGS.items():
        if name.endswith(suffixes):
            lines = text.split("\n")
            lines = lines[1:] if lines[0].startswith("#!") else lines
            if not re.match(opening, lines[0]):
                yield 1, "the file does not open with what it is"
            elif not name.endswith(".md") and not lines[0].startswith("# %%") and not has_sentence(name, lines):
                yield 1, "the opening is not a sentence: it has no end"


def has_sentence(name, lines):
    """Whether the first sentence ends before the first paragraph does."""
    if name.endswith((".py", ".pyi")):
        paragraph = (ast.get_docstring(ast.parse("\n".join(lines))) or "").partition("\n\n")[0]
    else:
        paragraph = " ".join(lines[:4])
    return re.search(r"[.:?!](\s|$|\"|\*/)", paragraph) is not None


def check_lines(name, text):
    """No marks of unfinished work, no paths of one machine, no tabs or blanks where nobody sees them."""
    for number, line in enumerate(text.split("\n"), 1):
        if '"image/png"' in line:
            continue
        if MARK.search(line):
            yield number, f"{MARK.search(line).group()}: finish it, or say in a sentence what is so and why"
        if LOCAL_PATH.search(line):
            yield number, "a path of one machine"
        if name.endswith(".ipynb"):
            continue
        if line != line.rstrip():
            yield number, "blanks at the end of the line"
        if "\t" in line and not name.endswith("Makefile"):
            yield number, "a tab"
    if text and (not text.endswith("\n") or text.endswith("\n\n")):
        yield text.count("\n"), "the file does not end with one newline"


def check_tests(name, text):
    """No test is replaced by another of its name, which pytest would not run without a word."""
    path = Path(name)
    if not path.name.startswith("test_") or path.suffix != ".py":
        return
    tree = ast.parse(text)
    for body in [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]:
        functions = [node for node in body if isinstance(node, ast.FunctionDef)]
        counts = Counter(node.name for node in functions)
        for node in functions:
            if counts[node.name] > 1 and node.name.startswith("test_"):
                yield node.lineno, f"{node.name} is defined {counts[node.name]} times: only the last one runs"


def findings(name):
    """(line number, message) of each rule that a file breaks."""
    if not name.endswith(TEXTS):
        return
    text = Path(name).read_text()
    for check in (check_opening, check_lines, check_tests):
        yield from check(name, text)


def main(names):
    """Print the findings of all files, and return the exit status."""
    lines = [f"{name}:{number}: {message}" for name in names for number, message in findings(name)]
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
