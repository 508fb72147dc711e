/* Folds the columns of a box into the values of its cells, where these lie in it as a whole and need no states. */
#include "box_finite.h"
#include "box_fold.h"
#include "box_marks.h"

bool gp_box_has_values(const gp_reduction *job)
{
    bool is_exact = job->kind != GP_STATE_EXTREMES || gp_dtype_is_float(job->loops->extremes_dtype);
    return gp_agg_is(job->agg, GP_AGG_DIRECT) && is_exact;
}

static bool take_sums(const double *sums, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = sums[i] + 0.0;
    return gp_box_count_not_finite(sums, n) == 0;
}

static const double *col_weights_of(const gp_box *box)
{
    const gp_reduction *job = box->job;
    return job->col_weights != NULL ? job->col_weights + (box->col_spans - job->col_axis->spans) : NULL;
}

static double col_weight(const gp_box *box) { return box->job->col_weights == NULL ? (double)box->fold.even_width : 1.0; }

static bool sum_values(const gp_box *box, double *out)
{
    double *sums = box->scratch->cells[0], weight = gp_box_row_weight(box) * col_weight(box);
    gp_box_fold_sums(box, box->scratch->columns[0], NULL, sums);
    if (box->job->agg == GP_AGG_SUM)
        return take_sums(sums, box->n_cells, out);
    return box->job->folds->settle_means(sums, weight, col_weights_of(box), box->n_cells, out);
}

/* GP_NEEDS_UP where squares of deviations may have been rounded to zero; what is too large is found by its not being finite. */
static unsigned small_spreads_need(gp_agg agg, const double *means, const double *spreads, int64_t n)
{
    const double least = agg == GP_AGG_VAR ? GP_LEAST_SPREAD * GP_LEAST_SPREAD : GP_LEAST_SPREAD;
    int64_t n_small = 0;
    for (int64_t i = 0; i < n; i++)
        n_small += (spreads[i] < least) & (fabs(means[i]) < GP_LARGEST_SMALL) & ((spreads[i] != 0) | (means[i] != 0));
    return n_small > 0 ? GP_NEEDS_UP : 0;
}

/*
 * The moments of columns, each about one of its elements, are joined along x: spread inside columns, and of their means. Means and sums
 * of squared deviations of cells, in cells 1 and 0; whether the means are finite.
 */
static bool find_moments(const gp_box *box)
{
    const gp_folds *folds = box->job->folds;
    double *const *columns = box->scratch->columns, *const *cells = box->scratch->cells;
    gp_box_find_column_moments(box);
    gp_box_fold_sums(box, columns[0], NULL, cells[0]);
    bool are_finite = folds->settle_means(cells[0], col_weight(box), col_weights_of(box), box->n_cells, cells[1]);
    gp_box_fold_sums(box, columns[1], NULL, cells[0]);
    folds->deviations(&box->fold, columns[0], gp_box_row_weight(box), cells[1], cells[0]);
    return are_finite;
}

static bool moment_values(const gp_box *box, double *out)
{
    double *const *cells = box->scratch->cells;
    bool are_finite = find_moments(box);
    are_finite &= box->job->folds->spreads(cells[0], cells[1], gp_box_row_weight(box) * col_weight(box), col_weights_of(box),
                                           box->n_cells, box->job->agg == GP_AGG_STD, out);
    if (gp_box_may_overflow(box))
        box->scratch->needs |= small_spreads_need(box->job->agg, cells[1], out, box->n_cells);
    return are_finite;
}

static bool extreme_values(gp_box *box, double *out)
{
    double *const *columns = box->scratch->columns;
    bool are_finite = gp_box_add(box);
    box->job->loops->extreme_values(&box->fold, columns[0], columns[1], box->job->agg, out);
    return are_finite;
}

/* ---- values beside NaN ------------------------------------------------------------------------------------------------- */

static bool has_far(const gp_box *box)
{
    bool has = false;
    for (int64_t row = box->row0; row < box->row1 && !has; row++)
        has = box->job->loops->has_far(gp_box_row(box, row, 0), gp_box_n_cols(box));
    return has;
}

/* Whether NaN is all that there is beside finite elements, and values tell where. */
static bool tells_nan(const gp_box *box, bool needs_finite)
{
    if (!box->job->loops->is_float || box->job->rows.plane.mask != NULL || has_far(box))
        return false;
    if (needs_finite && box->job->agg == GP_AGG_RANGE)
        return false;
    return !gp_box_may_overflow(box) || gp_box_is(box, GP_STATE_SUM); /* squares overflow sooner than sums */
}

