/* Helpers for work on a device: scratch memory for pieces of it, numbers of blocks, and its end. */
#ifndef GP_CUDA_WORK_H
#define GP_CUDA_WORK_H

#include "device.h"

/*
 * Room in a slot for `wanted` items, or for fewer if the device has no more memory, but at least `least`, else an error.
 * n_items is set to their number.
 */
gp_status gp_cuda_scratch_pieces(gp_cuda_device *device, gp_cuda_slot slot, size_t item_bytes, int64_t wanted, int64_t least,
                                 void *out, int64_t *n_items, gp_error *error) GP_MUST_CHECK;

/* Queues setting n_bytes of device memory to a byte. */
gp_status gp_cuda_fill(gp_cuda_device *device, CUdeviceptr at, unsigned char byte, size_t n_bytes, gp_error *error) GP_MUST_CHECK;

/* Threads of a block by default: GP_BLOCK in kernels/device.cuh. */
#define GP_BLOCK_THREADS 256

/* Number of blocks for kernels whose threads step through n_items: enough to keep the device busy, and each has an item. */
int64_t gp_cuda_blocks_for(const gp_cuda_device *device, int64_t n_items);

/* Launches such a kernel of a module that has no element class. */
gp_status gp_cuda_launch_items(gp_cuda_device *device, const char *module, const char *kernel, int64_t n_items, const void *args,
                               gp_error *error) GP_MUST_CHECK;

/*
 * Ends the work that gp_cuda_enter began: waits for the stream, also after a failure, because queued kernels read memory of
 * other libraries; then leaves. The first failure is reported.
 */
gp_status gp_cuda_finish(gp_cuda_device *device, gp_status status, gp_error *error) GP_MUST_CHECK;

/*
 * The same after kernels that read and write only cells and scratch memory, which are ours: does not wait, as later work is queued
 * after them. Their failure is reported by the next wait.
 */
gp_status gp_cuda_finish_queued(gp_cuda_device *device, gp_status status, gp_error *error) GP_MUST_CHECK;

#endif
