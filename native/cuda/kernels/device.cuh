/* The CUDA functions that kernels may use, and macros for kernels that nvcc, NVRTC and a C++ compiler compile. */
#ifndef GP_DEVICE_CUH
#define GP_DEVICE_CUH

/*
 * One source serves three compilers. nvcc and NVRTC know the language; for tests the same files are compiled as C++17
 * with -DGP_EMULATED=1 and tests/emulator/emu.h in front, which provides, for one fiber per thread,
 *
 *   threadIdx blockIdx blockDim gridDim (x, y, z), warpSize
 *   __syncthreads()  __syncwarp(mask)
 *   __shfl_sync  __shfl_down_sync  __shfl_xor_sync (32- and 64-bit values), __any_sync  __all_sync  __ballot_sync
 *   atomicAdd (unsigned, unsigned long long, double), atomicMin and atomicMax (long long, unsigned long long), atomicOr (unsigned), on
 *   global or shared memory
 *   __funnelshift_r  __popc  __ffs  __clz  __clzll  uint2  uint4  make_uint4
 *
 * and nothing else: what is not in this list does not compile there. Kernels include no CUDA header.
 *
 * GP_KERNEL(name, Args, threads) begins a kernel whose one parameter is `const Args args`, launched with at most
 * `threads` threads a block. Pointers in Args are device addresses; an Args is at most 4000 bytes.
 * GP_BOUNDS(threads, wanted) in place of `threads`: of which a multiprocessor must have room for `wanted` at once.
 * GP_SHARED(type, name, count) declares an array in the block's shared memory; only at the top of a kernel's body, outside
 * any branch, so that all threads of a block pass the same declarations in the same order. At most 48 KB in all.
 * GP_DEVICE marks a function of the device.
 * GP_UNROLL stands before a loop of a constant number of steps that must be unrolled however much is done in it: only then
 * do the arrays that it indexes stay in registers. GP_NO_UNROLL: before one whose code is to be there once.
 */
#if defined(GP_EMULATED)
#include "emu.h"
#define GP_DEVICE static inline
#define GP_UNROLL
#define GP_NO_UNROLL
#define GP_BOUNDS(threads, wanted) threads
#else
#define GP_KERNEL(name, Args, threads)                                                                                           \
    extern "C" __global__ void __launch_bounds__(threads) name(const __grid_constant__ Args args)
#define GP_SHARED(type, name, count) __shared__ type name[count]
#define GP_DEVICE static __device__ __forceinline__
#define GP_UNROLL _Pragma("unroll")
#define GP_NO_UNROLL _Pragma("unroll 1")
#define GP_BOUNDS(threads, wanted) threads, (wanted) / (threads)
#endif

/* Whether a multiprocessor does at most a 32nd as many operations of float64 as of float32, as all but GPUs for computing: those of 7.0,
 * 8.0, 9.0 and 10.0. It is that of the GPU a kernel is compiled for; later ones may run it, too. Tests compile some as for either. */
#if !defined(GP_EMULATED) && defined(__CUDA_ARCH__)
#define GP_FLOAT64_IS_SLOW (__CUDA_ARCH__ != 700 && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 && __CUDA_ARCH__ != 1000)
#elif !defined(GP_FLOAT64_IS_SLOW)
#define GP_FLOAT64_IS_SLOW 0
#endif

#define GP_WARP 32
#define GP_FULL_WARP 0xffffffffu

/* Threads of a block in every kernel that does not say otherwise. */
#define GP_BLOCK 256

#endif
