/* How work on a device is cut and ended: scratch memory for pieces, blocks for so many items, the wait before leaving. */
#ifndef GP_CUDA_WORK_H
#define GP_CUDA_WORK_H

#include "device.h"

/*
 * Room in a slot for `wanted` items, or for fewer where the device has no more: at least `least` of them, or an error.
 * n_items tells how many.
 */
gp_status gp_cuda_scratch_pieces(gp_cuda_device *device, gp_cuda_slot slot, size_t item_bytes, int64_t wanted, int64_t least,
                                 void *out, int64_t *n_items, gp_error *error) GP_MUST_CHECK;

/* Threads of a block in kernels that do not say otherwise: GP_BLOCK in kernels/device.cuh. */
#define GP_BLOCK_THREADS 256

/* Blocks for kernels whose threads step through n_items: enough to keep the device busy, and no more than have an item. */
int64_t gp_cuda_blocks_for(const gp_cuda_device *device, int64_t n_items);

/* Launches such a kernel of a module that is not of a class. */
gp_status gp_cuda_launch_items(gp_cuda_device *device, const char *module, const char *kernel, int64_t n_items, const void *args,
                               gp_error *error) GP_MUST_CHECK;

/*
 * Ends what gp_cuda_enter began: waits for the stream, also where something failed before, because the kernels that were
 * queued read memory of others; then leaves. The first failure is the one that is told.
 */
gp_status gp_cuda_finish(gp_cuda_device *device, gp_status status, gp_error *error) GP_MUST_CHECK;

/*
 * The same after kernels that read and write only cells and scratch memory, which are ours: nobody waits, whatever comes next is queued
 * behind them. A failure of theirs is told by the next wait.
 */
gp_status gp_cuda_finish_queued(gp_cuda_device *device, gp_status status, gp_error *error) GP_MUST_CHECK;

#endif
