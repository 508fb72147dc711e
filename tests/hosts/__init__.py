"""The inspector end to end: JupyterLab, Notebook 7 and marimo with real kernels, in a real browser."""
