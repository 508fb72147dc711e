"""Writes what run.py measured about conversions into docs/from_any_framework.md. usage: page_figures.py RESULTS.json"""

import json
import pathlib
import re
import statistics
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "from_any_framework.md"
MACHINE = re.compile(r"^<!-- machine -->\n(?:[^\n]+\n)*", flags=re.M)
ROW = re.compile(r"^<!-- measured: ([^\n]*?) -->\n(?:- [^\n]*\n)?", flags=re.M)
# What is quicker shares memory: its time does not grow with the tensor.
SHORT_MS = 0.5
# As people write them, in the order in which they are told.
NAMES = {"numpy": "NumPy", "torch": "torch", "tensorflow": "TensorFlow", "tensorflow-cpu": "TensorFlow", "jax": "JAX"}


def machine_text(facts):
    """The lines about where it was measured."""
    versions = {NAMES[name]: version.rpartition(".")[0] for name, version in facts["versions"].items() if name in NAMES}
    libraries = ", ".join(f"{name} {version}" for name, version in versions.items())
    return ("*Measured* is gpuplot's time over the other's, median of alternating pairs: 0.25 is four times as fast. Results were equal,\n"
            f"element by element. 8000 x 8000 elements; {facts['n_cores']} shared cores of {facts['processor']}, "
            f"load {facts['load'][0]:.1f}; Python {facts['python'].rpartition('.')[0]},\n"
            f"{libraries}; {facts['date'][:10]}, `make bench BENCH_ARGS=\"--only asnumpy\"`.")


def row_text(case):
    """The line of one row, empty where nobody else ran."""
    others = [other for other in case["opponents"] if "pair" in other]
    if not others:
        return ""
    found = [f"{_time(other['pair'])} of `{other['name']}`{_memory(case['ours'], other)}{_difference(other)}" for other in others]
    return f"- measured, {case['name'].removeprefix('asnumpy, ')}: {'; '.join(found)}"


def _time(pair):
    """The ratio; of calls that have nothing to do the milliseconds of both."""
    ours, theirs = (1e3 * statistics.median(pair[who]) for who in ("ours", "theirs"))
    if max(ours, theirs) < SHORT_MS:
        return f"{ours:.2g} ms, against {theirs:.1g} ms"
    return f"{pair['ratio']:.3f}" if pair["ratio"] < 0.1 else f"{pair['ratio']:.2f}"


def _memory(mine, other):
    """What a call needs beside the tensor, where that differs."""
    ours, theirs = (round(entry["extra_bytes"] / 1e6) for entry in (mine, other))
    return "" if abs(ours - theirs) <= 0.1 * max(ours, theirs) else f" ({ours} MB, not {theirs})"


def _difference(other):
    error = other.get("error") or {}
    return f" ({error['n_differing']} elements differ)" if error.get("n_differing") else ""


def told(page):
    """Name of each row that has a place on the page -> the names of those it is told against."""
    places = re.findall(r"^<!-- measured: (.*?) -->\n(- .*)?", page, flags=re.M)
    return {name: set(re.findall(r"of `(.*?)`", text)) for name, text in places}


def rewritten(page, results):
    """The page with the figures of these results; rows that were not measured lose theirs."""
    cases = {case["name"]: case for case in results["cases"] if "error_text" not in case["ours"]}

    def row(found):
        text = row_text(cases[found[1]]) if found[1] in cases else ""
        return f"<!-- measured: {found[1]} -->\n" + (f"{text}\n" if text else "")

    return ROW.sub(row, MACHINE.sub(lambda _: f"<!-- machine -->\n{machine_text(results['machine'])}\n", page))


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text(), json.loads(pathlib.Path(sys.argv[1]).read_text())))
    print(PAGE)
