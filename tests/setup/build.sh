# Build the native layer with the tree's own environment: the module in place, or under sanitizers the C tests, or these and the module.
#
# usage: sh tests/setup/build.sh module|native-tests|sanitized
# native-tests runs the C tests of the core; sanitized builds those of the emulated device, and the module. For `module`
# WITH_EMULATOR=1 builds the emulated device beside the module, where there is a C++ compiler.
# Configuring again is quick and follows what has changed on the system since: headers, compilers, sources. What another folder
# compiled from the same text is not compiled again: ccache keeps objects, where there is one, and the build itself keeps kernels.
set -u
cd "$(dirname "$0")/../.." || exit 1
PATH=$PWD/.venv/bin:$PATH
tag=$(.venv/bin/python -c 'import sys; print(sys.implementation.cache_tag)')

has_cxx() { echo '#include <map>' | "${CXX:-c++}" -std=c++17 -x c++ -fsyntax-only - 2>/dev/null; }
has_emulator=$([ -n "${WITH_EMULATOR:-}" ] && has_cxx && echo ON || echo OFF)

. tests/setup/caches.sh

what=${1:-}
case $what in
module)
    folder=build/$tag
    set -- -DGPUPLOT_INPLACE=ON -DGPUPLOT_WERROR="${WERROR:-OFF}" -DGPUPLOT_EMULATOR="$has_emulator" ;;
native-tests | sanitized)
    folder=build/$tag-sanitized
    export GPUPLOT_CUDA=0 # the emulated device needs no machine code
    is_whole=$([ "$what" = sanitized ] && has_cxx && echo ON || echo OFF)
    set -- -DGPUPLOT_TESTS=ON -DGPUPLOT_SANITIZE=address,undefined -DGPUPLOT_WERROR=ON \
           -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g" -DGPUPLOT_EMULATOR="$is_whole" -DGPUPLOT_MODULE="$is_whole" ;;
*)
    echo "usage: sh tests/setup/build.sh module|native-tests|sanitized" >&2; exit 2 ;;
esac

configure() {
    mkdir -p "$folder"
    cmake -S native -B "$folder" -G Ninja "-DPython_EXECUTABLE=$PWD/.venv/bin/python" "$@" >"$folder/configure.log" 2>&1
}
# A kept folder that was moved, or whose tools are gone, can't be configured again: then it starts anew.
if ! configure "$@"; then
    rm -rf "$folder"
    configure "$@" || { cat "$folder/configure.log" >&2; exit 1; }
fi
grep -E '^-- (PNG|CPU loops|CUDA kernels):' "$folder/configure.log" | sed 's/^-- /  /'
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
cmake --build "$folder" --parallel "$jobs" || exit 1
# Python's tests take the emulated device of the module, whichever was built last.
if [ "$what" = module ]; then rm -f build/emulator; ln -s "$tag/emulator" build/emulator; exit; fi
[ "$what" = sanitized ] && exit
cd "$folder" && ctest --parallel "$jobs" --output-on-failure -E '^(test_cuda_|every_kernel)'
