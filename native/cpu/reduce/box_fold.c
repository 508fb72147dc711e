/* Folds the columns of a box into the states of its cells. */
#include "box_fold.h"

#include "box_finite.h"
#include "box_marks.h"
#include "read/block_summary.h"

static bool is_finite(double x) { return x - x == 0; }

/* ---- mean, sum, count ----------------------------------------------------------------------------------------------- */

static void fill_weights(const gp_box *box, double *weights)
{
    gp_scratch *scratch = box->scratch;
    double weight = gp_box_row_weight(box), *along_x = scratch->cells[3];
    bool is_known = scratch->weights_spans == box->col_spans && scratch->weights_n_cells == box->n_cells &&
                    scratch->weights_col0 == box->col0 && scratch->weights_col1 == box->col1;
    for (int64_t p = 0; p < box->n_cells && !is_known; p++)
        along_x[p] = gp_span_weight_of(&box->col_spans[p], box->col0, box->col1);
    scratch->weights_spans = box->is_passing ? NULL : box->col_spans, scratch->weights_n_cells = box->n_cells;
    scratch->weights_col0 = box->col0, scratch->weights_col1 = box->col1;
    for (int64_t p = 0; p < box->n_cells; p++)
        weights[p] = weight * along_x[p];
}

static int64_t overlap(int64_t begin, int64_t end, int64_t low, int64_t high)
{
    begin = begin > low ? begin : low, end = end < high ? end : high;
    return begin < end ? end - begin : 0;
}

/* The number of elements of the box that each cell owns, which are the weights of some aggregations. */
static void fill_counts(const gp_box *box, double *counts)
{
    int64_t n_rows = overlap(box->row_span->owned_begin, box->row_span->owned_end, box->row0, box->row1);
    for (int64_t p = 0; p < box->n_cells; p++) {
        const gp_span *span = &box->col_spans[p];
        counts[p] = (double)(n_rows * overlap(span->owned_begin, span->owned_end, box->col0, box->col1));
    }
}

/* Reduces cells whose sums are not finite once more, element by element; all others have only finite elements. */
static void reduce_bad_cells(const gp_box *box, gp_states out)
{
    for (int64_t p = 0; p < box->n_cells; p++)
        if (out.has[p] == 0)
            gp_box_reduce_cell(box, p, out);
}

/* GP_HAS_FINITE for finite sums; 0 for the others, whose elements are not known yet. */
static void fill_finite(const double *sums, int64_t n, uint8_t *has)
{
    for (int64_t p = 0; p < n; p++)
        has[p] = is_finite(sums[p]) ? GP_HAS_FINITE : 0;
}

static bool fold_sum_columns(const gp_box *box, gp_states out)
{
    bool is_owned = gp_agg_is(box->job->agg, GP_AGG_OWNED);
    gp_box_fold_sums(box, box->scratch->columns[0], NULL, out.a);
    int64_t n_bad = box->job->loops->is_float ? gp_box_count_not_finite(out.a, box->n_cells) : 0;
    bool leaves_out = n_bad > 0 && gp_box_leaves_some_out(box), are_many = gp_box_are_many(box, n_bad);
    box->scratch->expects_bad = leaves_out && are_many;
    if (leaves_out && are_many && !is_owned) {
        gp_box_fold_finite_sums(box, out);
        return false;
    }
    if (n_bad > 0 && !leaves_out)
        gp_box_mark_sums(box, out.a, n_bad, out.has);
    else
        fill_finite(out.a, box->n_cells, out.has);
    if (is_owned)
        fill_counts(box, out.b);
    else
        fill_weights(box, out.b);
    if (leaves_out)
        reduce_bad_cells(box, out);
    return n_bad == 0;
}

/* ---- std ------------------------------------------------------------------------------------------------------------ */

static bool fold_moments(const gp_box *box, gp_states out)
{
    gp_scratch *scratch = box->scratch;
    gp_box_fold_sums(box, scratch->columns[0], box->has_border ? scratch->cells[1] : NULL, out.b);
    gp_box_fold_sums(box, scratch->columns[1], box->has_border ? scratch->cells[2] : NULL, out.c);
    fill_weights(box, out.a);
    int64_t n_bad = box->job->loops->is_float ? gp_box_count_not_finite(out.b, box->n_cells) : 0;
    bool leaves_out = n_bad > 0 && gp_box_leaves_some_out(box), are_many = gp_box_are_many(box, n_bad);
    scratch->expects_bad = leaves_out && are_many;
    if (leaves_out && are_many) {
        gp_box_fold_finite_moments(box, out);
        return false;
    }
    if (n_bad > 0 && !leaves_out)
        gp_box_mark_sums(box, out.b, n_bad, out.has);
    else
        fill_finite(out.b, box->n_cells, out.has);
    for (int64_t p = 0; p < box->n_cells; p++) {
        double mean = out.b[p] / out.a[p], m2 = out.c[p] - out.b[p] * mean;
        out.b[p] = scratch->cells[0][p] + mean;
        out.c[p] = gp_held_spread(m2);
    }
    if (leaves_out)
        reduce_bad_cells(box, out);
    return n_bad == 0;
}

