"""Exports of an inspector that need no kernel: PNG files, figures, still pictures."""
