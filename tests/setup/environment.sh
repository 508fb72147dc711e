# Make the tree's own Python environment, .venv, and install what the system lacks where that is allowed.
#
# usage: sh tests/setup/environment.sh GROUP...   (groups of dependencies in pyproject.toml)
# PYTHON=... names the interpreter; GPUPLOT_PNG=off goes without libpng; WITH_EMULATOR=1 wants a C++ compiler, too, WITH_CLANG=1
# what fuzzing takes, WITH_CROSS=1 what builds and runs the C tests for aarch64, and WITH_BROWSER=1 a browser; the groups `browser`
# and `hosts` are left out where there is none (GPUPLOT_CHROMIUM names one). When something is missing that only an administrator can
# install, the last line on stderr is the command that does it, and the status is 1.
set -u
cd "$(dirname "$0")/../.." || exit 1
scratch=build/setup
mkdir -p "$scratch" || exit 1

say() { printf '%s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
has_venv() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }
has_headers() {
    "$1" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null
}

# The first Python that is new enough and complete, or else the first that is new enough.
find_python() {
    python=
    if [ -n "${PYTHON:-}" ]; then set -- "$PYTHON"; else set -- python3 python3.14 python3.13 python3.12 python3.11; fi
    for name in "$@"; do
        path=$(command -v "$name" 2>/dev/null) || continue
        is_new_enough "$path" || continue
        [ -n "$python" ] || python=$path
        if has_venv "$path" && has_headers "$path"; then python=$path; return; fi
    done
    [ -n "$python" ]
}

