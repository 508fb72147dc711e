"""A Source and a View -> cells, limits, percentiles and elements: the only callers of native reductions of planes."""
