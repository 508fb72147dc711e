"""What is done to a source: for each node of a syntax tree the small defects that can be planted there."""

import re

_BOUNDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_EQUALITY = {"==": "!=", "!=": "==", "===": "!==", "!==": "===", "is": "is not", "is not": "is", "in": "not in", "not in": "in"}
_ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "//": "*", "%": "+", "<<": ">>", ">>": "<<", "|": "&", "&": "|", "^": "|"}
_COMPOUND = {"+=": "-=", "-=": "+=", "*=": "+=", "|=": "&=", "&=": "|=", "<<=": ">>=", ">>=": "<<="}
_LOGIC = {"&&": "||", "||": "&&", "and": "or", "or": "and"}
_EXTREMES = [("min", "max"), ("smaller", "larger"), ("Min", "Max"), ("floor", "ceil"), ("any", "all"), ("first", "last")]
_BINARY = {"binary_expression", "comparison_operator", "boolean_operator", "binary_operator"}
_NUMBERS = {"number_literal", "number", "integer", "float"}

_BARRIER = re.compile(r"(?<!A)[sS]ync|barrier|fence|_wait|wait_|signal|broadcast")
_JOIN = re.compile(r"join|merge|combine")
_RELEASE = re.compile(r"free|release|close|leave|unlock|destroy|_pop|unmap|remove|disconnect|clear|cancel|revoke|DECREF")

# Nothing is planted in what only speaks to people or to the compiler.
_SILENT_NODES = {"raise_statement", "throw_statement", "assert_statement", "static_assert_declaration", "type", "decorator",
                 "preproc_def", "preproc_function_def", "preproc_if", "preproc_include", "array_declarator", "import_statement",
                 "import_from_statement", "sizeof_expression", "attribute_declaration", "ERROR", "template_argument_list",
                 "template_parameter_list", "bitfield_clause", "type_descriptor"}
_SILENT_CALLS = re.compile(r"^(gp_fail\w*|assert|GP_STATIC_ASSERT|static_assert|warnings\.warn|PyErr_\w+|console\.\w+)$")


def is_silent(node, text):
    """Whether a node of a file with this text is left alone with all below it."""
    if node.type == "preproc_if":  # #if around code is code; only its condition is not
        return False
    if node.type in _SILENT_NODES:
        return True
    return node.type in ("call_expression", "call") and bool(_SILENT_CALLS.match(_of(node.child_by_field_name("function"), text)))


def _of(node, text):
    """A node's own text, in which macros are still what they were."""
    return text[node.start_byte:node.end_byte].decode()


def defects(node, language, text):
    """The defects of one node of a file with this text: tuples (operator, first byte, last byte + 1, new text)."""
    if node.type in _BINARY:
        yield from _operator(node)
    elif node.type in _NUMBERS:
        yield from _constant(node, text)
    elif node.type in ("if_statement", "elif_clause"):
        yield from _guard(node, language, text)
    elif node.type == "expression_statement":
        yield from _statement(node, language, text)
    elif node.type in ("call_expression", "call"):
        yield from _call(node, text)
    elif node.type in ("augmented_assignment", "augmented_assignment_expression", "assignment_expression"):
        yield from _compound(node)
    elif node.type in ("conditional_expression", "ternary_expression"):
        yield from _choice(node, language, text)
    elif node.type in ("true", "false"):
        yield "flag", node.start_byte, node.end_byte, _flipped(_of(node, text))
    elif node.type in ("unary_expression", "not_operator") and node.children[0].type in ("!", "not"):
        yield "negation", node.start_byte, node.end_byte, f"({_of(node.children[-1], text)})"


def _flipped(text):
    return {"true": "false", "false": "true", "True": "False", "False": "True"}.get(text, text)


def _operator(node):
    for child in node.children:
        word = child.type
        for operator, table in (("boundary", _BOUNDS), ("equality", _EQUALITY), ("arithmetic", _ARITHMETIC), ("logic", _LOGIC)):
            if not child.is_named and word in table:
                yield operator, child.start_byte, child.end_byte, table[word]


