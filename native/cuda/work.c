/* Asks for scratch memory, and for half of it again and again while the device says no; counts blocks; waits. */
#include "work.h"

gp_status gp_cuda_scratch_pieces(gp_cuda_device *device, gp_cuda_slot slot, size_t item_bytes, int64_t wanted, int64_t least,
                                 CUdeviceptr *out, int64_t *n_items, gp_error *error)
{
    gp_status status;
    int64_t n = wanted;
    while ((status = gp_cuda_scratch(device, slot, (size_t)n * item_bytes, out, error)) != GP_OK && n > least)
        n = n / 2 > least ? n / 2 : least;
    *n_items = n;
    return status;
}

int64_t gp_cuda_blocks_for(const gp_cuda_device *device, int64_t n_items)
{
    int64_t n_blocks = (n_items + GP_BLOCK_THREADS - 1) / GP_BLOCK_THREADS, wanted = gp_cuda_wanted_blocks(device);
    return n_blocks < wanted ? n_blocks : wanted;
}

gp_status gp_cuda_finish(gp_cuda_device *device, gp_status status, gp_error *error)
{
    gp_error later = {0};
    gp_status waited = gp_cuda_wait(device, &later);
    gp_cuda_leave(device);
    if (status == GP_OK && waited != GP_OK)
        *error = later;
    return status != GP_OK ? status : waited;
}
