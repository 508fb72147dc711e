"""What `hist` and `hist2d` draw of counts."""
