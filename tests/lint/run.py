"""Runs every tool of `make lint` over the files that git knows: a line for each with its time, and its own words where it fails.

usage: python tests/lint/run.py [--root FOLDER] [--fix] [TOOL...]
PYTEST_ARGS goes to pytest, so that CI notes which cases ran: `make test` then leaves them out.
The status is 0 where all passed, 1 where one failed, 2 where one is missing.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
C_SUFFIXES = (".c", ".h", ".cu", ".cuh", ".cpp")
# Tests that need neither the native module nor a device: types, names, choices, parameters, sections.
STATIC_TESTS = "not native and not overloads and not example and not mypy"


class MissingTool(Exception):
    """A tool that is to be installed; the message says how."""


def run(root, *command, **options):
    return subprocess.run([str(part) for part in command], cwd=root, capture_output=True, text=True, **options)


def tool(name):
    """The path of a program that the group `lint` installs."""
    if not (BIN / name).exists():
        raise MissingTool(f"no {name}: {BIN / 'python'} tests/setup/install.py lint, or make lint")
    return BIN / name


def tracked(root, *suffixes):
    """The files that git knows or would add, by the ends of their names; those that are gone are left out."""
    listing = run(root, "git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", check=True).stdout
    names = sorted(set(listing.split("\0")[:-1]))
    return [name for name in names if name.endswith(suffixes) and (root / name).is_file()]


# ---- the tools: each takes the root and whether to fix, and returns (is_clean, words) -----------------------------------


def ruff(root, fix):
    if fix:
        run(root, tool("ruff"), "check", "--quiet", "--fix", ".")
    done = run(root, tool("ruff"), "check", "--quiet", "--output-format", "concise", ".")
    return done.returncode == 0, done.stdout + done.stderr


def clang_format(root, fix):
    files = tracked(root, *C_SUFFIXES)
    if not files:
        return True, ""
    if fix:
        run(root, tool("clang-format"), "-i", *files)
    done = run(root, tool("clang-format"), "--dry-run", "-Werror", *files)
    return done.returncode == 0, done.stdout + done.stderr


def annotations_and_docstrings(root, fix):
    """The static part of two test files, with names from _native.pyi in place of the module, which may not be built yet."""
    files = [name for name in ("tests/project/test_annotations.py", "tests/project/test_docstrings.py") if (root / name).exists()]
    done = run(root, sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "native_names", "-p", "no:cacheprovider",
               *shlex.split(os.environ.get("PYTEST_ARGS", "")), "-m", "not slow", "-k", STATIC_TESTS, *files,
               env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(HERE)]), "MPLBACKEND": "agg"})
    return done.returncode == 0, done.stdout + done.stderr


def javascript(root, fix):
    """Syntax alone: whether node reads each file as a module."""
    node = shutil.which("node")
    if node is None:
        return True, "not run: there is no node"
    words = []
    for name in tracked(root, ".js"):
        done = run(root, node, "--input-type=module", "--check", input=(root / name).read_text())
        if done.returncode != 0:
            words.append(f"{name}:\n{done.stderr}")
    return not words, "".join(words)


def shell(root, fix):
    words = [run(root, "sh", "-n", name).stderr for name in tracked(root, ".sh")]
    return not any(words), "".join(words)


def house_rules(root, fix):
    done = run(root, sys.executable, HERE / "house_rules.py", *tracked(root, ""))
    return done.returncode == 0, done.stdout + done.stderr


TOOLS = {"ruff": ruff, "clang-format": clang_format, "house-rules": house_rules, "javascript": javascript, "shell": shell,
         "annotations-docstrings": annotations_and_docstrings}


def main(arguments):
    """Run the tools that are named, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=HERE.parents[1], help="the tree to check; default: this one")
    parser.add_argument("--fix", action="store_true", help="let ruff and clang-format write what they can")
    parser.add_argument("tools", nargs="*", metavar="TOOL", help=f"some of {', '.join(TOOLS)}; default: all")
    options = parser.parse_args(arguments)
    unknown = set(options.tools) - set(TOOLS)
    if unknown:
        parser.error(f"no tool {', '.join(sorted(unknown))}: use some of {', '.join(TOOLS)}")
    status = 0
    for name in options.tools or TOOLS:
        start = time.monotonic()
        try:
            is_clean, words = TOOLS[name](options.root.resolve(), options.fix)
        except MissingTool as missing:
            print(missing, file=sys.stderr)
            return 2
        outcome = "FAILED" if not is_clean else words if words.startswith("not run") else "ok"
        print(f"  {name:<24}{time.monotonic() - start:5.1f} s  {outcome}", flush=True)
        if not is_clean:
            print(words.rstrip(), flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