/* ---- extremes ------------------------------------------------------------------------------------------------------- */

static void fold_extreme_columns(const gp_box *box, bool has_lo, bool has_hi, gp_states out)
{
    double *const *columns = box->scratch->columns;
    box->job->loops->fold_extremes(&box->fold, has_lo ? columns[0] : NULL, has_hi ? columns[1] : NULL, out.a, out.b);
}

static void fold_extremes(const gp_box *box, bool are_finite, gp_states out)
{
    box->scratch->expects_bad = !are_finite && gp_box_leaves_some_out(box);
    if (!are_finite) {
        gp_box_fold_finite_extremes(box, out);
        return;
    }
    fold_extreme_columns(box, gp_box_wants_lo(box), gp_box_wants_hi(box), out);
    memset(out.has, GP_HAS_FINITE, (size_t)box->n_cells);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------ */

static void add_limits(const gp_box *box, int64_t row0, int64_t row1)
{
    int64_t begin = row0 > box->row_span->owned_begin ? row0 : box->row_span->owned_begin;
    int64_t end = row1 < box->row_span->owned_end ? row1 : box->row_span->owned_end;
    for (int64_t row = begin; row < end; row++)
        gp_row_reader_add_limits(&box->job->rows, box->job->loops, gp_box_row(box, row, 0), gp_box_n_cols(box),
                                 &box->scratch->limits);
}

/* Adds the range that the sums have found, without NaN. If there is a NaN, counts are only zero or not: numbers of elements are unknown. */
static void take_range(const gp_box *box, bool has_nan)
{
    gp_limits_state *limits = &box->scratch->limits;
    gp_limits_state_add_range(limits, box->range.lo, box->range.hi);
    limits->n_finite += has_nan ? box->range.lo <= box->range.hi : gp_box_n_cols(box) * (box->inner1 - box->inner0);
    limits->n_nan += has_nan;
    add_limits(box, box->row0, box->inner0);
    add_limits(box, box->inner1, box->row1);
}

static void add_positive(const gp_box *box)
{
    double smallest = (double)INFINITY;
    for (int64_t row = box->row0; row < box->row1; row++)
        if (row >= box->row_span->owned_begin && row < box->row_span->owned_end)
            box->job->loops->positive(gp_box_row(box, row, 0), gp_box_n_cols(box), &smallest);
    gp_limits_state_add_positive(&box->scratch->limits, smallest);
}

/* After a box with elements that are not finite the next one likely has some, too: adding only finite ones at once saves a pass, which
 * is cheap for extremes of elements that are read in place. */
static bool expects_bad(const gp_box *box)
{
    bool is_cheap = gp_box_is(box, GP_STATE_EXTREMES) && box->job->rows.plane.mask == NULL;
    return !is_cheap && !gp_agg_is(box->job->agg, GP_AGG_OWNED) && gp_box_leaves_some_out(box) && box->scratch->expects_bad;
}

void gp_box_add_wanted(const gp_box *box, bool is_range_good, bool has_nan)
{
    if ((box->job->want & GP_WANT_RANGE) && is_range_good)
        take_range(box, has_nan);
    else if (box->job->want & GP_WANT_RANGE)
        add_limits(box, box->row0, box->row1);
    if (box->job->want & GP_WANT_POSITIVE)
        add_positive(box);
}

void gp_box_reduce(gp_box *box, gp_states out)
{
    bool is_finite_alone = expects_bad(box), is_range_good = false;
    bool are_finite = is_finite_alone || gp_box_add(box);
    if (is_finite_alone && gp_box_is(box, GP_STATE_EXTREMES))
        gp_box_fold_finite_extremes(box, out);
    else if (is_finite_alone && gp_box_is(box, GP_STATE_MOMENTS))
        gp_box_fold_finite_moments(box, out);
    else if (is_finite_alone)
        gp_box_fold_finite_sums(box, out);
    else if (gp_box_is(box, GP_STATE_EXTREMES))
        fold_extremes(box, are_finite, out);
    else if (gp_box_is(box, GP_STATE_MOMENTS))
        fold_moments(box, out);
    else
        is_range_good = fold_sum_columns(box, out);
    gp_box_add_wanted(box, is_range_good, false);
}
