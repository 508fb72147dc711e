"""Probes: one statement at the start of each block of C, kernels and JavaScript, which notes that a test has run the block.

A probe's number is its place in the list of `probes_of`, which follows from the sources alone, so measured tests and mutants agree.
"""

import dataclasses

from syntax import _FUNCTIONS, walk

MAX_PROBES = 1 << 16  # as in probes.c
_BODIES = {"if_statement": ("consequence", "alternative"), "else_clause": (None,), "for_statement": ("body",),
           "while_statement": ("body",), "do_statement": ("body",), "for_in_statement": ("body",)}


@dataclasses.dataclass(frozen=True)
class Probe:
    """A block of a file, as bytes; `is_braced` where it has braces of its own."""

    path: str
    start: int
    end: int
    is_braced: bool


def _function_of(node):
    while node is not None and node.type not in _FUNCTIONS:
        node = node.parent
    return node


def _single_statements(node):
    """The statements without braces that a condition or a loop runs."""
    for name in _BODIES[node.type]:
        body = node.named_children[-1] if name is None else node.child_by_field_name(name)
        if body is not None and body.type not in ("compound_statement", "statement_block", "else_clause", "comment"):
            yield body


def _blocks_of(source):
    for node in walk(source.root):
        if node.type in ("compound_statement", "statement_block") and _function_of(node) is not None and not node.has_error:
            if node.parent.type == "switch_statement":  # what stands before the first case is never run
                continue
            yield Probe(source.path, node.start_byte, node.end_byte, True)
        elif node.type in _BODIES and not node.has_error:
            for body in _single_statements(node):
                if body.type not in ("if_statement",) or node.type != "else_clause":
                    yield Probe(source.path, body.start_byte, body.end_byte, False)


def probes_of(sources):
    """All probes of all sources but Python's, whose lines coverage.py follows."""
    return [probe for source in sources if source.language != "py" for probe in _blocks_of(source)]


def _call(source, number):
    if source.language == "js":
        return f"(globalThis.gpProbes = globalThis.gpProbes || {{}})[{number}] = 1;"
    return f"GP_PROBE({number})"


def with_probes(source, numbered):
    """The text of a source with its probes: pairs (number, probe)."""
    edits = []
    for number, probe in numbered:
        call = _call(source, number)
        if probe.is_braced:
            edits.append((probe.start + 1, 1, f" {call} "))
        else:
            edits += [(probe.start, 2, f"{{ {call} "), (probe.end, 0, " }")]
    text = source.text
    # From the end; at one position closing braces come before what opens there, inner ones before outer ones.
    for position, _, new in sorted(edits, key=lambda edit: (edit[0], edit[1]), reverse=True):
        text = text[:position] + new.encode() + text[position:]
    return text


def probes_around(probes, mutant, sources):
    """The numbers of probes that see a mutant: the innermost block around it, else all of its file, else of files that include it."""
    here = [(number, probe) for number, probe in probes if probe.path == mutant.path]
    around = [(probe.end - probe.start, number) for number, probe in here if probe.start <= mutant.start < probe.end]
    if around:
        return {min(around)[1]}
    users = {mutant.path} if here else _users_of(mutant.path, sources)
    return {number for number, probe in probes if probe.path in users}


def _users_of(path, sources):
    """The files that include a header, themselves or by another one."""
    users, names = set(), {path.rsplit("/", 1)[-1]}
    while names:
        including = {source.path for source in sources if any(f'"{name}"'.encode() in source.text for name in names)} - users
        users |= including
        names = {name.rsplit("/", 1)[-1] for name in including}
    return users
