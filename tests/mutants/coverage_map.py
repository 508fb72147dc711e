"""Which tests run which code: every test file run once on a copy with probes, kept in build/mutants/map by content."""

import collections
import functools
import json

import tree as trees
from probes import MAX_PROBES, probes_around, probes_of, with_probes
from syntax import sources
from tree import HERE, TAG, WORK

PROBED = WORK / "probed"
# A test file that takes longer under probes is left out, and told.
FILE_LIMIT = 1500
# Folders of tests about packaging, tools, notebooks and a real GPU.
NOT_MEASURED = ("gpu", "hosts", "lint", "mutants", "nvrtc", "packaging")


def test_files(root):
    """Test files of the core, in the order of their names."""
    return sorted(str(path.relative_to(root)) for path in root.glob("tests/*/test_*.py") if path.parent.name not in NOT_MEASURED)


def make_map(files=None):
    """Build the copy with probes, and run what is not in the map yet."""
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    trees.copy_tree(PROBED, _texts_with_probes())
    _build()
    for program in c_programs():
        _measure_program(folder, program)
    names = test_files(PROBED) if files is None else files
    for k, name in enumerate(names):
        if not _record(folder, name).exists():
            print(f"map {k + 1}/{len(names)} {name}", flush=True)
            _measure_file(folder, name)
    if not _tests_of_make_test(folder).exists():
        _list_make_test(folder)


def _tests_of_make_test(folder):
    """Where it is written which tests `make test` runs; the other ones that are measured are in `.ci/run` alone."""
    return folder / f"make-test@{trees.hash_of_files(test_files(trees.ROOT))}-{trees.git('rev-parse', '--short', 'HEAD').strip()}"


def _list_make_test(folder):
    env = trees.environment(PROBED, MUTANTS_LIST=str(_tests_of_make_test(folder)))
    done = trees.run(pytest_command(test_files(PROBED), "--collect-only", "-m", "not slow"), PROBED, FILE_LIMIT, env)
    if done.status:
        raise SystemExit(f"the tests of `make test` cannot be listed:\n{done.output}")


def _folder():
    return WORK / "map" / trees.content_hash()


@functools.cache
def _record(folder, name):
    """Where the coverage of a test file or C program is kept, by the content of its file."""
    path = name if name.endswith(".py") else f"tests/native/{name}.c"
    return folder / f"{name.replace('/', '+')}@{trees.hash_of_files([path])}.json"


def _name_of_record(path):
    return path.name.split("@")[0].replace("+", "/")


def _texts_with_probes():
    read = sources(trees.ROOT)
    of_file = collections.defaultdict(list)
    for number, probe in enumerate(probes_of(read)):
        of_file[probe.path].append((number, probe))
    if sum(map(len, of_file.values())) > MAX_PROBES:
        raise SystemExit("more blocks than MAX_PROBES in probes.c and probes.py: raise both")
    return {source.path: with_probes(source, of_file[source.path]) for source in read if source.path in of_file}


def _build():
    source, probe_object = HERE / "probes.c", WORK / "probes.o"
    if not probe_object.exists() or probe_object.stat().st_mtime < source.stat().st_mtime:  # then everything is linked again
        done = trees.run(["cc", "-O2", "-fPIC", "-c", source, "-o", probe_object], PROBED, 60)
        if done.status:
            raise SystemExit(done.output)
    links = [f"-DCMAKE_{kind}_LINKER_FLAGS={probe_object}" for kind in ("EXE", "SHARED", "MODULE")]
    trees.configure_module(PROBED, "-DGPUPLOT_TESTS=ON", *links, flags=f"-include {HERE}/probes.h")
    done = trees.build(PROBED, TAG)
    if done.status:
        raise SystemExit(f"the copy with probes does not build:\n{done.output}")


def c_programs():
    """The C tests that `make test` runs: those that need no emulated device."""
    return sorted(path.stem for path in (trees.ROOT / "tests" / "native").glob("test_*.c") if not path.name.startswith("test_cuda_"))


def c_programs_of_devices():
    return sorted(path.stem for path in (trees.ROOT / "tests" / "native").glob("test_cuda_*.c"))


def _empty_hits():
    hits = WORK / "hits"
    hits.write_bytes(bytes(MAX_PROBES))
    return hits


