"""Which test files are about which sources, by tests/sources.toml; run as a program it lists the tests of sources.

usage: python tests/changed.py [SOURCE...]     without sources: the tests of what differs from HEAD~1
"""

import functools
import subprocess
import sys
import tomllib
from pathlib import Path, PurePosixPath

__all__ = ["changed_files", "commit", "table", "tests_of"]

ROOT = Path(__file__).resolve().parent.parent


@functools.cache
def table():
    """{test file: patterns of its sources}, both relative to the tree."""
    return tomllib.loads((ROOT / "tests" / "sources.toml").read_text())


def tests_of(sources):
    """Test files about any of these sources, those that are a source themselves among them."""
    sources = [PurePosixPath(source) for source in sources]
    own = {str(source) for source in sources}
    return sorted(test for test, patterns in table().items()
                  if test in own or any(source.match(pattern) for source in sources for pattern in patterns))


def _git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, text=True, capture_output=True)
    return done.stdout.split() if done.returncode == 0 else []


def changed_files():
    """Files that differ from the commit before the last one, uncommitted changes included; none where there is no history."""
    try:
        return _git("diff", "--name-only", "HEAD~1") + _git("ls-files", "--others", "--exclude-standard")
    except FileNotFoundError:
        return []


def commit():
    """The hash of the commit that is checked out; empty without a repository."""
    try:
        return "".join(_git("rev-parse", "HEAD"))
    except FileNotFoundError:
        return ""


if __name__ == "__main__":
    print(*tests_of(sys.argv[1:] or changed_files()), sep="\n")
