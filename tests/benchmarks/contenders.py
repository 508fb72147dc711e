"""What a benchmark row is made of: statements as a user would type them, and who runs them on which array."""

import importlib.util
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Contender:
    """One library's way to do a job.

    Attributes
    ----------
    name : str
        Library and function.
    line : str
        The timed statements, on an array `a`. They leave their result in `r`.
    setup : str
        Statements before that are not timed: imports, wrapping the array in the library's own type.
    needs : tuple of str
        Modules that must be installed.
    cells, picture : str, optional
        An expression for the result as cells (float, rows x columns) or as pixels (uint8, rows x columns x 4), compared
        with the definition; neither where the job ends in something else.
    array : str, optional
        An expression for the result as an array, compared with the other contenders' element by element.
    check : str, optional
        Statements in place of `line` when the result is compared, where a timed run leaves nothing to compare.
    note : str
        What is different about it: another definition, less work.
    file : bool
        Whether it writes the file named in `path`, whose size is reported.
    """

    name: str
    line: str
    setup: str = ""
    needs: tuple = ()
    cells: str = ""
    picture: str = ""
    array: str = ""
    check: str = ""
    note: str = ""
    file: bool = False

    @property
    def typed(self):
        """The timed statements as one line, without the name that the result is given."""
        return "; ".join(line.removeprefix("r = ") for line in self.line.splitlines())

    @property
    def missing(self):
        """The modules that are needed and not installed."""
        return [name for name in self.needs if importlib.util.find_spec(name) is None]


@dataclass(frozen=True)
class Case:
    """One job: ours and the opponents on the same array.

    Attributes
    ----------
    name : str
    array : str
        A name in `arrays.ARRAYS`.
    ours : Contender
    opponents : tuple of Contender
    truth : tuple
        ``(function name in truths, arguments...)`` of what the result should be; empty for no comparison.
    bounds : dict
        Opponent's name -> the ratio ours/opponent that the project aims at. Shown, never enforced.
    is_quick : bool
        Whether ``--quick`` runs it.
    is_headline : bool
        Whether every contender is also run in fresh processes, for memory and the first call; else ours alone.
    """

    name: str
    array: str
    ours: Contender
    opponents: tuple = ()
    truth: tuple = ()
    bounds: dict = field(default_factory=dict)
    is_quick: bool = False
    is_headline: bool = False
