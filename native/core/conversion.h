/* From a tensor's elements to an array in host memory: another dtype, another order, and what both backends agree on. */
#ifndef GP_CONVERSION_H
#define GP_CONVERSION_H

#include "progress.h"
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
 * What a conversion does with an element's value (definitions of casts.h):
 * - equal dtypes: the bits as they are, swapped to native order;
 * - else as C casts round, once, from the stored value; integers wrap, floats to integers truncate and saturate, NaN is 0;
 * - complex to real is refused before anything is written;
 * - a masked element is NaN in float and complex targets; other targets get what is stored under the mask.
 */

/* One axis of a conversion after sorting and joining: sizes are at least 2. */
typedef struct gp_conversion_axis {
    int64_t size, from_stride, to_stride, mask_stride; /* bytes; to_stride > 0 */
} gp_conversion_axis;

/*
 * A conversion as nested loops: axes from the largest stride of the target to the smallest, those that lie end to end in
 * source, target and mask joined, reversed targets turned round. Elements counted along these axes, the last one fastest, are
 * the *plan's order*; in a target without gaps it is the order of memory.
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
    bool is_plain;        /* and the source's, with equal dtypes, no mask and native bytes: a conversion is one copy */
} gp_conversion;

/* Refuses what cannot be converted: complex to real, anything else to complex32, long doubles on a device to or from another
 * dtype, targets whose elements share memory. Reads nothing. */
gp_status gp_conversion_plan(const gp_tensor *tensor, const gp_target *target, gp_conversion *out, gp_error *error) GP_MUST_CHECK;

/* The stored elements of a plane (core/view.h), of its channel where it has one, row by row to `to` without gaps. */
struct gp_plane;
gp_status gp_conversion_of_plane(const struct gp_plane *plane, void *to, gp_conversion *out, gp_error *error) GP_MUST_CHECK;

#endif
