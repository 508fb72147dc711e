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
