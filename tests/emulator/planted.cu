/* Kernels of the emulator's own tests: right ones, and ones with a defect that the emulator has to find. */
#include "../../native/cuda/kernels/device.cuh"
#include "planted_args.h"

/* ---- right ---------------------------------------------------------------------------------------------------------- */

GP_KERNEL(planted_fill, planted_args, GP_BLOCK)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < args.n)
        args.out[i] = (float)i;
}

GP_KERNEL(planted_add, planted_args, GP_BLOCK)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < args.n)
        args.out[i] = args.in[i] + 1.0f;
}

/* The sum of a block's elements by shuffles, shared memory and a barrier. */
GP_KERNEL(planted_sum, planted_args, GP_BLOCK)
{
    GP_SHARED(float, of_warp, GP_BLOCK / GP_WARP);
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < args.n ? args.in[i] : 0.0f;
    for (int delta = GP_WARP / 2; delta; delta /= 2)
        sum += __shfl_down_sync(GP_FULL_WARP, sum, delta);
    if (threadIdx.x % GP_WARP == 0)
        of_warp[threadIdx.x / GP_WARP] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < (int)(blockDim.x / GP_WARP); warp++)
            sum += of_warp[warp];
        args.out[blockIdx.x] = sum;
    }
}

/* Every word about warps and atomics, each checked against what it must give; out[thread] counts the differences. */
GP_KERNEL(planted_words, planted_args, GP_BLOCK)
{
    GP_SHARED(unsigned, n_added, 1);
    GP_SHARED(unsigned long long, extremes, 3);
    unsigned thread = threadIdx.x, lane = thread % warpSize, wrong = 0;
    if (thread == 0) {
        n_added[0] = 0;
        extremes[0] = extremes[2] = 0;
        extremes[1] = ~0ull;
    }
    __syncthreads();
    wrong += __shfl_sync(GP_FULL_WARP, (int)lane, 5) != 5;
    wrong += __shfl_sync(GP_FULL_WARP, lane, (int)lane + 1, 8) != (lane & ~7u) + ((lane + 1) & 7u);
    wrong += __shfl_down_sync(GP_FULL_WARP, (double)lane, 3) != (lane + 3 < 32 ? lane + 3.0 : (double)lane);
    wrong += __shfl_down_sync(GP_FULL_WARP, (unsigned long long)lane << 40, 1, 4) !=
             (unsigned long long)((lane & 3u) == 3 ? lane : lane + 1) << 40;
    wrong += __shfl_xor_sync(GP_FULL_WARP, (float)lane, 16) != (float)(lane ^ 16u);
    wrong += __any_sync(GP_FULL_WARP, lane == 31) != 1;
    wrong += __any_sync(GP_FULL_WARP, 0) != 0;
    wrong += __all_sync(GP_FULL_WARP, lane != 31) != 0;
    wrong += __all_sync(GP_FULL_WARP, 7) != 1;
    wrong += __ballot_sync(GP_FULL_WARP, lane % 2) != 0xaaaaaaaau;
    unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u; /* two groups that meet apart */
    wrong += __ballot_sync(half, 1) != half;
    __syncwarp();
    atomicAdd(&n_added[0], 2u);
    atomicAdd(&extremes[2], 1ull << 33);
    atomicMax(&extremes[0], (unsigned long long)thread << 32);
    atomicMin(&extremes[1], (unsigned long long)(thread + 7));
    __syncthreads();
    wrong += n_added[0] != 2 * blockDim.x;
    wrong += extremes[0] != (unsigned long long)(blockDim.x - 1) << 32;
    wrong += extremes[1] != 7;
    wrong += extremes[2] != (unsigned long long)blockDim.x << 33;
    wrong += __popc(0xf0f0u) != 8;
    wrong += __ffs(0) != 0;
    wrong += __ffs(8) != 4;
    wrong += __clz(0) != 32;
    wrong += __clz(1) != 31;
    wrong += __clzll(1) != 63;
    wrong += __funnelshift_r(0x89abcdefu, 0x01234567u, 16) != 0x456789abu;
    uint4 four = make_uint4(1, 2, 3, 4);
    wrong += four.w != 4;
    if (thread < args.n)
        args.out[thread] = (float)wrong;
}

