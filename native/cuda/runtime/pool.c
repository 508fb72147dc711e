/* A pool of device memory in the order of the private stream. */
#include "pool.h"

#include "state.h"

/* Sizes are rounded up so that a picture a few cells larger finds its scratch large enough. */
enum { GRAIN_BYTES = 64 << 10 };

size_t gp_cuda_round_bytes(size_t n_bytes)
{
    size_t grains = n_bytes / GRAIN_BYTES + (n_bytes % GRAIN_BYTES != 0);
    return (grains > 0 ? grains : 1) * GRAIN_BYTES;
}

/* ---- the pool ---------------------------------------------------------------------------------------------------------- */

static bool has_pools(const gp_cuda_device *device)
{
    const gp_cuda_api *api = device->api;
    int is_supported = 0;
    return api->memPoolCreate != NULL && api->memPoolDestroy != NULL && api->memPoolSetAttribute != NULL &&
           api->memAllocFromPoolAsync != NULL && api->memFreeAsync != NULL &&
           api->deviceGetAttribute(&is_supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, device->handle) == CUDA_SUCCESS &&
           is_supported != 0;
}

void gp_cuda_pool_make(gp_cuda_device *device)
{
    uint64_t n_bytes_kept = GP_KEPT_BYTES;
    CUmemPoolProps props = {.alloc_type = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location_type = CU_MEM_LOCATION_TYPE_DEVICE,
                            .location_id = device->ordinal};
    device->pool = NULL;
    if (!has_pools(device) || device->api->memPoolCreate(&device->pool, &props) != CUDA_SUCCESS) {
        device->pool = NULL;
        return;
    }
    if (device->api->memPoolSetAttribute(device->pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &n_bytes_kept) != CUDA_SUCCESS)
        gp_cuda_pool_destroy(device);
}

void gp_cuda_pool_destroy(gp_cuda_device *device)
{
    if (device->pool != NULL)
        (void)device->api->memPoolDestroy(device->pool);
    device->pool = NULL;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------------ */

CUresult gp_cuda_pool_take(gp_cuda_device *device, size_t n_bytes, CUdeviceptr *out)
{
    return device->pool != NULL ? device->api->memAllocFromPoolAsync(out, n_bytes, device->pool, device->stream)
                                : device->api->memAlloc(out, n_bytes);
}

void gp_cuda_block_free(gp_cuda_device *device, gp_cuda_block *block)
{
    if (block->pointer != 0 && device->pool != NULL)
        (void)device->api->memFreeAsync(block->pointer, device->stream);
    else if (block->pointer != 0)
        (void)device->api->memFree(block->pointer);
    *block = (gp_cuda_block){0};
}
