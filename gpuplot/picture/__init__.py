"""Pictures without a figure: arrays of cells and pixels, PNG files."""