compiles() { # compiles SOURCE FLAGS...: whether a C program builds
    printf '%s\n' "$1" > "$scratch/try.c"
    shift
    "${CC:-cc}" -o "$scratch/try" "$scratch/try.c" "$@" >/dev/null 2>&1
}
has_compiler() { compiles '#include <stdio.h>
int main(void) { return puts("") < 0; }'; }
has_cxx() {
    printf 'int main() { return 0; }\n' > "$scratch/try.cpp"
    "${CXX:-c++}" -std=c++17 -o "$scratch/try" "$scratch/try.cpp" >/dev/null 2>&1
}
has_cross() { (CC=aarch64-linux-gnu-gcc; has_compiler) && command -v qemu-aarch64 >/dev/null 2>&1; }
has_png() { compiles '#include <png.h>
#include <zlib.h>
int main(void) { return png_access_version_number() == 0 || zlibVersion() == 0; }' -lpng -lz; }

# A script that only says how to get the browser has the name on some systems, so it is asked for its version.
has_browser() {
    if [ -n "${GPUPLOT_CHROMIUM:-}" ]; then set -- "$GPUPLOT_CHROMIUM"
    else set -- chromium chromium-browser google-chrome google-chrome-stable; fi
    for name in "$@"; do
        "$name" --version </dev/null >/dev/null 2>&1 && return
    done
    return 1
}

# The Debian packages that a Python's venv and headers come in: `python3-` for the system's default.
python_package() {
    version=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
    default=$(/usr/bin/python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])' 2>/dev/null)
    if [ "$version" = "$default" ]; then say "python3-$1"; else say "$version-$1"; fi
}
is_system_python() { case $(readlink -f "$python") in /usr/bin/*) true ;; *) false ;; esac; }

# Sets `required` (nothing works without), `optional` (what is better with), `for_tests` (what only tests want) and of these
# `wanted` (what to install now), as packages for apt.
list_missing() {
    required= optional= for_tests=
    has_compiler || required="gcc libc6-dev"
    if [ -z "$python" ]; then
        required="$required python3 python3-venv python3-dev"
    else
        has_venv "$python" || required="$required $(python_package venv)"
        has_headers "$python" || required="$required $(python_package dev)"
    fi
    if [ "${GPUPLOT_PNG:-auto}" != off ] && ! has_png; then optional="libpng-dev zlib1g-dev"; fi
    if [ "${GPUPLOT_PNG:-auto}" = on ]; then required="$required $optional" optional=; fi
    has_cxx || for_tests="g++"
    command -v ccache >/dev/null 2>&1 || for_tests="$for_tests ccache"
    required=$(echo $required)
    wanted=$(echo $required $optional)
    if [ -n "${WITH_EMULATOR:-}" ]; then wanted=$(echo $wanted $for_tests); fi
    if [ -n "${WITH_CLANG:-}" ] && ! command -v clang >/dev/null 2>&1; then wanted=$(echo $wanted clang libclang-rt-dev); fi
    if [ -n "${WITH_CROSS:-}" ] && ! has_cross; then
        wanted=$(echo $wanted gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
    fi
}

# A Python that no package can mend is named before anything is installed.
check_python() {
    if [ -n "${PYTHON:-}" ] && [ -z "$python" ]; then
        fail "PYTHON=$PYTHON is not a Python 3.11 or newer: name another one, for example make demo PYTHON=/path/to/python3.12"
    fi
    if [ -z "$python" ] && command -v python3 >/dev/null 2>&1; then
        found=$(python3 -c 'import platform; print(platform.python_version())' 2>/dev/null)
        fail "gpuplot needs Python 3.11 or newer and found only $found ($(command -v python3)): install a newer one and name it, for example make demo PYTHON=/path/to/python3.12"
    fi
    if [ -n "$python" ] && ! is_system_python && ! { has_venv "$python" && has_headers "$python"; }; then
        fail "$python lacks ensurepip, venv or Python.h: name a complete Python, for example make demo PYTHON=/usr/bin/python3"
    fi
}

install_packages() { # install_packages [sudo -n]: `wanted` through apt
    say "installing $wanted"
    { "$@" env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
      "$@" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $wanted
    } </dev/null >"$scratch/apt.log" 2>&1
    status=$?
    [ $status -eq 0 ] || tail -n 5 "$scratch/apt.log" >&2
    return $status
}
is_root() { [ "$(id -u)" = 0 ]; }
has_free_sudo() { command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; }

provide_system() {
    list_missing
    [ -n "$wanted" ] || return 0
    if command -v apt-get >/dev/null 2>&1; then
        # Whoever asks an administrator asks once, for all that both `make demo` and `make test` want.
        command="apt-get install -y --no-install-recommends $(echo $required $optional $for_tests)"
        if is_root; then
            install_packages
        elif has_free_sudo; then
            install_packages sudo -n
        elif [ -n "$required" ]; then
            say "missing: $required; ask an administrator, or run this with their rights, then try again:" >&2
            fail "sudo apt-get update && sudo $command"
        fi
        find_python
        list_missing
        [ -z "$required" ] || fail "apt-get update && $command"
    elif [ -n "$required" ]; then
        fail "missing, by their Debian names: $required; install your system's packages of them and try again"
    fi
    case $optional in *libpng*) say "no headers of libpng: PNG files will be written through Pillow (libpng-dev brings them)" ;; esac
    case $wanted in *g++*) say "no C++ compiler: nothing runs on the emulated device (g++ brings one)" ;; esac
}

# On its own and last: elsewhere than on Debian the package may bring nothing, which must not keep the others away.
provide_browser() {
    [ -n "${WITH_BROWSER:-}" ] && ! has_browser && command -v apt-get >/dev/null 2>&1 || return 0
    wanted="chromium fonts-dejavu-core"
    if is_root; then
        install_packages
    elif has_free_sudo; then
        install_packages sudo -n
    fi
    has_browser || say "no browser: sudo apt-get update && sudo apt-get install -y --no-install-recommends $wanted"
}

# The groups to install: those that a browser is needed for go where there is none.
list_groups() {
    for group in "$@"; do
        case $group in
        browser | hosts) has_browser && echo "$group" || say "no browser: the tests of the group $group are skipped" >&2 ;;
        *) echo "$group" ;;
        esac
    done
}

# Whether .venv is whole: finished by us, or somebody's own that has its own pip.
is_venv_whole() {
    is_new_enough .venv/bin/python && has_headers .venv/bin/python || return 1
    [ -f .venv/complete ] || .venv/bin/python -c 'import os, sys, pip
sys.exit(not os.path.realpath(pip.__file__).startswith(os.path.realpath(".venv") + os.sep))' 2>/dev/null
}
# The version and home of an interpreter, the same in its virtual environments.
identify() { "$1" -c 'import sys; print(sys.version, sys.base_prefix)'; }

# A half-made environment, or one of another Python than the one named, is made again.
provide_venv() {
    if is_venv_whole; then
        [ -z "${PYTHON:-}" ] && return 0
        [ "$(identify .venv/bin/python)" = "$(identify "$python")" ] && return 0
    fi
    say "making .venv with $("$python" --version) ($python)"
    rm -rf .venv
    if ! "$python" -m venv .venv >"$scratch/venv.log" 2>&1; then
        cat "$scratch/venv.log" >&2
        rm -rf .venv
        fail "$python -m venv .venv failed"
    fi
    touch .venv/complete
}

find_python
check_python
provide_system
provide_browser
provide_venv
exec .venv/bin/python tests/setup/install.py $(list_groups "$@")
