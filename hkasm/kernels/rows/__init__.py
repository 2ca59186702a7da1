"""Kernels that work on rows: each element is read once and written once."""
