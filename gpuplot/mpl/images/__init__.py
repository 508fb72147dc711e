"""The artist of `imshow`: what it keeps, its cells, limits, colors and colorbar."""
