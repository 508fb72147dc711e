/* gp_slices: a tensor cut along some of its axes into slices of one shape. It has addresses and strides, and owns nothing. */
#ifndef GP_SLICES_H
#define GP_SLICES_H

#include "../tensor/view.h"

/* The most elements of a slice for percentiles_slices. */
#define GP_MOST_SLICE_ELEMS (1 << 17)

/* A step along the axis adds the strides to addresses, and `step` to the slice's number, or to the position inside of it. */
typedef struct gp_slice_axis {
    int64_t size, stride_bytes, mask_stride_bytes, step;
} gp_slice_axis;

/*
 * Axes of one element are left out, and axes that lie end to end in memory are joined. Slices are numbered row-major over the
 * axes between them; positions inside of a slice are row-major over its own axes.
 */
typedef struct gp_slices {
    gp_plane plane; /* of one element, the first of slice 0: its dtype, mask and component */
    int n_between, n_inside;
    gp_slice_axis between[GP_MAX_NDIM]; /* sorted by stride, the smallest last */
    gp_slice_axis inside[GP_MAX_NDIM];  /* sorted by stride, the smallest last; positions rise only if is_in_order */
    bool is_in_order;
    int64_t n_slices, n_elems; /* n_elems: of each slice */
} gp_slices;

/* The use of an axis of the tensor, between slices or inside: `size` elements start, start + step, .... */
typedef struct gp_slice_use {
    int64_t start, step, size;
    bool is_between;
} gp_slice_use;

gp_status gp_slices_from(const gp_tensor *tensor, const gp_slice_use *uses, gp_component component, gp_slices *out,
                         gp_error *error) GP_MUST_CHECK;

/* Offsets of the `index`-th place along some axes, row-major, from the first one. */
typedef struct gp_slice_place {
    int64_t offset_bytes, mask_offset_bytes, step;
} gp_slice_place;

GP_FN gp_slice_place gp_slice_place_of(const gp_slice_axis *axes, int n_axes, int64_t index)
{
    gp_slice_place place = {0, 0, 0};
    for (int i = n_axes - 1; i >= 0 && index > 0; i--) {
        int64_t at = index % axes[i].size;
        index /= axes[i].size;
        place.offset_bytes += at * axes[i].stride_bytes, place.mask_offset_bytes += at * axes[i].mask_stride_bytes;
        place.step += at * axes[i].step;
    }
    return place;
}

/* Whether neighboring elements in memory belong to different slices. */
bool gp_slices_are_interleaved(const gp_slices *slices);

/* Fails if a percentage is not in 0..100, or slices are too large. */
gp_status gp_slices_percentiles_check(const gp_slices *slices, const double *percents, int n_percents,
                                      gp_error *error) GP_MUST_CHECK;

#endif
