/* The inner loops of resampling: rows to columns of sums and extremes, and these to cells. */
#ifndef GP_FILTER_LOOPS_H
#define GP_FILTER_LOOPS_H

#include "../../core/grids/filter.h"
#include "level.h"

/* Number of neighboring cells that are computed together, each from its own first column, so that vectors need no permutation. */
#define GP_FILTER_BLOCK 4

/* The most columns that a cell of a block may have weights for. */
#define GP_FILTER_MOST_REACH 16

/* Columns before the first and after the last, which blocks at the ends multiply by 0. */
#define GP_FILTER_BEYOND 24

/* The columns and weights of the cells of a row, as tables for loops without branches. */
typedef struct gp_filter_table {
    int64_t n_cells;
    int reach;             /* columns of each cell: 1, 6, 8 or GP_FILTER_MOST_REACH */
    const int32_t *first;  /* for each block: its cell i is the sum of columns first + i to first + i + reach - 1 */
    const double
        *weights; /* for each block and each of these columns: the weights of all cells, then 0, or infinity where it is 0 */
} gp_filter_table;

/* Columns of sums and extremes over some rows: n of each, and GP_FILTER_BEYOND zeros at either end. */
typedef struct gp_filter_columns {
    double *sums, *lows, *highs;
    double *weights; /* sums of the weights of finite values; only for loops that leave out the others */
} gp_filter_columns;

typedef struct gp_filter_loops {
    bool (*are_finite)(const double *x, int64_t n);
    /* Adds n_rows (1 to GP_MOST_TAPS) rows of n values, each with a weight; all are finite, or the others are left out. */
    void (*add_rows)(const double *const *rows, const double *weights, int n_rows, int64_t n, const gp_filter_columns *out);
    void (*add_finite_rows)(const double *const *rows, const double *weights, int n_rows, int64_t n,
                            const gp_filter_columns *out);
    /* Computes all cells of the table; where values are left out, NaN unless the other weights clearly exceed GP_LEAST_WEIGHT. */
    void (*add_columns)(const gp_filter_table *table, const gp_filter_columns *columns, double *out);
    void (*add_finite_columns)(const gp_filter_table *table, const gp_filter_columns *columns, double *out);
} gp_filter_loops;

#endif
