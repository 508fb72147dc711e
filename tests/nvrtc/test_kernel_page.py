"""native/cuda/kernels.md and kernels.csv, which `kernel_table.py --pages` writes, are of the kernels that the sources have."""

import csv
import importlib.util
import re
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")

HERE = Path(__file__).resolve().parent
CUDA = HERE.parents[1] / "native" / "cuda"
_spec = importlib.util.spec_from_file_location("kernel_table_of_page", HERE / "kernel_table.py")
kernel_table = sys.modules["kernel_table_of_page"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(kernel_table)
AGAIN = "python tests/nvrtc/kernel_table.py --pages"


@pytest.fixture(scope="module")
def lines():
    """The lines of kernels.csv as dicts."""
    with (CUDA / "kernels.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_kernel_has_a_line(lines):
    names = [line["kernel"] for line in lines]
    assert len(set(names)) == len(names)
    assert set(names) == kernel_table.kernels_in_source(), AGAIN


def test_every_line_says_what_a_kernel_takes(lines):
    for line in lines:
        for arch in kernel_table.ARCHS:
            registers, warps = int(line[f"sm_{arch} registers"]), int(line[f"sm_{arch} warps"])
            assert 8 <= registers <= 255 and 1 <= warps <= 64, line


def test_page_says_which_kernels_have_stacks(lines):
    """Of those that are not for hidden axes."""
    typed = {line["kernel"]: max(int(line[f"sm_{arch} stack"]) for arch in kernel_table.ARCHS) for line in lines}
    stacks = {name: stack for name, stack in typed.items() if stack and not name.endswith("_ANY")}
    assert max(stacks.values()) == 80
    assert {name.rpartition("_")[0] for name in stacks} == {
        "sum_narrow", "sum_narrow_want", "sum_wide", "extremes_narrow", "extremes_narrow_want", "summarize", "place_lines", "place_points"}


def test_stacks_of_reductions_are_those_that_are_known(lines):
    """Of those that are not for hidden axes (`test_kernels.py` compiles them)."""
    typed = [line for line in lines if not line["kernel"].endswith("_ANY")]
    hot = [line for line in typed if re.match(r"(sum|extremes|moments)_(narrow|wide)", line["kernel"])]
    stacks = {line["kernel"]: max(int(line[f"sm_{arch} stack"]) for arch in kernel_table.ARCHS) for line in hot}
    assert {name: stack for name, stack in stacks.items() if stack} == kernel_table.KNOWN_STACKS


def test_hot_sums_have_resident_warps_enough(lines):
    names = {f"{hot}_{kind}" for hot in ("sum_narrow", "sum_narrow_want", "sum_wide") for kind in (*kernel_table.ELEMENT_BYTES, "ONE")}
    hot = [line for line in lines if line["kernel"] in names]
    assert len(hot) == len(names)
    assert all(int(line[f"sm_{arch} warps"]) >= kernel_table.least_warps(line["kernel"], arch)
               for line in hot for arch in kernel_table.ARCHS)


def test_the_page_is_of_todays_script():
    """Its words, every operation and every GPU; numbers are the compiler's."""
    text = (CUDA / "kernels.md").read_text()
    assert text.startswith(kernel_table.PAGE) and kernel_table.BY_OPERATION in text, AGAIN
    assert all(f"### {name}\n" in text for name in kernel_table.GPUS)
    assert text.count("| sum_narrow ") == len(kernel_table.GPUS)


def test_what_a_class_has_no_use_for_is_not_compiled():
    names = kernel_table.kernels_in_source()
    assert not names & {"select_next_I8", "histogram_wide_F8", "find_I32", "percentiles_slices_ANY"}
    assert {"select_next_F8", "histogram_wide_I16", "find_F8", "percentiles_slices_ONE", "place_points_ANY"} <= names
