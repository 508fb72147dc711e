"""Fixtures for tests of arrays in chunks."""

import pytest

from gpuplot.arrays import lazy_arrays


@pytest.fixture
def never_whole(monkeypatch):
    """Arrays of dask of more than 1000 bytes are read chunk by chunk, in place of more than 64 MB."""
    monkeypatch.setattr(lazy_arrays, "MAX_COMPUTED_BYTES", 1000)
