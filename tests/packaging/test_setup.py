"""The set-up behind `make`: what it installs, what it says, and what it leaves alone, on systems that lack something."""

import importlib.util
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = "sh env make date id mkdir cat rm readlink dirname grep tail touch printf sed uname sleep nproc as ld".split()
DEBIAN_COMMAND = "sudo apt-get update && sudo apt-get install -y --no-install-recommends "


class System:
    """A folder of programs that is the whole PATH, and a copy of the tree's set-up."""

    def __init__(self, folder):
        self.bin, self.tree = folder / "bin", folder / "a tree"
        self.bin.mkdir()
        shutil.copytree(ROOT / "tests" / "setup", self.tree / "tests" / "setup")
        for name in ("Makefile", "pyproject.toml"):
            shutil.copy(ROOT / name, self.tree)
        for name in TOOLS:
            self.link(name, shutil.which(name))
        self.python("python3")
        self.link("cc", shutil.which(os.environ.get("CC", "cc")))
        self.user(1000)

    def link(self, name, target):
        """Put a program of the real system on the PATH."""
        if target is not None:
            self.write(name, f'exec "{target}" "$@"\n')

    def python(self, name, text=""):
        """Put this Python on the PATH, after the shell line `text`; its environments have no pip, which would take seconds."""
        self.write(name, f'{text}\n[ "$2" = venv ] && set -- -m venv --without-pip "$3"\nexec "{sys.executable}" "$@"\n')

    def write(self, name, text):
        """Put a program of our own on the PATH."""
        program = self.bin / name
        program.write_text("#!/bin/sh\n" + text)
        program.chmod(0o755)

    def remove(self, name):
        (self.bin / name).unlink()

    def user(self, number):
        self.write("id", f"echo {number}\n")

    def debian(self, installs=""):
        """An apt-get that writes down its calls; `install` runs the shell line `installs`."""
        log = self.bin / "apt.log"
        self.write("apt-get", f'echo "$DEBIAN_FRONTEND $*" >> "{log}"\ncase " $* " in *" install "*) {installs or ":"} ;; esac\n')
        return lambda: log.read_text().splitlines() if log.exists() else []

    def without_compiler(self):
        """Take the compiler away; the shell line that brings it back."""
        self.remove("cc")
        back = f'exec "{shutil.which("cc")}" "$@"'
        return f"printf '%s\\n' '#!/bin/sh' '{back}' > \"{self.bin}/cc\"; \"{shutil.which('chmod')}\" 755 \"{self.bin}/cc\""

    def plant(self, environment):
        """Give the tree a virtual environment that is whole."""
        (self.tree / ".venv").symlink_to(environment)

    def run(self, *command, **variables):
        env = {"PATH": str(self.bin), "HOME": str(self.tree), **variables}
        command = command or ("sh", "tests/setup/environment.sh")
        # Shells have their background jobs ignore SIGQUIT, and so would make.
        return subprocess.run(command, cwd=self.tree, env=env, text=True, capture_output=True, stdin=subprocess.DEVNULL,
                              preexec_fn=lambda: signal.signal(signal.SIGQUIT, signal.SIG_DFL))


@pytest.fixture
def system(tmp_path):
    return System(tmp_path)


