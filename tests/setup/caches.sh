# Caches by content for whoever compiles: objects in ccache, where there is one, and kernels in a folder. To be sourced in the tree's root.
cache=${XDG_CACHE_HOME:-${HOME:-$PWD/build}/.cache}
export GPUPLOT_KERNEL_CACHE="${GPUPLOT_KERNEL_CACHE-$cache/gpuplot/kernels}"
find "$GPUPLOT_KERNEL_CACHE" -name '*.kernels*' -mtime +30 -exec rm -f {} + 2>/dev/null
if command -v ccache >/dev/null 2>&1; then
    # Clones in other folders share objects; lines of messages are relative to the build folder then.
    export CMAKE_C_COMPILER_LAUNCHER="${CMAKE_C_COMPILER_LAUNCHER-ccache}" CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"
    export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
fi
