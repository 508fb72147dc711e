/* What the files share that make states or values of the columns of a box. */
#ifndef GP_BOX_FOLD_H
#define GP_BOX_FOLD_H

#include "box.h"

/* Whether so many cells are not finite that it is better to look at all elements at once, which spreads take two looks for. */
static inline bool gp_box_are_many(const gp_box *box, int64_t n_bad)
{
    return n_bad * (gp_box_is(box, GP_STATE_MOMENTS) ? 12 : 32) > box->n_cells;
}

static inline double gp_box_row_weight(const gp_box *box) { return gp_span_weight_of(box->row_span, box->row0, box->row1); }

/* Columns to cells by the weights along x. */
static inline void gp_box_fold_sums(const gp_box *box, const double *columns, const double *border, double *out)
{
    box->job->folds->sums(&box->fold, columns, border, out);
}

static inline int64_t gp_box_count_not_finite(const double *x, int64_t n)
{
    int64_t n_bad = 0;
    for (int64_t i = 0; i < n; i++)
        n_bad += x[i] - x[i] != 0;
    return n_bad;
}

/* Limits of owned elements, where they are wanted. Those that sums have seen on the way are good where nothing was infinite; there was
 * a NaN if has_nan. */
void gp_box_add_wanted(const gp_box *box, bool is_range_good, bool has_nan);

/* ---- marks (box_marks.c) -------------------------------------------------------------------------------------------- */

/* Whether sums of finite elements may be infinite: of narrower floats no float64 sum is, unless an element is. */
bool gp_box_may_overflow(const gp_box *box);

/* The classes of a cell's elements, as far as a NaN. */
unsigned gp_box_classes_of_cell(const gp_box *box, int64_t p);

/* Per cell: NaN, an infinity of either sign (as GP_HAS_POS_INF), or finite; by one pass over all elements. */
void gp_box_classify_cells(const gp_box *box, uint8_t *has);

/* What marks cells whose sums, n_bad of them, are not finite. */
void gp_box_mark_sums(const gp_box *box, const double *sums, int64_t n_bad, uint8_t *has);

/* Where some elements that are not finite mark and others do not, all kinds of element in a cell count. */
bool gp_box_needs_all_kinds(const gp_box *box);

/* Where elements that are not finite may be left out, finite ones are added by themselves. */
bool gp_box_leaves_some_out(const gp_box *box);

/* Columns (3 of the scratch) for the kinds of their elements, which `loops->kinds` adds; NULL where not all of them are needed. */
void *gp_box_kinds_columns(const gp_box *box, bool are_needed);
void gp_box_fold_kinds(const gp_box *box, const void *columns, uint8_t *has);

/* ---- the finite elements alone (box_finite.c) ----------------------------------------------------------------------- */

/* To states, which say what kinds of element there are. */
void gp_box_fold_finite_sums(const gp_box *box, gp_states out);
void gp_box_fold_finite_moments(const gp_box *box, gp_states out);
void gp_box_fold_finite_extremes(const gp_box *box, gp_states out);

/* Sums and weights of cells, made of those of columns, which stay in columns 0 and 1 of the scratch. */
void gp_box_find_finite_sums(const gp_box *box, double *sums, double *weights);

/* After that: means of cells, and the sums of their squared deviations, which may take the place of the sums. */
void gp_box_find_finite_moments(const gp_box *box, const double *sums, const double *weights, double *means, double *squares);

#endif
