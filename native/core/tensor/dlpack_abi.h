/* The DLPack structures (legacy and versioned), declared from the published ABI under our own names. */
#ifndef GP_DLPACK_ABI_H
#define GP_DLPACK_ABI_H

#include "../base/portable.h"

#define GP_DL_MAJOR_VERSION 1
#define GP_DL_CPU 1
#define GP_DL_CUDA 2
#define GP_DL_CUDA_HOST 3
#define GP_DL_CUDA_MANAGED 13
#define GP_DL_FLAG_READ_ONLY ((uint64_t)1)
#define GP_DL_FLAG_SUBBYTE_PADDED ((uint64_t)4)

typedef struct gp_dl_device {
    int32_t device_type, device_id;
} gp_dl_device;

typedef struct gp_dl_dtype {
    uint8_t code, bits;
    uint16_t lanes;
} gp_dl_dtype;

typedef struct gp_dl_tensor {
    void *data;
    gp_dl_device device;
    int32_t ndim;
    gp_dl_dtype dtype;
    int64_t *shape;
    int64_t *strides; /* in elements; NULL means row-major in producers from before version 1.2 */
    uint64_t byte_offset;
} gp_dl_tensor;

typedef struct gp_dl_managed {
    gp_dl_tensor tensor;
    void *manager_context;
    void (*deleter)(struct gp_dl_managed *self);
} gp_dl_managed;

typedef struct gp_dl_managed_versioned {
    uint32_t major_version, minor_version;
    void *manager_context;
    void (*deleter)(struct gp_dl_managed_versioned *self);
    uint64_t flags;
    gp_dl_tensor tensor;
} gp_dl_managed_versioned;

#endif
