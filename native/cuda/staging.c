/* Copies between host and device through pinned memory that is allocated once and used in turn. */
#include "state.h"

#include <string.h>

/* The driver copies pageable memory itself, but slower, and while it does the calling thread is stuck in it. A slot is large
 * enough for the pixels of a picture; where pinned memory is short, smaller ones do the same in more steps. */
static const size_t slot_sizes[] = {(size_t)4 << 20, (size_t)1 << 20, (size_t)128 << 10};
enum { N_SLOT_SIZES = sizeof slot_sizes / sizeof slot_sizes[0] };

static gp_status allocate_memory(gp_cuda_device *device, gp_error *error)
{
    gp_cuda_ring *ring = &device->ring;
    CUresult code = CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < N_SLOT_SIZES && code == CUDA_ERROR_OUT_OF_MEMORY; i++) {
        void *memory = NULL;
        ring->slot_bytes = slot_sizes[i];
        code = device->api->memHostAlloc(&memory, GP_RING_SLOTS * ring->slot_bytes, CU_MEMHOSTALLOC_PORTABLE);
        ring->memory = code == CUDA_SUCCESS ? memory : NULL;
    }
    GP_TRY_CUDA(code, "cuMemHostAlloc", error);
    device->counts.n_pinned_allocs++;
    device->counts.pinned_bytes += (int64_t)(GP_RING_SLOTS * ring->slot_bytes);
    return GP_OK;
}

static gp_status make_ring(gp_cuda_device *device, gp_error *error)
{
    gp_cuda_ring *ring = &device->ring;
    gp_status status = allocate_memory(device, error);
    for (int i = 0; i < GP_RING_SLOTS && status == GP_OK; i++)
        status = gp_cuda_check(device->api->eventCreate(&ring->events[i], CU_EVENT_DISABLE_TIMING), "cuEventCreate", error);
    if (status != GP_OK)
        gp_cuda_ring_free(device);
    return status;
}

void gp_cuda_ring_free(gp_cuda_device *device)
{
    gp_cuda_ring *ring = &device->ring;
    for (int i = 0; i < GP_RING_SLOTS; i++) {
        if (ring->events[i] != NULL)
            (void)device->api->eventDestroy(ring->events[i]);
    }
    if (ring->memory != NULL)
        (void)device->api->memFreeHost(ring->memory);
    *ring = (gp_cuda_ring){0};
}

/* Waits until the copy that used a slot last is done. */
static gp_status wait_for_slot(gp_cuda_device *device, int slot, gp_error *error)
{
    gp_cuda_ring *ring = &device->ring;
    if (ring->is_busy[slot]) {
        GP_TRY_CUDA(device->api->eventSynchronize(ring->events[slot]), "cuEventSynchronize", error);
        ring->is_busy[slot] = false;
    }
    return GP_OK;
}

static gp_status wait_for_all(gp_cuda_device *device, gp_error *error)
{
    GP_TRY(gp_cuda_wait(device, error));
    device->ring.has_unmarked = false;
    return GP_OK;
}

/* The next slot of the ring, free to be used. */
static gp_status take_slot(gp_cuda_device *device, int *slot, uint8_t **memory, gp_error *error)
{
    gp_cuda_ring *ring = &device->ring;
    if (ring->memory == NULL)
        GP_TRY(make_ring(device, error));
    if (ring->has_unmarked) /* left by a copy that failed half-way */
        GP_TRY(wait_for_all(device, error));
    GP_TRY(wait_for_slot(device, ring->next, error));
    *slot = ring->next;
    *memory = ring->memory + (size_t)ring->next * ring->slot_bytes;
    ring->next = (ring->next + 1) % GP_RING_SLOTS;
    return GP_OK;
}

/* From now on the slot's event tells when the copy that was queued last is done. */
static gp_status mark_busy(gp_cuda_device *device, int slot, gp_error *error)
{
    GP_TRY_CUDA(device->api->eventRecord(device->ring.events[slot], device->stream), "cuEventRecord", error);
    device->ring.is_busy[slot] = true;
    device->ring.has_unmarked = false;
    return GP_OK;
}

static size_t chunk_bytes(const gp_cuda_device *device, size_t n_left)
{
    return n_left < device->ring.slot_bytes ? n_left : device->ring.slot_bytes;
}

gp_status gp_cuda_upload(gp_cuda_device *device, CUdeviceptr to, const void *from, size_t n_bytes, gp_error *error)
{
    const uint8_t *bytes = from;
    for (size_t at = 0; at < n_bytes;) {
        int slot;
        uint8_t *memory;
        GP_TRY(take_slot(device, &slot, &memory, error));
        size_t n = chunk_bytes(device, n_bytes - at);
        memcpy(memory, bytes + at, n);
        GP_TRY_CUDA(device->api->memcpyHtoDAsync(to + at, memory, n, device->stream), "cuMemcpyHtoDAsync", error);
        device->ring.has_unmarked = true;
        GP_TRY(mark_busy(device, slot, error));
        device->counts.bytes_to_device += (int64_t)n;
        at += n;
    }
    return GP_OK;
}

/* ---- download ------------------------------------------------------------------------------------------------------ */

/* A chunk on its way: from the device into a slot, not yet copied out. */
typedef struct arriving {
    int slot;
    const uint8_t *memory;
    uint8_t *to;
    size_t n_bytes;
} arriving;

static gp_status start_chunk(gp_cuda_device *device, uint8_t *to, CUdeviceptr from, size_t n_left, arriving *out, gp_error *error)
{
    uint8_t *memory;
    GP_TRY(take_slot(device, &out->slot, &memory, error));
    size_t n = chunk_bytes(device, n_left);
    GP_TRY_CUDA(device->api->memcpyDtoHAsync(memory, from, n, device->stream), "cuMemcpyDtoHAsync", error);
    device->ring.has_unmarked = true;
    device->counts.bytes_to_host += (int64_t)n;
    out->memory = memory, out->to = to, out->n_bytes = n;
    return GP_OK;
}

static gp_status finish_chunk(gp_cuda_device *device, const arriving *chunk, gp_error *error)
{
    GP_TRY(wait_for_slot(device, chunk->slot, error));
    memcpy(chunk->to, chunk->memory, chunk->n_bytes);
    return GP_OK;
}

/* While one chunk is copied out on the host the next one arrives. The last one is waited for by the stream, which is idle
 * then; a copy of one chunk is nothing but that. */
gp_status gp_cuda_download(gp_cuda_device *device, void *to, CUdeviceptr from, size_t n_bytes, gp_error *error)
{
    arriving before = {0}, now = {0};
    if (n_bytes == 0)
        return gp_cuda_wait(device, error);
    for (size_t at = 0; at < n_bytes; at += now.n_bytes) {
        before = now;
        GP_TRY(start_chunk(device, (uint8_t *)to + at, from + at, n_bytes - at, &now, error));
        if (at + now.n_bytes < n_bytes)
            GP_TRY(mark_busy(device, now.slot, error));
        if (before.n_bytes > 0)
            GP_TRY(finish_chunk(device, &before, error));
    }
    GP_TRY(wait_for_all(device, error));
    return finish_chunk(device, &now, error);
}
