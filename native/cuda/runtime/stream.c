/* The stream of an entered device: what is queued on it, and waiting for it. */
#include "stream.h"

#include "state.h"

const gp_cuda_api *gp_cuda_api_of(const gp_cuda_device *device) { return device->api; }

CUstream gp_cuda_stream(gp_cuda_device *device)
{
    device->is_idle = false;
    return device->stream;
}

int gp_cuda_n_processors(const gp_cuda_device *device) { return device->n_processors; }

int64_t gp_cuda_wanted_blocks(const gp_cuda_device *device) { return 8 * (int64_t)device->n_processors; }

gp_status gp_cuda_wait(gp_cuda_device *device, gp_error *error)
{
    if (device->is_idle)
        return GP_OK;
    GP_TRY_CUDA(device->api->streamSynchronize(device->stream), "cuStreamSynchronize", error);
    device->is_idle = true;
    for (int i = 0; i < GP_RING_SLOTS; i++)
        device->ring.is_busy[i] = false; /* the stream is idle, so their events are not queried */
    return GP_OK;
}
