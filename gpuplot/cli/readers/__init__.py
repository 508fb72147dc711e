"""Readers of tensor files, chosen by the suffix of a file's name; one module for each kind of file."""
