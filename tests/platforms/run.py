"""Runs a part of the tests on each platform that can be had here, and says of each other one why it was not run.

usage: python tests/platforms/run.py [NAME...]   (or through run.sh, which describes what comes out)
A Python is looked for by its name on PATH and among the versions of pyenv. PLATFORM_TESTS replaces the test files.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "platforms"
# Every way in (arrays, DLPack), every front end, and what leans on details of Python, NumPy and matplotlib.
TESTS = os.environ.get("PLATFORM_TESTS", "tensor dlpack view downsample to_rgba norms imshow image_cells image_pixels plot "
                       "line_density scatter scatter_classes scatter_colors hist labelled png stats asnumpy "
                       "transfers threads at_end image_keeping forks malformed inspector_widget inspector_controller annotations "
                       "docstrings").split()
TEST_TOOLS = ["pytest>=9", "hypothesis>=6.100", "anywidget>=0.9.13"]
CROSS = "aarch64-linux-gnu"


class NotRun(Exception):
    """Why a platform cannot be had here."""


class Failed(Exception):
    """What failed, in the words of the tool."""


def run(*command, cwd=ROOT, **variables):
    """The output of a command; Failed with its last lines where it fails."""
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, errors="replace", check=False,
                          env={**os.environ, **{key: str(value) for key, value in variables.items()}})
    output = done.stdout + done.stderr
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command[:6]))} ...\n" + "\n".join(output.splitlines()[-60:]))
    return output


def build(folder, *options, **variables):
    """Configure and build the native layer in a folder; warnings are errors."""
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", "-S", "native", "-B", folder, *generator, "-DGPUPLOT_WERROR=ON", *options, GPUPLOT_CUDA=0, **variables)
    run("cmake", "--build", folder, "--parallel", os.environ.get("JOBS") or len(os.sched_getaffinity(0)), **variables)


def ctest(folder, **variables):
    """Run the C tests that were built in a folder, and return the last line but two."""
    output = run("ctest", "--output-on-failure", "--timeout", "900", cwd=folder, **variables)
    return next(line for line in output.splitlines() if "tests passed" in line)


# ---- Pythons ---------------------------------------------------------------------------------------------------------


def find_python(version):
    """An interpreter of a version such as 3.13 or 3.13t (free-threaded) that can build modules."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    own = f"{sys.version_info.major}.{sys.version_info.minor}" + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "")
    candidates = [sys.executable] if own == version else []
    candidates += [path for path in [shutil.which(f"python{version}")] if path]
    candidates += sorted(map(str, pyenv.glob(f"versions/{version.removesuffix('t')}*/bin/python{version}")))
    code = ("import ensurepip, os, sysconfig, venv; assert os.path.exists(sysconfig.get_path('include') + '/Python.h'); "
            f"assert bool(sysconfig.get_config_var('Py_GIL_DISABLED')) is {version.endswith('t')}")
    for path in candidates:
        if subprocess.run([path, "-c", code], capture_output=True, check=False).returncode == 0:
            return path
    raise NotRun(f"no python{version} with its headers, ensurepip and venv on PATH or in pyenv")


def make_environment(name, python, requirements, *pip_options):
    """The Python of a virtual environment with these packages; NotRun where there is no wheel of one."""
    folder = FOLDER / name / "venv"
    inside = folder / "bin" / "python"
    identity = "import sys; print(sys.version, sys.base_prefix)"
    if not inside.exists() or run(inside, "-c", identity) != run(python, "-c", identity):
        run(python, "-m", "venv", "--clear", folder)
    try:
        run(inside, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--prefer-binary", *pip_options,
            *requirements, *TEST_TOOLS)
    except Failed as failure:
        if "No matching distribution" in str(failure):
            raise NotRun(next(line for line in str(failure).splitlines() if "No matching distribution" in line)) from None
        raise
    return inside


def copy_tree(name, built):
    """A copy of the tree with another build's module in place: tests start programs there, which import what is beside them."""
    folder = FOLDER / name / "tree"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for part in ("gpuplot", "widgets", "tests", "examples", "docs", "native"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("*.so", "__pycache__", "results"))
    for file in ("pyproject.toml", "README.md", "Makefile", "LICENSE"):
        shutil.copy(ROOT / file, folder)
    for path in built.glob("_native*.so"):
        shutil.copy(path, folder / "gpuplot")
    return folder