def _compound(node):
    for child in node.children:
        if not child.is_named and child.type in _COMPOUND:
            yield "arithmetic", child.start_byte, child.end_byte, _COMPOUND[child.type]


def _constant(node, text):
    number = _of(node, text)
    parent = node.parent
    if parent is not None and parent.type in ("initializer_list", "case_statement", "return_type"):
        return
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlLn]*)", number)
    if match and number.startswith("0") and number != "0":
        yield "constant", node.start_byte, node.end_byte, f"({number} + 1)"
    elif match:
        yield "constant", node.start_byte, node.end_byte, f"{int(match[1]) + 1}{match[2]}"
    elif re.fullmatch(r"[\d.]+(e[+-]?\d+)?f?", number):
        yield "constant", node.start_byte, node.end_byte, "1.0" if float(number.rstrip("f")) == 0 else f"(2 * {number})"


def _guard(node, language, text):
    """A condition that never holds: an early return, an option or a special case that is forgotten."""
    condition = node.child_by_field_name("condition")
    if condition is None:
        return
    shown = _of(condition, text)
    never = {"py": f"False and ({shown})", "js": f"(false && {shown})"}.get(language, f"(0 && {shown})")
    yield "guard", condition.start_byte, condition.end_byte, never


def _statement(node, language, text):
    inner = node.named_children[0] if node.named_children else None
    if inner is None:
        return
    nothing = "pass" if language == "py" else ";"
    if inner.type == "await":
        inner = inner.named_children[0]
    if inner.type in ("call_expression", "call"):
        name = _of(inner, text)
        head = name.split("(")[0] if not name.startswith(("GP_TRY", "GP_WITHOUT_GIL")) else name.split("(")[1]
        kind = ("barrier" if _BARRIER.search(head) else "join" if _JOIN.search(head) else
                "release" if _RELEASE.search(head) else "step")
        yield kind, node.start_byte, node.end_byte, nothing
    elif inner.type in ("assignment", "assignment_expression", "augmented_assignment", "update_expression",
                        "augmented_assignment_expression"):
        left = inner.child_by_field_name("left")
        if left is not None and left.type in ("field_expression", "member_expression", "attribute", "subscript",
                                              "subscript_expression", "pointer_expression"):
            yield "assignment", node.start_byte, node.end_byte, nothing


def _call(node, text):
    callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None or arguments is None or arguments.type not in ("argument_list", "arguments"):
        return
    yield from _extreme(callee, text)
    values = arguments.named_children
    positional = [value for value in values if value.type not in ("keyword_argument", "comment", "list_splat", "dictionary_splat",
                                                                  "spread_element")]
    name = _of(callee, text).lower()
    if len(positional) >= 2 and not re.search(r"min|max|add|append", name):
        first, second = positional[:2]
        if _of(first, text) != _of(second, text) and {first.type, second.type} <= {"identifier", "number_literal", "attribute", "integer",
                                                                           "field_expression", "member_expression", "number"}:
            yield "swap", first.start_byte, second.end_byte, f"{_of(second, text)}, {_of(first, text)}"
    for k, value in enumerate(values):
        if value.type == "keyword_argument":
            start = values[k - 1].end_byte if k else value.start_byte
            end = value.end_byte if k or k + 1 == len(values) else values[k + 1].start_byte
            yield "option", start, end, ""


def _extreme(callee, text):
    name = _of(callee, text)
    for one, other in _EXTREMES:
        for word, instead in ((one, other), (other, one)):
            match = re.search(rf"(?:(?<=[_.])|^|(?<=atomic)|(?<=f)){word}(?=$|[A-Z_(])", name)
            if match:
                yield ("extreme", callee.start_byte + match.start(), callee.start_byte + match.end(), instead)
                return


def _choice(node, language, text):
    """The second of two values, always."""
    if language == "py":
        other = node.named_children[-1]
    else:
        other = node.child_by_field_name("alternative")
    if other is not None:
        yield "choice", node.start_byte, node.end_byte, f"({_of(other, text)})"
