/* The inner loops of reductions: one table of functions per dtype and level of vector instructions. */
#ifndef GP_LOOPS_H
#define GP_LOOPS_H

#include "dtypes.h"
#include "grid.h"
#include "level.h"

#include "../core/limits_state.h"

/* At most so many tensor rows are added in one pass. */
#define GP_MAX_PASS_ROWS 8

/* Extremes while they are collected: lo > hi where there was none. */
typedef struct gp_range {
    double lo, hi;
} gp_range;

/*
 * `rows` are pointers to rows of n elements; sums, extremes and moments are columns: arrays of n values, one per element
 * of a row. is_first: the columns hold nothing yet. Columns of extremes hold every value exactly.
 * What follows `positive` is NULL for integers.
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
    void (*sum_weighted)(const void *const *rows, const double *weights, int n_rows, int64_t n, double *sums);

    /* lo or hi may be NULL. False if an element was not finite: the columns are then not to be used. */
    bool (*extremes)(const void *const *rows, int n_rows, int64_t n, void *lo, void *hi, bool is_first);
    /* Columns col0..col1 of extremes, unless they are NULL, to cells: as the bits of gp_order. even_width as in gp_box. */
    void (*fold_extremes)(const void *lo, const void *hi, int64_t col0, int64_t col1, const gp_span *spans, int64_t even_width,
                          int64_t n_cells, double *out_lo, double *out_hi);

    /* Sums of weight * (x - shift) and of weight * (x - shift)^2. */
    void (*moments)(const void *const *rows, int n_rows, double weight, int64_t n, const double *shift, double *first,
                    double *second, bool is_first);
    /* The same for the n columns of one row whose numbers are given, added. */
    void (*moments_at)(const void *row, double weight, const int64_t *cols, int64_t n, const double *shift, double *first,
                       double *second);

    /* What limits need, joined; but for the smallest above zero, which has a loop of its own. */
    void (*limits)(const void *row, int64_t n, gp_limits_state *state);
    void (*positive)(const void *row, int64_t n, double *smallest);

    /* The finite elements of rows of one weight, added or joined. */
    void (*sum_finite)(const void *const *rows, int n_rows, double weight, int64_t n, double *sums, double *weights);
    void (*extremes_finite)(const void *const *rows, int n_rows, int64_t n, void *lo, void *hi);
    /* The largest magnitude of each column, joined to columns that begin as zero bytes, 8 per column; and per cell whether
     * it is a NaN, an infinity (as GP_HAS_POS_INF, of either sign) or finite. */
    void (*worst)(const void *const *rows, int n_rows, int64_t n, void *worst);
    void (*fold_worst)(const void *worst, int64_t col0, int64_t col1, const gp_span *spans, int64_t n_cells, uint8_t *out);
    /* GP_HAS_* bits of the elements of each column, joined to columns that begin as zero bytes, 8 per column; and of each cell. */
    void (*kinds)(const void *const *rows, int n_rows, int64_t n, void *has);
    void (*fold_kinds)(const void *has, int64_t col0, int64_t col1, const gp_span *spans, int64_t n_cells, uint8_t *out);
    /* GP_HAS_* bits of n elements; after a NaN it may stop looking. */
    unsigned (*classes)(const void *row, int64_t n);
} gp_loops;

/* The loops for a dtype that rows.h delivers, at the level of this machine. */
const gp_loops *gp_loops_for(gp_dtype dtype);

/* The loops over cells. */
typedef struct gp_folds {
    /* Columns col0..col1 of sums to cells with the weights of the axis; cells may reach beyond. border: NULL, or what
     * stands in for the last column of each cell. */
    void (*sums)(const double *cols, const double *border, int64_t col0, int64_t col1, const gp_span *spans, int64_t n_cells,
                 double *out);
    /* The same bits where each cell is `width` columns of weight 1, one after the other from cols on. */
    void (*even_sums)(const double *cols, int64_t width, int64_t n_cells, double *out);
    /* gp_mean_settle(sums / weights), and zeros without sign. */
    void (*settle_means)(const double *sums, const double *weights, int64_t n, double *out);
} gp_folds;

const gp_folds *gp_folds_here(void);

#endif
