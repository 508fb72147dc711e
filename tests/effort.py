"""How much of the tests runs: shares of matrices, modes of the emulated device, Hypothesis examples, all by one seed.

Three efforts: `quick` (make test), `check` (.ci/run) and `whole` (make test-all). The seed is the hash of the commit, or
what GPUPLOT_TEST_SEED or --seed gives; the same seed runs the same cases.
"""

import hashlib
import itertools
import math
import os
import random
from pathlib import Path

import changed
from emulated_control import ORDERS, PACES

__all__ = ["EFFORTS", "begin", "cache", "calls_to_fail", "current", "examples", "in_share", "is_page_in_share", "modes", "number", "seed",
           "share_of", "some"]

# Share of the rows of a matrix beside the cover of pairs, of a property's examples, and of the tests of pages.
EFFORTS = {"quick": (0.0, 0.25, 0.2), "check": (0.1, 0.5, 1.0), "whole": (1.0, 1.0, 1.0)}

_state = {"effort": "quick", "seed": "", "whole": frozenset()}


def begin(effort, given_seed):
    """Take the options of a run; called before any test file is imported."""
    _state["effort"] = effort
    _state["seed"] = given_seed or os.environ.get("GPUPLOT_TEST_SEED") or changed.commit() or "0"
    _state["whole"] = frozenset(changed.tests_of(changed.changed_files()))
    _load_profile()


def _load_profile():
    """Hypothesis without deadlines, with a database that outlives the checkout; tests on a bare machine may do without Hypothesis."""
    try:
        from hypothesis import settings
        from hypothesis.database import DirectoryBasedExampleDatabase
    except ImportError:
        return
    database = DirectoryBasedExampleDatabase(cache() / "hypothesis")
    settings.register_profile("gpuplot", deadline=None, database=database, print_blob=True)
    settings.load_profile("gpuplot")


def current():
    """The name of the effort."""
    return _state["effort"]


def seed():
    """The seed of the run, a text."""
    return _state["seed"]


def number(key):
    """A number of 64 bits that depends on the seed and a text."""
    return int.from_bytes(hashlib.sha256(f"{seed()} {key}".encode()).digest()[:8], "big")


def in_share(key, share):
    """Whether what has this name belongs to a share, from 0 to 1, of its kind."""
    return number(key) < share * 2**64


def share_of(test_file):
    """The share of matrix rows beside the cover; whole for a file whose sources differ from the commit before the last."""
    return 1.0 if test_file in _state["whole"] else EFFORTS[current()][0]


def is_page_in_share(nodeid):
    """Whether a test of pages runs: pages take half a second each, which would be half of a quick run."""
    file, _, function = nodeid.partition("::")
    return file in _state["whole"] or in_share(f"{file} {function.partition('[')[0]}", EFFORTS[current()][2])


def examples(most, **options):
    """Hypothesis settings of a property with at most so many examples in a whole run, and their share in others."""
    from hypothesis import settings

    return settings(max_examples=max(10, math.ceil(most * EFFORTS[current()][1])), deadline=None, **options)


def calls_to_fail(most, step=1):
    """Which calls of the driver a test lets fail, one after the other: all of them, or the first and the share of the seed."""
    test, share = _current_test(), 1.0 if current() == "whole" else 1 / 3
    return (nth for nth in range(1, most, step) if nth <= 3 or in_share(f"{test} {nth}", share))


def some(array, n):
    """An array in a whole run, else its ends and so many of its elements that the seed picks, in order."""
    if current() == "whole" or array.size <= n:
        return array
    inside = random.Random(number(_current_test())).sample(range(array.size), n)
    return array[sorted({0, array.size - 1, *inside})]


def modes():
    """(order, pace, seed) of the emulated device: all nine, or three in which every order and every pace is once."""
    key = number(_current_test())
    if current() == "whole":
        return [(*mode, key % 2**32) for mode in itertools.product(ORDERS, PACES)]
    paces = random.Random(key).sample(list(PACES), len(PACES))
    return [(order, pace, key % 2**32) for order, pace in zip(ORDERS, paces, strict=True)]


def _current_test():
    """The id of the test that is running."""
    return os.environ.get("PYTEST_CURRENT_TEST", "").partition(" (")[0]


def cache():
    """The folder of what runs keep for later ones, also for those of other checkouts."""
    return _CACHE


# Read at once: tests point the variable elsewhere.
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpuplot" / "tests"
