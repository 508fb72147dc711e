/* Copies between host and device through pieces of pinned memory, which are allocated once and used in turn. */
#include "staging.h"

#include "interop.h"
#include "ring.h"
#include "scratch.h"
#include "state.h"
#include "stream.h"

#include <stdlib.h>
#include <string.h>

/* Downloads are cut into several chunks, so that the host copies one out while the next is made and arrives. The least size of a chunk
 * keeps the threads of a device busy, and is half a megabyte without a kernel. */
enum { MANY_CHUNKS = 8, LEAST_CHUNK_ITEMS = 1 << 17, LEAST_ITEM_BYTES = 4 };

/* Whether memory is pinned takes two calls of the driver to find out, which smaller results are not worth. */
enum { LEAST_STRAIGHT_BYTES = 1 << 20 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

gp_status gp_cuda_upload(gp_cuda_device *device, CUdeviceptr to, const void *from, size_t n_bytes, gp_error *error)
{
    const uint8_t *bytes = from;
    for (size_t at = 0; at < n_bytes;) {
        int slot;
        uint8_t *memory;
        GP_TRY(gp_cuda_ring_take(device, &slot, &memory, error));
        size_t n = smaller(n_bytes - at, device->ring.slot_bytes);
        memcpy(memory, bytes + at, n);
        GP_TRY_CUDA(device->api->memcpyHtoDAsync(to + at, memory, n, gp_cuda_stream(device)), "cuMemcpyHtoDAsync", error);
        device->ring.has_unmarked = true;
        GP_TRY(gp_cuda_ring_mark(device, slot, error));
        device->counts.bytes_to_device += (int64_t)n;
        at += n;
    }
    return GP_OK;
}

gp_status gp_cuda_scratch_copy(gp_cuda_device *device, gp_cuda_slot slot, const void *from, size_t n_bytes, void *out,
                               gp_error *error)
{
    CUdeviceptr at;
    GP_TRY(gp_cuda_scratch(device, slot, n_bytes, &at, error));
    memcpy(out, &at, sizeof at);
    return gp_cuda_upload(device, at, from, n_bytes, error);
}

/* ---- download ------------------------------------------------------------------------------------------------------ */

/* A download: of existing memory, or of items that kernels make chunk by chunk. */
typedef struct incoming {
    uint8_t *to;
    size_t n_bytes;
    CUdeviceptr from;   /* the memory, or scratch memory for one chunk; 0: kernels write into pinned memory */
    gp_cuda_make make;  /* NULL for existing memory */
    void *context;
    size_t item_bytes;  /* of items that are made */
    size_t chunk_bytes; /* the most bytes of a chunk, of whole items */
} incoming;

/* A chunk that is being copied from the device into a slot. */
typedef struct arriving {
    int slot;
    const uint8_t *memory;
    uint8_t *to;
    size_t n_bytes;
} arriving;

/* Queues the kernel of a chunk of at most *n_bytes bytes, which is set to the bytes that it makes. */
static gp_status make_chunk(gp_cuda_device *device, const incoming *all, size_t at, const uint8_t *slot_memory, size_t *n_bytes,
                            gp_error *error)
{
    int64_t n_items = (int64_t)(*n_bytes / all->item_bytes);
    CUdeviceptr target = all->from;
    if (target == 0) {
        GP_TRY_CUDA(device->api->memHostGetDevicePointer(&target, device->ring.memory, 0), "cuMemHostGetDevicePointer", error);
        target += (CUdeviceptr)(slot_memory - device->ring.memory);
    }
    GP_TRY(all->make(all->context, (int64_t)(at / all->item_bytes), &n_items, target, error));
    *n_bytes = (size_t)n_items * all->item_bytes;
    return GP_OK;
}

static gp_status start_chunk(gp_cuda_device *device, const incoming *all, size_t at, arriving *out, gp_error *error)
{
    uint8_t *memory;
    GP_TRY(gp_cuda_ring_take(device, &out->slot, &memory, error));
    size_t n = smaller(all->n_bytes - at, all->chunk_bytes);
    CUdeviceptr from = all->from + at;
    if (all->make != NULL) {
        device->ring.has_unmarked |= all->from == 0;
        GP_TRY(make_chunk(device, all, at, memory, &n, error));
        from = all->from;
    }
    if (from != 0)
        GP_TRY_CUDA(device->api->memcpyDtoHAsync(memory, from, n, gp_cuda_stream(device)), "cuMemcpyDtoHAsync", error);
    device->ring.has_unmarked = true;
    device->counts.bytes_to_host += (int64_t)n;
    out->memory = memory, out->to = all->to + at, out->n_bytes = n;
    return GP_OK;
}

static gp_status finish_chunk(gp_cuda_device *device, const arriving *chunk, gp_error *error)
{
    GP_TRY(gp_cuda_ring_wait(device, chunk->slot, error));
    memcpy(chunk->to, chunk->memory, chunk->n_bytes);
    return GP_OK;
}

/* The size of a chunk of a download of n_bytes in all, in whole items. */
static size_t chunk_bytes(const gp_cuda_device *device, size_t n_bytes, size_t item_bytes)
{
    size_t least = LEAST_CHUNK_ITEMS * (item_bytes > LEAST_ITEM_BYTES ? item_bytes : LEAST_ITEM_BYTES);
    size_t wanted = n_bytes / MANY_CHUNKS > least ? n_bytes / MANY_CHUNKS : least;
    return smaller(smaller(wanted, device->ring.slot_bytes), n_bytes) / item_bytes * item_bytes;
}

/* Copies chunks out on the host while the next one is made and arrives. The last one is waited for by the stream, which is then idle. */
static gp_status bring(gp_cuda_device *device, const incoming *all, gp_error *error)
{
    arriving before = {0}, now = {0};
    for (size_t at = 0; at < all->n_bytes; at += now.n_bytes) {
        before = now;
        GP_TRY(start_chunk(device, all, at, &now, error));
        if (at + now.n_bytes < all->n_bytes)
            GP_TRY(gp_cuda_ring_mark(device, now.slot, error));
        if (before.n_bytes > 0)
            GP_TRY(finish_chunk(device, &before, error));
    }
    GP_TRY(gp_cuda_ring_wait_all(device, error));
    return now.n_bytes > 0 ? finish_chunk(device, &now, error) : GP_OK;
}

/* Queues all chunks at once, for a target in pinned memory, to which the device copies directly. */
static gp_status queue_straight(gp_cuda_device *device, const incoming *all, gp_error *error)
{
    size_t n = 0;
    for (size_t at = 0; at < all->n_bytes; at += n) {
        n = smaller(all->n_bytes - at, all->chunk_bytes);
        CUdeviceptr from = all->make == NULL ? all->from + at : all->from;
        if (all->make != NULL)
            GP_TRY(make_chunk(device, all, at, NULL, &n, error));
        GP_TRY_CUDA(device->api->memcpyDtoHAsync(all->to + at, from, n, gp_cuda_stream(device)), "cuMemcpyDtoHAsync", error);
        device->counts.bytes_to_host += (int64_t)n;
    }
    return GP_OK;
}

/* Waits also after a failure, since the caller frees `to`, to which copies may be queued. */
static gp_status bring_straight(gp_cuda_device *device, const incoming *all, gp_error *error)
{
    gp_error later = {0};
    gp_status status = queue_straight(device, all, error), waited = gp_cuda_wait(device, status == GP_OK ? error : &later);
    return status != GP_OK ? status : waited;
}

static bool is_straight(const gp_cuda_device *device, const void *to, size_t n_bytes)
{
    return n_bytes >= LEAST_STRAIGHT_BYTES && gp_cuda_is_pinned(device, to, n_bytes);
}

gp_status gp_cuda_download(gp_cuda_device *device, void *to, CUdeviceptr from, size_t n_bytes, gp_error *error)
{
    incoming all = {.to = to, .n_bytes = n_bytes, .from = from, .chunk_bytes = n_bytes};
    if (is_straight(device, to, n_bytes))
        return bring_straight(device, &all, error);
    GP_TRY(gp_cuda_ring_make(device, error));
    all.chunk_bytes = chunk_bytes(device, n_bytes, 1);
    return bring(device, &all, error);
}

gp_status gp_cuda_download_note(gp_cuda_device *device, CUdeviceptr from, size_t n_bytes, const void **out, gp_error *error)
{
    gp_cuda_ring *ring = &device->ring;
    if (n_bytes > GP_NOTE_BYTES)
        return gp_fail(error, GP_ERR_VALUE, "a note of %zu bytes is longer than %d", n_bytes, (int)GP_NOTE_BYTES);
    GP_TRY(gp_cuda_ring_make(device, error));
    uint8_t *memory = ring->memory + GP_RING_SLOTS * ring->slot_bytes;
    GP_TRY_CUDA(device->api->memcpyDtoHAsync(memory, from, n_bytes, gp_cuda_stream(device)), "cuMemcpyDtoHAsync", error);
    device->counts.bytes_to_host += (int64_t)n_bytes;
    *out = memory;
    return GP_OK;
}

gp_status gp_cuda_flags(gp_cuda_device *device, const uint32_t **out, uint32_t **for_kernels, gp_error *error)
{
    gp_cuda_ring *ring = &device->ring;
    GP_TRY(gp_cuda_ring_make(device, error));
    void *flags = ring->memory + GP_RING_SLOTS * ring->slot_bytes + GP_NOTE_BYTES;
    if (ring->flags == 0)
        GP_TRY_CUDA(device->api->memHostGetDevicePointer(&ring->flags, flags, 0), "cuMemHostGetDevicePointer", error);
    memset(flags, 0, GP_N_FLAGS * sizeof(uint32_t));
    *out = flags;
    *for_kernels = (uint32_t *)(uintptr_t)ring->flags;
    return GP_OK;
}

/* Whether kernels write to pinned memory across the bus. That saves a copy but slows each store: which is faster depends on the machine. */
static bool is_mapped_wanted(void)
{
    const char *wanted = getenv("GPUPLOT_CUDA_MAPPED");
    return wanted != NULL && strcmp(wanted, "1") == 0;
}

/* Gets scratch memory for one chunk, or makes chunks smaller if there is less. */
static gp_status take_scratch(gp_cuda_device *device, gp_cuda_slot slot, incoming *all, gp_error *error)
{
    int64_t most = (int64_t)(all->chunk_bytes / all->item_bytes), least = most < 1024 ? most : 1024;
    GP_TRY(gp_cuda_scratch_pieces(device, slot, all->item_bytes, most, least, &all->from, &most, error));
    all->chunk_bytes = (size_t)most * all->item_bytes;
    return GP_OK;
}

gp_status gp_cuda_fetch(gp_cuda_device *device, void *to, int64_t n_items, size_t item_bytes, gp_cuda_slot slot,
                        gp_cuda_make make, void *context, gp_error *error)
{
    incoming all = {
        .to = to, .n_bytes = (size_t)n_items * item_bytes, .make = make, .context = context, .item_bytes = item_bytes};
    bool is_mapped = is_mapped_wanted();
    if (!is_mapped && is_straight(device, to, all.n_bytes)) {
        all.chunk_bytes = smaller(GP_RING_SLOT_BYTES, all.n_bytes) / item_bytes * item_bytes;
        GP_TRY(take_scratch(device, slot, &all, error));
        return bring_straight(device, &all, error);
    }
    GP_TRY(gp_cuda_ring_make(device, error));
    all.chunk_bytes = chunk_bytes(device, all.n_bytes, item_bytes);
    if (!is_mapped)
        GP_TRY(take_scratch(device, slot, &all, error));
    return bring(device, &all, error);
}