@pytest.fixture(scope="module")
def whole_environment(tmp_path_factory):
    """A virtual environment as the set-up makes it, shared by the tests that are about something else."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (folder / "complete").touch()
    return folder


@pytest.mark.parametrize("command", [(), ("make", "demo"), ("make", "test")])
def test_plain_user_is_told_the_one_command_for_demo_and_test(system, command):
    """Whoever asks an administrator asks once: what only the tests want is in the line of `make demo`, too."""
    system.without_compiler()
    calls = system.debian()
    done = system.run(*command)
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1] == DEBIAN_COMMAND + "gcc libc6-dev libpng-dev zlib1g-dev g++ ccache"
    assert calls() == []
    assert not (system.tree / ".venv").exists()


def test_system_without_apt_names_what_is_missing(system):
    system.without_compiler()
    done = system.run()
    assert done.returncode == 1
    assert "gcc libc6-dev" in done.stderr.splitlines()[-1]


@pytest.mark.slow
def test_root_installs_after_fetching_the_lists_without_questions(system, whole_environment):
    system.plant(whole_environment)
    calls = system.debian(system.without_compiler())
    system.user(0)
    done = system.run()
    assert done.returncode == 0, done.stderr
    update, install = calls()
    assert update == "noninteractive update -qq"
    assert install.startswith("noninteractive install -qq -y --no-install-recommends gcc libc6-dev")


@pytest.mark.slow
def test_sudo_without_a_password_is_used(system, whole_environment):
    system.plant(whole_environment)
    calls = system.debian(system.without_compiler())
    system.write("sudo", '[ "$1" = -n ] || exit 9\nshift\n[ "$1" = true ] || "$@"\n')
    done = system.run()
    assert done.returncode == 0, done.stderr
    assert len(calls()) == 2


def test_sudo_that_asks_is_not_used(system):
    system.without_compiler()
    calls = system.debian()
    system.write("sudo", "exit 1\n")
    done = system.run()
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(DEBIAN_COMMAND)
    assert calls() == []


def test_packages_that_bring_nothing_end_in_the_command(system):
    system.without_compiler()
    system.debian()
    system.user(0)
    done = system.run()
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("apt-get update && apt-get install -y --no-install-recommends gcc")


class TestPng:
    """A compiler that can't find png.h, as without libpng-dev."""

    @pytest.fixture(autouse=True)
    def no_headers(self, system):
        compiler = shutil.which("cc")
        system.write("cc", f'case "$*" in *-lpng*) exit 1 ;; esac\nexec "{compiler}" "$@"\n')

    @pytest.mark.slow
    def test_plain_user_goes_on_without(self, system, whole_environment):
        system.plant(whole_environment)
        calls = system.debian()
        done = system.run()
        assert done.returncode == 0, done.stderr
        assert "PNG files will be written through Pillow" in done.stdout
        assert calls() == []

    def test_on_demands_them(self, system):
        system.debian()
        done = system.run(GPUPLOT_PNG="on")
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == DEBIAN_COMMAND + "libpng-dev zlib1g-dev g++ ccache"

    @pytest.mark.slow
    def test_off_asks_for_nothing(self, system, whole_environment):
        system.plant(whole_environment)
        calls = system.debian()
        system.user(0)
        done = system.run(GPUPLOT_PNG="off")
        assert done.returncode == 0, done.stderr
        assert "Pillow" not in done.stdout
        assert calls() == []


class TestEmulator:
    """A system with a C compiler and none for C++."""

    @pytest.mark.slow
    def test_plain_user_goes_on_without(self, system, whole_environment):
        system.plant(whole_environment)
        done = system.run(WITH_EMULATOR="1", GPUPLOT_PNG="off")
        assert done.returncode == 0, done.stderr
        assert "no C++ compiler: nothing runs on the emulated device" in done.stdout

    @pytest.mark.slow
    @pytest.mark.parametrize(("wanted", "packages"), [("1", [["g++", "ccache"]]), ("", [])])
    def test_root_gets_one_where_it_is_wanted(self, system, whole_environment, wanted, packages):
        system.plant(whole_environment)
        calls = system.debian()
        system.user(0)
        assert system.run(WITH_EMULATOR=wanted, GPUPLOT_PNG="off").returncode == 0
        assert [call.split()[-2:] for call in calls()[1:]] == packages


