"""Sources as syntax trees: which files are mutated, their functions, and text that tree-sitter's grammars can read."""

import dataclasses
import functools
import re
from pathlib import Path

import tree_sitter
import tree_sitter_c
import tree_sitter_cpp
import tree_sitter_javascript
import tree_sitter_python

# The six places that a sample is spread over: name, patterns, share.
PLACES = (
    ("core", ("native/*.c", "native/core/*/*.c", "native/core/*/*.h", "native/png/*.c", "native/png/*.h"), 16),
    ("cpu", ("native/cpu/*.c", "native/cpu/*.h", "native/cpu/*/*.c", "native/cpu/*/*.h"), 20),
    ("cuda", ("native/cuda/*.c", "native/cuda/*.h", "native/cuda/runtime/*.c", "native/cuda/runtime/*.h"), 18),
    ("kernels", ("native/cuda/kernels/*",), 16),
    ("gpuplot", ("gpuplot/**/*.py",), 20),
    ("widgets", ("widgets/*.js",), 10),
)
_GRAMMARS = {"c": tree_sitter_c, "cpp": tree_sitter_cpp, "js": tree_sitter_javascript, "py": tree_sitter_python}
_FUNCTIONS = {"function_definition", "function_declaration", "method_definition", "arrow_function", "function_expression",
              "generator_function_declaration"}

# Macros that stand where the grammars of C and C++ expect none. Each is replaced by as many bytes, so that positions stay.
_QUALIFIER = re.compile(rb"\b(GP_FN|GP_DEVICE|GP_API|GP_ALIGNED\(\w+\))(?=\s)")
_NAME_OF_MACRO = re.compile(rb"\b(FN|GP_OF_CLASS|GP_AT_LEVEL|GP_LEVELED)\((\w+)\)")
_USE_OF_MACRO = re.compile(rb"^[A-Z][A-Z0-9_]*\([^\n{}]*\)(?=\n(?!\{))", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Source:
    """One file: its path in the tree, its place, language, bytes and syntax tree."""

    path: str
    place: str
    language: str
    text: bytes
    root: object


@functools.cache
def _parser(language):
    return tree_sitter.Parser(tree_sitter.Language(_GRAMMARS[language].language()))


def language_of(path):
    """"c", "cpp", "js" or "py"."""
    if path.endswith((".py", ".js")):
        return path[-2:]
    return "cpp" if "/kernels/" in path else "c"


def _without_macros(text):
    text = _QUALIFIER.sub(lambda match: b" " * len(match[0]), text)
    text = _NAME_OF_MACRO.sub(lambda match: match[1] + b"_" + match[2] + b"_", text)
    return _USE_OF_MACRO.sub(lambda match: b" " * len(match[0]), text)


def parse(path, place, text):
    """The `Source` of a text."""
    language = language_of(path)
    read = _without_macros(text) if language in ("c", "cpp") else text
    return Source(path, place, language, text, _parser(language).parse(read).root_node)


def sources(root):
    """Every file that is mutated, in the tree at `root`."""
    found = []
    for place, patterns, _ in PLACES:
        paths = sorted({path for pattern in patterns for path in Path(root).glob(pattern) if path.is_file()})
        found += [parse(str(path.relative_to(root)), place, path.read_bytes()) for path in paths]
    return found


def walk(node):
    """A node and all below it, in the order of the text."""
    yield node
    for child in node.children:
        yield from walk(child)


def _declared_name(node):
    name = node.child_by_field_name("name")
    if name is not None:
        return name.text.decode()
    inner = node.child_by_field_name("declarator")
    while inner is not None and inner.child_by_field_name("declarator") is not None:
        inner = inner.child_by_field_name("declarator")
    if inner is not None:
        name, *rest = inner.text.decode().split("(")
        return rest[0].split(",")[0] if name == "GP_KERNEL" and rest else name.strip()
    parent = node.parent  # const name = () => ...
    if parent is not None and parent.type in ("variable_declarator", "pair", "assignment_expression"):
        return parent.children[0].text.decode()
    return None


def name_of_function(node):
    """The function around a node, with those around it ("Scene.change", "makeApp.emit"), or "<file>"."""
    names = []
    while node is not None:
        if node.type in _FUNCTIONS or node.type in ("class_definition", "class_declaration", "struct_specifier"):
            names.append(_declared_name(node))
        node = node.parent
    return ".".join(name for name in reversed(names) if name) or "<file>"


def function_node(node):
    """The outermost function around a node, or None."""
    found = None
    while node is not None:
        if node.type in _FUNCTIONS:
            found = node
        node = node.parent
    return found
