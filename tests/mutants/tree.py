"""Copies of the tree in build/mutants, how they are built, and commands in them that end in time."""

import dataclasses
import functools
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build" / "mutants"
TAG = sys.implementation.cache_tag
# What the tests of a mutant are made of; documents and benchmarks' results are copied as well, but change no result.
_HASHED = ("native", "gpuplot", "widgets", "tests")


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def tracked_files():
    """The paths of the tree, with what is not committed yet."""
    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


def hash_of_files(names):
    total = hashlib.sha256()
    for name in sorted(names):
        total.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
    return total.hexdigest()[:12]


@functools.cache
def content_hash():
    """A hash of all sources and of what tests share, but for the test files themselves and these tools."""
    return hash_of_files(name for name in tracked_files() if name.startswith(_HASHED) and not name.startswith("tests/mutants/")
                         and not Path(name).name.startswith("test_"))


def copy_tree(target, changed=None):
    """Make `target` the tree's content, but for files that are `changed` to other bytes.

    Files that are the same stay as they are, so that little is built again.
    """
    wanted = set(tracked_files())
    for name in wanted:
        source, copy = ROOT / name, target / name
        content = (changed or {}).get(name, _content(source, name))
        if not copy.exists() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
            shutil.copymode(source, copy)
    for folder in ("native", "gpuplot", "widgets", "tests"):
        for path in (target / folder).rglob("*"):
            if path.is_file() and path.suffix != ".so" and "__pycache__" not in path.parts and str(path.relative_to(target)) not in wanted:
                path.unlink()
    if not (target / ".venv").exists():
        (target / ".venv").symlink_to(ROOT / ".venv")


def _content(path, name):
    text = path.read_bytes()
    # Speed of kernels is no matter here, that of compiling them is.
    return text.replace(b"-O2 -g1", b"-O1") if name == "native/cmake/emulator.cmake" else text


def environment(tree, **more):
    """The variables for builds and tests in a copy."""
    base = {name: value for name, value in os.environ.items() if not name.startswith(("GPUPLOT_", "EMULATED_", "PYTEST_", "CMAKE_"))}
    launcher = shutil.which("ccache") or ""
    return base | {
        "PYTHONPATH": os.pathsep.join([str(tree), str(HERE)]), "PYTHONDONTWRITEBYTECODE": "1", "GPUPLOT_CUDA": "0",
        "EMULATED_DEVICE": str(tree / "build" / TAG / "emulator"), "MPLBACKEND": "agg", "MPLCONFIGDIR": str(WORK / "matplotlib"),
        "CMAKE_C_COMPILER_LAUNCHER": launcher, "CMAKE_CXX_COMPILER_LAUNCHER": launcher, "CCACHE_BASEDIR": str(tree),
        "CCACHE_NOHASHDIR": "1", "PATH": f"{ROOT}/.venv/bin{os.pathsep}{os.environ['PATH']}",
        # Reached addresses and leaks are found by the C tests; Python leaks on purpose at exit.
        "LSAN_OPTIONS": f"print_suppressions=0:suppressions={tree}/tests/native/emulator_leaks.txt", **more}


@dataclasses.dataclass
class Outcome:
    """How a command ended: its status, "timeout" or a signal, seconds, and the last of what it printed."""

    status: int
    is_timeout: bool
    seconds: float
    output: str

    @property
    def how(self):
        return "timeout" if self.is_timeout else "crash" if self.status < 0 or self.status in (134, 139) else "failure"


def _be_modest():
    os.nice(5)
    Path("/proc/self/oom_score_adj").write_text("800")  # a mutant that asks for all memory is the first to go


def run(command, tree, limit, env=None):
    """Run a command in a copy; when its time is over it ends with all its children."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([str(part) for part in command], cwd=tree, env=env or environment(tree), stdout=output,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=_be_modest)
        try:
            process.wait(limit)
            is_timeout = False
        except subprocess.TimeoutExpired:
            is_timeout = True
        finally:
            _end_group(process)
        output.seek(0)
        last = output.read()[-4000:].decode(errors="replace")
    return Outcome(process.returncode, is_timeout, time.monotonic() - start, last)


def _end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


# ---- builds -------------------------------------------------------------------------------------------------------------


def configure(tree, folder, *options):
    """Configure a build folder of a copy, once."""
    if (tree / "build" / folder / "build.ninja").exists():
        return
    done = run(["cmake", "-S", "native", "-B", f"build/{folder}", "-G", "Ninja", f"-DPython_EXECUTABLE={sys.executable}", *options],
               tree, 600)
    if done.status:
        raise SystemExit(done.output)


def configure_module(tree, *options, flags=""):
    """The module in place and the emulated device, with -O1 and without warnings."""
    configure(tree, TAG, "-DGPUPLOT_INPLACE=ON", "-DGPUPLOT_EMULATOR=ON", "-DCMAKE_BUILD_TYPE=None",
              f"-DCMAKE_C_FLAGS=-O1 -w {flags}", f"-DCMAKE_CXX_FLAGS=-w {flags}", *options)


def configure_sanitized(tree):
    """The C tests with AddressSanitizer and UndefinedBehaviorSanitizer, and what they run on of the emulated device."""
    configure(tree, f"{TAG}-sanitized", "-DGPUPLOT_TESTS=ON", "-DGPUPLOT_SANITIZE=address,undefined", "-DCMAKE_BUILD_TYPE=None",
              "-DCMAKE_C_FLAGS=-O1 -w", "-DCMAKE_CXX_FLAGS=-w", "-DGPUPLOT_EMULATOR=ON")


def build(tree, folder, *targets, limit=1200):
    """Build targets; an `Outcome`."""
    names = [part for target in targets for part in ("--target", target)]
    return run(["cmake", "--build", f"build/{folder}", "--parallel", os.environ.get("JOBS", "1"), *names], tree, limit)
