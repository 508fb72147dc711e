"""Runs tests of results once for each lower level of vector instructions that the processor has.

usage: python tests/levels/at_each_level.py [--share N] [--seed TEXT] [--levels base,avx2] [PYTEST ARGUMENT...]

Of the tests one in N is run at each level (default: 8), another one at another level; which ones, TEXT decides (default: the hash
of the commit), and it is printed. Without arguments for pytest these are the tests that hold numbers against the slow reference.
The exit status is 0 where all passed, 1 where a test failed or there were none. A level that the processor or the build does not
have is skipped with a line that says so.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEVELS = ("base", "avx2", "avx512")
FILES = ("plane/test_downsample.py", "plane/test_repeats.py", "plane/test_overflow.py", "statistics/test_stats_reference.py",
         "statistics/test_summaries.py", "picture/test_to_rgba.py", "color/test_norms.py", "transfer/test_asnumpy_reference.py")


# ---- in the pytest of one level: a plugin ----------------------------------------------------------------------------------


def pytest_collection_modifyitems(config, items):
    """Leaves the share of tests that the seed and the level pick."""
    n, seed = int(os.environ["GPUPLOT_TEST_SHARE"]), os.environ["GPUPLOT_TEST_SEED"]
    left = [item for item in items if zlib.crc32(f"{seed} {item.nodeid}".encode()) % n]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in set(left)]


def pytest_report_header():
    """Which level the native layer has chosen."""
    from gpuplot import _native

    return f"instruction level: {_native.build_info()['cpu_level']}"


# ---- outside -------------------------------------------------------------------------------------------------------------------


def level_in_use(wanted):
    """What the native layer takes where this level is asked for."""
    code = "from gpuplot import _native; print(_native.build_info()['cpu_level'])"
    environment = os.environ | {"GPUPLOT_CPU_LEVEL": wanted}
    return subprocess.run([sys.executable, "-c", code], env=environment, cwd=ROOT, check=True, capture_output=True,
                          text=True).stdout.strip()


def commit():
    """The hash of the commit, or a word where there is none."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=False, capture_output=True, text=True)
    return done.stdout.strip()[:12] or "no commit"


def run_level(level, n, seed, arguments):
    """pytest with its share of the tests at one level; its exit status."""
    here = str(Path(__file__).resolve().parent)
    path = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"GPUPLOT_CPU_LEVEL": level, "GPUPLOT_TEST_SHARE": str(n), "GPUPLOT_TEST_SEED": f"{seed} {level}",
                                "PYTHONPATH": path}
    print(f"--- level {level}: one test in {n}, seed {seed!r}", flush=True)
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", Path(__file__).stem, *arguments], env=environment, cwd=ROOT,
                          check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=int, default=8, metavar="N")
    parser.add_argument("--seed", default=None, metavar="TEXT")
    parser.add_argument("--levels", default="base,avx2")
    options, arguments = parser.parse_known_args()
    arguments = arguments or [f"tests/{name}" for name in FILES if (ROOT / "tests" / name).exists()]
    statuses = []
    for level in options.levels.split(","):
        if level not in LEVELS:
            parser.error(f"{level!r} is none of {', '.join(LEVELS)}")
        if level_in_use(level) != level:
            print(f"--- level {level}: skipped, this processor or build does not have it", flush=True)
            continue
        statuses.append(run_level(level, max(options.share, 1), options.seed or commit(), arguments))
    return int(not statuses or any(statuses))


if __name__ == "__main__":
    sys.exit(main())