/* For each cell what is a NaN where one of its elements is: sums and means are such already. */
static const double *nan_of_cells(const gp_box *box)
{
    gp_scratch *scratch = box->scratch;
    if (!gp_box_is(box, GP_STATE_EXTREMES))
        return scratch->cells[gp_box_is(box, GP_STATE_SUM) ? 0 : 1];
    for (int64_t row = box->row0; row < box->row1;) {
        const void *rows[GP_BOX_MAX_ROWS];
        int n = gp_box_rows(box, row, box->row1, rows);
        box->job->loops->sum(rows, n, gp_box_n_cols(box), scratch->columns[2], row == box->row0);
        row += n;
    }
    gp_box_fold_sums(box, scratch->columns[2], NULL, scratch->cells[0]);
    return scratch->cells[0];
}

static void mark_nan(const double *marks, int64_t n, double *out)
{
    const double nan = gp_mark_value(GP_HAS_NAN);
    for (int64_t p = 0; p < n; p++)
        out[p] = marks[p] != marks[p] ? nan : out[p];
}

/* What extremes come to without NaN: they have dropped it, and no element at all leaves an infinity. */
static void take_finite_extremes(const double *values, int64_t n, double *out)
{
    const double nan = gp_mark_value(GP_HAS_NAN);
    for (int64_t p = 0; p < n; p++)
        out[p] = fabs(values[p]) < (double)INFINITY ? values[p] : nan;
}

/* Sums, means or spreads of what is not NaN, of all cells; their weights are in cells 1. */
static void find_finite_at_once(const gp_box *box, double *out)
{
    const gp_folds *folds = box->job->folds;
    double *const *cells = box->scratch->cells, *sums = cells[0], *weights = cells[1], *means = cells[2];
    const double nan = gp_mark_value(GP_HAS_NAN);
    gp_agg agg = box->job->agg;
    gp_box_find_finite_sums(box, sums, weights);
    if (gp_box_is(box, GP_STATE_MOMENTS)) {
        gp_box_find_finite_moments(box, sums, weights, means, sums);
        (void)folds->spreads(sums, means, 1.0, weights, box->n_cells, agg == GP_AGG_STD, out);
    } else if (agg == GP_AGG_SUM) {
        (void)take_sums(sums, box->n_cells, out);
    } else {
        (void)folds->settle_means(sums, 1.0, weights, box->n_cells, out);
    }
    for (int64_t p = 0; p < box->n_cells; p++)
        out[p] = weights[p] > 0 ? out[p] : nan;
}

/* The same of one cell after the other, of those alone that have a NaN; any aggregation. */
static void find_finite_cells(const gp_box *box, const double *marks, double *out)
{
    const gp_reduction *job = box->job;
    for (int64_t p = 0; p < box->n_cells; p++) {
        if (marks[p] == marks[p])
            continue;
        gp_box_reduce_cell(box, p, box->scratch->states);
        gp_cell_state state = gp_states_get(box->scratch->states, p);
        out[p] = state.has & GP_HAS_FINITE ? gp_cell_state_value(job->agg, job->order, &state) : gp_mark_value(GP_HAS_NAN);
    }
}

static int64_t count_nan(const double *x, int64_t n)
{
    int64_t n_nan = 0;
    for (int64_t i = 0; i < n; i++)
        n_nan += x[i] != x[i];
    return n_nan;
}

/* What cells come to without NaN: `values`, where they have none; `marks` are NaN as these, and are lost. */
static void find_finite_values(const gp_box *box, const double *marks, const double *values, double *out)
{
    double *found = box->scratch->states.a;
    bool are_many = gp_box_are_many(box, count_nan(marks, box->n_cells));
    if (are_many)
        find_finite_at_once(box, found);
    else
        find_finite_cells(box, marks, out);
    for (int64_t p = 0; p < box->n_cells && are_many; p++)
        out[p] = values[p] == values[p] ? values[p] : found[p];
    box->scratch->expects_bad = are_many;
}

