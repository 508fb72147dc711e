/* Gathers single elements, given by their addresses, side by side. Launched with any number of blocks. */
#include "device.cuh"

#include "points_args.h"

GP_KERNEL(points, gp_points_args, GP_BLOCK)
{
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < args.n_points; i += stride) {
        const char *from = (const char *)args.addresses[i];
        for (int byte = 0; byte < args.item_bytes; byte++)
            args.out[(int64_t)i * args.item_bytes + byte] = from[byte];
    }
}
