# Check what can be checked without building or running anything: style, annotations, docstrings and house rules, in seconds.
#
# usage: sh tests/lint/run.sh [--fix] [TOOL...]   (after: installing the groups core, test and lint into .venv)
# TOOL is one of those that run.py names, all by default. --fix first lets ruff and clang-format write what they can.
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ ! -x .venv/bin/python ]; then
    echo "no .venv: make lint makes one" >&2
    exit 2
fi
exec .venv/bin/python tests/lint/run.py "$@"