class TestCross:
    """A system whose compiler is for itself alone; it has the rest."""

    CROSS = "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"

    @pytest.fixture
    def install(self, system, whole_environment):
        """The packages that root's set-up installs."""
        system.plant(whole_environment)
        calls = system.debian()
        system.user(0)

        def run(**variables):
            assert system.run(GPUPLOT_PNG="off", **variables).returncode == 0
            return " ".join(calls()).partition("--no-install-recommends ")[2]

        return run

    @pytest.mark.parametrize(("wanted", "packages"), [("1", CROSS), ("", "")])
    def test_root_gets_what_runs_aarch64_where_it_is_wanted(self, install, wanted, packages):
        assert install(WITH_CROSS=wanted) == packages

    def test_what_is_there_is_not_asked_for(self, system, install):
        system.link("aarch64-linux-gnu-gcc", system.bin / "cc")
        assert install(WITH_CROSS="1") == self.CROSS  # half of it is not enough
        system.write("qemu-aarch64", ":\n")
        assert install(WITH_CROSS="1") == self.CROSS  # the first time

    def test_all_that_is_tested_asks_for_it(self, system):
        """`make test-all` alone."""
        for name, is_asked in (("test-all", True), ("check", False)):
            done = system.run("make", "--dry-run", "--print-data-base", name)
            assert ("WITH_CROSS = 1" in done.stdout.partition(f"\n{name}:")[2].partition("\n\n")[0]) == is_asked


