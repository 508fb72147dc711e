/* The ring of a device: pinned memory that is allocated once, and its slots, which are used in turn. */
#include "ring.h"

#include "state.h"
#include "stream.h"

/* The driver can copy pageable memory, but does so more slowly and blocks the calling thread. With smaller slots copies
 * take more steps. */
static const size_t slot_sizes[] = {GP_RING_SLOT_BYTES, (size_t)1 << 20, (size_t)128 << 10};
enum { N_SLOT_SIZES = sizeof slot_sizes / sizeof slot_sizes[0] };

enum { FLAGS_BYTES = GP_N_FLAGS * (int)sizeof(uint32_t), TAIL_BYTES = GP_NOTE_BYTES + FLAGS_BYTES };

static gp_status allocate_memory(gp_cuda_device *device, gp_error *error)
{
    gp_cuda_ring *ring = &device->ring;
    CUresult code = CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < N_SLOT_SIZES && code == CUDA_ERROR_OUT_OF_MEMORY; i++) {
        void *memory = NULL;
        ring->slot_bytes = slot_sizes[i];
        code = device->api->memHostAlloc(&memory, GP_RING_SLOTS * ring->slot_bytes + TAIL_BYTES,
                                         CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
        ring->memory = code == CUDA_SUCCESS ? memory : NULL;
    }
    GP_TRY_CUDA(code, "cuMemHostAlloc", error);
    device->counts.n_pinned_allocs++;
    device->counts.pinned_bytes += (int64_t)(GP_RING_SLOTS * ring->slot_bytes + TAIL_BYTES);
    return GP_OK;
}

static gp_status make(gp_cuda_device *device, gp_error *error)
{
    gp_cuda_ring *ring = &device->ring;
    gp_status status = allocate_memory(device, error);
    for (int i = 0; i < GP_RING_SLOTS && status == GP_OK; i++)
        status = gp_cuda_check(device->api->eventCreate(&ring->events[i], CU_EVENT_DISABLE_TIMING), "cuEventCreate", error);
    if (status != GP_OK)
        gp_cuda_ring_free(device);
    return status;
}

gp_status gp_cuda_ring_make(gp_cuda_device *device, gp_error *error)
{
    return device->ring.memory != NULL ? GP_OK : make(device, error);
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

gp_status gp_cuda_ring_wait(gp_cuda_device *device, int slot, gp_error *error)
{
    gp_cuda_ring *ring = &device->ring;
    if (ring->is_busy[slot]) {
        GP_TRY_CUDA(device->api->eventSynchronize(ring->events[slot]), "cuEventSynchronize", error);
        ring->is_busy[slot] = false;
    }
    return GP_OK;
}

gp_status gp_cuda_ring_wait_all(gp_cuda_device *device, gp_error *error)
{
    GP_TRY(gp_cuda_wait(device, error));
    device->ring.has_unmarked = false;
    return GP_OK;
}

gp_status gp_cuda_ring_take(gp_cuda_device *device, int *slot, uint8_t **memory, gp_error *error)
{
    gp_cuda_ring *ring = &device->ring;
    GP_TRY(gp_cuda_ring_make(device, error));
    if (ring->has_unmarked) /* left by a copy that failed half-way */
        GP_TRY(gp_cuda_ring_wait_all(device, error));
    GP_TRY(gp_cuda_ring_wait(device, ring->next, error));
    *slot = ring->next;
    *memory = ring->memory + (size_t)ring->next * ring->slot_bytes;
    ring->next = (ring->next + 1) % GP_RING_SLOTS;
    return GP_OK;
}

gp_status gp_cuda_ring_mark(gp_cuda_device *device, int slot, gp_error *error)
{
    GP_TRY_CUDA(device->api->eventRecord(device->ring.events[slot], device->stream), "cuEventRecord", error);
    device->ring.is_busy[slot] = true;
    device->ring.has_unmarked = false;
    return GP_OK;
}
