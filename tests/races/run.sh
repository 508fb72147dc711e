# Races: builds the native layer with ThreadSanitizer in build/races, and runs the programs race_*.c, which must see none.
#
# usage: sh tests/races/run.sh
# Exit status: 0 where nothing was found, or where there is no ThreadSanitizer (one sentence says so); 1 for a race, a lock order that may
# deadlock, a wrong result, or where race_planted, a race on purpose, was not seen. The CUDA program runs over stub_driver.c, and over
# the emulated device as well where the module's build has left one.
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=$PWD/build/races
PATH=$PWD/.venv/bin:$PATH
mkdir -p "$folder"

# What a kernel with much randomness in its addresses needs, where it is allowed.
around=
runs_sanitized() { $around "$folder/probe" >/dev/null 2>&1; }
if ! echo 'int main(void) { return 0; }' | "${CC:-cc}" -fsanitize=thread -x c - -o "$folder/probe" 2>/dev/null; then
    echo "races: skipped, the compiler has no ThreadSanitizer (libtsan)"; exit 0
fi
runs_sanitized || around="setarch -R"
runs_sanitized || { echo "races: skipped, programs with ThreadSanitizer do not run on this system"; exit 0; }

. tests/setup/caches.sh
GPUPLOT_CUDA=0 # the stub needs no machine code
export GPUPLOT_CUDA
set -- -DGPUPLOT_MODULE=OFF -DGPUPLOT_RACES=ON -DGPUPLOT_SANITIZE=thread -DGPUPLOT_WERROR=ON -DCMAKE_BUILD_TYPE=Debug \
       "-DCMAKE_C_FLAGS_DEBUG=-O1 -g"
configure() { cmake -S native -B "$folder" -G Ninja "$@" >"$folder/configure.log" 2>&1; }
if ! configure "$@"; then # a kept folder that was moved, or whose tools are gone
    rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
    configure "$@" || { cat "$folder/configure.log" >&2; exit 1; }
fi
cmake --build "$folder" --parallel "${JOBS:-$(nproc 2>/dev/null || echo 2)}" >"$folder/build.log" 2>&1 || { cat "$folder/build.log" >&2; exit 1; }

options="halt_on_error=1 second_deadlock_stack=1"
if TSAN_OPTIONS="$options" $around timeout 300 "$folder/race_planted" >"$folder/planted.log" 2>&1 ||
        ! grep -q "data race.*count_unguarded" "$folder/planted.log"; then
    cat "$folder/planted.log"; echo "races: the planted race was not seen" >&2; exit 1
fi

failed=
check() { # name, driver, NVRTC, options, what to call it
    rm -rf "$folder/cache"
    if TSAN_OPTIONS="$options $4" GPUPLOT_CUDA_DRIVER=$2 GPUPLOT_NVRTC=$3 XDG_CACHE_HOME=$folder/cache \
            $around timeout 300 "$folder/$1" >"$folder/$1.log" 2>&1; then
        echo "  ${5:-$1}: none"
    else
        echo "  ${5:-$1}: exit status $?"; cat "$folder/$1.log"; failed=yes
    fi
}
for source in tests/races/race_*.c; do
    name=$(basename "$source" .c)
    [ "$name" = race_planted ] || check "$name" "$folder/libstub_driver.so" "$folder/libstub_driver.so" ""
done
# The emulator is not a part of what is looked at: it was compiled without ThreadSanitizer, and has handlers of signals.
emulator=$PWD/build/emulator
if [ -e "$emulator/libcuda.so.1" ] && ! grep -q __asan_init "$emulator/libcuda.so.1"; then
    check race_cuda "$emulator/libcuda.so.1" "$emulator/libnvrtc.so" report_signal_unsafe=0 \
          "race_cuda over the emulated device"
else
    echo "  race_cuda over the emulated device: skipped, it is not built"
fi
[ -z "$failed" ] || { exit 1; }
