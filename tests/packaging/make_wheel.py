"""Makes one wheel that other machines with Linux can install: any Python from 3.11 on, libpng inside, and tries it.

usage: .venv/bin/python tests/packaging/make_wheel.py FOLDER
The environment has the groups `build` and `wheel` (make wheel). The wheel's name says which glibc it needs, which is this
machine's at most: build on the oldest system that it is for. GPUPLOT_CUDA=1 puts machine code of kernels in, as in other builds.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(sys.executable).parent
# Built against the limited API, one module serves every Python from this one on.
OLDEST_PYTHON = "cp311"
# Runs where there is neither a compiler nor the tree: array -> cells -> colors -> PNG file, by the libpng that came along.
TRIAL = """
import pathlib
import numpy, gpuplot
a = numpy.arange(600.0).reshape(20, 30)
assert numpy.array_equal(gpuplot.downsample(a, (20, 30)), a)
gpuplot.imsave("a.png", a)
assert pathlib.Path("a.png").read_bytes().startswith(b"\\x89PNG")
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "libpng" in line}
bundled = pathlib.Path(gpuplot.__file__).parents[1] / "gpuplot.libs"
assert loaded and all(pathlib.Path(path).parent == bundled for path in loaded), loaded
print("  works, with", *sorted(pathlib.Path(path).name for path in loaded))
"""


def run(*command, **options):
    """Run a command that must succeed, with the environment's own tools first."""
    path = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run([os.fspath(word) for word in command], check=True, env={**os.environ, **path}, **options)


def build(folder):
    """A wheel whose module links the system's libpng."""
    run(sys.executable, "-m", "pip", "wheel", ROOT, "--no-deps", "--no-build-isolation", "--wheel-dir", folder,
        f"--config-settings=wheel.py-api={OLDEST_PYTHON}")
    [wheel] = folder.glob("*.whl")
    return wheel


def bundle(wheel, folder):
    """The same wheel with libpng in it, and a name that says which systems it is for."""
    run("auditwheel", "repair", "--strip", "--wheel-dir", folder, wheel)
    [portable] = folder.glob("*manylinux*.whl")
    return portable


def attempt(wheel, folder):
    """Install the wheel by pip into an empty environment, and draw there with nothing else on PATH."""
    run(sys.executable, "-m", "venv", folder / "clean")
    python = folder / "clean" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    subprocess.run([python, "-c", TRIAL], cwd=folder, check=True, env={"PATH": os.fspath(python.parent), "HOME": os.fspath(folder)})


def main():
    if sys.platform != "linux" or len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    target = pathlib.Path(sys.argv[1])
    target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        wheel = bundle(build(folder), folder / "portable")
        attempt(wheel, folder)
        shutil.copy(wheel, target)
    print(f"== {target / wheel.name}, {(target / wheel.name).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
