"""Runs a fuzz target in Python: under atheris, or over files.

usage: python tests/fuzz/run_python.py TARGET [libFuzzer arguments and corpora]
       python tests/fuzz/run_python.py --replay TARGET FILE...

With the package of PACKAGE in front, where the module is one that clang built (tests/fuzz/run.sh), its code is covered as well.
"""

import importlib
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def _target(name):
    return importlib.import_module(f"fuzz_{name}").one


def _replay(name, paths):
    one = _target(name)
    for path in paths:
        print(path, flush=True)  # the last one is the one that failed
        one(Path(path).read_bytes())


def _fuzz(name, arguments):
    os.environ.pop("LD_PRELOAD", None)  # what this process needed: libFuzzer and a sanitizer, which no other program loads
    import atheris

    with atheris.instrument_imports(include=["gpuplot"]):
        one = _target(name)
    # The library that was loaded first, so that the module's coverage goes where Python's does.
    atheris.Setup([sys.argv[0], *arguments], one, internal_libfuzzer=True)
    atheris.Fuzz()


def main(arguments):
    sys.path[:0] = [os.environ["PACKAGE"]] if "PACKAGE" in os.environ else []
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    os.environ.setdefault("MPLBACKEND", "agg")
    if arguments[0] == "--replay":
        _replay(arguments[1], arguments[2:])
    else:
        _fuzz(arguments[0], arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