def test_python(name, version, requirements, *pip_options):
    """Build the module for a Python with these packages, and run the test files; what ran, in a line."""
    inside = make_environment(name, find_python(version), requirements, *pip_options)
    built = FOLDER / name / "build"
    build(built, f"-DPython_EXECUTABLE={inside}")
    tree = copy_tree(name, built)
    purelib = Path(run(inside, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (purelib / "gpuplot-tree.pth").write_text(f"{tree}\n")
    files = [path.relative_to(ROOT) for test in TESTS for path in (ROOT / "tests").glob(f"*/test_{test}.py")]
    output = run(inside, "-m", "pytest", "-q", "--tb=short", "--maxfail=10", "-p", "no:cacheprovider", "-m", "not slow",
                 *files, cwd=tree, MPLBACKEND="agg", MPLCONFIGDIR=FOLDER / name / "matplotlib")
    words = run(inside, "-c", "import numpy, matplotlib, platform; print('Python', platform.python_version(), 'NumPy', "
                "numpy.__version__, 'matplotlib', matplotlib.__version__)").strip()
    return f"{words}: {output.splitlines()[-1]}"


def free_threaded(name, version):
    """The same on a Python without the GIL, where importing switches it on and says so."""
    words = test_python(name, version, ["numpy", "matplotlib"])
    inside = FOLDER / name / "venv" / "bin" / "python"
    run(inside, "-c", "import warnings, sys\nwith warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n    import gpuplot\n"
        "assert sys._is_gil_enabled() and any('gpuplot._native' in str(w.message) for w in caught), caught",
        cwd=FOLDER / name / "tree")
    run(inside, "-X", "gil=0", "-c", "import warnings, sys\nwith warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n    import gpuplot\n"
        "assert not sys._is_gil_enabled() and any('relies on the GIL' in str(w.message) for w in caught), caught",
        cwd=FOLDER / name / "tree")
    return f"{words}; importing says what it does to the GIL"


# ---- compilers and machines -------------------------------------------------------------------------------------------


def compiled_by_clang(name):
    """The module and the C tests by clang."""
    if shutil.which("clang") is None:
        raise NotRun("no clang (Debian: clang)")
    folder = FOLDER / name / "build"
    build(folder, "-DGPUPLOT_TESTS=ON", f"-DPython_EXECUTABLE={sys.executable}", CC="clang", CXX="clang++")
    return ctest(folder)


def without_python(name):
    """The C core and its tests where CMake finds no Python at all."""
    folder = FOLDER / name / "build"
    build(folder, "-DGPUPLOT_TESTS=ON", "-DGPUPLOT_MODULE=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_Python=ON")
    return ctest(folder)


def emulated_aarch64(name):
    """The C tests on aarch64, run by qemu's user emulation, without libpng."""
    missing = [package for tool, package in ((f"{CROSS}-gcc", f"gcc-{CROSS}"), ("qemu-aarch64", "qemu-user"))
               if shutil.which(tool) is None]
    if missing:
        raise NotRun(f"no {' and no '.join(missing)} (Debian: apt-get install {' '.join(missing)} libc6-dev-arm64-cross)")
    folder = FOLDER / name / "build"
    build(folder, "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", f"-DCMAKE_C_COMPILER={CROSS}-gcc",
          f"-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64;-L;/usr/{CROSS}", "-DGPUPLOT_TESTS=ON", "-DGPUPLOT_MODULE=OFF",
          "-DGPUPLOT_PNG=off", CC="", CXX="")
    return ctest(folder, GP_TEST_NO_FORK="1")  # qemu itself ends in a child of a process with threads


PLATFORMS = {
    "oldest": lambda name: test_python(name, "3.11", ["numpy==2.0.*", "matplotlib==3.9.*"]),
    "newest": lambda name: test_python(name, f"{sys.version_info.major}.{sys.version_info.minor}", ["numpy", "matplotlib"],
                                       "--pre", "--upgrade"),
    "python3.12": lambda name: test_python(name, "3.12", ["numpy", "matplotlib"]),
    "python3.13": lambda name: test_python(name, "3.13", ["numpy", "matplotlib"]),
    "python3.14": lambda name: test_python(name, "3.14", ["numpy", "matplotlib"]),
    "python3.13t": lambda name: free_threaded(name, "3.13t"),
    "python3.14t": lambda name: free_threaded(name, "3.14t"),
    "clang": compiled_by_clang,
    "without-python": without_python,
    "aarch64": emulated_aarch64,
}


def main(arguments):
    """Run the platforms that are named, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(PLATFORMS)}; default: all")
    names = parser.parse_args(arguments).names or list(PLATFORMS)
    if not set(names) <= set(PLATFORMS):
        parser.error(f"no platform {', '.join(sorted(set(names) - set(PLATFORMS)))}: use some of {', '.join(PLATFORMS)}")
    status = 0
    for name in names:
        start = time.monotonic()
        try:
            words = f"passed: {PLATFORMS[name](name)}"
        except NotRun as reason:
            words = f"not run: {reason}"
        except Failed as failure:
            print(failure, flush=True)
            words, status = "FAILED", 1
        print(f"{name}: {words} ({time.monotonic() - start:.0f} s)", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
