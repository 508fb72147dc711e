/* Copies between host memory and an entered device, through the ring of pinned memory. */
#ifndef GP_CUDA_STAGING_H
#define GP_CUDA_STAGING_H

#include "handle.h"
#include "ring.h"

/* Host bytes to device memory, in the order of the stream. `from` may be reused at once, as the bytes are copied to pinned memory. */
gp_status gp_cuda_upload(gp_cuda_device *device, CUdeviceptr to, const void *from, size_t n_bytes, gp_error *error) GP_MUST_CHECK;

/* gp_cuda_scratch with a copy of host bytes. */
gp_status gp_cuda_scratch_copy(gp_cuda_device *device, gp_cuda_slot slot, const void *from, size_t n_bytes, void *out,
                               gp_error *error) GP_MUST_CHECK;

/* Device memory to host bytes: through pinned chunks, two in flight, copied out while the next one arrives; or directly if `to` is a
 * megabyte or more of pinned memory. Returns when `to` is complete and the stream is idle. */
gp_status gp_cuda_download(gp_cuda_device *device, void *to, CUdeviceptr from, size_t n_bytes, gp_error *error) GP_MUST_CHECK;

/* Queues the same for at most GP_NOTE_BYTES, without waiting: `out` is set to pinned memory, which has the bytes after the next wait,
 * until the next note. */
gp_status gp_cuda_download_note(gp_cuda_device *device, CUdeviceptr from, size_t n_bytes, const void **out,
                                gp_error *error) GP_MUST_CHECK;

/* GP_N_FLAGS numbers in pinned memory, now 0, and where kernels find them: for what these rarely note, known after the next wait. */
gp_status gp_cuda_flags(gp_cuda_device *device, const uint32_t **out, uint32_t **for_kernels, gp_error *error) GP_MUST_CHECK;

/*
 * Queues a kernel that writes *n_items items begin, begin + 1, ... side by side to `target`, or fewer, setting *n_items. It
 * copies nothing itself.
 */
typedef gp_status (*gp_cuda_make)(void *context, int64_t begin, int64_t *n_items, CUdeviceptr target, gp_error *error);

/*
 * Items that kernels make, to host memory, in chunks: while the host copies one out of pinned memory, the next is made and
 * copied. Kernels write to the slot's scratch memory, a few MB, which is copied as by gp_cuda_download; with
 * GPUPLOT_CUDA_MAPPED=1 in the environment they write to pinned memory themselves. Returns as gp_cuda_download does.
 */
gp_status gp_cuda_fetch(gp_cuda_device *device, void *to, int64_t n_items, size_t item_bytes, gp_cuda_slot slot,
                        gp_cuda_make make, void *context, gp_error *error) GP_MUST_CHECK;

#endif
