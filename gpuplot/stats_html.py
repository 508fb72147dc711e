"""The statistics of tensors as HTML for notebooks: a health pill, a histogram, a table; on light and on dark pages."""

from __future__ import annotations

from html import escape

import numpy as np

from . import stats_text

__all__ = ["page", "table"]


def page(stats):
    return f"<pre>{escape(stats_text.line(stats))}</pre>"


def table(stats_table):
    return f"<pre>{escape(stats_text.table(stats_table))}</pre>"
