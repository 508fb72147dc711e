/* Memory and streams of other libraries. */
#ifndef GP_CUDA_INTEROP_H
#define GP_CUDA_INTEROP_H

#include "handle.h"

#include <stdbool.h>

typedef struct gp_cuda_memory {
    CUdeviceptr pointer; /* the address for kernels */
    int ordinal;         /* of the device that owns it */
    bool is_managed, is_host; /* is_host: pinned or registered host memory */
    uint64_t low, high;       /* the allocation, half-open, if kernels use the same addresses; else both 0 */
} gp_cuda_memory;

/*
 * The driver's facts about bytes low..high (half-open, low < high) of another library. Fails if this is not memory of CUDA's,
 * was freed, belongs to a context that is not the primary one, or is smaller. Nothing is read.
 * hint: device to ask first, -1 for unknown.
 */
gp_status gp_cuda_inspect(uint64_t low, uint64_t high, int hint, gp_cuda_memory *out, gp_error *error) GP_MUST_CHECK;

/* Whether all these bytes of the host are in one piece of pinned memory, whoever pinned it. The device is entered. */
bool gp_cuda_is_pinned(const gp_cuda_device *device, const void *low, size_t n_bytes);

/* Makes the device's stream wait for the work that is now queued on the producer's stream (1 legacy, 2 the calling thread's
 * default, else a handle). Fails, before anything is queued, for a stream that is capturing a graph. */
gp_status gp_cuda_order_after(int ordinal, uint64_t stream, gp_error *error) GP_MUST_CHECK;

/* Waits for everything queued on any stream of the device's primary context: for producers whose stream is unknown. */
gp_status gp_cuda_synchronize(int ordinal, gp_error *error) GP_MUST_CHECK;

/* Fails if this stream of the device is capturing a graph. */
gp_status gp_cuda_refuse_capture(int ordinal, uint64_t stream, gp_error *error) GP_MUST_CHECK;

/* The handle of the device's private stream, for DLPack's stream=. */
gp_status gp_cuda_stream_handle(int ordinal, uint64_t *out, gp_error *error) GP_MUST_CHECK;

#endif
