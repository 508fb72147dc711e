"""Planes of arrays in chunks: which chunks are read, what is asked of each, and how answers join."""
