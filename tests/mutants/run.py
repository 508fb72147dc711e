"""Plants small defects in the library, one at a time, and says which tests notice.

usage: .venv/bin/python tests/mutants/run.py [--sample 240] [--seed 12] [--resume] [--run make-test|ci]
                                             [--only PATH|ID ...] [--again STATE ...] [--patience SECONDS] [--minutes N]
                                             [--list] [--report]
Needs what `make test` needs, and: pip install tree-sitter tree-sitter-c tree-sitter-cpp tree-sitter-javascript tree-sitter-python
coverage. Works in build/mutants alone. Exit status 1 where a mutant survives that equivalent.toml does not explain.
"""

import argparse
import dataclasses
import json
import sys
import time

import killing
import report
import tree as trees
from candidates import mutants_of, sample
from coverage_map import CoverageMap, make_map, note_unreliable
from syntax import sources
from tree import WORK

RESULTS = WORK / "results.jsonl"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=240, help="how many mutants, spread over the places (default 240)")
    parser.add_argument("--seed", type=int, default=12, help="which of them (default 12)")
    parser.add_argument("--resume", action="store_true", help="go on: what has a result is not tried again")
    parser.add_argument("--again", nargs="+", default=[], metavar="STATE",
                        help="with --resume: try those again that ended so, such as survived uncovered")
    parser.add_argument("--only", nargs="+", default=[], metavar="PATH|ID", help="all mutants of a file, or those with these ids")
    parser.add_argument("--run", choices=("make-test", "ci"), default="make-test",
                        help="ci: what survives make test is held against the rest of .ci/run as well")
    parser.add_argument("--minutes", type=float, default=360, help="begin no mutant after this time (default 360)")
    parser.add_argument("--patience", type=float, default=300, metavar="SECONDS",
                        help="of each mutant's tests in pytest, from quick to slow, run so many seconds' worth (default 300)")
    parser.add_argument("--list", action="store_true", help="print the chosen mutants, and end")
    parser.add_argument("--report", action="store_true", help="write RESULTS.md and results.csv of what has been tried, and end")
    return parser.parse_args()


def choose(options):
    """The mutants that the command line asks for."""
    everything = [mutant for source in sources(trees.ROOT) for mutant in mutants_of(source)]
    if not options.only:
        return sample(everything, options.sample, options.seed)
    chosen = [mutant for mutant in everything if mutant.path in options.only or mutant.id in options.only]
    if not chosen:
        raise SystemExit("no mutant has this path or id: --list shows the sample's ids")
    return chosen


def words_of(mutant):
    return (f"{mutant.id} {mutant.path}:{mutant.line} {mutant.function} {mutant.operator}: "
            f"{mutant.before} => {mutant.after}")


def results():
    """The newest result of each mutant, by id, and its first state, before tests were written for it."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    newest = {}
    for row in map(json.loads, lines):
        before = newest.get(row["id"], {"first": row["state"]})["first"]
        newest[row["id"]] = row | {"first": row["state"] if "unsure" in (row["state"], before) else before}
    return newest


def write_result(row):
    with RESULTS.open("a") as file:
        file.write(json.dumps(row) + "\n")


def try_one(mutant, measured, options):
    """The row of one mutant: killed, survived, uncovered or stillborn, with its killer and the seconds it took."""
    start, killer, share = time.monotonic(), None, 1.0
    try:
        with killing.planted(mutant):
            killing.build_module(mutant)
            state = "survived" if killing.is_covered(mutant, measured) else "uncovered"
            if state == "survived":
                killer, share = killing.of_make_test(mutant, measured, options.patience)
            if state == "survived" and killer is None and options.run == "ci":
                killer, share = killing.of_larger_shares(mutant, measured, options.patience)
            if killer is None and options.run == "ci":
                killer = killing.of_whole_check(mutant, measured)
    except killing.Stillborn:
        state = "stillborn"
    seconds = round(time.monotonic() - start, 1)
    return row_of(mutant, "killed" if killer else state, options, killer, tests=round(share, 3), seconds=seconds)


def row_of(mutant, state, options, killer=None, **more):
    row = {name: value for name, value in dataclasses.asdict(mutant).items() if name not in ("start", "end", "new", "first_line")}
    row |= {"state": state, "tried": options.run, "seconds": 0.0, "content": trees.content_hash(), **more}
    return row | (dataclasses.asdict(killer) if killer else {"run": "", "test": "", "how": ""})


def is_done(row, options):
    """Whether a result stands: it is not asked for again, and was held against as much as is wanted now."""
    if row is None or row["state"] in options.again or row["state"] == "unsure":
        return False
    return row["state"] in ("killed", "stillborn", "explained") or row["tried"] == "ci" or options.run == "make-test"


def try_all(chosen, measured, options):
    done, known, start = results() if options.resume else {}, report.reasons(), time.monotonic()
    for k, mutant in enumerate(chosen):
        if is_done(done.get(mutant.id), options):
            continue
        if time.monotonic() - start > 60 * options.minutes:
            print(f"the time is over: {len(chosen) - k} mutants are left for --resume")
            break
        if mutant.key in known and not options.only:
            write_result(row_of(mutant, "explained", options))
            continue
        row = try_one(mutant, measured, options)
        write_result(row)
        print(f"{k + 1}/{len(chosen)} {row['state']:9} {row['seconds']:6.1f} s  {words_of(mutant)}  {row['test']}", flush=True)


def check_killers(measured, chosen):
    """Without any mutant every killer must pass; a mutant whose killer fails here is unsure, and tried again by --resume."""
    killing.prepare()
    rows = [row for row in map(results().get, (mutant.id for mutant in chosen)) if row and row["state"] == "killed"]
    killers = {row["test"] for row in rows if row["run"] in (killing.MAKE_TEST, killing.LARGER_SHARES)}
    failed = killing.failing_killers(killers, measured)
    note_unreliable(failed)
    for row in rows:
        if row["test"] in failed:
            write_result(row | {"state": "unsure"})
    print(f"without a mutant {len(killers) - len(failed)} of {len(killers)} killers pass", *sorted(failed), sep="\n  ")


def main():
    options = parse_arguments()
    WORK.mkdir(parents=True, exist_ok=True)
    chosen = choose(options)
    if options.list:
        print("\n".join(map(words_of, chosen)))
        return 0
    if not options.report:
        if not options.resume and not options.only and RESULTS.exists():
            RESULTS.rename(RESULTS.with_suffix(".before"))
        make_map()
        killing.prepare()
        measured = CoverageMap()
        try_all(chosen, measured, options)
        check_killers(measured, chosen)
    rows = [row for row in map(results().get, (mutant.id for mutant in chosen)) if row]
    return report.end(rows) if options.only else report.write(rows, options)


if __name__ == "__main__":
    sys.exit(main())
