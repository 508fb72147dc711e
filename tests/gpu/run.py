"""The checks that need a GPU, one after the other within ten minutes: benchmarks, C program, tests, one report; sanitizers apart.

tests/gpu/run finds a Python and starts this. Only the standard library is needed; a step that fails or lacks a tool is
told in the report and the rest still runs. The report is written after every step. The status is 1 where something failed.
"""

import argparse
import os
import pathlib
import shutil
import signal
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import machine
import reporting
import steps as stepping

# What each tool of compute-sanitizer gets, most valuable first: each N-th case of the C program, and so many seconds.
TOOLS = {"memcheck": ("53", 90), "racecheck": ("211", 60), "initcheck": ("101", 45), "synccheck": ("211", 30)}
# The tests with frameworks that are worth their time under memcheck: those of streams and of memory that comes and goes.
SANITIZED_TESTS = ("test_gpu_streams.py", "test_gpu_memory.py")
# How compute-sanitizer says that it cannot work on a machine: under gVisor, with MIG, without rights.
REFUSED = ("Device not supported", "not supported on this device", "Unable to initialize", "Failed to initialize",
           "unsupported on this platform", "Insufficient privileges")


def arguments(words=None):
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=None,
                        help="folder for the report (default: $OUT where that is set, else tests/gpu/reports)")
    parser.add_argument("--seconds", type=float, default=540, help="for everything together")
    parser.add_argument("--only", action="append", metavar="STEP", help="this step; may be repeated")
    parser.add_argument("--skip", action="append", default=[], metavar="STEP", help="not this step; may be repeated")
    parser.add_argument("--sanitizers", action="store_true",
                        help="the second call: compute-sanitizer's tools over some cases of the C program and some tests, then all cases")
    parser.add_argument("--emulated", type=pathlib.Path, metavar="LIBCUDA",
                        help="a rehearsal without a GPU: the emulated driver's library, and the smallest sizes")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "gpu", help="folder of the build")
    parser.add_argument("--list", action="store_true", help="only name the steps")
    options = parser.parse_args(words)
    options.out = options.out or pathlib.Path(os.environ.get("OUT") or HERE / "reports")
    return options


