"""Plants small defects in the library, one at a time, and says which tests notice.

usage: .venv/bin/python tests/mutants/run.py [--sample 240] [--seed 12] [--resume] [--run make-test|ci]
                                             [--only PATH|ID ...] [--again survived] [--list] [--report]
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
from coverage_map import CoverageMap, make_map
from syntax import sources
from tree import WORK

RESULTS = WORK / "results.jsonl"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=240, help="how many mutants, spread over the places (default 240)")
    parser.add_argument("--seed", type=int, default=12, help="which of them (default 12)")
    parser.add_argument("--resume", action="store_true", help="go on: what has a result is not tried again")
    parser.add_argument("--again", metavar="STATE", help="with --resume: try those again that ended so, such as survived")
    parser.add_argument("--only", nargs="+", default=[], metavar="PATH|ID", help="all mutants of a file, or those with these ids")
    parser.add_argument("--run", choices=("make-test", "ci"), default="make-test",
                        help="ci: what survives make test is held against the rest of .ci/run as well")
    parser.add_argument("--minutes", type=float, default=360, help="begin no mutant after this time (default 360)")
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


def results():
    """The newest result of each mutant, by id."""
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    return {row["id"]: row for row in map(json.loads, lines)}


def write_result(row):
    with RESULTS.open("a") as file:
        file.write(json.dumps(row) + "\n")


def try_one(mutant, measured, with_ci):
    """The row of one mutant: killed, survived, uncovered or stillborn, with its killer and the seconds it took."""
    start, killer = time.monotonic(), None
    try:
        with killing.planted(mutant):
            killing.build_module(mutant)
            state = "survived" if killing.is_covered(mutant, measured) else "uncovered"
            if state == "survived":
                killer = killing.of_make_test(mutant, measured)
            if killer is None and with_ci:
                killer = killing.of_whole_check(mutant, measured)
    except killing.Stillborn:
        state = "stillborn"
    row = {name: value for name, value in dataclasses.asdict(mutant).items() if name not in ("start", "end", "new", "first_line")}
    row |= {"state": "killed" if killer else state, "tried": "ci" if with_ci else "make-test",
            "seconds": round(time.monotonic() - start, 1), "content": trees.content_hash()}
    return row | (dataclasses.asdict(killer) if killer else {"run": "", "test": "", "how": ""})


def is_done(row, options):
    """Whether a result stands: it is not asked for again, and was held against as much as is wanted now."""
    if row is None or row["state"] == options.again or row["state"] == "unsure":
        return False
    return row["state"] in ("killed", "stillborn") or row["tried"] == "ci" or options.run == "make-test"


def try_all(chosen, measured, options):
    done, start = results() if options.resume else {}, time.monotonic()
    for k, mutant in enumerate(chosen):
        if is_done(done.get(mutant.id), options):
            continue
        if time.monotonic() - start > 60 * options.minutes:
            print(f"the time is over: {len(chosen) - k} mutants are left for --resume")
            break
        row = try_one(mutant, measured, options.run == "ci")
        write_result(row)
        print(f"{k + 1}/{len(chosen)} {row['state']:9} {row['seconds']:6.1f} s  {mutant.id} {mutant.path}:{mutant.line} {mutant.function} "
              f"{mutant.operator}: {mutant.before} => {mutant.after}  {row['test']}", flush=True)


def check_killers(measured, chosen):
    """Without any mutant every killer must pass; a mutant whose killer fails here is unsure, and tried again by --resume."""
    killing.prepare()
    rows = [row for row in map(results().get, (mutant.id for mutant in chosen)) if row and row["state"] == "killed"]
    killers = {row["test"] for row in rows if row["run"] == "make test"}
    failed = killing.failing_killers(killers, measured)
    for row in rows:
        if row["test"] in failed:
            write_result(row | {"state": "unsure"})
    print(f"without a mutant {len(killers) - len(failed)} of {len(killers)} killers pass", *sorted(failed), sep="\n  ")


def main():
    options = parse_arguments()
    WORK.mkdir(parents=True, exist_ok=True)
    chosen = choose(options)
    if options.list:
        print("\n".join(f"{m.id} {m.path}:{m.line} {m.function} {m.operator}: {m.before} => {m.after}" for m in chosen))
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