/* Values that NaN has spoiled; see gp_box_values. */
static bool mend_values(const gp_box *box, double *out, double *without_nan)
{
    bool leaves_out = gp_box_leaves_some_out(box), is_extreme = gp_box_is(box, GP_STATE_EXTREMES);
    double *finite = !leaves_out ? NULL : without_nan != NULL ? without_nan : out;
    if (!tells_nan(box, finite != NULL))
        return false;
    if (finite != NULL && is_extreme)
        take_finite_extremes(out, box->n_cells, finite);
    if (finite == out && is_extreme)
        return true;
    const double *marks = nan_of_cells(box);
    mark_nan(marks, box->n_cells, out);
    if (finite != NULL && !is_extreme)
        find_finite_values(box, marks, out, finite);
    return true;
}

/* Where NaN is left out, and the tile before had many: the finite elements alone save a pass. */
static bool has_finite_values(const gp_box *box, double *out, double *without_nan)
{
    bool is_known = gp_box_is(box, GP_STATE_SUM) || (gp_box_is(box, GP_STATE_MOMENTS) && !gp_box_may_overflow(box));
    if (box->job->nan != GP_NAN_SKIP || without_nan != NULL || !box->scratch->expects_bad || !is_known)
        return false;
    if (box->job->rows.plane.mask != NULL || !box->job->loops->is_float)
        return false;
    const double *col_weights = col_weights_of(box), *weights = box->scratch->cells[1];
    double weight = gp_box_row_weight(box) * col_weight(box);
    int64_t n_less = 0;
    find_finite_at_once(box, out);
    for (int64_t p = 0; p < box->n_cells; p++) {
        if (weights[p] > 0 && gp_class_of(out[p]) != GP_HAS_FINITE)
            return false;
        n_less += weights[p] < 0.999 * weight * (col_weights != NULL ? col_weights[p] : 1.0);
        if (!(weights[p] > 0)) /* infinities are left out as well */
            out[p] = gp_mark_of(gp_box_classes_of_cell(box, p), GP_NAN_SKIP);
    }
    box->scratch->expects_bad = gp_box_is(box, GP_STATE_SUM) ? n_less > 0 : gp_box_are_many(box, n_less);
    return true;
}

bool gp_box_values(gp_box *box, double *out, double *without_nan, bool *has_nan)
{
    bool is_sum = gp_box_is(box, GP_STATE_SUM), are_finite;
    if (has_finite_values(box, out, without_nan)) {
        gp_box_add_wanted(box, false, false);
        return true;
    }
    if (is_sum) {
        are_finite = gp_box_add(box);
        are_finite &= sum_values(box, out);
    } else {
        are_finite = gp_box_is(box, GP_STATE_MOMENTS) ? moment_values(box, out) : extreme_values(box, out);
    }
    if (!are_finite && !mend_values(box, out, without_nan))
        return false;
    *has_nan |= !are_finite && without_nan != NULL;
    gp_box_add_wanted(box, is_sum, !are_finite);
    return true;
}

/* ---- states of finite elements --------------------------------------------------------------------------------------------- */

static void fill_weights(const gp_box *box, double *out)
{
    const double *weights = col_weights_of(box);
    const double weight = gp_box_row_weight(box) * col_weight(box);
    for (int64_t p = 0; p < box->n_cells; p++)
        out[p] = weights != NULL ? weight * weights[p] : weight;
}

static bool sum_states(gp_box *box, gp_states out)
{
    (void)gp_box_add(box);
    gp_box_fold_sums(box, box->scratch->columns[0], NULL, out.a);
    fill_weights(box, out.b);
    memset(out.c, 0, (size_t)box->n_cells * sizeof *out.c);
    return gp_box_count_not_finite(out.a, box->n_cells) == 0;
}

static bool moment_states(const gp_box *box, gp_states out)
{
    const double *squares = box->scratch->cells[0], *means = box->scratch->cells[1];
    bool are_finite = find_moments(box);
    fill_weights(box, out.a);
    for (int64_t p = 0; p < box->n_cells; p++) {
        double least = means[p] * GP_LEAST_DEVIATION, spread = gp_held_spread(squares[p]);
        out.b[p] = means[p];
        out.c[p] = spread <= least * least * out.a[p] && spread < (double)INFINITY ? 0.0 : spread;
    }
    return are_finite;
}

bool gp_box_states(gp_box *box, gp_states out)
{
    bool is_sum = gp_box_is(box, GP_STATE_SUM);
    if (!(is_sum ? sum_states(box, out) : moment_states(box, out)))
        return false;
    memset(out.has, GP_HAS_FINITE, (size_t)box->n_cells);
    gp_box_add_wanted(box, is_sum, false);
    return true;
}
