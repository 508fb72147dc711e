"""The rules of widgets/README.md by which modules may be joined: forms of imports and exports, names, no circles."""

import re
from pathlib import Path

IMPORT = re.compile(r'^import \{ ([\w$, ]+) \} from "\./([\w-]+\.js)";$')
EXPORT = re.compile(r"^export (?:async )?(?:function\*?|class|const) ([\w$]+)")
TOP_LEVEL = re.compile(r"^(?:export )?(?:default )?(?:async )?(?:function\*?|class|const|let|var) ([\w$]+)", re.M)


def check_modules(folder, main="inspector.js"):
    """ValueError for the first line that breaks a rule, as `module:line: what is wrong`."""
    texts = {}
    _check_imports(Path(folder), main, texts, ())
    owner = {}
    for module, text in texts.items():
        for name in TOP_LEVEL.findall(text):
            if owner.setdefault(name, module) != module:
                raise ValueError(f"{name} is at the top level of both {owner[name]} and {module}")


def _check_imports(folder, name, texts, path):
    if name in path:
        raise ValueError(f"modules import each other: {' -> '.join([*path, name])}")
    if name in texts:
        return
    text = (folder / name).read_text()
    for number, line in enumerate(text.splitlines(), 1):
        if found := IMPORT.match(line):
            _check_imports(folder, found[2], texts, (*path, name))
            exported = {match[1] for match in map(EXPORT.match, texts[found[2]].splitlines()) if match}
            missing = {part.strip() for part in found[1].split(",")} - exported
            if missing:
                raise ValueError(f"{name}:{number}: {found[2]} does not export {', '.join(sorted(missing))}")
        elif line.startswith("export default "):
            if path:
                raise ValueError(f"{name}:{number}: only the first module has a default export")
        elif line.startswith(("import ", "import{", "export ", "export{", "export*")) and not EXPORT.match(line):
            raise ValueError(f"{name}:{number}: an import or export in another form than widgets/README.md gives: {line}")
    texts[name] = text
