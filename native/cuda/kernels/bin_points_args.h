/* Arguments of the kernels for points: place_points and add_points of summary.cu, and those of bin_points.cu. */
#ifndef GP_BIN_POINTS_ARGS_H
#define GP_BIN_POINTS_ARGS_H

#include "../../core/states/cell_state.h"
#include "../../core/grids/point_grid.h"
#include "summary_args.h"

/* Writes the cell along one axis of each coordinate to cells[position]; for the second axis `step` times the cell is added. */
typedef struct gp_place_points_args {
    gp_plane plane;
    gp_positions positions;
    gp_point_axis axis; /* edges are on the device */
    uint32_t step;
    bool is_first;
    uint32_t *cells;
} gp_place_points_args;

/*
 * What is known about the values of each cell while they are added; zero bytes at first. has as in gp_cell_state;
 *   sum        a = SUM x, b = how many
 *   extremes   a, b = the largest ~key and the largest key of a value, as bits: gp_point_key
 *   moments    as sum; then, in a second pass that center_points begins, a = mean, b = how many, c = SUM (x - mean)^2
 */
typedef struct gp_add_points_args {
    gp_plane plane;
    gp_positions positions;
    const uint32_t *cells;
    gp_cell_state *sums;
    int32_t kind; /* of moments, in their first pass, GP_STATE_SUM */
} gp_add_points_args;

/* The number of points of each cell; counts[n_cells] is the number of those outside. */
typedef struct gp_count_points_args {
    const uint32_t *cells;
    int64_t n_points;
    uint32_t n_cells;
    uint64_t *counts;
} gp_count_points_args;

/* Turns sums into means, between the two passes of moments. */
typedef struct gp_center_points_args {
    gp_cell_state *sums;
    int64_t n_cells;
} gp_center_points_args;

typedef struct gp_finish_points_args {
    const uint64_t *counts;
    const gp_cell_state *sums; /* NULL: points have no values */
    int64_t n_cells;
    int32_t agg, nan;
    double *out;
} gp_finish_points_args;

/* Finite numbers as integers of the same order. */
GP_FN uint64_t gp_point_key(double x) { return (uint64_t)gp_order_of_f64(x) ^ (uint64_t)1 << 63; }
GP_FN gp_order gp_order_of_point_key(uint64_t key) { return (gp_order)(key ^ (uint64_t)1 << 63); }

#endif
