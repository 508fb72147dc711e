/* Scratch memory: one piece for each use, which only grows, and is freed for another use before the bound is passed. */
#include "scratch.h"

#include "cells_memory.h"
#include "pool.h"
#include "stream.h"

#include <string.h>
#include "state.h"

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
