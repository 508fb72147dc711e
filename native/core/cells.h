/* What a reduction gives: a grid of cells, facts about elements; and pixels, which are made of cells. */
#ifndef GP_CELLS_H
#define GP_CELLS_H

#include "tensor.h"

/* H x W float64 values in row-major order, in the memory of the device that computed them. A cell whose elements were
 * not finite is that mark (NaN, +Inf, -Inf); a cell without elements is gp_empty_cell(). Zero is always +0.0. */
typedef struct gp_cells {
    double *data;
    int64_t n_rows, n_cols;
    gp_device device;
} gp_cells;

/* H x W x 4 bytes in host memory, R first, straight alpha. */
typedef struct gp_pixels {
    uint8_t *rgba;
    int64_t n_rows, n_cols;
} gp_pixels;

/* What to find out about elements while they are read anyway. */
enum { GP_WANT_RANGE = 1, GP_WANT_POSITIVE = 2, GP_WANT_COUNTS = 4 };

/* Facts about the elements of a plane. Values are over finite elements and NaN where there are none. */
typedef struct gp_limits {
    double min, max;     /* GP_WANT_RANGE; found in the dtype, then converted */
    double min_positive; /* GP_WANT_POSITIVE: the smallest element above zero */
    unsigned has;        /* GP_WANT_RANGE: GP_HAS_* bits of all elements */
    int64_t n_finite, n_nan, n_pos_inf, n_neg_inf, n_masked; /* GP_WANT_COUNTS */
} gp_limits;

#endif
