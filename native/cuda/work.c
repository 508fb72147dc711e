/* Scratch memory for pieces of work, halved while the device has too little; numbers of blocks; the end of work. */
#include "work.h"

gp_status gp_cuda_scratch_pieces(gp_cuda_device *device, gp_cuda_slot slot, size_t item_bytes, int64_t wanted, int64_t least,
                                 void *out, int64_t *n_items, gp_error *error)
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

gp_status gp_cuda_launch_items(gp_cuda_device *device, const char *module, const char *kernel, int64_t n_items, const void *args,
                               gp_error *error)
{
    return gp_cuda_launch(device, module, kernel, gp_cuda_blocks_for(device, n_items), 1, 1, GP_BLOCK_THREADS, args, error);
}

gp_status gp_cuda_fill(gp_cuda_device *device, CUdeviceptr at, unsigned char byte, size_t n_bytes, gp_error *error)
{
    return gp_cuda_check(gp_cuda_api_of(device)->memsetD8Async(at, byte, n_bytes, gp_cuda_stream(device)), "cuMemsetD8Async",
                         error);
}

gp_status gp_cuda_scratch_filled(gp_cuda_device *device, gp_cuda_slot slot, size_t n_bytes, unsigned char byte, void *out,
                                 gp_error *error)
{
    CUdeviceptr at;
    GP_TRY(gp_cuda_scratch(device, slot, n_bytes, &at, error));
    memcpy(out, &at, sizeof at);
    return gp_cuda_fill(device, at, byte, n_bytes, error);
}

gp_status gp_cuda_scratch_copy(gp_cuda_device *device, gp_cuda_slot slot, const void *from, size_t n_bytes, void *out,
                               gp_error *error)
{
    CUdeviceptr at;
    GP_TRY(gp_cuda_scratch(device, slot, n_bytes, &at, error));
    memcpy(out, &at, sizeof at);
    return gp_cuda_upload(device, at, from, n_bytes, error);
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

gp_status gp_cuda_finish_queued(gp_cuda_device *device, gp_status status, gp_error *error)
{
    if (status != GP_OK)
        return gp_cuda_finish(device, status, error);
    gp_cuda_leave(device);
    return GP_OK;
}
