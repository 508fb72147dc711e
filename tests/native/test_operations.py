"""Tests that promise to cover every operation of a backend name all operations of struct gp_backend."""

import re

import pytest
from backend_table import OF_CELLS, ROOT, operations

pytestmark = pytest.mark.host("compares texts")


def test_the_table_is_read():
    assert {"reduce", "percentiles_slices", "filter", "convert"} <= operations()


def test_every_backend_has_each():
    header = (ROOT / "native/backend.h").read_text()
    listed = re.search(r"#define GP_OPERATIONS\(X, backend\)(.*?)clang-format on", header, re.DOTALL)[1]
    assert set(re.findall(r"X\(backend, (\w+)\)", listed)) == operations()


@pytest.mark.parametrize(("files", "backend"), [("native/test_levels*.c", r"gp_cpu_backend\."), ("races/draws.c", "backend->")])
def test_c_programs_call_each(files, backend):
    text = "".join(path.read_text() for path in (ROOT / "tests").glob(files))
    assert set(re.findall(rf"{backend}(\w+)\(", text)) - OF_CELLS == operations()
