/* The plan of a conversion of a tensor's elements to an array in host memory, of another dtype or order, for every backend. */
#ifndef GP_CONVERSION_H
#define GP_CONVERSION_H

#include "../base/progress.h"
#include "tensor.h"

/*
 * Where elements go: host memory that the caller owns, in native byte order. The shape is the tensor's; strides are in bytes,
 * may be negative and leave gaps, and no two elements share memory. `data` may be unaligned.
 */
typedef struct gp_target {
    void *data; /* element [0, ..., 0] */
    gp_dtype dtype;
    int64_t strides_bytes[GP_MAX_NDIM];
} gp_target;

/*
 * What becomes of an element (see casts.h):
 * - equal dtypes: the bits as they are, swapped to native order;
 * - else as C casts round, once, from the stored value; integers wrap, floats to integers truncate and saturate, NaN is 0;
 * - complex to real is refused before anything is written;
 * - a masked element is NaN in float and complex targets; other targets get the value stored under the mask.
 */

/* One axis of a conversion after sorting and joining: sizes are at least 2. */
typedef struct gp_conversion_axis {
    int64_t size, from_stride, to_stride, mask_stride; /* bytes; to_stride > 0 */
} gp_conversion_axis;

/*
 * A conversion as nested loops over axes, sorted from the target's largest stride to its smallest; axes that lie end to end in
 * source, target and mask are joined, reversed targets are turned. The *plan's order* of elements is row-major over these axes;
 * in a target without gaps it is the order of memory.
 */
typedef struct gp_conversion {
    const char *from;    /* of the plan's first element, in the tensor's memory */
    char *to;            /* of the same element, in host memory */
    const uint8_t *mask; /* of the same element, or NULL: no mask, or one that the target's dtype does not show */
    bool is_mask_inverted, is_byteswapped;
    gp_dtype from_dtype, to_dtype;
    gp_device device; /* of `from` and `mask` */
    int64_t n_elems;
    int n_axes; /* 0: at most one element */
    gp_conversion_axis axes[GP_MAX_NDIM];
    bool is_target_dense; /* the plan's order is the target's memory without gaps */
    bool is_plain;        /* and also the source's, with equal dtypes, no mask and native bytes: one copy does it */
} gp_conversion;

/* Fails for what cannot be converted: complex to real, another dtype to complex32, long doubles on a device to or from another
 * dtype, targets whose elements share memory. Reads no element. */
gp_status gp_conversion_plan(const gp_tensor *tensor, const gp_target *target, gp_conversion *out, gp_error *error) GP_MUST_CHECK;

/* The plan for the stored elements of a plane (core/tensor/view.h), of its channel if it has one, row by row to `to` without gaps. */
struct gp_plane;
gp_status gp_conversion_of_plane(const struct gp_plane *plane, void *to, gp_conversion *out, gp_error *error) GP_MUST_CHECK;

#endif
