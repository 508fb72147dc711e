/* The inner loops of reductions: a table of functions for each dtype and level of vector instructions. */
#ifndef GP_LOOPS_H
#define GP_LOOPS_H

#include "../../core/tensor/dtypes.h"
#include "../../core/grids/grid.h"
#include "cell_columns.h"
#include "level.h"

#include "../../core/states/limits_state.h"
#include "../../core/states/reductions.h"

/* Most tensor rows that are added in one pass; and of those that are copied first, or of a cell that is read in one call. */
#define GP_MAX_PASS_ROWS 10
#define GP_MAX_CELL_ROWS 8

/* Which of some columns belong to which cell. */
typedef struct gp_fold {
    const gp_span *spans; /* of n_cells cells, which may reach beyond the columns col0..col1 */
    int64_t n_cells, col0, col1;
    int64_t even_width; /* 0, or the number of columns of each cell, if cells are side by side, whole, and of weight 1 */
    const gp_cell_columns *table; /* NULL, or, for whole cells, a table in which these are cells cell0 and following */
    int64_t cell0;
} gp_fold;

/* All element rows of one row of cells: first n_inner >= 1 rows of weight 1, then n_border rows with weights of their own. */
typedef struct gp_cell_rows {
    const void *rows[GP_MAX_CELL_ROWS];
    int n_inner, n_border;
    bool begins_with_border; /* the first border row comes before the inner rows in the tensor */
    double weights[2], weight; /* of the border rows; of all rows together */
} gp_cell_rows;

/* Extremes while they are collected: lo > hi if there were no elements. */
typedef struct gp_range {
    double lo, hi;
} gp_range;

/*
 * `rows` are pointers to rows of n elements; sums, extremes and moments are columns: arrays of n values, one per element
 * of a row. is_first: the columns are not initialized yet. Columns of extremes hold every value exactly.
 * The functions after `positive` are NULL for integers.
 */
typedef struct gp_loops {
    bool is_float;
    gp_dtype extremes_dtype; /* of columns of extremes */

    /* Elements as float64. */
    void (*values)(const void *row, int64_t n, double *out);

    void (*sum)(const void *const *rows, int n_rows, int64_t n, double *sums, bool is_first);
    /* With the extremes of all elements: NaN is left out, infinities are not. */
    void (*sum_range)(const void *const *rows, int n_rows, int64_t n, double *sums, bool is_first, gp_range *range);
    /* One or two rows, each with a weight. */
    void (*sum_weighted)(const void *const *rows, const double *weights, int n_rows, int64_t n, double *sums, bool is_first);

    /* All rows of one row of cells in one call: their column sums, or column means and squared deviations from them. */
    void (*sum_cell)(const gp_cell_rows *cell, int64_t n, double *sums);
    void (*moments_of_cell)(const gp_cell_rows *cell, int64_t n, double *means, double *squares);

    /* lo or hi may be NULL. False if an element was not finite: the columns are then not valid. */
    bool (*extremes)(const void *const *rows, int n_rows, int64_t n, void *lo, void *hi, bool is_first);
    /* Columns of extremes, unless they are NULL, to cells, as the bits of gp_order; or, if extremes_dtype is a float, to the
     * values of cells. */
    void (*fold_extremes)(const gp_fold *fold, const void *lo, const void *hi, double *out_lo, double *out_hi);
    void (*extreme_values)(const gp_fold *fold, const void *lo, const void *hi, gp_agg agg, double *out);

    /* Sums of weight * (x - shift) and of weight * (x - shift)^2. */
    void (*moments)(const void *const *rows, int n_rows, double weight, int64_t n, const double *shift, double *first,
                    double *second, bool is_first);
    /* The same for n columns of one row, given by their numbers; added. */
    void (*moments_at)(const void *row, double weight, const int64_t *cols, int64_t n, const double *shift, double *first,
                       double *second);

    /* Rows added to sums, or to sums about shifts, one after the other: their bits do not depend on how many come at once. */
    void (*sum_in_order)(const void *const *rows, int n_rows, int64_t n, double *sums);
    void (*moments_in_order)(const void *const *rows, int n_rows, int64_t n, const double *shift, double *first, double *second);

    /* Joins the limits of n elements, without the smallest above zero, which has a loop of its own. */
    void (*limits)(const void *row, int64_t n, gp_limits_state *state);
    void (*positive)(const void *row, int64_t n, double *smallest);

    /* Adds or joins the finite elements of rows of one weight; moments as those of all elements. */
    void (*sum_finite)(const void *const *rows, int n_rows, double weight, int64_t n, double *sums, double *weights);
    void (*moments_finite)(const void *const *rows, int n_rows, double weight, int64_t n, const double *shift, double *first,
                           double *second);
    void (*extremes_finite)(const void *const *rows, int n_rows, int64_t n, void *lo, void *hi);
    /* The largest magnitude of each column, joined to columns that begin as zero bytes, 8 per column; and per cell whether
     * it is a NaN, an infinity (as GP_HAS_POS_INF, of either sign) or finite. */
    void (*worst)(const void *const *rows, int n_rows, int64_t n, void *worst);
    void (*fold_worst)(const gp_fold *fold, const void *worst, uint8_t *out);
    /* GP_HAS_* bits of the elements of each column, joined to columns that begin as zero bytes, 8 per column; and of each cell. */
    void (*kinds)(const void *const *rows, int n_rows, int64_t n, void *has);
    void (*fold_kinds)(const gp_fold *fold, const void *has, uint8_t *out);
    /* Whether one of n elements is infinite, masked by its own bits, or so large that sums may be beyond float64. */
    bool (*has_far)(const void *row, int64_t n);
    /* GP_HAS_* bits of n elements; after a NaN it may stop looking. */
    unsigned (*classes)(const void *row, int64_t n);
    bool (*are_finite)(const void *row, int64_t n);
} gp_loops;

/* The loops for a dtype that row_reader.h delivers, at the level of this machine. */
const gp_loops *gp_loops_for(gp_dtype dtype);

/* Deviations so small, beside a mean, are those of the rounded mean: equal elements spread by nothing. */
#define GP_LEAST_DEVIATION 0x1p-46

/* The loops over cells. */
typedef struct gp_folds {
    /* Columns of sums to cells with the weights of the axis. border: NULL, or values in place of the last column of each cell. */
    void (*sums)(const gp_fold *fold, const double *cols, const double *border, double *out);
    /* gp_mean_settle(sums / (weight * weights)), and zeros without sign; weights: NULL where all are 1. False if a sum is not
     * finite. */
    bool (*settle_means)(const double *sums, double weight, const double *weights, int64_t n, double *out);
    /* Zeros without sign, in place. False if a value is not finite. */
    bool (*unsign_zeros)(double *values, int64_t n);
    /* Sums about shifts, as of gp_loops.moments, to means of columns and sums of squared deviations from these, in place. */
    void (*column_moments)(double *first, double *second, const double *shift, double weight, int64_t n);
    /* Squared deviations of columns from the means of the cells that they belong to, times a weight, added. Cells are whole. */
    void (*deviations)(const gp_fold *fold, const double *cols, double weight, const double *means, double *sums);
    /* Such sums to variances or standard deviations; weights as for settle_means. False if one is not finite. */
    bool (*spreads)(const double *deviations, const double *means, double weight, const double *weights, int64_t n, bool is_std,
                    double *out);
} gp_folds;

const gp_folds *gp_folds_here(void);

#endif
