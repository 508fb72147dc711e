"""The build in its variants: with and without images of kernels and libpng, as sdist, wheel and editable, offline."""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import textwrap
import zipfile

import pytest

pytestmark = pytest.mark.slow

ROOT = pathlib.Path(__file__).resolve().parents[2]
MADE = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "demo-output", "__pycache__", ".pytest_cache", ".hypothesis", "*.so"
)
# Where the compiler's work is not what a test is about, it takes a third of the time.
QUICK = "-DCMAKE_C_FLAGS_RELEASE=-O0"
# Runs in a fresh interpreter: an array through C to cells, colors and a PNG file.
DRAW = """
    import pathlib, sys
    import numpy as np
    import gpuplot
    from PIL import Image
    a = np.arange(600.0).reshape(20, 30)
    assert np.array_equal(gpuplot.downsample(a, (20, 30)), a)
    assert gpuplot.to_rgba(a, (10, 15)).shape == (10, 15, 4)
    gpuplot.imsave("a.png", a)
    with Image.open("a.png") as picture:
        assert np.array_equal(np.asarray(picture.convert("RGBA")), gpuplot.to_rgba(a))
    print(pathlib.Path(gpuplot.__file__).parent)
    print(gpuplot.show_config(mode="dicts"))
"""


def environment(**changes):
    """This process's variables with the environment's own tools first, and without our build's switches."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("GPUPLOT_", "CUDA"))}
    variables["PATH"] = os.path.dirname(sys.executable) + os.pathsep + variables["PATH"]
    return variables | changes


def run(*command, cwd, env=None):
    """Run a command and return it with its joined output."""
    return subprocess.run(
        [os.fspath(word) for word in command],
        cwd=cwd, env=env or environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )


def succeed(*command, **options):
    """Run a command that must succeed and return its output."""
    done = run(*command, **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


def configure(folder, *options, env=None):
    """Configure the native layer into `folder`."""
    return run(
        "cmake", "-S", ROOT / "native", "-B", folder, "-G", "Ninja", f"-DPython_EXECUTABLE={sys.executable}",
        *options, cwd=folder.parent, env=env,
    )


def build_package(folder, *options, env=None):
    """Configure, build, and lay the package with this module into `folder`/package; the configure log."""
    done = configure(folder, "-DGPUPLOT_WERROR=ON", *options, env=env)
    assert done.returncode == 0, done.stdout
    succeed("cmake", "--build", folder, "--parallel", "2", cwd=folder)
    succeed("cmake", "--install", folder, "--prefix", folder / "package", cwd=folder)
    shutil.copytree(ROOT / "gpuplot", folder / "package" / "gpuplot", ignore=MADE, dirs_exist_ok=True)
    return done.stdout


def draw(python, cwd, **variables):
    """Draw in a fresh interpreter away from the tree; the folder of the package it used and its configuration."""
    script = cwd / "draw.py"
    script.write_text(textwrap.dedent(DRAW))
    return succeed(python, script, cwd=cwd, env=environment(**variables)).splitlines()


def write_program(path, text):
    """An executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def clean_environment(folder):
    """A virtual environment with NumPy and matplotlib of this one and without the tree's own package."""
    succeed(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    python = folder / "bin" / "python"
    site = succeed(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip()
    # Path files inside a folder that a path file names are not read, so our link to the tree stays out.
    pathlib.Path(site, "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def pip_install(python, *what, cwd):
    """Install with this environment's pip, offline."""
    succeed(
        sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps",
        "--no-build-isolation", *what, cwd=cwd,
    )


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The source archive, made from a copy of the tree."""
    folder = tmp_path_factory.mktemp("sdist")
    tree = folder / "tree"
    shutil.copytree(ROOT, tree, ignore=MADE)
    code = f"from scikit_build_core.build import build_sdist; build_sdist({os.fspath(folder)!r})"
    succeed(sys.executable, "-c", code, cwd=tree)
    [archive] = folder.glob("*.tar.gz")
    return archive


@pytest.fixture(scope="module")
def plain_build(tmp_path_factory):
    """A build as `pip install .` makes it: its folder and its configure log."""
    folder = tmp_path_factory.mktemp("build") / "b"
    return folder, build_package(folder, env=environment())


@pytest.fixture
def emulator():
    """The folder of the emulated device, whose NVRTC "compiles" in no time for 70, 75, 80 and 90."""
    folder = ROOT / "build" / "emulator"
    if not (folder / "libnvrtc.so").exists():
        pytest.skip("no emulated device was built")
    return folder.resolve()


class TestKernels:
    """The modules of kernels: sources always, images where they are asked for, by a libnvrtc that has to be there."""

    NAMES = sorted(path.stem for path in (ROOT / "native" / "cuda" / "kernels").glob("*.cu"))

    def test_nothing_is_compiled_unless_it_is_asked_for(self, plain_build, tmp_path):
        folder, log = plain_build
        assert "CUDA kernels: not compiled with the build (GPUPLOT_CUDA=1 does)" in log
        assert not list(folder.rglob("*.pack")) and not (folder / "make_images").exists()
        package, config = draw(sys.executable, tmp_path, PYTHONPATH=str(folder / "package"))
        assert package == str(folder / "package" / "gpuplot")
        assert "not compiled with the build" in config

    def test_a_missing_compiler_that_was_asked_for_is_an_error(self, tmp_path):
        done = configure(tmp_path / "b", env=environment(GPUPLOT_CUDA="1", GPUPLOT_NVRTC=str(tmp_path / "libnvrtc.so.12")))
        words = " ".join(done.stdout.split())
        assert done.returncode != 0
        assert f"there is no libnvrtc {tmp_path}/libnvrtc.so.12: pip install nvidia-cuda-nvrtc-cu12" in words

    @pytest.mark.parametrize("wanted, words", [
        ("", "sm_75 sm_80 sm_86 sm_89 sm_90 sm_100? sm_120? compute_75"), ("80", "sm_80 compute_80"), ("90-real", "sm_90"),
        ("70-virtual, 90-real;80-real", "compute_70 sm_90 sm_80"),
    ])
    def test_architectures(self, tmp_path, emulator, wanted, words):
        done = configure(tmp_path / "b", env=environment(GPUPLOT_CUDA="1", GPUPLOT_NVRTC=str(emulator / "libnvrtc.so"),
                                                         GPUPLOT_CUDA_ARCHS=wanted))
        assert done.returncode == 0, done.stdout
        assert f"CUDA architectures: {words}\n" in done.stdout

    def build_one(self, tmp_path, emulator, archs, **variables):
        env = environment(GPUPLOT_CUDA="1", GPUPLOT_NVRTC=str(emulator / "libnvrtc.so"), GPUPLOT_CUDA_ARCHS=archs, **variables)
        assert configure(tmp_path / "b", env=env).returncode == 0
        done = run("cmake", "--build", tmp_path / "b", "--target", "gp_images/convert.pack", cwd=tmp_path, env=env)
        return done.returncode, " ".join(done.stdout.split())

    def test_words_that_are_no_architecture_are_told(self, tmp_path, emulator):
        done = configure(tmp_path / "b", env=environment(GPUPLOT_CUDA="1", GPUPLOT_NVRTC=str(emulator / "libnvrtc.so"),
                                                         GPUPLOT_CUDA_ARCHS="hopper"))
        assert done.returncode != 0
        assert "'hopper' is not an architecture; give some like 80, 80-real or 75-virtual" in " ".join(done.stdout.split())

    def test_an_architecture_that_the_compiler_does_not_know_is_told(self, tmp_path, emulator):
        status, words = self.build_one(tmp_path, emulator, "80 100")
        assert status != 0
        assert "NVRTC 12.4 makes no code for sm_100: leave it out" in words

    def test_a_compiler_that_fails_is_an_error_with_its_words(self, tmp_path, emulator):
        status, words = self.build_one(tmp_path, emulator, "80", EMU_NVRTC_FAIL="COMPILATION")
        assert status != 0
        assert "NVRTC 12.4 does not compile the kernels convert for sm_80" in words and "there is no kernel here" in words

    def test_sources_are_embedded_whole(self, plain_build):
        [module] = (plain_build[0] / "package" / "gpuplot").glob("_native*.so")
        data = module.read_bytes()
        assert self.NAMES
        for name in self.NAMES:
            text = (plain_build[0] / "kernels" / f"{name}.cu").read_text()
            assert data.count(text.encode() + b"\0") == 1, name
            assert re.findall(r'^#include "(.*)"', text, re.MULTILINE) == ["emu.h"], name
            assert text.count('#line 1 "cuda/kernels/device.cuh"') == 1, name

    def test_a_build_with_images_runs_the_one_of_the_device(self, tmp_path, emulator):
        """And says so: machine code of the same generation, else PTX, else what NVRTC compiles at first use."""
        build_package(tmp_path / "b", QUICK, env=environment(GPUPLOT_CUDA="1", GPUPLOT_NVRTC=str(emulator / "libnvrtc.so"),
                                                             GPUPLOT_CUDA_ARCHS="75-real 80-real 90-real 75-virtual"))
        for capability, words in (("86", "machine code for 8.0, of the package"),
                                  ("120", "PTX for 7.5, of the package, which the driver translates"),
                                  ("70", "kernels compiled at their first use, by libnvrtc")):
            found = self.draw_emulated(tmp_path, emulator, capability)
            assert found["devices"] == [f"Emulated device 0 ({capability[:-1]}.{capability[-1]}): {words}"]
            assert found["architectures"] == "sm_75 sm_80 sm_90 compute_75" and found["compiler"] == "NVRTC 12.4"
            assert found["kernels"] == ("compiled at their first use, by libnvrtc" if capability == "70" else "compiled with the package")

    def draw_emulated(self, tmp_path, emulator, capability):
        """What show_config says of CUDA after a tensor in emulated memory was reduced."""
        script = tmp_path / "emulated.py"
        script.write_text(textwrap.dedent(f"""
            import sys; sys.path.insert(0, {str(ROOT / "tests")!r})
            import emulated_device
            import numpy as np
            device = emulated_device.load()
            import gpuplot
            values = np.arange(12000, dtype="f4").reshape(120, 100)
            memory = device.upload(values)
            class X:
                __cuda_array_interface__ = {{"shape": (120, 100), "typestr": "<f4", "data": (memory.pointer, False), "version": 3,
                                            "stream": 1}}
            assert np.allclose(gpuplot.downsample(X(), (7, 9)), gpuplot.downsample(values, (7, 9))) and not device.problems()
            print(gpuplot.show_config("dicts")["CUDA backend"])
        """))
        variables = {"PYTHONPATH": str(tmp_path / "b" / "package"), "EMU_CAPABILITY": capability, "EMU_DEVICES": "1",
                     "EMULATED_DEVICE": str(emulator), "XDG_CACHE_HOME": "/dev/null"}
        return ast.literal_eval(succeed(sys.executable, script, cwd=tmp_path, env=environment(**variables)).splitlines()[-1])


class TestBackend:
    """What pip has to install for a build."""

    def requirements(self, hook, **variables):
        code = f"import gpuplot_build; print([r for r in gpuplot_build.get_requires_for_build_{hook}() if 'nvrtc' in r])"
        env = environment(PYTHONPATH=str(ROOT / "native" / "pep517"), **variables)
        return ast.literal_eval(succeed(sys.executable, "-c", code, cwd=ROOT, env=env).splitlines()[-1])

    @pytest.mark.parametrize("hook", ["wheel", "editable"])
    @pytest.mark.parametrize("variables, wanted", [
        ({}, []), ({"GPUPLOT_CUDA": "0"}, []), ({"GPUPLOT_CUDA": "1"}, ["nvidia-cuda-nvrtc-cu12>=12.8"]),
        ({"GPUPLOT_CUDA": "1", "GPUPLOT_NVRTC": "/usr/lib/libnvrtc.so.12"}, []),
    ])
    def test_the_compiler_of_kernels_is_asked_for_where_it_is_needed(self, hook, variables, wanted):
        assert self.requirements(hook, **variables) == wanted


class TestPng:
    """A build that can't see libpng is told so by CMake's own switch for a package that is not there."""

    HIDDEN = "-DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON"

    def user(self, tmp_path, user_id):
        """Variables under which `id -u` answers `user_id`."""
        program = write_program(tmp_path / "bin" / "id", f"echo {user_id}\n")
        return environment(PATH=f"{program.parent}{os.pathsep}{environment()['PATH']}")

    @pytest.mark.parametrize("mode, user_id", [("auto", 0), ("on", 1000)])
    def test_missing_headers_name_the_package(self, tmp_path, mode, user_id):
        done = configure(tmp_path / "b", self.HIDDEN, env=self.user(tmp_path, user_id) | {"GPUPLOT_PNG": mode})
        words = " ".join(done.stdout.split())
        assert done.returncode != 0
        assert "apt-get install libpng-dev" in words
        assert "GPUPLOT_PNG=off" in words
        assert words.count("CMake Error") == 1

    def test_plain_user_without_headers_gets_a_build_that_writes_through_pillow(self, tmp_path):
        log = build_package(tmp_path / "b", self.HIDDEN, QUICK, env=self.user(tmp_path, 1000))
        assert "PNG: off: no headers of libpng" in log
        _, config = draw(sys.executable, tmp_path, PYTHONPATH=str(tmp_path / "b" / "package"))
        assert "no headers of libpng" in config

    def test_off_by_variable_and_again_on_in_a_kept_folder(self, tmp_path):
        assert "PNG: off: GPUPLOT_PNG=off" in configure(tmp_path / "b", env=environment(GPUPLOT_PNG="off")).stdout
        again = configure(tmp_path / "b")
        assert "PNG: off: GPUPLOT_PNG=off" not in again.stdout

    def test_unknown_mode_lists_the_modes(self, tmp_path):
        done = configure(tmp_path / "b", env=environment(GPUPLOT_PNG="maybe"))
        assert done.returncode != 0
        assert "GPUPLOT_PNG is 'maybe': use on, off or auto" in done.stdout


class TestPackages:
    def test_sdist_has_the_sources_and_nothing_made(self, sdist):
        with tarfile.open(sdist) as archive:
            names = [name.split("/", 1)[1] for name in archive.getnames()]
        assert {"native/CMakeLists.txt", "native/include/gpuplot.h", "gpuplot/__init__.py", "LICENSE"} <= set(names)
        assert {"widgets/inspector.js", "widgets/inspector.css"} <= set(names)
        assert {"native/cuda/runtime/images.c.in", "native/cuda/kernels/reduce.cu", "native/cuda/kernels/device.cuh"} <= set(names)
        assert not [name for name in names if name.endswith((".so", ".pyc")) or name.startswith(("build/", ".venv/"))]

    def test_wheel_of_the_sdist_draws_in_a_clean_environment(self, sdist, tmp_path):
        python = clean_environment(tmp_path / "clean")
        pip_install(python, sdist, cwd=tmp_path)
        package, config = draw(python, tmp_path)
        assert pathlib.Path(package).is_relative_to(tmp_path / "clean")
        assert "compiled at their first use" in config
        widgets = {path.name for path in pathlib.Path(package, "widgets").iterdir()}
        assert widgets == {path.name for path in (ROOT / "widgets").iterdir() if path.suffix in (".js", ".css")}
        [module] = pathlib.Path(package).glob("_native*.so")
        assert module.name.endswith(sysconfig.get_config_var("EXT_SUFFIX"))

    def test_install_from_the_tree_takes_no_module_of_the_developer(self, sdist, tmp_path):
        shutil.unpack_archive(sdist, tmp_path)
        [tree] = tmp_path.glob("gpuplot-*")
        (tree / "gpuplot" / "_native.stale.so").write_bytes(b"")
        python = clean_environment(tmp_path / "clean")
        pip_install(python, f"--config-settings=cmake.define.{QUICK[2:]}", tree, cwd=tmp_path)
        package, _ = draw(python, tmp_path)
        assert len(list(pathlib.Path(package).glob("_native*.so"))) == 1

    def test_editable_follows_the_sources(self, sdist, tmp_path):
        shutil.unpack_archive(sdist, tmp_path)
        [tree] = tmp_path.glob("gpuplot-*")
        python = clean_environment(tmp_path / "clean")
        pip_install(python, f"--config-settings=cmake.define.{QUICK[2:]}", "--editable", tree, cwd=tmp_path)
        package, _ = draw(python, tmp_path)
        assert package == str(tree / "gpuplot")
        version = tree / "gpuplot" / "_version.py"
        version.write_text(version.read_text().replace('"0.', '"9.'))
        assert succeed(python, "-c", "import gpuplot; print(gpuplot.__version__)", cwd=tmp_path).startswith("9.")

    def test_abi3_wheel_draws(self, sdist, tmp_path):
        succeed(
            sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation",
            "--config-settings=wheel.py-api=cp311", "--wheel-dir", tmp_path, sdist, cwd=tmp_path,
        )
        [wheel] = tmp_path.glob("*-cp311-abi3-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            assert "gpuplot/_native.abi3.so" in archive.namelist()
            archive.extractall(tmp_path / "unpacked")
        package, _ = draw(sys.executable, tmp_path, PYTHONPATH=str(tmp_path / "unpacked"))
        assert package == str(tmp_path / "unpacked" / "gpuplot")


@pytest.mark.skipif(sys.platform != "linux", reason="reads ELF files")
def test_module_links_only_the_c_library_png_and_zlib(plain_build, tmp_path):
    [module] = (plain_build[0] / "package" / "gpuplot").glob("_native*.so")
    needed = re.findall(r"NEEDED.*\[(.+?)\]", succeed("readelf", "--dynamic", module, cwd=tmp_path))
    allowed = re.compile(r"(libc|libm|libdl|libpthread|libpng16|libz)\.so\.\d+|ld-linux.*")
    assert needed and all(allowed.fullmatch(name) for name in needed), needed
    symbols = succeed("nm", "--dynamic", "--defined-only", module, cwd=tmp_path).split()[2::3]
    assert symbols == ["PyInit__native"]
