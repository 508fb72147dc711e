"""The artists of many points and lines: densities, their colors and legends."""
