"""What stays of an inspector without a kernel: PNG files, figures, stills."""
