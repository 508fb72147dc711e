"""The page's half as one text: the modules of `widgets/` put end to end in the order of their imports."""

from __future__ import annotations

import functools
import re
from pathlib import Path

__all__ = ["find_folder", "join_modules", "read_style", "read_script"]

MAIN = "inspector.js"
STYLE = "inspector.css"

# The two forms of line that the modules are written in; anything else with these words is a mistake in one of them.
_IMPORT = re.compile(r'^import \{ ([\w$, ]+) \} from "\./([\w-]+\.js)";$')
_EXPORT = re.compile(r"^export (?=(?:async )?function|class |const )")
_DEFAULT = re.compile(r"^export default ")
_TOP_LEVEL = re.compile(r"^(?:export )?(?:default )?(?:async )?(?:function\*?|class|const|let|var) ([\w$]+)", re.M)


@functools.cache
def find_folder():
    """Where the modules are: inside the package where it was installed, beside it in the source tree."""
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
    """The style sheet of the widget."""
    return (find_folder() / STYLE).read_text(encoding="utf-8")


def join_modules(folder, main=MAIN):
    """One ES module that needs no other.

    Parameters
    ----------
    folder : path-like
        Where the modules are.
    main : str
        The one whose default export is the widget.

    Returns
    -------
    str
        Every module after those that it imports, as it is written but for import and export lines other than the default
        export.

    Raises
    ------
    ValueError
        An import that is not on a line of its own in the one form, modules that import each other, a name at the top
        level of two of them, a name that is imported and not exported.
    """
    texts, exported = {}, {}
    _collect(Path(folder), main, texts, exported, ())
    _check_names(texts)
    return "\n".join(texts.values()) + "\n"


def _collect(folder, name, texts, exported, path):
    """Adds a module's text after those of the modules that it imports, each once."""
    if name in path:
        raise ValueError(f"modules import each other: {' -> '.join([*path, name])}")
    if name in texts:
        return
    kept, names = [], set()
    for number, line in enumerate((folder / name).read_text(encoding="utf-8").splitlines(), 1):
        found = _IMPORT.match(line)
        if found:
            _collect(folder, found[2], texts, exported, (*path, name))
            missing = {part.strip() for part in found[1].split(",")} - exported[found[2]]
            if missing:
                raise ValueError(f"{name}:{number}: {found[2]} does not export {', '.join(sorted(missing))}")
            continue
        kept.append(_without_export(line, name, number, names, is_main=not path))
    exported[name] = names
    texts[name] = "\n".join(kept)


def _without_export(line, name, number, names, is_main):
    """A line as it stands in the joined text; what it exports is added to `names`."""
    if _DEFAULT.match(line):
        if not is_main:
            raise ValueError(f"{name}:{number}: only {MAIN} has a default export")
        return line
    if _EXPORT.match(line):
        names.update(_TOP_LEVEL.findall(line))
        return _EXPORT.sub("", line)
    if line.startswith(("import ", "import{", "export ", "export{", "export*")):
        raise ValueError(f"{name}:{number}: an import or export in another form than widgets/README.md gives: {line}")
    return line


def _check_names(texts):
    """All top levels become one, so a name may be there once."""
    owner = {}
    for module, text in texts.items():
        for name in _TOP_LEVEL.findall(text):
            if owner.setdefault(name, module) != module:
                raise ValueError(f"{name} is at the top level of both {owner[name]} and {module}")
