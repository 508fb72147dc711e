/* Folds the columns of a box into the states of its cells, and finds out what marks the cells that are not finite. */
#include "box.h"

static int64_t n_cols(const gp_box *box) { return box->col1 - box->col0; }

/* Of more than one in so many cells that are not finite it is better to look at all elements at once. */
#define FEW_BAD_CELLS 32

static bool is_finite(double x) { return x - x == 0; }

static void fold_sums(const gp_box *box, const double *columns, const double *border, double *out)
{
    box->job->folds->sums(&box->fold, columns, border, out);
}

/* ---- marks ---------------------------------------------------------------------------------------------------------- */

/* The classes of a cell's elements, as far as a NaN. */
static unsigned classes_of_cell(const gp_box *box, int64_t p)
{
    int64_t begin, end;
    unsigned has = 0;
    gp_box_cell(box, p, &begin, &end);
    for (int64_t row = box->row0; row < box->row1 && begin < end && !(has & GP_HAS_NAN); row++) {
        const char *elems = gp_box_row(box, row, 0);
        has |= box->job->loops->classes(elems + begin * box->job->rows.item_bytes, end - begin);
    }
    return has;
}

/* Per cell: NaN, an infinity of either sign, or finite; by one pass over all elements. */
static void classify_cells(const gp_box *box, uint8_t *has)
{
    void *worst = box->scratch->columns[3];
    const void *rows[GP_BOX_MAX_ROWS];
    memset(worst, 0, (size_t)n_cols(box) * sizeof(double));
    int n_passes = 0;
    for (int64_t row = box->row0; row < box->row1 && !gp_box_is_stopped(&n_passes);) {
        int n = gp_box_rows(box, row, box->row1, rows);
        box->job->loops->worst(rows, n, n_cols(box), worst);
        row += n;
    }
    box->job->loops->fold_worst(&box->fold, worst, has);
}

/* Of narrower floats no float64 sum is infinite unless an element is. */
static bool may_overflow(const gp_box *box) { return box->job->loops->extremes_dtype != GP_F32; }

/*
 * Marks from sums that are not finite. NaN may also be +Inf - Inf, or Inf with the weight 0 of tables, and where sums may overflow
 * an infinite one may be of finite elements: a search decides, cell by cell while they are few, else by one pass over all elements.
 * Infinities of one sign alone never give a sum of the other one.
 */
static void mark_sums(const gp_box *box, const double *sums, int64_t n_bad, uint8_t *has)
{
    bool are_many = n_bad * 8 > box->n_cells, is_doubtful = may_overflow(box);
    if (are_many)
        classify_cells(box, has);
    for (int64_t p = 0; p < box->n_cells; p++) {
        bool is_sum_nan = sums[p] != sums[p], has_inf = are_many ? has[p] == GP_HAS_POS_INF : !is_doubtful;
        if (is_finite(sums[p]))
            has[p] = GP_HAS_FINITE;
        else if (!is_sum_nan && has_inf)
            has[p] = sums[p] > 0 ? GP_HAS_POS_INF : GP_HAS_NEG_INF;
        else if (!are_many || has_inf)
            has[p] = (uint8_t)classes_of_cell(box, p);
        /* else it stands: a NaN, or finite elements */
    }
}

static int64_t count_not_finite(const double *x, int64_t n)
{
    int64_t n_bad = 0;
    for (int64_t i = 0; i < n; i++)
        n_bad += !is_finite(x[i]);
    return n_bad;
}

/* Where some elements that are not finite mark and others do not, all kinds of element in a cell count. */
static bool needs_all_kinds(const gp_box *box)
{
    gp_nan nan = box->job->nan;
    return nan == GP_NAN_INFINITE || (box->job->rows.plane.mask != NULL && nan != GP_NAN_SKIP);
}

/* Columns for the kinds of their elements, which `loops->kinds` adds; NULL where not all of them are needed. */
static void *kinds_columns(const gp_box *box, bool are_needed)
{
    void *columns = box->scratch->columns[3];
    if (are_needed)
        memset(columns, 0, (size_t)n_cols(box) * sizeof(double));
    return are_needed ? columns : NULL;
}

