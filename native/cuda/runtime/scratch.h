/* Scratch memory of an entered device, which is reused, grows, and is bounded. */
#ifndef GP_CUDA_SCRATCH_H
#define GP_CUDA_SCRATCH_H

#include "handle.h"

/*
 * Scratch memory on the device: one piece for each slot, which only grows; valid until the same slot is asked for with more
 * bytes, or gp_cuda_leave. It is not cleared. If the device has no pools, growing waits. At most GP_SCRATCH_BYTES in all: ask
 * for less, or work in pieces. Frees cached cells before it fails. out: a CUdeviceptr, or a pointer of any type, as kernels
 * take it.
 */
#define GP_SCRATCH_BYTES ((size_t)64 << 20)
gp_status gp_cuda_scratch(gp_cuda_device *device, gp_cuda_slot slot, size_t n_bytes, void *out, gp_error *error) GP_MUST_CHECK;

/*
 * Room in a slot for `wanted` items, or for fewer if the device has no more memory, but at least `least`, else an error.
 * n_items is set to their number.
 */
gp_status gp_cuda_scratch_pieces(gp_cuda_device *device, gp_cuda_slot slot, size_t item_bytes, int64_t wanted, int64_t least,
                                 void *out, int64_t *n_items, gp_error *error) GP_MUST_CHECK;

/* Queues setting n_bytes of device memory to a byte. */
gp_status gp_cuda_fill(gp_cuda_device *device, CUdeviceptr at, unsigned char byte, size_t n_bytes, gp_error *error) GP_MUST_CHECK;

/* gp_cuda_scratch with every byte set to a value. */
gp_status gp_cuda_scratch_filled(gp_cuda_device *device, gp_cuda_slot slot, size_t n_bytes, unsigned char byte, void *out,
                                 gp_error *error) GP_MUST_CHECK;

/* A pointer of a kernel's arguments as a CUdeviceptr. */
static inline CUdeviceptr gp_cuda_address(const void *pointer) { return (CUdeviceptr)(uintptr_t)pointer; }

/* ---- for the files that manage a device ---------------------------------------------------------------------------- */

/* Marks all slots as not in use, at the begin of a piece of work. */
void gp_cuda_scratch_begin(gp_cuda_device *device);
void gp_cuda_scratch_free(gp_cuda_device *device);

#endif
