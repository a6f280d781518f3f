"""Distances between time series by warping one onto the other, in four ways of writing the same cell (see ../README.md)."""
