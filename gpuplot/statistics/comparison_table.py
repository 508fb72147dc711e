"""`ComparisonTable`: how the tensors of one name in two collections differ."""

import itertools

from ..errors import listed
from . import html, text
from .comparison import check_tolerances, compare_elements
from .named_rows import NamedRows

# Most names of a collection that an error lists.
MAX_LISTED = 5


class ComparisonTable(NamedRows):
    """A mapping from name to `Comparison`, the worst first: NaN in one of the two alone, then the largest difference.

    Parameters
    ----------
    rows : dict of str to Comparison
        In any order; those that are equally bad stay in it.
    skipped : dict of str to str, optional
        Why tensors of one name were not compared, such as two shapes.
    only_a, only_b : list of str
        Names that one of the two has alone.
    titles : (str, str), default: ("a", "b")
        What the two are called.

    Examples
    --------
    >>> import gpuplot
    >>> table = gpuplot.compare({"w": [1.0, 2.0], "b": [3.0]}, {"w": [1.0, 2.5], "b": [3.0], "new": [0.0]})
    >>> table["w"].max_abs, list(table), table.only_b
    (0.5, ['w', 'b'], ['new'])
    >>> print(table)
    w    float64 (2,) · largest difference 0.5 at [1] · relative 0.2 at [1] · beyond rtol 1e-07, atol 1e-07: 1 of 2 (50 %)
    b    float64 (1,) · equal
    new  in b alone
    """

    def __init__(self, rows, skipped=(), only_a=(), only_b=(), titles=("a", "b")):
        super().__init__(sorted(rows.items(), key=lambda row: _badness(row[1]), reverse=True), skipped)
        self.only_a, self.only_b, self.titles = list(only_a), list(only_b), tuple(titles)

    def __repr__(self):
        return text.comparisons(self)

    def _repr_html_(self):
        return html.comparisons(self)


def _badness(found):
    return found.nan_only_a + found.nan_only_b > 0, found.max_abs


def _advice(first, second, titles):
    """The advice where no name is in both: where the names of one have a prefix before those of the other, the part below it."""
    for (whole, names), (part, others) in itertools.permutations(zip(titles, (first, second), strict=True)):
        prefix = next(filter(None, (_prefix(name, others) for name in names)), None)
        if prefix is not None:
            return (f"in {whole} the names of {part} come after {prefix!r}: give that part of {whole}, such as the module that is "
                    f"wrapped, or of a dict {{name.removeprefix({prefix!r}): X for name, X in {whole}.items()}}")
    return "give tensors of the same names"


def _prefix(name, others):
    """The part of a name before its longest ending that is one of the other names; None if no ending is."""
    ends = (k + 1 for k, letter in enumerate(name) if letter == "." and name[k + 1:] in others)
    return next((name[:end] for end in ends), None)


def compare_named(first, second, read, rtol=None, atol=None, titles=("a", "b"), compare=compare_elements):
    """The `ComparisonTable` of two dicts of tensors by name, each of which ``read`` turns into a `Source`.

    ``compare(a, b, rtol, atol)`` is the `Comparison` of two sources.

    Raises
    ------
    ValueError
        No name is in both; invalid tolerances.
    """
    check_tolerances(rtol, atol)
    both = [name for name in first if name in second]
    if not both:
        both_have = " and ".join(f"{title} has {listed_names(names)}" for title, names in zip(titles, (first, second), strict=True))
        raise ValueError(f"no name is in both: {both_have}; {_advice(first, second, titles)}")
    rows, skipped = {}, {}
    for name in both:
        try:
            one, other = read(first[name]), read(second[name])
        except (TypeError, ValueError) as error:
            skipped[name] = str(error)
            continue
        if one.shape != other.shape:
            skipped[name] = f"{text.shape_text(one.shape)} and {text.shape_text(other.shape)}: tensors of one shape are compared"
        else:
            rows[name] = compare(one, other, rtol, atol)
    alone = [[name for name in names if name not in others] for names, others in ((first, second), (second, first))]
    return ComparisonTable(rows, skipped, *alone, titles)


def listed_names(names):
    """The first names of a collection as text."""
    return listed(names, MAX_LISTED) or "none"
