"""The checks that need a GPU, one after the other within ten minutes: C program, tests, sanitizers, benchmarks, one report.

tests/gpu/run finds a Python and starts this. Only the standard library is needed; a step that fails or lacks a tool is
told in the report and the rest still runs. The status is 1 where something failed.
"""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import machine
import reporting
import steps as stepping

# How many cases each tool of compute-sanitizer gets: each N-th.
TOOLS = {"memcheck": "53", "racecheck": "211", "initcheck": "101", "synccheck": "211"}
# How compute-sanitizer says that it cannot work on a machine: under gVisor, with MIG, without rights.
REFUSED = ("Device not supported", "not supported on this device", "Unable to initialize", "Failed to initialize",
           "unsupported on this platform", "Insufficient privileges")


def arguments(words=None):
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=None,
                        help="folder for the report (default: $OUT where that is set, else tests/gpu/reports)")
    parser.add_argument("--seconds", type=float, default=570, help="for everything together")
    parser.add_argument("--only", action="append", metavar="STEP", help="this step; may be repeated")
    parser.add_argument("--skip", action="append", default=[], metavar="STEP", help="not this step; may be repeated")
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
    """The machine's own architecture as nvcc names it, to be quick; empty where it is not known."""
    return gpu.get("compute_cap", "").replace(".", "")


def build_steps(options, facts, env):
    """The module in place and the C program, for this machine's GPU alone."""
    generator = ["-G", "Ninja"] if shutil.which("ninja", path=env["PATH"]) else []
    archs = architecture(facts["gpu"])
    configure = ["cmake", "-S", ROOT / "native", "-B", options.build, *generator, "-DGPUPLOT_INPLACE=ON", "-DGPUPLOT_TESTS=ON",
                 f"-DPython_EXECUTABLE={sys.executable}", *([f"-DGPUPLOT_CUDA_ARCHS={archs}"] if archs else [])]
    # Without headers of libpng pictures are written by Pillow: no reason to stop here.
    quiet = env | {"GPUPLOT_PNG": "off"} if not _has_png() else env
    targets = ["cmake", "--build", options.build, "--parallel", str(os.cpu_count() or 2), "--target", "_native", "every_kernel"]
    return [stepping.Step("configure", configure, 60, quiet), stepping.Step("build", targets, 240, quiet, after=("configure",))]


def _has_png():
    return any(pathlib.Path(folder, "png.h").exists() for folder in ("/usr/include", "/usr/local/include"))


def kernel_steps(options, facts, env):
    """The C program over every kernel, alone, with kernels compiled at first use, and under the four sanitizers."""
    program, emulated = options.build / "every_kernel", options.emulated is not None
    every, huge = (["--every", "997"], []) if emulated else ([], ["--huge"])
    found = [stepping.Step("every_kernel", [program, *every, *huge, "--kernels"], 150, env, after=("build",))]
    if not emulated:
        found.append(stepping.Step("larger planes", [program, "--scale", "4", "--every", "31"], 60, env, after=("build",)))
    sanitizer = facts["sanitizer"]
    for tool, every_nth in TOOLS.items():
        extra = ["--leak-check", "full"] if tool == "memcheck" else []
        found.append(stepping.Step(
            tool, [sanitizer, "--tool", tool, *extra, "--error-exitcode", "9", program, "--every", every_nth], 75, env,
            skip="" if sanitizer and not emulated else "no compute-sanitizer" if not emulated else "no GPU",
            after=("build",), refused=REFUSED))
    return found


def nvrtc_steps(options, env):
    """The C program again, built without nvcc: its kernels are compiled at first use, from the source inside it."""
    if options.emulated:
        return []
    build = options.build.with_name(options.build.name + "-nvrtc")
    configure = ["cmake", "-S", ROOT / "native", "-B", build, "-DGPUPLOT_TESTS=ON", "-DGPUPLOT_MODULE=OFF"]
    make = ["cmake", "--build", build, "--parallel", str(os.cpu_count() or 2), "--target", "every_kernel"]
    without = env | {"GPUPLOT_CUDA": "0", "GPUPLOT_PNG": "off"}
    return [
        stepping.Step("nvrtc configure", configure, 60, without),
        stepping.Step("nvrtc build", make, 90, without, after=("nvrtc configure",)),
        # The first case of each group: a module takes NVRTC some seconds.
        stepping.Step("nvrtc", [build / "every_kernel", "--every", "100000"], 150, env, after=("nvrtc build",))]


def python_steps(options, env, folder):
    """The tests with real frameworks, and the benchmarks."""
    emulated = options.emulated is not None
    tests = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "-p", "no:cacheprovider", "-rs", "--durations=5", HERE]
    results = folder / "benchmarks.json"
    bench = [sys.executable, ROOT / "tests" / "benchmarks" / "run.py", "--device", "only", "--json", results, "--seconds",
             "40" if emulated else "190", *(["--side", "256"] if emulated else [])]
    return [stepping.Step("tests", tests, 180, env, after=("build",)),
            stepping.Step("benchmarks", bench, 300 if emulated else 240, env, after=("build",), results=results)]


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
    png = {} if _has_png() else {"GPUPLOT_PNG": "off"}
    return stepping.Step("pip install", ["bash", "-c", script, sys.executable, target, ROOT], 150, env | archs | png,
                         skip="a rehearsal" if options.emulated else "")


def all_steps(options, facts, folder):
    """Every step in the order in which they are worth their time."""
    env = environment(options)
    light, where = light_step(options, facts, folder)
    kernels = kernel_steps(options, facts, env)
    tests, bench = python_steps(options, env | where, folder)
    plain = [step for step in kernels if step.name not in TOOLS]
    tools = [step for step in kernels if step.name in TOOLS]
    found = [*build_steps(options, facts, env), *plain, tests, tools[0], light, bench, *tools[1:],
             *nvrtc_steps(options, env), install_step(options, facts, env, folder)]
    return [step for step in found if step.name not in options.skip and (not options.only or step.name in options.only)]


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
        report = reporting.Report(options.out, facts, is_rehearsal=options.emulated is not None)
        print(f"writing {report.path('.json')}", flush=True)
        with report.path(".log").open("w") as log:
            report.outcomes = stepping.run_all(steps, options.seconds, ROOT, log, lambda line: print(line, flush=True))
        report.results = {step.name: reporting.read_json(step.results) for step in steps if step.results}
        report.facts["gpu_after"] = machine.gpu()
        report.write()
    print(report.text())
    return 1 if any(outcome.is_bad for outcome in report.outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
