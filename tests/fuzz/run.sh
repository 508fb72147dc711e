# Build every fuzz target with clang and run them side by side; what they find stays in build/fuzz.
#
# usage: sh tests/fuzz/run.sh [SECONDS_PER_TARGET] [TARGET...]      (30 seconds; all targets)
# Exit status: 0 all went well, also where a target was skipped for want of its tool; 1 with the command that shows a finding; 2 a
# build failed, or no such target. FUZZ_SEED=n begins with the same inputs again (default: others each time). JOBS=n
# targets run at a time (as many as there are processors).
set -u
cd "$(dirname "$0")/../.." || exit 2
seconds=${1:-30}
[ $# -gt 0 ] && shift
C_TARGETS="axis view summary convert filter png dlpack"
PYTHON_TARGETS="messages interfaces"
case $seconds in '' | *[!0-9]*) echo "usage: sh tests/fuzz/run.sh [SECONDS_PER_TARGET] [TARGET...]" >&2; exit 2 ;; esac
for target in "$@"; do
    case " $C_TARGETS $PYTHON_TARGETS " in
    *" $target "*) ;;
    *) echo "no fuzz target is called $target: $C_TARGETS $PYTHON_TARGETS" >&2; exit 2 ;;
    esac
done
chosen=${*:-$C_TARGETS $PYTHON_TARGETS}
folder=$PWD/build/fuzz
python=$PWD/.venv/bin/python
clang=$(command -v clang || command -v clang-19 || command -v clang-16 || command -v clang-14)

has_libfuzzer() {
    [ -n "$clang" ] && echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }' |
        "$clang" -fsanitize=fuzzer,address,undefined -x c - -o "$folder/probe" 2>"$folder/probe.log"
}

# What of the chosen targets can run here; says of the others why not.
runnable() {
    can_c=no can_python=no
    has_libfuzzer && can_c=yes
    "$python" -c 'import atheris' 2>"$folder/atheris.log" && can_python=$can_c
    for target in $chosen; do
        case " $C_TARGETS " in
        *" $target "*) [ $can_c = yes ] && echo "$target" && continue
            echo "skipped: $target needs clang with libFuzzer (apt-get install clang libclang-rt-dev)" >&2 ;;
        *) [ $can_python = yes ] && echo "$target" && continue
            echo "skipped: $target needs clang and atheris for this Python (.venv/bin/python -m pip install atheris)" >&2 ;;
        esac
    done
}

# The programs of the C targets, and the module where a Python target wants it. Objects are compiled by content where ccache is.
build() {
    names=
    for target in $1; do
        case " $C_TARGETS " in *" $target "*) names="$names fuzz_$target" ;; *) names="$names _native" ;; esac
    done
    . tests/setup/caches.sh
    CC=$clang PATH=$PWD/.venv/bin:$PATH cmake -S native -B "$folder" -G Ninja -DGPUPLOT_FUZZ=ON -DPython_EXECUTABLE="$python" \
        -DGPUPLOT_SANITIZE=fuzzer-no-link,address,undefined -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O1 -gline-tables-only" \
        >"$folder/configure.log" 2>&1 || { cat "$folder/configure.log" >&2; return 1; }
    # shellcheck disable=SC2086
    PATH=$PWD/.venv/bin:$PATH cmake --build "$folder" --parallel "${JOBS:-$(nproc)}" --target $names >"$folder/build.log" 2>&1 ||
        { tail -40 "$folder/build.log" >&2; return 1; }
    rm -rf "$folder/package"
    mkdir -p "$folder/package/gpuplot"
    ln -s "$PWD"/gpuplot/*.py "$PWD"/gpuplot/*.pyi "$folder/package/gpuplot"
    for init in "$PWD"/gpuplot/*/__init__.py; do ln -s "${init%/__init__.py}" "$folder/package/gpuplot"; done
    [ ! -e "$folder"/_native*.so ] || ln -s "$folder"/_native*.so "$folder/package/gpuplot"
}

# The environment of a Python target, for fuzzing (libFuzzer of atheris first, so that the module's coverage goes
# there) and for showing a finding (the sanitizer alone, which then names source lines).
python_environment() {
    asan=$("$clang" -print-file-name=libclang_rt.asan-x86_64.so)
    [ -e "$asan" ] || asan=$("$clang" -print-file-name=libclang_rt.asan.so)
    core=$("$python" -c 'import importlib.util as u; print(u.find_spec("atheris.core_with_libfuzzer").origin)')
    common="PACKAGE=$folder/package MPLBACKEND=agg MPLCONFIGDIR=$folder/matplotlib PYTHONMALLOC=malloc"
    fuzzing="$common LD_PRELOAD=$core:$asan ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:verify_asan_link_order=0:quarantine_size_mb=32:symbolize=0"
    showing="$common LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0"
}

fuzz_one() {
    target=$1
    mkdir -p "$folder/corpus/$target" "$folder/found"
    set -- -seed="${FUZZ_SEED:-0}" -max_total_time="$seconds" -max_len=512 -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="$folder/found/$target-" "$folder/corpus/$target" "tests/fuzz/corpus/$target"
    case " $C_TARGETS " in
    *" $target "*) "$folder/fuzz_$target" "$@" ;;
    *) python_environment; env $fuzzing "$python" tests/fuzz/run_python.py "$target" "$@" ;;
    esac >"$folder/$target.log" 2>&1
    echo $? >"$folder/$target.rc"
}

# One line of numbers; after a finding its first words and the command that shows it again.
report() {
    target=$1
    log=$folder/$target.log
    n_runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    coverage=$(sed -n 's/.*cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
    rc=$(cat "$folder/$target.rc" 2>/dev/null || echo 1)
    if [ "$rc" = 0 ]; then
        printf '%-11s %10s runs, coverage %6s, nothing found\n' "$target" "${n_runs:-?}" "${coverage:-?}"
        return 0
    fi
    printf '%-11s %10s runs, coverage %6s, FOUND:\n' "$target" "${n_runs:-?}" "${coverage:-?}"
    grep -a -m 3 'not true:\|runtime error:\|ERROR: \|Error: \|AssertionError' "$log" | sed 's/^/    /'
    input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -1)
    case " $C_TARGETS " in
    *" $target "*) echo "    show it again: $folder/fuzz_$target ${input:-(see $log)}" ;;
    *) python_environment
        echo "    show it again: env $showing $python tests/fuzz/run_python.py --replay $target ${input:-(see $log)}" ;;
    esac
    return 1
}

n_ended() {
    for t in $targets; do [ ! -e "$folder/$t.rc" ] || echo "$t"; done | wc -l
}

mkdir -p "$folder"
targets=$(runnable)
[ -n "$targets" ] || exit 0
build "$targets" || exit 2
n_jobs=${JOBS:-$(nproc)}
trap 'trap - INT TERM; kill $pids 2>/dev/null; exit 130' INT TERM
pids= n_started=0
rm -f "$folder"/*.rc
for target in $targets; do
    fuzz_one "$target" &
    pids="$pids $!"
    n_started=$((n_started + 1))
    while [ $((n_started - $(n_ended))) -ge "$n_jobs" ]; do sleep 1; done
done
wait
status=0
for target in $targets; do report "$target" || status=1; done
exit $status
