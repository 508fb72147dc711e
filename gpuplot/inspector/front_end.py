"""The front end as one ES module: the modules of `widgets/`, joined in the order of their imports."""

import functools
import re
from pathlib import Path

MAIN = "inspector.js"
STYLE = "inspector.css"

# What joining removes from a module; tests check that the modules have no other imports and exports. Comments on lines of their own
# are for readers of the modules: they would be a sixth of every notebook file that keeps its widgets.
_IMPORT = re.compile(r'^import \{ [\w$, ]+ \} from "\./([\w-]+\.js)";\n', re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?function|class |const )", re.M)
_COMMENT = re.compile(r"^ *(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)\n", re.M)


@functools.cache
def find_folder():
    """The folder of the modules: inside an installed package, beside the package in the source tree."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "widgets", package.parent / "widgets"):
        if (folder / MAIN).is_file():
            return folder
    raise FileNotFoundError(f"the inspector's front end, {MAIN}, is not beside the package in {package}: the installation is "
                            "incomplete, install gpuplot again")


@functools.cache
def read_script():
    """The ES module of the widget."""
    return join_modules(find_folder())


@functools.cache
def read_style():
    """The style sheet of the widget, without comments as well."""
    return _COMMENT.sub("", (find_folder() / STYLE).read_text(encoding="utf-8"))


def join_modules(folder, main=MAIN):
    """The text of one ES module: `main`, whose default export is the widget, and before it the modules of the folder that it needs.

    Each is written once, after those that it imports, without imports, comments, and exports other than the default one.
    """
    texts = {}

    def add(name):
        text = (Path(folder) / name).read_text(encoding="utf-8")
        for imported in _IMPORT.findall(text):
            if imported not in texts:
                add(imported)
        texts[name] = _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", text)))

    add(main)
    return "".join(texts.values())
