"""Every mutant that can be planted, each with a name that survives changes of lines, and a sample of them by seed."""

import collections
import dataclasses
import hashlib

from operators import defects, is_silent
from syntax import PLACES, function_node, name_of_function, walk

MAX_EXCERPT = 90


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One defect: `text[start:end]` of the file at `path` becomes `new`."""

    key: str
    id: str
    place: str
    path: str
    function: str
    operator: str
    before: str
    after: str
    first_line: int  # of the statement around it
    line: int
    start: int
    end: int
    new: str

    def apply(self, text):
        """The file with the defect."""
        return text[: self.start] + self.new.encode() + text[self.end:]


def _around(source, node, start, end, new):
    """The expression or statement around a defect, in one line, before and after."""
    if node.start_byte < start and len(node.text) > MAX_EXCERPT:
        node = node.child_by_field_name("condition") or node
    while len(node.text) < 12 and node.parent is not None and len(node.parent.text) < MAX_EXCERPT:
        node = node.parent
    first, last = min(node.start_byte, start), max(node.end_byte, end)
    before = source.text[first:last].decode(errors="replace")
    after = (source.text[first:start] + new.encode() + source.text[end:last]).decode(errors="replace")
    shown = [" ".join(text.split()) for text in (before, after)]
    return shown if max(map(len, shown)) <= MAX_EXCERPT else [_cut(text) for text in shown]


def _first_line(node):
    while node.parent is not None and node.parent.type not in ("block", "module"):
        node = node.parent
    return node.start_point[0] + 1


def _cut(text):
    return text if len(text) <= MAX_EXCERPT else text[: MAX_EXCERPT // 2] + " … " + text[-MAX_EXCERPT // 2:]


def _visit(node, text):
    if is_silent(node, text):
        return
    yield node
    for child in node.children:
        yield from _visit(child, text)


def _is_allowed(node, source):
    """In C only what stands in functions that were read without an error, and constants of enumerations."""
    if source.language not in ("c", "cpp"):
        return True
    function = function_node(node)
    if function is None:
        return node.type == "number_literal" and node.parent.type == "enumerator"
    return not any(part.is_error for part in walk(node.parent))


def mutants_of(source):
    """All mutants of a file. A key is path, function, operator and the changed expression, and a number where that occurs again."""
    seen, found = collections.Counter(), []
    for node in _visit(source.root, source.text):
        for operator, start, end, new in defects(node, source.language, source.text):
            if source.text[start:end].decode(errors="replace") == new or not _is_allowed(node, source):
                continue
            before, after = _around(source, node, start, end, new)
            function = name_of_function(node)
            key = f"{source.path}:{function}:{operator}:{before} -> {after}"
            seen[key] += 1
            if seen[key] > 1:
                key += f" #{seen[key]}"
            found.append(Mutant(key, hashlib.sha256(key.encode()).hexdigest()[:8], source.place, source.path, function, operator,
                                before, after, _first_line(node), source.text.count(b"\n", 0, start) + 1, start, end, new))
    return found


def _rank(mutant, seed):
    return hashlib.sha256(f"{seed}:{mutant.key}".encode()).hexdigest()


def sample(mutants, count, seed):
    """`count` mutants, or a few more: each place its share, in turn from each operator, at most one of a function and operator.

    Places take turns, so that what was tried until an interruption is spread as well. The order of a mutant follows from its key
    and the seed alone, so a change elsewhere in the tree leaves most of a sample as it is.
    """
    spread, total = [], sum(share for _, _, share in PLACES)
    for place, _, share in PLACES:
        wanted = max(1, round(count * share / total))
        rows = collections.defaultdict(list)
        for mutant in sorted((m for m in mutants if m.place == place), key=lambda m: _rank(m, seed)):
            rows[mutant.operator].append(mutant)
        spread += [((k + 0.5) / wanted, mutant) for k, mutant in enumerate(_in_turn(rows, wanted))]
    return [mutant for _, mutant in sorted(spread, key=lambda pair: pair[0])]


def _in_turn(rows, wanted):
    chosen, functions = [], set()
    queues = {operator: iter(rows[operator]) for operator in sorted(rows)}
    while queues and len(chosen) < wanted:
        for operator, queue in list(queues.items()):
            one = next((m for m in queue if (m.path, m.function) not in functions), None)
            if one is None:
                del queues[operator]
            elif len(chosen) < wanted:
                chosen.append(one)
                functions.add((one.path, one.function))
    return chosen
