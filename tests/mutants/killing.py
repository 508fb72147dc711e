"""Tries one mutant: its object is built again, the tests that run it go from quick to slow, the first that fails ends it."""

import collections
import contextlib
import dataclasses
import functools
import re
from pathlib import Path

import tree as trees
from coverage_map import c_programs_of_devices, pytest_command
from tree import TAG, WORK

TREE = WORK / "tree"
# Seconds of tests in each run of pytest, by what they took under probes: most mutants die in the first.
BATCHES = (6, 30, 150, 600)
SANITIZED = f"{TAG}-sanitized"
MAKE_TEST, LARGER_SHARES = "make test", "CI: pages and larger shares"


@dataclasses.dataclass(frozen=True)
class Killer:
    """The test that failed: of which run, its name, how it ended."""

    run: str
    test: str
    how: str


class Stillborn(Exception):
    """A mutant that does not compile."""


def prepare():
    """The copy for mutants, as the tree is, built."""
    trees.copy_tree(TREE)
    trees.configure_module(TREE)
    trees.configure_sanitized(TREE)
    done = trees.build(TREE, TAG)
    if done.status:
        raise SystemExit(f"the copy for mutants does not build:\n{done.output}")


@contextlib.contextmanager
def planted(mutant):
    """The copy has this mutant for a while."""
    path = TREE / mutant.path
    before = path.read_bytes()
    path.write_bytes(mutant.apply(before))
    try:
        yield
    finally:
        path.write_bytes(before)


def build_module(mutant):
    if mutant.place in ("gpuplot", "widgets"):
        return
    done = trees.build(TREE, TAG, "_native", "emulated_cuda")
    if done.status:
        raise Stillborn(done.output)


# ---- the order of tests ---------------------------------------------------------------------------------------------------


def in_order(nodeids, seconds, path=""):
    """From quick to slow, but one case of each test function before a second case of any, and test files named after `path` first."""
    stem = re.compile(rf"test_(\w+_)?{re.escape(Path(path).stem)}") if path else None
    count, ranked = collections.Counter(), []
    for nodeid in sorted(nodeids, key=lambda one: (seconds[one], one)):
        function = nodeid.split("[")[0]
        is_other = stem is None or not stem.search(function.split("::")[0])
        ranked.append((count[function] + 2 * is_other, seconds[nodeid], nodeid))
        count[function] += 1
    return [nodeid for _, _, nodeid in sorted(ranked)]


def batches(nodeids, seconds):
    """Lists of tests that take about `BATCHES` seconds; what is left goes into the last."""
    cut, spent = [[]], 0.0
    for nodeid in nodeids:
        if len(cut) < len(BATCHES) and spent > BATCHES[len(cut) - 1]:
            cut.append([])
            spent = 0.0
        cut[-1].append(nodeid)
        spent += seconds[nodeid]
    return [part for part in cut if part]


# ---- runs ---------------------------------------------------------------------------------------------------------------


def run_tests(nodeids, file_of, seconds, run, *options, keep_going=False, env=None):
    """Run these tests of pytest in this order: the `Killer`, or None. With `keep_going` the set of all that fail."""
    select, started = WORK / "select", WORK / "started"
    select.write_text("\n".join(nodeids))
    started.write_text("")
    files = list(dict.fromkeys(file_of[nodeid] for nodeid in nodeids))
    spent = sum(seconds.get(nodeid, 1.0) for nodeid in nodeids)
    env = trees.environment(TREE, MUTANTS_SELECT=str(select), MUTANTS_STARTED=str(started), **(env or {}))
    stop = [] if keep_going else ["-x"]
    done = trees.run(pytest_command(files, *stop, *options), TREE, 60 + 6 * spent, env)
    lines = [line.split("\t") for line in started.read_text().splitlines()]
    failed = [name for word, name in lines if word == "failed"]
    if keep_going:
        return set(failed)
    if done.status == 0 or (done.status == 5 and not failed):
        return None
    if failed:
        return Killer(run, failed[0], "failure")
    return Killer(run, lines[-1][1] if lines else files[0], done.how)


def failing_killers(killers, measured):
    """Those of the tests that fail without a mutant."""
    names = in_order({name for name in killers if name in measured.file_of and "::" in name}, measured.seconds)
    failed = run_tests(names, measured.file_of, measured.seconds, "", "--effort", "check", keep_going=True) if names else set()
    programs = [name for name in killers if "::" not in name and name in measured.seconds]
    return failed | {name for name in programs if run_programs([name], "", measured.seconds)}


def run_programs(programs, run, seconds):
    """Build and run C tests under sanitizers, one after the other."""
    for program in programs:
        done = trees.build(TREE, SANITIZED, program)
        if done.status:
            raise Stillborn(done.output)
        done = trees.run([TREE / "build" / SANITIZED / program], TREE, 120 + 20 * seconds.get(program, 20), _sanitized_environment())
        if done.status or done.is_timeout:
            return Killer(run, program, done.how)
    return None


def _sanitized_environment():
    built = TREE / "build" / SANITIZED / "emulator"
    return trees.environment(TREE, GPUPLOT_CUDA_DRIVER=str(built / "libcuda.so.1"), GPUPLOT_NVRTC=str(built / "libnvrtc.so"),
                             XDG_CACHE_HOME=str(WORK / "cache"))


