"""What there is among the elements of a tensor: counts, extremes, moments, percentiles, histograms."""
