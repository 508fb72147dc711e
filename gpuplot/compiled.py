"""The compiled module, or an ImportError that says what to do where this Python has none."""

import importlib
import os


def load_compiled():
    """Imports ``gpuplot._native``.

    Raises
    ------
    ModuleNotFoundError
        There is none for this Python: in a source tree that was not built, or that comes before an installed gpuplot on
        ``sys.path``, as the current folder does; in a copy that was installed by another Python.
    """
    name = f"{__package__}._native"
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ModuleNotFoundError(_about_missing(os.path.dirname(__file__)), name=name) from None


def _about_missing(folder):
    """The message for a package without a compiled module for this Python."""
    there = sorted(file for file in os.listdir(folder) if file.startswith("_native.") and file.endswith((".so", ".pyd")))
    found = f" for this Python, only {', '.join(there)}" if there else ""
    if os.path.exists(os.path.join(folder, os.pardir, "pyproject.toml")):
        remedy = ("this is a source tree: start Python in another folder to import the gpuplot that is installed, or build the "
                  "module here by 'make build' and use .venv/bin/python")
    else:
        remedy = "install gpuplot with this Python: python -m pip install --force-reinstall gpuplot"
    return f"gpuplot has no compiled module{found} in {folder}; {remedy}"
