# Build the native layer with the tree's own environment: the module in place, or the sanitized C tests, which are run.
#
# usage: sh tests/setup/build.sh module|native-tests
# WITH_EMULATOR=1 builds the emulated CUDA device beside the module, WITH_EMULATOR=all beside the sanitized C tests as well, where
# there is a C++ compiler. Configuring again is quick and follows what has changed on the system since: headers, compilers, sources.
set -u
cd "$(dirname "$0")/../.." || exit 1
PATH=$PWD/.venv/bin:$PATH
tag=$(.venv/bin/python -c 'import sys; print(sys.implementation.cache_tag)')

has_cxx() { echo '#include <map>' | "${CXX:-c++}" -std=c++17 -x c++ -fsyntax-only - 2>/dev/null; }
emulator() { case " $* " in *" ${WITH_EMULATOR:-} "*) has_cxx && echo ON || echo OFF ;; *) echo OFF ;; esac; }

# Without a GPU the kernels are compiled to see that they can be, for one architecture: that takes half the time.
if [ ! -e /proc/driver/nvidia/version ]; then
    GPUPLOT_CUDA_ARCHS=${GPUPLOT_CUDA_ARCHS:-80-real}
    export GPUPLOT_CUDA_ARCHS
fi

what=${1:-}
case $what in
module)
    folder=build/$tag
    set -- -DGPUPLOT_INPLACE=ON -DGPUPLOT_WERROR="${WERROR:-OFF}" -DGPUPLOT_EMULATOR="$(emulator 1 all)" ;;
native-tests)
    folder=build/$tag-sanitized
    export GPUPLOT_CUDA=0 # the emulated device needs no machine code
    set -- -DGPUPLOT_TESTS=ON -DGPUPLOT_SANITIZE=address,undefined -DGPUPLOT_WERROR=ON \
           -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -g" -DGPUPLOT_EMULATOR="$(emulator all)" ;;
*)
    echo "usage: sh tests/setup/build.sh module|native-tests" >&2; exit 2 ;;
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
grep -E '^-- (PNG|CPU loops|CUDA compiler):' "$folder/configure.log" | sed 's/^-- /  /'
cmake --build "$folder" --parallel "${JOBS:-$(nproc 2>/dev/null || echo 2)}" || exit 1
# Python's tests take the one of the module, whichever was built last.
if [ "$what" = module ]; then rm -f build/emulator; ln -s "$tag/emulator" build/emulator; fi
[ "$what" = module ] || (cd "$folder" && ctest --output-on-failure)
