/* Arguments of the kernels of shade.cu. */
#ifndef GP_SHADE_ARGS_H
#define GP_SHADE_ARGS_H

#include "../../core/color/channels.h"
#include "../../core/grids/filter.h"
#include "../../core/color/limits_search.h"
#include "../../core/base/ordered.h"
#include "../../core/color/scales.h"

/* Cells to pixels. Addresses are the device's, those inside `scale` too. */
typedef struct gp_shade_args {
    const double *cells;
    int64_t n_cells;
    gp_scale scale;
    const gp_ends *limits; /* NULL, or the limits that the scale is to have, of a norm with gp_norm_is_searched */
    const uint32_t *colors;   /* n_colors + 3 rows of the table, then the marks as in core/color/shading.h */
    const float *alpha_cells; /* NULL, or a factor for each cell */
    uint32_t *pixels;
} gp_shade_args;

/* Limits of colors from those of elements and cells. */
typedef struct gp_search_args {
    gp_limits_search search;
    gp_scale scale;
    const gp_limits_state *elements, *cells;
    gp_ends *out;
} gp_search_args;

/* Channels to pixels. */
typedef struct gp_shade_rgb_args {
    gp_channel_plan plan;
    int64_t n_cells;
    uint32_t *pixels;
    uint64_t *range; /* ordered bits of the smallest and the largest color so far: all ones and 0 at first */
} gp_shade_rgb_args;

/* The angle of each cell. */
typedef struct gp_angle_args {
    const double *real, *imaginary;
    double *out;
    int64_t n_cells;
} gp_angle_args;

/* Cells that NaN marks keep what is in `without_nan`, all others get there. */
typedef struct gp_without_nan_args {
    const double *cells;
    double *without_nan;
    int64_t n_cells;
} gp_without_nan_args;

/* Cells resampled; the arrays of both axes are on the device. */
typedef struct gp_filter_args {
    const double *from;
    int64_t n_cols; /* of `from` */
    gp_taps rows, cols;
    gp_nan nan;
    double *out;
} gp_filter_args;

/* The most pivots of a pass. */
#define GP_RANK_MOST_PIVOTS 8191

/* How many cells lie below each of some ascending pivots, and between each two. */
typedef struct gp_rank_args {
    const double *cells;
    int64_t n_cells;
    double vmin, vmax; /* cells outside take no part */
    const uint64_t *pivots; /* gp_ordered_f64 of values */
    int n_pivots;
    uint32_t *counts; /* n_pivots + 1 of them, zero at first: [k] of cells that k pivots are not above */
    uint64_t *keys;   /* of the cells between pivots 2 i and 2 i + 1, from counts[i] on, which rises by as many */
} gp_rank_args;

#endif
