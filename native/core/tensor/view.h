/* gp_plane: a 2-D plane of an N-D tensor. It has addresses and strides, and owns nothing. */
#ifndef GP_VIEW_H
#define GP_VIEW_H

#include "cells.h"
#include "../base/ordered.h"
#include "../states/reductions.h"
#include "tensor.h"

/* How hidden axes are reduced, for each element of the plane. */
typedef enum gp_hidden_op {
    GP_HIDDEN_MEAN,
    GP_HIDDEN_MAX,
    GP_HIDDEN_MIN,
    GP_HIDDEN_SUM,
    GP_HIDDEN_STD, /* ddof = 0 */
    GP_HIDDEN_NORM, /* root of the sum of squares */
    GP_N_HIDDEN_OPS
} gp_hidden_op;

/* Which real number of an element the plane has. UNIT_* are the parts of z/|z| (0 for z = 0), by which angles are averaged. */
typedef enum gp_component {
    GP_COMPONENT_VALUE, /* real dtypes */
    GP_COMPONENT_ABS,
    GP_COMPONENT_ABS2,
    GP_COMPONENT_RE,
    GP_COMPONENT_IM,
    GP_COMPONENT_PHASE,
    GP_COMPONENT_UNIT_RE,
    GP_COMPONENT_UNIT_IM,
    GP_COMPONENT_SUM_RE, /* the parts of z for a hue: unlike RE and IM, not finite if either part is not */
    GP_COMPONENT_SUM_IM,
    GP_COMPONENT_CHANNEL, /* one channel of an RGB(A) element; not finite if any channel is not */
    GP_N_COMPONENTS
} gp_component;

typedef struct gp_hidden_axis {
    int64_t size, stride_bytes, mask_stride_bytes;
    int stage; /* axes of one stage are reduced jointly; stage 0 first */
} gp_hidden_axis;

typedef struct gp_plane {
    const void *data;    /* element (0, 0) at index 0 of every hidden axis and channel */
    const uint8_t *mask; /* NULL or the mask of the same element */
    gp_dtype dtype;
    bool is_byteswapped, is_mask_inverted;
    gp_device device;
    int64_t n_rows, n_cols; /* 0 x 0 where any axis of the view is empty */
    int64_t row_stride_bytes, col_stride_bytes, mask_row_stride_bytes, mask_col_stride_bytes;
    int n_stages, n_hidden;
    gp_hidden_op stage_ops[GP_N_HIDDEN_OPS];
    double stage_repeats[GP_N_HIDDEN_OPS]; /* how many hidden elements share one address, which is read once */
    gp_hidden_axis hidden[GP_MAX_NDIM];
    gp_component component;
    int n_channels, channel; /* of RGB(A): the number of channels, and the one that this plane is */
    int64_t channel_stride_bytes, mask_channel_stride_bytes;
    gp_nan hidden_nan; /* the policy of reductions of hidden axes; reduce takes its own option */
    bool splits_nan; /* for kernels: elements leave NaN out (GP_NAN_INFINITE), and tell where it marks them under hidden_nan */
    int64_t n_repeats; /* how often each element counts in limits, percentiles and summaries; 0 means 1 */
    double scale; /* 0, or GP_SCALE_DOWN or GP_SCALE_UP (scaled.h), by which each element is multiplied */
    bool is_alpha_weighted; /* the channel's value is multiplied by the opacity, see gp_weighted_by_alpha */
} gp_plane;

/* What happens to one axis of the tensor. */
typedef enum gp_axis_role {
    GP_ROLE_ROWS, /* several axes may be rows, or columns, together if they lie end to end in memory, also of the mask */
    GP_ROLE_COLS,
    GP_ROLE_FIXED,    /* element `start` */
    GP_ROLE_HIDDEN,   /* reduced in stage `stage` */
    GP_ROLE_CHANNELS,
    GP_ROLE_REPEATED, /* its elements share one address, also of the mask: each element of the plane counts `size` times */
    GP_N_ROLES
} gp_axis_role;

typedef struct gp_axis_use {
    gp_axis_role role;
    int64_t start, step, size; /* `size` elements start, start + step, ... */
    int stage; /* of hidden axes; for rows and columns 0 or, if these are several axes, a number that grows inwards */
} gp_axis_use;

/* Fails if the use of an axis is not valid, or needs elements that the axis lacks. */
gp_status gp_axis_use_check(const gp_tensor *tensor, int axis, const gp_axis_use *use, int n_stages,
                            gp_error *error) GP_MUST_CHECK;

/* The plane for the uses of all axes of a tensor, which must outlive the plane. */
gp_status gp_plane_from(const gp_tensor *tensor, const gp_axis_use *uses, int n_stages, const gp_hidden_op *stage_ops,
                        gp_component component, gp_plane *out, gp_error *error) GP_MUST_CHECK;

/* Cells as a plane of float64 elements, where they are. */
gp_plane gp_plane_of_cells(const gp_cells *cells);

/* How often each element counts. */
GP_FN int64_t gp_plane_repeats(const gp_plane *plane) { return plane->n_repeats > 1 ? plane->n_repeats : 1; }

/* The part of a plane in a half-open box, which must lie inside it. */
gp_plane gp_plane_crop(const gp_plane *plane, int64_t row0, int64_t row1, int64_t col0, int64_t col1);

/* The same plane with rows and columns exchanged. */
gp_plane gp_plane_transpose(const gp_plane *plane);

/* How many elements of the tensor are read for one of the plane, the distinct hidden ones: at most 2^19, which is a piece of work. */
int64_t gp_plane_reads_per_elem(const gp_plane *plane);

/* What elements behind a mask, or without one, are compared by: 64-bit integers as they are stored by themselves, all else by its
 * float64. */
GP_FN gp_order_type gp_plane_stored_order(const gp_plane *plane)
{
    bool is_channel = plane->component == GP_COMPONENT_CHANNEL && !plane->is_alpha_weighted;
    bool is_stored = plane->n_stages == 0 && (plane->component == GP_COMPONENT_VALUE || is_channel);
    if (is_stored && plane->dtype == GP_U64)
        return GP_ORDER_U64;
    return is_stored && plane->dtype == GP_I64 ? GP_ORDER_I64 : GP_ORDER_F64;
}

/* What extremes of cells are compared by: where there is a mask, elements are read as float64. */
GP_FN gp_order_type gp_plane_order_type(const gp_plane *plane)
{
    return plane->mask == 0 ? gp_plane_stored_order(plane) : GP_ORDER_F64;
}

/* What extremes of a summary are compared by: masks are looked at apart, but for those of channels. */
GP_FN gp_order_type gp_plane_summary_order(const gp_plane *plane)
{
    return plane->component == GP_COMPONENT_VALUE ? gp_plane_stored_order(plane) : gp_plane_order_type(plane);
}

/* True where elements are plain values: no mask, hidden axes, swapped bytes, channels or complex parts. */
bool gp_plane_is_direct(const gp_plane *plane);

#endif
