/* Device memory: a pool in the order of the stream, counted allocations, and scratch memory that is reused, grows, and is bounded. */
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
    uint64_t n_bytes_kept = GP_CELLS_KEPT_BYTES;
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

static CUresult allocate(gp_cuda_device *device, size_t n_bytes, CUdeviceptr *out)
{
    return device->pool != NULL ? device->api->memAllocFromPoolAsync(out, n_bytes, device->pool, device->stream)
                                : device->api->memAlloc(out, n_bytes);
}

gp_status gp_cuda_block_alloc(gp_cuda_device *device, size_t n_bytes, gp_cuda_block *out, gp_error *error)
{
    CUdeviceptr pointer = 0;
    CUresult code = allocate(device, n_bytes, &pointer);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) { /* cached cells are freed, then it tries again */
        gp_cuda_cells_trim(device, 0);
        code = allocate(device, n_bytes, &pointer);
    }
    GP_TRY_CUDA(code, device->pool != NULL ? "cuMemAllocFromPoolAsync" : "cuMemAlloc", error);
    *out = (gp_cuda_block){pointer, n_bytes};
    device->counts.n_device_allocs++;
    device->counts.device_bytes += (int64_t)n_bytes;
    return GP_OK;
}

void gp_cuda_block_free(gp_cuda_device *device, gp_cuda_block *block)
{
    if (block->pointer != 0 && device->pool != NULL)
        (void)device->api->memFreeAsync(block->pointer, device->stream);
    else if (block->pointer != 0)
        (void)device->api->memFree(block->pointer);
    *block = (gp_cuda_block){0};
}

void gp_cuda_scratch_begin(gp_cuda_device *device)
{
    for (int i = 0; i < GP_N_SLOTS; i++)
        device->slots[i].is_asked_for = false;
}

void gp_cuda_scratch_free(gp_cuda_device *device)
{
    for (int i = 0; i < GP_N_SLOTS; i++)
        gp_cuda_block_free(device, &device->slots[i].block);
}

static size_t scratch_total(const gp_cuda_device *device)
{
    size_t total = 0;
    for (int i = 0; i < GP_N_SLOTS; i++)
        total += device->slots[i].block.n_bytes;
    return total;
}

/* Frees slots that this piece of work does not use, to stay below GP_SCRATCH_BYTES. */
static bool make_room(gp_cuda_device *device, size_t n_bytes)
{
    for (int i = 0; i < GP_N_SLOTS && scratch_total(device) + n_bytes > GP_SCRATCH_BYTES; i++) {
        if (!device->slots[i].is_asked_for)
            gp_cuda_block_free(device, &device->slots[i].block);
    }
    return scratch_total(device) + n_bytes <= GP_SCRATCH_BYTES;
}

/* The status lets callers work in smaller pieces; the message is for developers whose code does not. */
static gp_status fail_bound(size_t n_bytes, size_t total, gp_error *error)
{
    gp_fail(error, GP_ERR_DEVICE,
            "internal: %zu bytes of scratch beside %zu are more than the %zu that gpuplot allows itself; ask "
            "for a smaller shape",
            n_bytes, total, (size_t)GP_SCRATCH_BYTES);
    error->driver_code = CUDA_ERROR_OUT_OF_MEMORY;
    return GP_ERR_DEVICE;
}

gp_status gp_cuda_scratch(gp_cuda_device *device, gp_cuda_slot slot, size_t n_bytes, void *out, gp_error *error)
{
    gp_cuda_slot_memory *memory = &device->slots[slot];
    if (memory->block.n_bytes < n_bytes || memory->block.pointer == 0) {
        if (n_bytes > GP_SCRATCH_BYTES)
            return fail_bound(n_bytes, 0, error);
        size_t wanted = gp_cuda_round_bytes(n_bytes);
        if (device->pool == NULL)
            GP_TRY(gp_cuda_wait(device, error)); /* queued kernels may use the old memory */
        gp_cuda_block_free(device, &memory->block);
        if (!make_room(device, wanted))
            return fail_bound(n_bytes, scratch_total(device), error);
        GP_TRY(gp_cuda_block_alloc(device, wanted, &memory->block, error));
    }
    memory->is_asked_for = true;
    memcpy(out, &memory->block.pointer, sizeof memory->block.pointer);
    return GP_OK;
}
