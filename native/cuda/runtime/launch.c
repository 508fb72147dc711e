/* Launches of kernels whose threads step through items: as many blocks as keep the device busy. */
#include "launch.h"

#include "module.h"
#include "stream.h"

int64_t gp_cuda_blocks_for(const gp_cuda_device *device, int64_t n_items)
{
    int64_t n_blocks = (n_items + GP_BLOCK_THREADS - 1) / GP_BLOCK_THREADS, wanted = gp_cuda_wanted_blocks(device);
    return n_blocks < wanted ? n_blocks : wanted;
}

gp_status gp_cuda_launch_items(gp_cuda_device *device, const char *module, const char *kernel, int64_t n_items, const void *args,
                               gp_error *error)
{
    return gp_cuda_launch(device, module, kernel, gp_cuda_blocks_for(device, n_items), 1, 1, GP_BLOCK_THREADS, args, error);
}