def _measure_program(folder, program):
    record = _record(folder, program)
    if record.exists():
        return
    hits = _empty_hits()
    done = trees.run([PROBED / "build" / TAG / program], PROBED, FILE_LIMIT, trees.environment(PROBED, GPUPLOT_PROBES=str(hits)))
    numbers = [k for k, hit in enumerate(hits.read_bytes()) if hit]
    outcome = "passed" if done.status == 0 else "failed"
    record.write_text(json.dumps({"tests": {program: {"seconds": done.seconds, "outcome": outcome, "probes": numbers}}, "shared": []}))


def _measure_file(folder, name):
    config, data = WORK / "coverage.ini", _record(folder, name).with_suffix(".coverage")
    config.write_text(f"[run]\nsource = {PROBED}/gpuplot\ndata_file = {data}\nparallel = true\npatch =\n    subprocess\n    _exit\n")
    for old in folder.glob(f"{data.name}*"):
        old.unlink()
    env = trees.environment(PROBED, GPUPLOT_PROBES=str(_empty_hits()), MUTANTS_COVERAGE=str(config),
                            MUTANTS_MAP=str(_record(folder, name)))
    done = trees.run(pytest_command([name], "-m", "not slow", "--effort", "check"), PROBED, FILE_LIMIT, env)
    if not _record(folder, name).exists():
        print(f"  not measured ({done.how}):\n{done.output[-600:]}")
        _record(folder, name).write_text(json.dumps({"tests": {}, "shared": []}))


def pytest_command(files, *options):
    """A call of pytest in one process, whatever options the project's own runs have."""
    return [trees.ROOT / ".venv/bin/python", "-m", "pytest", "-q", "-o", "addopts=--import-mode=importlib", "-p", "record",
            "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0", *options, *files]


def note_unreliable(names):
    """Remember tests that failed without a mutant: they kill none from now on."""
    with _unreliable().open("a") as file:
        file.writelines(f"{name}\n" for name in sorted(names))


def _unreliable():
    return _folder() / "unreliable"


class CoverageMap:
    """What was measured: tests with their seconds, and which of them run a mutant."""

    def __init__(self):
        self.folder = _folder()
        self.sources = sources(trees.ROOT)
        self.numbered = list(enumerate(probes_of(self.sources)))
        self.seconds, self.failed, self.file_of = {}, [], {}
        self.direct, self.shared = collections.defaultdict(set), collections.defaultdict(set)
        self.make_test = {*_tests_of_make_test(self.folder).read_text().splitlines(), *c_programs()}
        self.records = [_record(self.folder, name) for name in [*c_programs(), *test_files(trees.ROOT)]]
        self.records = [record for record in self.records if record.exists()]
        self.unreliable = set(_unreliable().read_text().splitlines()) if _unreliable().exists() else set()
        for record in self.records:
            self._read(record, _name_of_record(record))

    def _read(self, record, file):
        got = json.loads(record.read_text())
        for nodeid, test in got["tests"].items():
            if test["outcome"] == "failed":
                self.failed.append(nodeid)
            if test["outcome"] == "passed" and nodeid not in self.unreliable:
                self.seconds[nodeid], self.file_of[nodeid] = test["seconds"], file
                for number in test["probes"]:
                    self.direct[number].add(nodeid)
        for number in got["shared"]:
            self.shared[number].add(file)

    def tests_of(self, mutant):
        """(tests that run the mutant themselves, test files that run it somewhere: while imports, or in other processes)."""
        if mutant.path.endswith(".py"):
            return self._tests_of_lines(mutant)
        numbers = probes_around(self.numbered, mutant, self.sources)
        return ({nodeid for number in numbers for nodeid in self.direct.get(number, ())},
                {file for number in numbers for file in self.shared.get(number, ())})

    def _tests_of_lines(self, mutant):
        direct, files = set(), set()
        for data in (path for record in self.records for path in sorted(self.folder.glob(f"{record.stem}.coverage*"))):
            lines = _contexts(str(data), mutant.path)
            wanted = lines if mutant.function == "<file>" else range(mutant.first_line, mutant.line + 1)
            contexts = {context for line in wanted for context in lines.get(line, ())}
            direct |= contexts & self.seconds.keys()
            if "" in contexts and mutant.function != "<file>":
                files.add(_name_of_record(data))
        return direct, files


@functools.lru_cache(maxsize=2048)
def _contexts(data, path):
    import coverage

    read = coverage.CoverageData(data)
    read.read()
    return next((read.contexts_by_lineno(name) for name in read.measured_files() if name.endswith("/" + path)), {})