def environment(options):
    """Variables that every step sees."""
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), "/usr/local/cuda/bin", os.environ.get("PATH", "")])
    env = {"PATH": path, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", "MPLBACKEND": "agg",
           "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}  # JAX would take three quarters of the device's memory
    if options.emulated:
        driver = options.emulated.resolve()
        env |= {"GPUPLOT_CUDA_DRIVER": str(driver), "GPUPLOT_NVRTC": str(driver.with_name("libnvrtc.so")),
                "XDG_CACHE_HOME": str(driver.with_name("cache")), "GPUPLOT_REHEARSAL": "1"}
    return env


def architecture(gpu):
    """The machine's own architecture as compilers name it, to be quick; empty where it is not known."""
    return gpu.get("compute_cap", "").replace(".", "")


def _configure(options, facts, folder, *more):
    """The command that configures native/ for this machine's GPU alone."""
    generator = ["-G", "Ninja"] if shutil.which("ninja", path=environment(options)["PATH"]) else []
    archs = architecture(facts["gpu"])
    return ["cmake", "-S", ROOT / "native", "-B", folder, *generator, *([f"-DGPUPLOT_CUDA_ARCHS={archs}"] if archs else []), *more]


def _with_images(options, facts):
    """Variables by which kernels are compiled with the build; without a libnvrtc they would be at first use, or not at all.

    What one build has compiled, the next ones take from a folder: half a minute of sixteen cores each.
    """
    if not facts.get("nvrtc") or not facts["gpu"]:
        return {}
    kept = options.build.with_name(options.build.name + "-kernels").resolve()
    return {"GPUPLOT_CUDA": "1", "GPUPLOT_NVRTC": facts["nvrtc"], "GPUPLOT_KERNEL_CACHE": str(kept)}


def _build(folder, target):
    return ["cmake", "--build", folder, "--parallel", str(os.cpu_count() or 2), "--target", target]


def c_folder(options):
    """Where the C program is built, apart from the module; a rehearsal has both in one folder."""
    return options.build if options.emulated else options.build.with_name(options.build.name + "-c")


def build_steps(options, facts, env):
    """(The C program, which needs neither Python's headers nor libpng; the module in place), each with its own configuration."""
    folder, quiet = c_folder(options), env if _has_png() else env | {"GPUPLOT_PNG": "off"}
    program = _configure(options, facts, folder, "-DGPUPLOT_TESTS=ON", "-DGPUPLOT_MODULE=OFF")
    module = _configure(options, facts, options.build, "-DGPUPLOT_INPLACE=ON", f"-DPython_EXECUTABLE={sys.executable}")
    without, quiet = env | _with_images(options, facts) | {"GPUPLOT_PNG": "off"}, quiet | _with_images(options, facts)
    return ([stepping.Step("C configure", program, 60, without),
             stepping.Step("C build", _build(folder, "every_kernel"), 180, without, after=("C configure",))],
            [stepping.Step("configure", module, 60, quiet), stepping.Step("build", _build(options.build, "_native"), 180, quiet,
                                                                          after=("configure",))])


def _has_png():
    return any(pathlib.Path(folder, "png.h").exists() for folder in ("/usr/include", "/usr/local/include"))


def kernel_steps(options, env):
    """(The C program over some cases of every kernel; over all of them, and over larger planes)."""
    program, emulated = c_folder(options) / "every_kernel", options.emulated is not None
    some = stepping.Step("every_kernel", [program, "--every", "997" if emulated else "13", "--kernels"], 120, env, after=("C build",))
    rest = [stepping.Step("larger planes", [program, "--scale", "3", "--every", "997"], 45, env, after=("C build",)),
            stepping.Step("all cases", [program, "--huge", "--kernels"], 150, env, after=("C build",))]
    return some, [] if emulated else rest


def sanitizer_steps(options, facts, env):
    """(The C program under the four tools of compute-sanitizer; some tests with frameworks under memcheck, which need the module)."""
    sanitizer, program = facts["sanitizer"], c_folder(options) / "every_kernel"
    reason = "no GPU" if options.emulated else "" if sanitizer else "no compute-sanitizer"

    def under(tool):
        return [sanitizer, "--tool", tool, "--error-exitcode", "9"]

    tools = [stepping.Step(tool, [*under(tool), *(["--leak-check", "full"] if tool == "memcheck" else []), program, "--every", nth],
                           seconds, env, skip=reason, after=("C build",), refused=REFUSED) for tool, (nth, seconds) in TOOLS.items()]
    tests = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "-p", "no:cacheprovider", *(HERE / name for name in SANITIZED_TESTS)]
    return tools, stepping.Step("memcheck tests", [*under("memcheck"), "--target-processes", "all", *tests], 75, env, skip=reason,
                                after=("build",), refused=REFUSED)


def nvrtc_steps(options, env):
    """The C program again, built without images: its kernels are compiled at first use, from the source inside it."""
    if options.emulated:
        return []
    build = options.build.with_name(options.build.name + "-nvrtc")
    configure = ["cmake", "-S", ROOT / "native", "-B", build, "-DGPUPLOT_TESTS=ON", "-DGPUPLOT_MODULE=OFF"]
    without = env | {"GPUPLOT_CUDA": "0", "GPUPLOT_PNG": "off"}
    return [
        stepping.Step("nvrtc configure", configure, 60, without),
        stepping.Step("nvrtc build", _build(build, "every_kernel"), 90, without, after=("nvrtc configure",)),
        # The first case of each group: a module takes NVRTC some seconds.
        stepping.Step("nvrtc", [build / "every_kernel", "--every", "100000"], 150, env, after=("nvrtc build",))]


