"""On a free-threaded Python whose GIL is kept off, importing says that gpuplot relies on it."""

import sys
import warnings

import pytest

import gpuplot
from gpuplot.gil import check_gil

pytestmark = pytest.mark.host("no array that somebody hands to gpuplot")


def test_nothing_is_said_where_there_is_a_gil(monkeypatch):
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: True, raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_gil()


def test_a_gil_that_is_kept_off_is_told(monkeypatch):
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    with pytest.warns(gpuplot.GpuplotWarning, match="PYTHON_GIL=0"):
        check_gil()
