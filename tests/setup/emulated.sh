# Run a pytest command over the tests whose arrays can be on the emulated device instead of the host.
#
# usage: sh tests/setup/emulated.sh PYTEST_COMMAND...
cd "$(dirname "$0")/../.." || exit 1
if [ ! -f build/emulator/libcuda.so.1 ]; then
    echo "no emulated device was built (it needs a C++ compiler): nothing is run"
    exit 0
fi
exec "$@" --device emulated --ignore=tests/browser --ignore=tests/hosts --ignore=tests/packaging --ignore=tests/gpu \
     --ignore=tests/cuda --ignore=tests/emulator tests