static void fold_kinds(const gp_box *box, const void *columns, uint8_t *has)
{
    box->job->loops->fold_kinds(&box->fold, columns, has);
}

/* Where elements that are not finite may be left out, finite ones are added by themselves. */
static bool leaves_some_out(const gp_box *box) { return box->job->nan == GP_NAN_SKIP || needs_all_kinds(box); }

/* ---- mean, sum, count ----------------------------------------------------------------------------------------------- */

static double row_weight(const gp_box *box) { return gp_span_weight_of(box->row_span, box->row0, box->row1); }

static void fill_weights(const gp_box *box, double *weights)
{
    gp_scratch *scratch = box->scratch;
    double weight = row_weight(box), *along_x = scratch->cells[3];
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

/* The weights of an aggregation of owned elements: how many of the box belong to each cell. */
static void fill_counts(const gp_box *box, double *counts)
{
    int64_t n_rows = overlap(box->row_span->owned_begin, box->row_span->owned_end, box->row0, box->row1);
    for (int64_t p = 0; p < box->n_cells; p++) {
        const gp_span *span = &box->col_spans[p];
        counts[p] = (double)(n_rows * overlap(span->owned_begin, span->owned_end, box->col0, box->col1));
    }
}

/* Sums and weights of the finite elements alone; kinds, unless NULL, of all. */
static void add_finite_sums(const gp_box *box, double *sums, double *weights, void *kinds)
{
    memset(sums, 0, (size_t)n_cols(box) * sizeof *sums);
    memset(weights, 0, (size_t)n_cols(box) * sizeof *weights);
    int n_passes = 0;
    for (int64_t row = box->row0; row < box->row1 && !gp_box_is_stopped(&n_passes);) {
        const void *rows[GP_BOX_MAX_ROWS];
        bool is_inner = row >= box->inner0 && row < box->inner1;
        int n = gp_box_rows(box, row, is_inner ? box->inner1 : row + 1, rows);
        box->job->loops->sum_finite(rows, n, gp_span_weight(box->row_span, row), n_cols(box), sums, weights);
        if (kinds != NULL)
            box->job->loops->kinds(rows, n, n_cols(box), kinds);
        row += n;
    }
}

static void fold_finite_sums(const gp_box *box, gp_states out)
{
    double *sums = box->scratch->columns[0], *weights = box->scratch->columns[1];
    void *kinds = kinds_columns(box, needs_all_kinds(box));
    add_finite_sums(box, sums, weights, kinds);
    fold_sums(box, sums, NULL, out.a);
    fold_sums(box, weights, NULL, out.b);
    if (kinds != NULL) {
        fold_kinds(box, kinds, out.has);
        return;
    }
    for (int64_t p = 0; p < box->n_cells; p++)
        out.has[p] = (uint8_t)(out.b[p] > 0 ? GP_HAS_FINITE : classes_of_cell(box, p));
}

/* The cells of sums that are not finite, from their own elements; all others are of finite elements alone. */
static void reduce_bad_cells(const gp_box *box, gp_states out)
{
    for (int64_t p = 0; p < box->n_cells; p++)
        if (out.has[p] == 0)
            gp_box_reduce_cell(box, p, out);
}

/* Finite where sums are, else nothing yet. */
static void fill_finite(const double *sums, int64_t n, uint8_t *has)
{
    for (int64_t p = 0; p < n; p++)
        has[p] = is_finite(sums[p]) ? GP_HAS_FINITE : 0;
}

static bool fold_sum_columns(const gp_box *box, gp_states out)
{
    bool is_owned = gp_agg_is(box->job->agg, GP_AGG_OWNED);
    fold_sums(box, box->scratch->columns[0], NULL, out.a);
    int64_t n_bad = box->job->loops->is_float ? count_not_finite(out.a, box->n_cells) : 0;
    bool leaves_out = n_bad > 0 && leaves_some_out(box), are_many = n_bad * FEW_BAD_CELLS > box->n_cells;
    box->scratch->expects_bad = leaves_out && are_many;
    if (leaves_out && are_many && !is_owned) {
        fold_finite_sums(box, out);
        return false;
    }
    if (n_bad > 0 && !leaves_out)
        mark_sums(box, out.a, n_bad, out.has);
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
    fold_sums(box, scratch->columns[0], box->has_border ? scratch->cells[1] : NULL, out.b);
    fold_sums(box, scratch->columns[1], box->has_border ? scratch->cells[2] : NULL, out.c);
    fill_weights(box, out.a);
    int64_t n_bad = box->job->loops->is_float ? count_not_finite(out.b, box->n_cells) : 0;
    bool leaves_out = n_bad > 0 && leaves_some_out(box);
    if (leaves_out && n_bad * 4 > box->n_cells * 3) {
        gp_box_reduce_carefully(box, 0, box->n_cells, out);
        return false;
    }
    if (n_bad > 0 && !leaves_out)
        mark_sums(box, out.b, n_bad, out.has);
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

/* Columns of extremes without elements. */
static void fill_nothing(const gp_box *box)
{
    double *lo = box->scratch->columns[0], *hi = box->scratch->columns[1];
    float *narrow_lo = (float *)lo, *narrow_hi = (float *)hi;
    for (int64_t i = 0; i < n_cols(box); i++) {
        if (box->job->loops->extremes_dtype == GP_F32)
            narrow_lo[i] = INFINITY, narrow_hi[i] = -INFINITY;
        else
            lo[i] = (double)INFINITY, hi[i] = -(double)INFINITY;
    }
}

static void mark_extremes(const gp_box *box, gp_states out)
{
    classify_cells(box, out.has);
    for (int64_t p = 0; p < box->n_cells; p++) {
        if (out.has[p] == GP_HAS_POS_INF)
            out.has[p] = (uint8_t)classes_of_cell(box, p);
        if (gp_order_of_bits(out.a[p]) <= gp_order_of_bits(out.b[p]))
            out.has[p] |= GP_HAS_FINITE;
    }
}

static void fold_finite_extremes(const gp_box *box, gp_states out)
{
    void *kinds = kinds_columns(box, needs_all_kinds(box) || box->job->rows.plane.mask != NULL);
    const void *rows[GP_BOX_MAX_ROWS];
    fill_nothing(box);
    int n_passes = 0;
    for (int64_t row = box->row0; row < box->row1 && !gp_box_is_stopped(&n_passes);) {
        int n = gp_box_rows(box, row, box->row1, rows);
        box->job->loops->extremes_finite(rows, n, n_cols(box), box->scratch->columns[0], box->scratch->columns[1]);
        if (kinds != NULL)
            box->job->loops->kinds(rows, n, n_cols(box), kinds);
        row += n;
    }
    fold_extreme_columns(box, true, true, out);
    if (kinds != NULL)
        fold_kinds(box, kinds, out.has);
    else
        mark_extremes(box, out);
}

static void fold_extremes(const gp_box *box, bool are_finite, gp_states out)
{
    if (!are_finite) {
        fold_finite_extremes(box, out);
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
        gp_rows_add_limits(&box->job->rows, box->job->loops, gp_box_row(box, row, 0), n_cols(box), &box->scratch->limits);
}

/* What sums have seen on the way is good where everything was finite. */
static void take_range(const gp_box *box)
{
    gp_limits_state_add_range(&box->scratch->limits, box->range.lo, box->range.hi);
    box->scratch->limits.n_finite += n_cols(box) * (box->inner1 - box->inner0);
    add_limits(box, box->row0, box->inner0);
    add_limits(box, box->inner1, box->row1);
}

static void add_positive(const gp_box *box)
{
    double smallest = (double)INFINITY;
    for (int64_t row = box->row0; row < box->row1; row++)
        if (row >= box->row_span->owned_begin && row < box->row_span->owned_end)
            box->job->loops->positive(gp_box_row(box, row, 0), n_cols(box), &smallest);
    gp_limits_state_add_positive(&box->scratch->limits, smallest);
}

/* Where the box before held bad elements this one likely does too: their sums alone then save a pass. */
static bool expects_bad_sums(const gp_box *box)
{
    bool is_sum = gp_box_is(box, GP_STATE_SUM) && !gp_agg_is(box->job->agg, GP_AGG_OWNED);
    return is_sum && leaves_some_out(box) && box->scratch->expects_bad;
}

static void add_wanted(const gp_box *box, bool is_range_good)
{
    if ((box->job->want & GP_WANT_RANGE) && is_range_good)
        take_range(box);
    else if (box->job->want & GP_WANT_RANGE)
        add_limits(box, box->row0, box->row1);
    if (box->job->want & GP_WANT_POSITIVE)
        add_positive(box);
}

void gp_box_reduce(gp_box *box, gp_states out)
{
    bool are_masked = expects_bad_sums(box), is_range_good = false;
    bool are_finite = are_masked || gp_box_add(box);
    if (are_masked)
        fold_finite_sums(box, out);
    else if (gp_box_is(box, GP_STATE_EXTREMES))
        fold_extremes(box, are_finite, out);
    else if (gp_box_is(box, GP_STATE_MOMENTS))
        fold_moments(box, out);
    else
        is_range_good = fold_sum_columns(box, out);
    add_wanted(box, is_range_good);
}

/* ---- values --------------------------------------------------------------------------------------------------------- */

bool gp_box_has_values(const gp_reduction *job)
{
    if (job->kind == GP_STATE_EXTREMES)
        return gp_dtype_is_float(job->loops->extremes_dtype);
    return !gp_agg_is(job->agg, GP_AGG_OWNED);
}

static bool take_sums(const double *sums, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = sums[i] + 0.0;
    return count_not_finite(sums, n) == 0;
}

static const double *col_weights_of(const gp_box *box)
{
    const gp_reduction *job = box->job;
    return job->col_weights != NULL ? job->col_weights + (box->col_spans - job->col_axis->spans) : NULL;
}

static double col_weight(const gp_box *box) { return box->job->col_weights == NULL ? (double)box->fold.even_width : 1.0; }

static bool sum_values(const gp_box *box, double *out)
{
    double *sums = box->scratch->cells[0], weight = row_weight(box) * col_weight(box);
    fold_sums(box, box->scratch->columns[0], NULL, sums);
    if (box->job->agg == GP_AGG_SUM)
        return take_sums(sums, box->n_cells, out);
    return box->job->folds->settle_means(sums, weight, col_weights_of(box), box->n_cells, out);
}

/* The moments of columns, each about one of its elements, are joined along x: spread inside columns, and of their means. */
static bool moment_values(const gp_box *box, double *out)
{
    const gp_folds *folds = box->job->folds;
    const double *weights = col_weights_of(box);
    double *const *columns = box->scratch->columns, *const *cells = box->scratch->cells;
    double weight = row_weight(box);
    gp_box_add_column_moments(box);
    folds->column_moments(columns[0], columns[1], columns[2], weight, n_cols(box));
    fold_sums(box, columns[0], NULL, cells[0]);
    bool are_finite = folds->settle_means(cells[0], col_weight(box), weights, box->n_cells, cells[1]);
    fold_sums(box, columns[1], NULL, cells[0]);
    folds->deviations(&box->fold, columns[0], weight, cells[1], cells[0]);
    are_finite &= folds->spreads(cells[0], cells[1], weight * col_weight(box), weights, box->n_cells, box->job->agg == GP_AGG_STD,
                                 out);
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

static bool has_infinity(const gp_box *box)
{
    bool has = false;
    for (int64_t row = box->row0; row < box->row1 && !has; row++)
        has = box->job->loops->has_infinity(gp_box_row(box, row, 0), n_cols(box));
    return has;
}

/* Sums of float64 may overflow, which says nothing about its elements. */
static bool are_sums_in_range(const gp_box *box)
{
    for (int64_t p = 0; p < box->n_cells; p++)
        if (fabs(box->scratch->cells[0][p]) == (double)INFINITY)
            return false;
    return true;
}

/* Whether NaN is all that there is beside finite elements, and values tell where. */
static bool tells_nan(const gp_box *box, bool needs_finite)
{
    if (!box->job->loops->is_float || box->job->rows.plane.mask != NULL || has_infinity(box))
        return false;
    if (needs_finite && box->job->agg == GP_AGG_RANGE)
        return false;
    return may_overflow(box) ? gp_box_is(box, GP_STATE_SUM) && are_sums_in_range(box) : true;
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
        box->job->loops->sum(rows, n, n_cols(box), scratch->columns[2], row == box->row0);
        row += n;
    }
    fold_sums(box, scratch->columns[2], NULL, scratch->cells[0]);
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

/* Sums or means of what is not NaN, of all cells. */
static void find_finite_sums(const gp_box *box, double *out)
{
    double *const *columns = box->scratch->columns, *sums = box->scratch->cells[0], *weights = box->scratch->cells[1];
    const double nan = gp_mark_value(GP_HAS_NAN);
    add_finite_sums(box, columns[0], columns[1], NULL);
    fold_sums(box, columns[0], NULL, sums);
    fold_sums(box, columns[1], NULL, weights);
    if (box->job->agg == GP_AGG_SUM)
        (void)take_sums(sums, box->n_cells, out);
    else
        (void)box->job->folds->settle_means(sums, 1.0, weights, box->n_cells, out);
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

/* What cells with a NaN come to without it, or all cells; `marks` are NaN where these have one, and are lost. */
static void find_finite_values(const gp_box *box, const double *marks, double *out)
{
    bool are_many = count_nan(marks, box->n_cells) * FEW_BAD_CELLS > box->n_cells;
    if (gp_box_is(box, GP_STATE_SUM) && are_many)
        find_finite_sums(box, out);
    else
        find_finite_cells(box, marks, out);
    box->scratch->expects_bad = are_many;
}

/* Values that NaN has spoiled; see gp_box_values. */
static bool mend_values(const gp_box *box, double *out, double *without_nan)
{
    bool leaves_out = leaves_some_out(box), is_extreme = gp_box_is(box, GP_STATE_EXTREMES);
    double *finite = !leaves_out ? NULL : without_nan != NULL ? without_nan : out;
    if (!tells_nan(box, finite != NULL))
        return false;
    if (finite != NULL && is_extreme)
        take_finite_extremes(out, box->n_cells, finite);
    if (finite == out && is_extreme)
        return true;
    const double *marks = nan_of_cells(box);
    if (finite != out)
        mark_nan(marks, box->n_cells, out);
    if (finite != NULL && !is_extreme)
        find_finite_values(box, marks, finite);
    return true;
}

/* Where NaN is left out, and the tile before had many: the sums of finite elements alone save a pass. */
static bool has_finite_sums(const gp_box *box, double *out, double *without_nan)
{
    if (box->job->nan != GP_NAN_SKIP || without_nan != NULL || !box->scratch->expects_bad || !gp_box_is(box, GP_STATE_SUM))
        return false;
    if (box->job->rows.plane.mask != NULL || !box->job->loops->is_float)
        return false;
    const double *col_weights = col_weights_of(box), *weights = box->scratch->cells[1];
    double weight = row_weight(box) * col_weight(box);
    bool are_less = false;
    find_finite_sums(box, out);
    for (int64_t p = 0; p < box->n_cells; p++) {
        are_less |= weights[p] < 0.999 * weight * (col_weights != NULL ? col_weights[p] : 1.0);
        if (!(weights[p] > 0)) /* infinities are left out as well */
            out[p] = gp_mark_of(classes_of_cell(box, p), GP_NAN_SKIP);
    }
    box->scratch->expects_bad = are_less;
    return true;
}

bool gp_box_values(gp_box *box, double *out, double *without_nan, bool *has_nan)
{
    bool is_sum = gp_box_is(box, GP_STATE_SUM), are_finite;
    if (has_finite_sums(box, out, without_nan)) {
        add_wanted(box, false);
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
    add_wanted(box, is_sum && are_finite);
    return true;
}
