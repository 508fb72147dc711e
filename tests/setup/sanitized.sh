# Run Python tests with the module and the emulated device under AddressSanitizer and UndefinedBehaviorSanitizer.
#
# usage: sh tests/setup/sanitized.sh PYTEST_ARGUMENT...   (after: WITH_EMULATOR=all sh tests/setup/build.sh native-tests)
# The sanitized module lies in a package of its own, made of links, so that the tree's module stays what it is. Python leaks on
# purpose at exit, so leaks are not reported; the emulated device counts those of its own memory.
set -u
cd "$(dirname "$0")/../.." || exit 1
tag=$(.venv/bin/python -c 'import sys; print(sys.implementation.cache_tag)')
folder=$PWD/build/$tag-sanitized
if [ ! -f "$folder/emulator/libcuda.so.1" ]; then
    echo "no sanitized emulated device was built: nothing is run"
    exit 0
fi
rm -rf "$folder/package"
mkdir -p "$folder/package/gpuplot"
ln -s "$PWD"/gpuplot/*.py "$PWD"/gpuplot/*.pyi "$PWD/gpuplot/inspector" "$folder"/_native*.so "$folder/package/gpuplot" || exit 1

# Both run-time libraries come before everything else in the process.
LD_PRELOAD="$("${CC:-cc}" -print-file-name=libasan.so) $("${CC:-cc}" -print-file-name=libstdc++.so)" \
    PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 EMULATED_DEVICE="$folder/emulator" \
    .venv/bin/python -m pytest -s -p no:cacheprovider -o pythonpath="build/$tag-sanitized/package tests" "$@"
