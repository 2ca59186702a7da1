"""Grids: which workgroup computes which tile."""
