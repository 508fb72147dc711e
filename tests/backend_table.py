"""The operations of `struct gp_backend`, read from its header."""

import re
from pathlib import Path

__all__ = ["OF_CELLS", "ROOT", "operations"]

ROOT = Path(__file__).resolve().parents[1]
# Functions that manage cells, in which other operations write results.
OF_CELLS = {"cells_alloc", "cells_free", "cells_check", "cells_copy_out"}


def operations():
    """The names of the operations in the table, without those that manage cells."""
    header = (ROOT / "native/backend.h").read_text()
    table = re.search(r"typedef struct gp_backend \{(.*?)\n\} gp_backend;", header, re.DOTALL)[1]
    return set(re.findall(r"\(\*(\w+)\)\(", table)) - OF_CELLS