class TestBrowser:
    """A system without a browser; the groups that need one come last."""

    @pytest.fixture
    def installs(self, system, tmp_path):
        """A tree whose environment is whole and whose installer only says which groups it was given."""
        environment = tmp_path / "environment"
        (environment / "bin").mkdir(parents=True)
        (environment / "complete").touch()
        python = environment / "bin" / "python"
        python.write_text('#!/bin/sh\n[ "$1" = tests/setup/install.py ] && { shift; echo "groups $*"; exit; }\n'
                          f'exec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        system.plant(environment)

        def run(**variables):
            return system.run("sh", "tests/setup/environment.sh", "core", "browser", "hosts", GPUPLOT_PNG="off", **variables)

        return run

    def test_groups_are_left_out_with_a_line(self, system, installs):
        calls = system.debian()
        system.user(0)
        done = installs()
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == "groups core"
        assert "no browser: the tests of the group hosts are skipped" in done.stderr
        assert calls() == []

    def test_root_gets_one_where_it_is_wanted(self, system, installs):
        program = system.bin / "chromium"
        calls = system.debian(f"printf '#!/bin/sh\\n' > \"{program}\"; \"{shutil.which('chmod')}\" 755 \"{program}\"")
        system.user(0)
        done = installs(WITH_BROWSER="1")
        assert done.stdout.splitlines()[-1] == "groups core browser hosts"
        assert calls()[1].endswith("--no-install-recommends chromium fonts-dejavu-core")
        installs(WITH_BROWSER="1")
        assert len(calls()) == 2

    def test_plain_user_is_told_the_command(self, system, installs):
        calls = system.debian()
        done = installs(WITH_BROWSER="1")
        assert done.returncode == 0, done.stderr
        assert DEBIAN_COMMAND + "chromium fonts-dejavu-core" in done.stdout
        assert calls() == []

    def test_a_package_that_brings_none_keeps_nothing_away(self, system, installs):
        system.debian()
        system.user(0)
        system.write("chromium-browser", "echo get it from the store >&2\nexit 1\n")
        done = installs(WITH_BROWSER="1")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == "groups core"

    @pytest.mark.parametrize("name", ["chromium-browser", "google-chrome"])
    def test_one_that_is_there_is_taken(self, system, installs, name):
        system.write(name, "exit 0\n")
        assert installs().stdout.splitlines()[-1] == "groups core browser hosts"

    def test_another_can_be_named(self, system, installs):
        system.write("my-browser", "exit 0\n")
        assert installs(GPUPLOT_CHROMIUM="my-browser").stdout.splitlines()[-1] == "groups core browser hosts"


class TestPython:
    OLD = 'case "$2" in *platform*) echo 3.9.2 ;; *) exit 1 ;; esac\n'

    def test_old_python_is_named_with_its_version(self, system):
        system.write("python3", self.OLD)
        done = system.run()
        assert done.returncode == 1
        [line] = done.stderr.splitlines()
        assert "needs Python 3.11 or newer and found only 3.9.2" in line

    @pytest.mark.slow
    def test_newer_python_beside_an_old_one_is_taken(self, system):
        system.write("python3", self.OLD)
        system.python("python3.12")
        done = system.run()
        assert done.returncode == 0, done.stderr
        assert f"({system.bin}/python3.12)" in done.stdout

    @pytest.mark.slow
    def test_complete_python_is_preferred(self, system):
        system.python("python3", 'case "$2" in *ensurepip*) exit 1 ;; esac')
        system.python("python3.13")
        done = system.run()
        assert done.returncode == 0, done.stderr
        assert f"({system.bin}/python3.13)" in done.stdout

    def test_named_python_that_is_not_there(self, system):
        done = system.run(PYTHON="/nowhere/python3")
        assert done.returncode == 1
        assert done.stderr.startswith("PYTHON=/nowhere/python3 is not a Python 3.11 or newer")

    @pytest.mark.slow
    def test_half_made_environment_is_made_again_and_a_whole_one_kept(self, system):
        half = system.tree / ".venv" / "bin"
        half.mkdir(parents=True)
        (half / "python").symlink_to(sys.executable)
        (half.parent / "pyvenv.cfg").touch()
        assert "making .venv" in system.run().stdout
        mark = half.parent / "mark"
        mark.touch()
        assert "making .venv" not in system.run().stdout
        assert mark.exists()


class TestInstall:
    """tests/setup/install.py with a pip that is only written down."""

    @pytest.fixture
    def install(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(str(ROOT / "tests" / "setup"))
        spec = importlib.util.spec_from_file_location("setup_install", ROOT / "tests" / "setup" / "install.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        monkeypatch.setattr(module.sys, "prefix", str(tmp_path))
        module.calls, module.status, module.listing = [], 0, ""

        def pip(*arguments, **options):
            module.calls.append(arguments)
            return subprocess.CompletedProcess(arguments, module.status, stdout=module.listing)

        monkeypatch.setattr(module, "pip", pip)
        module.has_uv = False
        monkeypatch.setattr(module, "uv_install", lambda pip, requirements: module.has_uv)
        return module

    def test_second_run_asks_pip_nothing(self, install):
        install.install("test")
        install.install("test")
        assert len(install.calls) == 1

    def test_changed_requirements_are_installed(self, install, monkeypatch):
        install.install("test")
        monkeypatch.setattr(install, "requirements_of", lambda group: ["pytest>=9"])
        install.install("test")
        assert install.calls[1][-1] == "pytest>=9"

    def test_uv_is_asked_before_pip_but_for_what_everybody_needs(self, install):
        install.has_uv = True
        for group in ("core", "build", "test", "frameworks"):
            install.install(group)
        assert len(install.calls) >= 2 and not any("pytest>=9" in arguments for arguments in install.calls)

    def test_failed_run_leaves_no_stamp(self, install):
        install.status = 1
        with pytest.raises(SystemExit, match="is there a network"):
            install.install("test")
        install.status = 0
        install.install("test")
        assert len(install.calls) == 2

    @pytest.mark.parametrize("listing, wanted", [("2.13.0+cpu, 2.13.0", ["torch==2.13.0"]), ("2.14.0, 2.13.0", [])])
    def test_torch_only_as_the_cpu_build(self, install, monkeypatch, capsys, listing, wanted):
        def is_not_installed(name):
            raise install.importlib.metadata.PackageNotFoundError(name)

        monkeypatch.setattr(install.importlib.metadata, "version", is_not_installed)
        monkeypatch.setattr(install.sys, "platform", "linux")
        install.listing = listing
        assert install.cpu_torch() == wanted
        assert ("its tests are skipped" in capsys.readouterr().out) == (not wanted)

    @staticmethod
    def lack(install, monkeypatch, names, message):
        """A pip that installs neither these packages nor anything together with them."""
        def pip(*arguments, **_):
            install.calls.append(arguments)
            wanted = [argument for argument in arguments if argument in names]
            return subprocess.CompletedProcess(arguments, len(wanted), stdout="", stderr=f"WARNING: none\n{message}\n")

        monkeypatch.setattr(install, "pip", pip)
        monkeypatch.setattr(install, "requirements_of", lambda group: ["jax", "tensorflow-cpu", "polars"])

    def test_a_library_without_a_wheel_is_left_out_with_a_line(self, install, monkeypatch, capsys):
        self.lack(install, monkeypatch, {"tensorflow-cpu"}, "ERROR: No matching distribution found for tensorflow-cpu")
        install.install("frameworks")
        assert [arguments[-1] for arguments in install.calls] == ["polars", "jax", "tensorflow-cpu", "polars"]
        assert all("--only-binary" in arguments for arguments in install.calls)
        line = "no tensorflow-cpu: ERROR: No matching distribution found for tensorflow-cpu; its tests are skipped"
        assert line in capsys.readouterr().out
        install.install("frameworks")  # that will not change until the requirements do
        assert len(install.calls) == 4

    def test_what_failed_for_another_reason_is_tried_again(self, install, monkeypatch):
        self.lack(install, monkeypatch, {"polars"}, "ERROR: connection reset")
        install.install("frameworks")
        install.install("frameworks")
        assert len(install.calls) == 8

    def test_no_library_at_all_is_a_failure(self, install, monkeypatch):
        self.lack(install, monkeypatch, {"jax", "tensorflow-cpu", "polars"}, "ERROR: no route to host")
        with pytest.raises(SystemExit, match="is there a network"):
            install.install("frameworks")


class TestUv:
    """tests/setup/uv_install.py with a uv that writes down how it is called."""

    @pytest.fixture
    def module(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(str(ROOT / "tests" / "setup"))
        module = importlib.import_module("uv_install")
        monkeypatch.setattr(module.sys, "executable", str(tmp_path / "python"))
        return module

    @staticmethod
    def pip(listing="", status=0):
        calls = []

        def call(*arguments, **_):
            calls.append(arguments[0])
            return subprocess.CompletedProcess(arguments, 0 if arguments[0] == "config" else status, stdout=listing)
        call.calls = calls
        return call

    @staticmethod
    def write_uv(folder, status=0):
        uv = folder / "uv"
        uv.write_text(f'#!/bin/sh\necho "$UV_DEFAULT_INDEX" "$@" > "{folder}/called"\nexit {status}\n')
        uv.chmod(0o755)

    @pytest.mark.parametrize(("listing", "wanted"), [
        ("", {}),
        ("global.index-url='https://a/simple'\n:env:.index-url='https://b/simple'", {"UV_DEFAULT_INDEX": "https://b/simple"}),
        (":env:.index-url='https://b/simple'\nglobal.index-url='https://a/simple'", {"UV_DEFAULT_INDEX": "https://b/simple"}),
        ("global.extra-index-url='https://a https://b'\nglobal.timeout='9'", {"UV_INDEX": "https://a https://b"}),
        ("install.find-links='/a /b'", {"UV_FIND_LINKS": "/a,/b"}),
        ("global.trusted-host='\\na\\nb'\nfreeze.all='yes'", {"UV_INSECURE_HOST": "a b"}),
        ("global.no-index='true'", None), (":env:.proxy='http://c'", None), ("install.constraint='c.txt'", None)])
    def test_settings_of_pip_are_those_of_uv(self, module, listing, wanted):
        found = module.environment_for_uv(listing)
        assert found == (wanted if wanted is None else {"UV_INDEX_STRATEGY": "unsafe-best-match"} | wanted)

    def test_it_installs_wheels_where_pip_would_look(self, module, tmp_path):
        self.write_uv(tmp_path)
        assert module.uv_install(self.pip("global.index-url='https://a/simple'"), ["jax", "polars>=1"])
        wanted = f"https://a/simple pip install --python {tmp_path}/python --quiet --only-binary :all: jax polars>=1"
        assert (tmp_path / "called").read_text().strip() == wanted

    def test_what_it_cannot_do_is_left_to_pip(self, module, tmp_path):
        assert not module.uv_install(self.pip(status=1), ["jax"])  # there is no uv for this machine
        self.write_uv(tmp_path, status=1)
        assert not module.uv_install(self.pip(), ["jax"])
        assert not module.uv_install(self.pip("global.proxy='http://c'"), ["jax"])

    def test_it_is_installed_once(self, module, tmp_path):
        pip = self.pip()
        assert not module.uv_install(pip, ["jax"])  # whose wheel brought no program
        self.write_uv(tmp_path)
        assert module.uv_install(pip, ["jax"]) and pip.calls == ["install", "config", "config"]
