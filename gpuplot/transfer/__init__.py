"""Whole tensors to NumPy arrays."""
