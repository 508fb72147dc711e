"""What an inspector leaves behind without a kernel: PNG files, figures, still pictures."""
