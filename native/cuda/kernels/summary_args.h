/* Arguments of the kernels of summary.cu, and the partial results that they leave. */
#ifndef GP_SUMMARY_ARGS_H
#define GP_SUMMARY_ARGS_H

#include "../../core/statistics/slices.h"
#include "../../core/states/summary_state.h"
#include "../../core/tensor/view.h"

/* Where elements are in the plane that was asked about: element (row, col) of the kernels' plane at origin + row * row_step +
 * col * col_step. */
typedef struct gp_positions {
    int64_t origin, row_step, col_step;
} gp_positions;

/* ---- summarize ------------------------------------------------------------------------------------------------------ */

typedef struct gp_summarize_args {
    gp_plane plane;
    gp_positions positions;
    double smallest_normal; /* of the dtype; 0: nothing is subnormal */
    gp_summary_state *states; /* of each block; extremes are gp_exact_order */
} gp_summarize_args;

/* ---- slices --------------------------------------------------------------------------------------------------------- */

#define GP_MOST_SLICE_AXES 16

/*
 * Slices begin, begin + 1, ... of n_slices, as they are counted over the axes between them. 2^log2_tx x 2^log2_ty threads share one,
 * or a part of it: neighbors along a line, others on other lines. Block y is part number y: part_lines lines, of each line
 * part_elems elements; where there are several lines, parts are made of whole ones.
 */
typedef struct gp_slices_args {
    gp_plane plane; /* of one element: the first one of slice 0 */
    gp_slice_axis between[GP_MOST_SLICE_AXES];
    gp_slice_axis outer[GP_MOST_SLICE_AXES], line; /* inside: line is the nearest, outer the others */
    int32_t n_between, n_outer, log2_tx, log2_ty;
    int64_t n_lines, begin, n_slices, part_lines, part_elems;
    double smallest_normal;
    gp_summary_state *states; /* n_parts of each slice */
    const double *edges;      /* n_bins + 1 of each slice */
    uint64_t *counts;         /* n_bins of each slice, zero at first */
    int64_t n_bins;
    int32_t log2_copies;      /* of the counters of a block's slices, which are in its shared memory; below 0: they are not */
    int64_t low_exact, high_exact; /* of 64-bit integers, where has_exact says so, those within count; compared as stored */
    bool has_exact;
    const double *percents;
    uint64_t *ranks; /* GP_SLICE_RANKS of each slice */
    int64_t n_percents;
} gp_slices_args;

/* Counters in a block's shared memory, among which its slices share: those of their bins, or of digits, GP_SLICE_PATHS times 256. */
#define GP_SLICE_COUNTERS 8192

/* So many order statistics the threads of a block follow at once: all of one slice, or as many of each slice. */
#define GP_SLICE_PATHS 32

/* How many elements are finite; then for each percentage the order statistics below and above it: gp_exact_order with its sign turned. */
#define GP_SLICE_RANKS(n_percents) (1 + 2 * (n_percents))

/* ---- histogram ------------------------------------------------------------------------------------------------------ */

/* Counters in a block's shared memory, divided among the bins, or among 256 codes; with more bins than these all blocks count in
 * `counts`. */
#define GP_HISTOGRAM_COUNTERS 8192

/* How the bin of an element is found. */
typedef enum gp_bin_finder {
    GP_BIN_BY_SINGLE, /* as (x - first) * scale in float32; near an edge, the edges decide */
    GP_BIN_BY_DOUBLE, /* the same in float64 */
    GP_BIN_BY_SEARCH  /* by halving */
} gp_bin_finder;

/*
 * Elements in low..high count, of classes with narrow values in low_single..high_single; of 64-bit integers, where has_exact says
 * so, those that are as well in low_exact..high_exact, compared as they are stored with the sign of unsigned ones turned round.
 */
typedef struct gp_histogram_args {
    gp_plane plane;
    const double *edges; /* n_bins + 1 */
    uint64_t *counts;    /* zero at first */
    int32_t n_bins, log2_slots;
    gp_bin_finder finder;
    bool has_exact;
    double low, high, first, scale, margin; /* the estimate decides where it is farther than margin from a whole number */
    float low_single, high_single, first_single, scale_single, margin_single;
    int64_t low_exact, high_exact;
} gp_histogram_args;

/* ---- find ----------------------------------------------------------------------------------------------------------- */

/* Positions are distances from where the search starts, in its direction: what lies behind is below zero. */
typedef struct gp_find_args {
    gp_plane plane;
    gp_positions distances;
    uint32_t kinds;      /* GP_HAS_* bits */
    bool is_backwards;   /* jobs that come first in the plane come last */
    bool is_in_order;    /* jobs that come later are not nearer */
    uint64_t *nearest;   /* all ones at first */
} gp_find_args;

#endif
