# Run what sanitizers can find something in with the module and the emulated device under AddressSanitizer and UndefinedBehaviorSanitizer.
#
# usage: sh tests/setup/sanitized.sh [PYTEST_ARGUMENT...]
#        sh tests/setup/sanitized.sh --only PYTEST_ARGUMENT...    (of the Python tests only these files)
# Side by side: the C tests of the emulated device, the Python tests of failing calls, and those of transfers, hostile input, imports,
# order and pinned memory. The sanitized module lies in a package of its own, made of links, so that the tree's module stays what it is.
# Python leaks on purpose at exit, so leaks are not reported; the emulated device counts those of its own memory. A request for more
# than there is memory gets NULL, as from malloc, since NumPy's MemoryError is tested. The processes are pytest's own: pytest-xdist
# and the sanitizers' run-time libraries do not go together.
set -u
cd "$(dirname "$0")/../.." || exit 1
tag=$(.venv/bin/python -c 'import sys; print(sys.implementation.cache_tag)')
folder=$PWD/build/$tag-sanitized
sh tests/setup/build.sh sanitized || exit 1
if [ ! -f "$folder/emulator/libcuda.so.1" ]; then
    echo "no sanitized emulated device was built: nothing is run"
    exit 0
fi
rm -rf "$folder/package"
mkdir -p "$folder/package/gpuplot"
ln -s "$PWD"/gpuplot/*.py "$PWD"/gpuplot/*.pyi "$folder"/_native*.so "$folder/package/gpuplot" || exit 1
for init in "$PWD"/gpuplot/*/__init__.py; do ln -s "${init%/__init__.py}" "$folder/package/gpuplot" || exit 1; done

# Both run-time libraries come before everything else in the process.
python_tests() {
    LD_PRELOAD="$("${CC:-cc}" -print-file-name=libasan.so) $("${CC:-cc}" -print-file-name=libstdc++.so)" \
        PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 EMULATED_DEVICE="$folder/emulator" \
        .venv/bin/python -m pytest -q -s -p no:cacheprovider -p no:xdist -o pythonpath="build/$tag-sanitized/package tests" "$@"
}
if [ "${1:-}" = --only ]; then
    shift
    python_tests "$@"
    exit
fi
c_tests() { cd "$folder" && ctest --output-on-failure -R '^(test_cuda_|every_kernel)'; }

# The longest file is by itself; what runs beside it is shown when it has ended.
c_tests >"$folder/c_tests.log" 2>&1 &
c_tests=$!
python_tests "$@" tests/cuda/test_cuda_transfer_faults.py tests/cuda/test_cuda_transfers.py tests/cuda/test_cuda_hostile.py \
    tests/cuda/test_cuda_malformed.py tests/cuda/test_cuda_import.py tests/cuda/test_cuda_order.py tests/cuda/test_cuda_pinned.py \
    tests/plane/test_cells.py tests/arrays/test_dlpack.py tests/arrays/test_malformed.py >"$folder/python_tests.log" 2>&1 &
python_tests=$!
python_tests "$@" tests/cuda/test_cuda_faults.py
status=$?
[ "$status" != 5 ] || status=0 # a part of the tests may have none of its five functions
first=c_tests
last=python_tests # what failed is shown last, where it is looked for
wait "$python_tests" || status=1
wait "$c_tests" || { status=1 first=python_tests last=c_tests; }
cat "$folder/$first.log" "$folder/$last.log"
exit $status
