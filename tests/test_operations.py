"""Tests that promise to cover every operation of a backend name all operations of struct gp_backend."""

import re
from pathlib import Path

import pytest
import test_threads

pytestmark = pytest.mark.host("compares texts")

ROOT = Path(__file__).resolve().parents[1]
# Where its results live, which each operation needs.
OF_CELLS = {"cells_alloc", "cells_free", "cells_check", "cells_copy_out"}


def operations():
    """The names of the table's functions."""
    header = (ROOT / "native/backend.h").read_text()
    table = re.search(r"typedef struct gp_backend \{(.*?)\n\} gp_backend;", header, re.DOTALL)[1]
    return set(re.findall(r"\(\*(\w+)\)\(", table)) - OF_CELLS


def test_the_table_is_read():
    assert {"reduce", "percentiles_slices", "filter", "convert"} <= operations()


def test_every_backend_has_each():
    header = (ROOT / "native/backend.h").read_text()
    listed = re.search(r"#define GP_OPERATIONS\(X, backend\)(.*?)clang-format on", header, re.DOTALL)[1]
    assert set(re.findall(r"X\(backend, (\w+)\)", listed)) == operations()


def test_threads_call_each():
    assert {name.replace(" ", "_") for name in test_threads.OPERATIONS} == operations()


@pytest.mark.parametrize(("files", "backend"), [("native/test_levels*.c", r"gp_cpu_backend\."), ("races/draws.c", "backend->")])
def test_c_programs_call_each(files, backend):
    text = "".join(path.read_text() for path in (ROOT / "tests").glob(files))
    assert set(re.findall(rf"{backend}(\w+)\(", text)) - OF_CELLS == operations()
