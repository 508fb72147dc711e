/* The stream of an entered device: what is queued on it, and waiting for it. */
#ifndef GP_CUDA_STREAM_H
#define GP_CUDA_STREAM_H

#include "handle.h"

const gp_cuda_api *gp_cuda_api_of(const gp_cuda_device *device);
CUstream gp_cuda_stream(gp_cuda_device *device); /* private, non-blocking; the caller will queue something on it */
int gp_cuda_n_processors(const gp_cuda_device *device); /* streaming multiprocessors, for the size of grids */

/* Enough blocks to keep the device busy: 8 for each multiprocessor. */
int64_t gp_cuda_wanted_blocks(const gp_cuda_device *device);

/* Waits until everything queued on the device's stream is done, and reports errors of it. Does not call the driver if nothing was
 * queued since the last wait of this piece of work. */
gp_status gp_cuda_wait(gp_cuda_device *device, gp_error *error) GP_MUST_CHECK;

#endif
