/* The inner loops of resampling: rows to columns of sums and extremes, and these to cells, of finite values. */
#ifndef GP_FILTER_LOOPS_H
#define GP_FILTER_LOOPS_H

#include "../core/filter.h"
#include "level.h"

/* Loops may read, but never use, so many columns beyond the last. */
#define GP_FILTER_BEYOND 16

/* Extremes of so many columns beside each other are found once for all cells. */
#define GP_FILTER_RUN 4

/* What makes the cells of a row, as tables for loops without branches. */
typedef struct gp_filter_table {
    int64_t n_cells;
    int n_taps;
    const int32_t *first;  /* of each cell the first column that has a weight */
    const double *weights; /* of that column of all cells, then of the next one; 0 behind the last */
    const int32_t *near, *far; /* the two runs of GP_FILTER_RUN columns that together are those of a weight other than 0 */
    const int32_t *window; /* of each 8 cells the first column of all of them; -1 where they reach further than 16 columns */
} gp_filter_table;

/* Columns of some rows: n of each, and GP_FILTER_BEYOND more. */
typedef struct gp_filter_columns {
    double *sums, *lows, *highs;         /* of single columns */
    double *run_lows, *run_highs; /* of GP_FILTER_RUN columns from each on, where there are so many */
} gp_filter_columns;

typedef struct gp_filter_loops {
    bool (*are_finite)(const double *x, int64_t n);
    /* n_rows (1 to GP_MOST_TAPS) rows of n finite values, each with a weight. */
    void (*add_rows)(const double *const *rows, const double *weights, int n_rows, int64_t n, const gp_filter_columns *out);
    /* All cells of the table. */
    void (*add_columns)(const gp_filter_table *table, const gp_filter_columns *columns, double *out);
} gp_filter_loops;

#endif
