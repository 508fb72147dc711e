/* gp_tensor: memory of another library as an N-D array, borrowed until it is released, exactly once. */
#ifndef GP_TENSOR_H
#define GP_TENSOR_H

#include "dlpack_abi.h"
#include "dtypes.h"
#include "../base/status.h"

#define GP_MAX_NDIM 64

/* Where memory lives, in DLPack's numbers: kind 1 CPU, 2 CUDA, 3 pinned host memory, 13 managed. */
typedef struct gp_device {
    int kind, id;
} gp_device;

/* Whether the host can read the memory: ordinary, or pinned for devices. */
GP_FN bool gp_device_is_host(gp_device device) { return device.kind == GP_DL_CPU || device.kind == GP_DL_CUDA_HOST; }

/* Whether one device can read the memory of both. */
GP_FN bool gp_device_is_same(gp_device a, gp_device b)
{
    return gp_device_is_host(a) ? gp_device_is_host(b) : a.kind == b.kind && a.id == b.id;
}

typedef struct gp_tensor {
    const void *data; /* element [0, ..., 0]; may be unaligned */
    gp_dtype dtype;
    bool is_byteswapped;
    gp_device device;
    int n_dims;
    int64_t shape[GP_MAX_NDIM];
    int64_t strides_bytes[GP_MAX_NDIM]; /* zero and negative are fine */
    const uint8_t *mask;                /* NULL, or one byte per element, not zero = masked */
    bool is_mask_inverted;              /* zero = masked: the mask tells which elements are valid */
    int64_t mask_strides_bytes[GP_MAX_NDIM];
    void (*release_owner)(void *owner); /* NULL: nothing to release */
    void *owner;
} gp_tensor;

/* Fails for impossible arrays: negative sizes, sizes or extents beyond 2^63 bytes, elements at a null address or outside of the
 * address space. */
gp_status gp_tensor_check(const gp_tensor *tensor, gp_error *error) GP_MUST_CHECK;

/*
 * The tensor that a DLPack producer describes. It owns nothing yet: set release_owner and owner to the managed tensor's
 * deleter. dtype_override >= 0 replaces the dtype (8-bit floats that are passed as uint8).
 */
gp_status gp_tensor_from_dlpack(const gp_dl_tensor *source, int dtype_override, gp_tensor *out, gp_error *error) GP_MUST_CHECK;

int64_t gp_tensor_n_elems(const gp_tensor *tensor);

/* Calls the owner's release once; later calls do nothing. */
void gp_tensor_release(gp_tensor *tensor);

#endif
