"""The choice of tests: covers of matrices, shares by a seed, and the table of tests and sources."""

import itertools
import subprocess
import sys
from pathlib import PurePosixPath

import changed
import effort
import pytest
from matrix import choose, matrix

ROWS = list(itertools.product(range(5), "abcd", (True, False), range(3)))


def pairs(rows):
    return {((i, row[i]), (j, row[j])) for row in rows for i, j in itertools.combinations(range(len(row)), 2)}


@pytest.mark.parametrize("key", ["", "one seed", "another"])
def test_a_cover_has_every_pair_in_few_rows(key):
    chosen = choose(ROWS, 0.0, key)
    assert pairs([ROWS[i] for i in chosen]) == pairs(ROWS)
    assert 20 <= len(chosen) < 40  # of 120; fewer than 5 x 4 can't have every pair


def test_rows_that_are_no_cases_are_not_needed_for_a_cover():
    rows = [row for row in ROWS if row[0] != 3 or row[1] == "a"]
    assert pairs([rows[i] for i in choose(rows, 0.0, "")]) == pairs(rows)


@pytest.mark.parametrize("rows", [[], [(1,)], [(1,), (2,), (3,)], [(1, "a")], list(itertools.product("ab", "cd"))])
def test_of_one_axis_or_two_every_row_is_in_the_cover(rows):
    assert choose(rows, 0.0, "") == list(range(len(rows)))


def test_a_share_depends_on_the_seed_alone():
    chosen = choose(ROWS, 0.3, "seed")
    assert chosen == choose(ROWS, 0.3, "seed") != choose(ROWS, 0.3, "seeds")
    assert set(choose(ROWS, 0.0, "seed")) <= set(chosen)
    assert len(choose(ROWS, 0.0, "seed")) < len(chosen) < len(ROWS)
    assert choose(ROWS, 1.0, "seed") == list(range(len(ROWS)))


def test_every_row_has_its_turn():
    assert set().union(*(choose(ROWS, 0.1, str(seed)) for seed in range(60))) == set(range(len(ROWS)))


@matrix(lambda number, letter: number != 1 or letter != "b", number=(1, 2), letter=dict(a=1, b=2))
def test_a_mark_gives_its_test_the_rows(number, letter):
    assert (number, letter) in {(1, "a"), (2, "a"), (2, "b")}


def test_three_modes_have_each_order_and_each_pace_once():
    modes = effort.modes()
    if effort.current() == "whole":
        assert len({mode[:2] for mode in modes}) == 9
    else:
        assert {mode[0] for mode in modes} == set(effort.ORDERS) and {mode[1] for mode in modes} == set(effort.PACES) and len(modes) == 3


def test_every_test_file_has_a_row_and_every_row_a_file():
    folder = changed.ROOT / "tests"
    paths = [path for pattern in ("[!g]*/test_*.py", "native/test_*.c") for path in folder.glob(pattern)]
    files = {str(path.relative_to(changed.ROOT)) for path in paths}
    assert set(changed.table()) == files


def test_every_source_has_a_test():
    patterns = [pattern for row in changed.table().values() for pattern in row]
    kinds = {"native": ("c", "h", "cu", "cuh"), "gpuplot": ("py",), "widgets": ("js", "css")}
    sources = [path.relative_to(changed.ROOT) for folder in kinds for kind in kinds[folder]
               for path in (changed.ROOT / folder).rglob(f"*.{kind}")]
    assert len(sources) > 200
    assert [str(source) for source in sources if not any(PurePosixPath(source).match(pattern) for pattern in patterns)] == []


def test_every_pattern_has_a_source():
    names = [PurePosixPath(path.relative_to(changed.ROOT)) for folder in ("native", "gpuplot", "widgets", "tests", "examples", "docs")
             for path in (changed.ROOT / folder).rglob("*") if path.is_file()]
    names += [PurePosixPath(path.name) for path in changed.ROOT.iterdir() if path.is_file()]
    patterns = {pattern for row in changed.table().values() for pattern in row}
    assert sorted(pattern for pattern in patterns if not any(name.match(pattern) for name in names)) == []


def test_tests_are_found_from_sources():
    assert changed.tests_of(["native/cuda/kernels/find.cuh"]) == [
        "tests/cuda/test_cuda_find.py", "tests/native/test_shared_headers.py", "tests/nvrtc/test_kernel_page.py",
        "tests/nvrtc/test_kernels.py", "tests/nvrtc/test_nvrtc.py"]
    assert changed.tests_of(["tests/plane/test_view.py", "LICENSE"]) == ["tests/plane/test_view.py"]
    program = changed.ROOT / "tests" / "changed.py"
    done = subprocess.run([sys.executable, program, "gpuplot/mpl/images/cursor.py"], text=True, capture_output=True)
    assert done.stdout == "tests/mpl/test_image_cursor.py\n"