def python_steps(options, env, folder):
    """(The benchmarks, with time for every quick row; the tests with real frameworks)."""
    emulated = options.emulated is not None
    tests = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "-p", "no:cacheprovider", "-rfEs", "--durations=5", HERE]
    results = folder / "benchmarks.json"
    bench = [sys.executable, ROOT / "tests" / "benchmarks" / "run.py", "--device", "only", "--json", results, "--quick",
             *(["--seconds", "40", "--side", "256"] if emulated else ["--seconds", "140"])]
    return (stepping.Step("benchmarks", bench, 300 if emulated else 200, env, after=("build",), results=results),
            stepping.Step("tests", tests, 120, env, after=("build",)))


def light_step(options, facts, folder):
    """CUB's sum as a library that the benchmarks load: the speed of light of this GPU."""
    nvcc, archs = facts["nvcc"]["path"], architecture(facts["gpu"])
    library = folder / "speed_of_light.so"
    command = [nvcc, "-O3", "-shared", "-Xcompiler", "-fPIC", *([f"-arch=sm_{archs}"] if archs else []), "-o", library,
               HERE / "speed_of_light.cu"]
    reason = "no GPU" if options.emulated else "" if nvcc else "no nvcc: torch.sum takes the place of CUB's sum"
    return stepping.Step("speed of light", command, 90, skip=reason), {"GPUPLOT_SPEED_OF_LIGHT": str(library)}


def install_step(options, facts, env, folder):
    """The way of a user: pip install from the sources, without network, into a folder of its own; then one picture."""
    target = folder / "installed"
    script = ("set -e; \"$0\" -m pip install -q --no-build-isolation --no-deps --no-index --target \"$1\" \"$2\"; cd \"$1\"; "
              "PYTHONPATH=\"$1\" \"$0\" -c 'import gpuplot; gpuplot.show_config()'")
    archs = {"GPUPLOT_CUDA_ARCHS": architecture(facts["gpu"])} if architecture(facts["gpu"]) else {}
    png = _with_images(options, facts) | ({} if _has_png() else {"GPUPLOT_PNG": "off"})
    return stepping.Step("pip install", ["bash", "-c", script, sys.executable, target, ROOT], 150, env | archs | png,
                         skip="a rehearsal" if options.emulated else "")


def all_steps(options, facts, folder):
    """Every step in the order in which they are worth their time: all figures of speed first, what the second call repeats last."""
    env = environment(options)
    light, where = light_step(options, facts, folder)
    program, module = build_steps(options, facts, env)
    some, rest = kernel_steps(options, env)
    benchmarks, tests = python_steps(options, env | where, folder)
    first = [*module, light, benchmarks, *program, some, tests, install_step(options, facts, env, folder), *nvrtc_steps(options, env),
             *rest]
    tools, sanitized_tests = sanitizer_steps(options, facts, env)
    second = [*program, *tools, *module, sanitized_tests, *rest[1:]]
    found = second if options.sanitizers else first
    return [step for step in found if step.name not in options.skip and (not options.only or step.name in options.only)]


def run(options, report, steps):
    """Runs the steps and writes the report after each."""
    def note(outcomes):
        report.outcomes = outcomes
        report.results = {step.name: reporting.read_json(step.results) for step in steps if step.results}
        report.write()

    note({})
    with report.path(".log").open("w+") as log:
        stepping.run_all(steps, options.seconds, ROOT, log, lambda line: print(line, flush=True), note)


def main(words=None):
    """Runs what was asked for, and writes the report whatever happens."""
    options = arguments(words)
    facts = machine.facts(ROOT)
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gpuplot-") as name:
        folder = pathlib.Path(name)
        steps = all_steps(options, facts, folder)
        if options.list:
            print("\n".join(step.name for step in steps))
            return 0
        report = reporting.Report(options.out, facts, is_rehearsal=options.emulated is not None,
                                  part="sanitizers" if options.sanitizers else "")
        print(f"writing {report.path('.json')}", flush=True)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what runs ends with us
        run(options, report, steps)
        report.facts["gpu_after"] = machine.gpu()
        report.write()
    print(report.text())
    return 1 if any(outcome.is_bad for outcome in report.outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
