/* The memory pool of a device, and blocks of it: every allocation goes through these, so that it is counted. */
#ifndef GP_CUDA_POOL_H
#define GP_CUDA_POOL_H

#include "state.h"

/* The most bytes that the pool keeps between pieces of work, and that freed cells keep. */
#define GP_KEPT_BYTES ((size_t)64 << 20)

/* Makes our own memory pool; without one (old drivers, some virtual GPUs) memory is allocated by the driver. The private stream
 * exists already. */
void gp_cuda_pool_make(gp_cuda_device *device);
void gp_cuda_pool_destroy(gp_cuda_device *device);

/*
 * Memory of the pool is allocated and freed in the order of the private stream: nothing waits, and work queued before may still use a
 * block that is freed. Work on another stream must come after an event of the private one, and must be waited for before the block is
 * freed. Without pools freeing waits for the whole device.
 */
CUresult gp_cuda_pool_take(gp_cuda_device *device, size_t n_bytes, CUdeviceptr *out);
void gp_cuda_block_free(gp_cuda_device *device, gp_cuda_block *block);

/* Rounded up to the unit of allocations, at least one unit. */
size_t gp_cuda_round_bytes(size_t n_bytes);

#endif
