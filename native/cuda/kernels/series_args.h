/* Arguments of the kernels of series.cu. */
#ifndef GP_SERIES_ARGS_H
#define GP_SERIES_ARGS_H

#include "../../core/statistics/series.h"

/* Block (k, part) has one of n_parts parts of column k, and leaves its state in states[k * n_parts + part]. */
typedef struct gp_m4_args {
    gp_plane plane;
    const int64_t *bounds; /* n_columns + 1 */
    int64_t n_columns, n_parts;
    gp_m4_state *states; /* orders are gp_exact_order */
    gp_m4_state *joined; /* of each column, where n_parts > 1 */
} gp_m4_args;

/* broken: whether it does not rise, and does not fall, 1 or 0; 0 at first. */
typedef struct gp_ways_args {
    gp_plane plane;
    uint64_t *broken;
} gp_ways_args;

typedef struct gp_search_args {
    gp_plane plane;
    const double *values;
    int64_t *positions;
    int64_t n_values;
} gp_search_args;

typedef struct gp_take_args {
    gp_plane plane;
    const int64_t *positions;
    double *values;
    int64_t n_positions;
} gp_take_args;

#endif
