/* Launches of kernels whose threads step through items. */
#ifndef GP_CUDA_LAUNCH_H
#define GP_CUDA_LAUNCH_H

#include "handle.h"

/* Threads of a block by default: GP_BLOCK in kernels/device.cuh. */
#define GP_BLOCK_THREADS 256

/* Number of blocks for kernels whose threads step through n_items: enough to keep the device busy, and each has an item. */
int64_t gp_cuda_blocks_for(const gp_cuda_device *device, int64_t n_items);

/* Launches such a kernel of a module that has no element class. */
gp_status gp_cuda_launch_items(gp_cuda_device *device, const char *module, const char *kernel, int64_t n_items, const void *args,
                               gp_error *error) GP_MUST_CHECK;

#endif
