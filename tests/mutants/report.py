"""The table of what was tried: RESULTS.md for reading, results.csv with each mutant; explained survivors come from equivalent.toml."""

import collections
import csv
import tomllib

import tree as trees
from syntax import PLACES
from tree import HERE

_COLUMNS = ("id", "place", "path", "function", "operator", "before", "after", "first", "state", "run", "test", "how", "seconds", "reason")


def reasons():
    """Why survivors cannot matter, by key."""
    path = HERE / "equivalent.toml"
    return tomllib.loads(path.read_text())["reasons"] if path.exists() else {}


def end(rows):
    """The exit status: 1 where a mutant survives without a reason."""
    known = reasons()
    return int(any(row["state"] in ("survived", "uncovered", "unsure") and row["key"] not in known for row in rows))


def write(rows, options):
    """Write both files; the exit status."""
    known = reasons()
    rows = [{**row, "reason": known.get(row["key"], "")} for row in rows]
    with (HERE / "results.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, _COLUMNS, extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    (HERE / "RESULTS.md").write_text("\n".join(_page(rows, options)) + "\n")
    return end(rows)


def _share(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.0f} %)" if whole else "none"


def _counts(rows):
    """How many were tried and are not equivalent, and of these were killed at first, by make test, by any run."""
    alive = [row for row in rows if row["state"] != "stillborn" and not row["reason"]]
    killed = [row for row in alive if row["state"] == "killed"]
    at_first = sum(row["first"] == "killed" for row in alive)
    return len(alive), at_first, sum(row["run"] == "make test" for row in killed), len(killed)


def _line(place, rows):
    """A line of the table."""
    count, *kills = _counts(rows)
    stillborn = sum(row["state"] == "stillborn" for row in rows)
    with_reason = sum(bool(row["reason"]) for row in rows)
    return f"| {place} | {len(rows)} | {stillborn} | {with_reason} | {' | '.join(_share(killed, count) for killed in kills)} |"


def _page(rows, options):
    command = f"tests/mutants/run.py --sample {options.sample} --seed {options.seed} --run {options.run}"
    total = sum(row["seconds"] for row in rows)
    yield "# Mutants and what kills them"
    yield ""
    yield (f"Written by `{command}` at commit {trees.git('rev-parse', '--short', 'HEAD').strip()}; README.md says what it does, "
           f"results.csv has each mutant. {len(rows)} mutants were tried, in {total / max(1, len(rows)):.0f} s each.")
    yield ""
    yield "Equivalent ones are those that equivalent.toml explains. *At first* is before tests were written for survivors."
    yield "`.ci/run` is all that a mutant was held against: `make test`, and the rest where the table of survivors says ci."
    yield ""
    yield "| place | tried | do not compile | equivalent | killed at first | killed by `make test` | killed by `.ci/run` |"
    yield "|---|---|---|---|---|---|---|"
    for place in [*(name for name, _, _ in PLACES), "all"]:
        yield _line(place, [row for row in rows if place in (row["place"], "all")])
    yield _line("all, equivalent ones counted as alive", [{**row, "reason": ""} for row in rows])
    yield ""
    yield from _killers(rows)
    yield from _survivors(rows)


def _killers(rows):
    by = collections.Counter((row["run"], row["how"]) for row in rows if row["state"] == "killed")
    yield "| run | how its test ended | mutants |"
    yield "|---|---|---|"
    yield from (f"| {run} | {how} | {count} |" for (run, how), count in by.most_common())
    yield ""


def _survivors(rows):
    alive = [row for row in rows if row["state"] in ("survived", "uncovered", "unsure", "explained")]
    yield "## Survivors"
    yield ""
    if not alive:
        yield "None."
        return
    yield "| mutant | where | defect | held against | why it cannot matter |"
    yield "|---|---|---|---|---|"
    for row in alive:
        texts = [row[name].replace("|", "\\|") for name in ("before", "after")]
        held = _held_against(row)
        defect = f"{row['operator']}: `{texts[0]}` → `{texts[1]}`"
        yield f"| {row['id']} | {row['path']}, {row['function']} | {defect} | {held} | {row['reason']} |"


def _held_against(row):
    if row["state"] in ("uncovered", "unsure", "explained"):
        return {"uncovered": "no test runs it", "unsure": "a test that fails without it, too", "explained": "nothing"}[row["state"]]
    return row["tried"] + ("" if row.get("tests", 1) == 1 else f", {100 * row['tests']:.0f} % of the tests that run it")
