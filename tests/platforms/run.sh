# Run a part of the tests on other Pythons, releases of NumPy and matplotlib, compilers and machines, as far as they can be had.
#
# usage: sh tests/platforms/run.sh [NAME...]   (after: make build; run.py names the platforms, all by default)
# A line for each: "NAME: passed", "NAME: FAILED" behind the words of what failed, or "NAME: not run: why". The status is 1
# where one failed. Everything is made in build/platforms/NAME and kept for the next time; JOBS=n limits the compilers.
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ ! -x .venv/bin/python ]; then
    echo "no .venv: make build makes one" >&2
    exit 2
fi
PATH=$PWD/.venv/bin:$PATH exec .venv/bin/python tests/platforms/run.py "$@"