def of_make_test(mutant, measured, patience):
    """What of `make test` kills a mutant: (`Killer` or None, share of its tests that were run).

    Tests of pytest that take `patience` seconds in all, with the C tests under sanitizers between the quick and the slow.
    """
    programs = sorted((name for name in measured.tests_of(mutant)[0] if "::" not in name), key=measured.seconds.get)
    wanted, share = _tests_in_pytest(mutant, measured, measured.make_test, patience)
    parts = batches(wanted, measured.seconds)
    for part in [*parts[:1], None, *parts[1:]]:
        killer = (run_programs(programs, MAKE_TEST, measured.seconds) if part is None
                  else run_tests(part, measured.file_of, measured.seconds, MAKE_TEST))
        if killer:
            return killer, 1.0
    return None, share


def of_larger_shares(mutant, measured, patience):
    """The same for the tests of pages and the cases of matrices that `.ci/run` has beside those of `make test`."""
    wanted, share = _tests_in_pytest(mutant, measured, measured.seconds.keys() - measured.make_test, patience)
    for part in batches(wanted, measured.seconds):
        killer = run_tests(part, measured.file_of, measured.seconds, LARGER_SHARES, "--effort", "check")
        if killer:
            return killer, 1.0
    return None, share


def _tests_in_pytest(mutant, measured, names, patience):
    """Those of the tests with these names that run a mutant, in order, within `patience` seconds; and which share of all they are."""
    direct, files = measured.tests_of(mutant)
    chosen = {name for name in direct & names if "::" in name}
    around = {name for name, file in measured.file_of.items() if file in files and "::" in name and name in names} - chosen
    ordered = [name for some in (chosen, around) for name in in_order(some, measured.seconds, mutant.path)]
    wanted = within(ordered, measured.seconds, patience)
    return wanted, len(wanted) / max(1, len(ordered))


def within(nodeids, seconds, patience):
    """The first of the tests, as many as take so many seconds."""
    spent, chosen = 0.0, []
    for nodeid in nodeids:
        if spent > patience:
            break
        chosen.append(nodeid)
        spent += seconds[nodeid]
    return chosen


def is_covered(mutant, measured):
    return any(measured.tests_of(mutant))


def of_whole_check(mutant, measured):
    """What of `.ci/run` kills a mutant that `make test` lets live: sanitizers, every kernel, slow tests, arrays on a device."""
    direct, around = measured.tests_of(mutant)
    files = sorted({measured.file_of[name] for name in direct if "::" in name} | {name for name in around if name.endswith(".py")})
    of_python = [name for name in files if not name.startswith("tests/browser/")]
    of_devices = [name for name in of_python if name.startswith(("tests/cuda/", "tests/emulator/"))]
    killer = None
    if mutant.place in ("core", "cuda", "kernels"):
        killer = _of_every_kernel() or _of_sanitized_tests(of_python)
    if mutant.place != "widgets":
        killer = killer or _whole_files(of_python, "CI: slow tests", "-m", "slow")
        others = [name for name in of_python if name not in of_devices]
        on_device = ("-m", "not slow", "--device", "emulated", "--part", "0.1")
        killer = killer or _whole_files(others, "CI: arrays on the emulated device", *on_device)
    return killer


def _of_every_kernel():
    """The C programs on the emulated device, under sanitizers."""
    built = trees.build(TREE, SANITIZED, limit=3000)
    if built.status:
        raise Stillborn(built.output)
    killer = run_programs(c_programs_of_devices(), "CI: C tests on the emulated device", {})
    for name, arguments in every_kernel_commands():
        if killer:
            break
        done = trees.run([TREE / "build" / SANITIZED / "every_kernel", *arguments], TREE, 900, _sanitized_environment())
        if done.status or done.is_timeout:
            killer = Killer("CI: every_kernel", name, done.how)
    return killer


@functools.cache
def every_kernel_commands():
    """The calls of every_kernel that ctest knows: (name, arguments)."""
    text = (trees.ROOT / "native/cmake/gpu_programs.cmake").read_text()
    return [(match[1], match[2].split()) for match in re.finditer(r"^\s*gp_test_every_kernel\((\w+) ([^)$]*)\)", text, re.MULTILINE)]


@functools.cache
def files_under_sanitizers():
    return frozenset(re.findall(r"tests/\w+/test_\w+\.py", (trees.ROOT / "tests/setup/sanitized.sh").read_text()))


def _of_sanitized_tests(files):
    """Tests in Python with the module and the emulated device under sanitizers."""
    chosen = [name for name in files if name in files_under_sanitizers()]
    if not chosen:
        return None
    done, failed = _run_noted(["sh", "tests/setup/sanitized.sh", "--only", "-p", "record", "-x", "-m", "not slow", *chosen])
    return None if done.status in (0, 5) else Killer("CI: tests under sanitizers", failed or chosen[0], done.how)


def _whole_files(files, run, *options):
    if not files:
        return None
    done, failed = _run_noted(pytest_command(files, "-x", "--effort", "check", *options))
    return None if done.status in (0, 5) else Killer(run, failed or files[0], done.how)


def _run_noted(command):
    """(how it ended, the test that failed or was the last to begin)."""
    started = WORK / "started"
    started.write_text("")
    done = trees.run(command, TREE, 1800, trees.environment(TREE, MUTANTS_STARTED=str(started)))
    lines = [line.split("\t") for line in started.read_text().splitlines()]
    failed = [name for word, name in lines if word == "failed"]
    return done, failed[0] if failed else lines[-1][1] if lines else None