/* Where each thread is, in three dimensions: its place in the grid goes to out. */
GP_KERNEL(planted_places, planted_args, GP_BLOCK)
{
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned place = block * blockDim.x * blockDim.y * blockDim.z + thread;
    if (place < args.n)
        args.out[place] = (float)place;
}

/* ---- with a defect -------------------------------------------------------------------------------------------------- */

/* planted_sum without its barrier: thread 0 reads what other warps may not have written. */
GP_KERNEL(planted_sum_without_barrier, planted_args, GP_BLOCK)
{
    GP_SHARED(float, of_warp, GP_BLOCK / GP_WARP);
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < args.n ? args.in[i] : 0.0f;
    for (int delta = GP_WARP / 2; delta; delta /= 2)
        sum += __shfl_down_sync(GP_FULL_WARP, sum, delta);
    if (threadIdx.x % GP_WARP == 0)
        of_warp[threadIdx.x / GP_WARP] = sum;
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < (int)(blockDim.x / GP_WARP); warp++)
            sum += of_warp[warp];
        args.out[blockIdx.x] = sum;
    }
}

/* Shared memory at an index that the caller chooses: n. */
GP_KERNEL(planted_shared_write, planted_args, GP_BLOCK)
{
    GP_SHARED(float, first, 16);
    GP_SHARED(float, second, 16);
    if (threadIdx.x == 0) {
        first[0] = 1.0f;
        second[args.n] = 2.0f;
        args.out[0] = first[0];
    }
}

GP_KERNEL(planted_shared_read, planted_args, GP_BLOCK)
{
    GP_SHARED(float, first, 16);
    GP_SHARED(float, second, 16);
    first[threadIdx.x % 16] = 1.0f;
    second[threadIdx.x % 16] = 1.0f;
    __syncthreads();
    args.out[threadIdx.x] = second[args.n];
}

GP_KERNEL(planted_too_much_shared, planted_args, GP_BLOCK)
{
    GP_SHARED(double, most, 48 * 1024 / 8);
    GP_SHARED(double, rest, 1);
    most[threadIdx.x] = rest[0] = 0.0;
    args.out[threadIdx.x] = (float)most[threadIdx.x];
}

/* n chooses what goes wrong at a meeting. */
GP_KERNEL(planted_meetings, planted_args, GP_BLOCK)
{
    unsigned lane = threadIdx.x % GP_WARP;
    switch (args.n) {
    case 0: /* a barrier that half of the block never reaches */
        if (threadIdx.x < blockDim.x / 2)
            __syncthreads();
        break;
    case 1: /* two barriers for two halves */
        if (threadIdx.x < blockDim.x / 2)
            __syncthreads();
        else
            __syncthreads();
        break;
    case 2: /* a lane that never comes */
        if (lane != 3)
            __syncwarp();
        break;
    case 3:
        /* a mask without the caller */
        __ballot_sync(~(1u << lane), 1);
        break;
    case 4: /* two functions for one mask */
        if (lane % 2)
            __ballot_sync(GP_FULL_WARP, 1);
        else
            __any_sync(GP_FULL_WARP, 1);
        break;
    case 5: /* a value from outside the mask */
        if (lane < 16)
            args.out[lane] = __shfl_sync(0x0000ffffu, (float)lane, 20);
        break;
    case 6:
        /* a mask that names lanes beyond the block */
        __syncwarp();
        break;
    case 7: /* one half waits for the block, the other for the warp */
        if (lane < 16)
            __syncthreads();
        else
            __syncwarp();
        break;
    }
}

/* More of the stack than a thread has. */
GP_KERNEL(planted_recursion, planted_args, GP_BLOCK)
{
    struct deeper {
        static float sum(const planted_args &from, int depth)
        {
            volatile float here[1000];
            here[depth % 1000] = (float)depth;
            return depth > from.n ? 0.0f : here[depth % 1000] + sum(from, depth + 1) + here[0];
        }
    };
    args.out[0] = deeper::sum(args, 0);
}
