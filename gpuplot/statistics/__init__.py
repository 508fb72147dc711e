"""Counts, extremes, moments, percentiles and histograms of the elements of a tensor."""
