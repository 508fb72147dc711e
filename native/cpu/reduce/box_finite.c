/* The finite elements of a box alone: their sums, moments and extremes, where others are left out. */
#include "box_finite.h"

#include "box_marks.h"

/* Collects the next rows of one weight and advances *row beyond them; returns their number. */
static int next_rows(const gp_box *box, int64_t *row, const void *rows[GP_BOX_MAX_ROWS], double *weight)
{
    bool is_inner = *row >= box->inner0 && *row < box->inner1;
    int n = gp_box_rows(box, *row, is_inner ? box->inner1 : *row + 1, rows);
    *weight = gp_span_weight(box->row_span, *row);
    *row += n;
    return n;
}

/* ---- sums ----------------------------------------------------------------------------------------------------------- */

/* The sums and weights of the finite elements of each column, and, unless NULL, the kinds of all elements. */
static void add_finite_sums(const gp_box *box, double *sums, double *weights, void *kinds)
{
    const gp_loops *loops = box->job->loops;
    memset(sums, 0, (size_t)gp_box_n_cols(box) * sizeof *sums);
    memset(weights, 0, (size_t)gp_box_n_cols(box) * sizeof *weights);
    int n_passes = 0;
    for (int64_t row = box->row0; row < box->row1 && !gp_box_is_stopped(&n_passes);) {
        const void *rows[GP_BOX_MAX_ROWS];
        double weight;
        int n = next_rows(box, &row, rows, &weight);
        loops->sum_finite(rows, n, weight, gp_box_n_cols(box), sums, weights);
        if (kinds != NULL)
            loops->kinds(rows, n, gp_box_n_cols(box), kinds);
    }
}

static void find_finite_sums(const gp_box *box, void *kinds, double *sums, double *weights)
{
    double *const *columns = box->scratch->columns;
    add_finite_sums(box, columns[0], columns[1], kinds);
    gp_box_fold_sums(box, columns[0], NULL, sums);
    gp_box_fold_sums(box, columns[1], NULL, weights);
}

void gp_box_find_finite_sums(const gp_box *box, double *sums, double *weights) { find_finite_sums(box, NULL, sums, weights); }

void gp_box_fold_finite_sums(const gp_box *box, gp_states out)
{
    void *kinds = gp_box_kinds_columns(box, gp_box_needs_all_kinds(box));
    find_finite_sums(box, kinds, out.a, out.b);
    if (kinds != NULL) {
        gp_box_fold_kinds(box, kinds, out.has);
        return;
    }
    for (int64_t p = 0; p < box->n_cells; p++)
        out.has[p] = (uint8_t)(out.b[p] > 0 ? GP_HAS_FINITE : gp_box_classes_of_cell(box, p));
}

/* ---- moments -------------------------------------------------------------------------------------------------------- */

/* Computes the means (to columns 0) and squared deviations (to columns 3) from sums and weights in columns 0 and 1; 0 without weight. */
static void find_column_moments(const gp_box *box)
{
    double *const *columns = box->scratch->columns, *weights = columns[1], *shift = columns[2], *squares = columns[3];
    size_t n_bytes = (size_t)gp_box_n_cols(box) * sizeof *squares;
    int n_passes = 0;
    (void)box->job->folds->settle_means(columns[0], 1.0, weights, gp_box_n_cols(box), shift);
    for (int64_t i = 0; i < gp_box_n_cols(box); i++)
        shift[i] = weights[i] > 0 ? shift[i] : 0.0;
    memset(columns[0], 0, n_bytes);
    memset(squares, 0, n_bytes);
    for (int64_t row = box->row0; row < box->row1 && !gp_box_is_stopped(&n_passes);) {
        const void *rows[GP_BOX_MAX_ROWS];
        double weight;
        int n = next_rows(box, &row, rows, &weight);
        box->job->loops->moments_finite(rows, n, weight, gp_box_n_cols(box), shift, columns[0], squares);
    }
    for (int64_t i = 0; i < gp_box_n_cols(box); i++) {
        double away = weights[i] > 0 ? columns[0][i] / weights[i] : 0.0;
        squares[i] -= columns[0][i] * away;
        columns[0][i] = shift[i] + away;
    }
}

/* The sum of squares, or 0 if it is within rounding: the mean of equal elements, a quotient, may differ from them by one ulp. */
static double beyond_rounding(double squares, double weight, double mean)
{
    return sqrt(squares / weight) <= fabs(mean) * 0x1p-50 ? 0.0 : squares;
}

/* The squared deviations of the column means from the cell's mean. *mean is an estimate of that mean, and is corrected. */
static double squares_of_means(const gp_box *box, int64_t p, double cell_weight, double *mean)
{
    const double *means = box->scratch->columns[0], *weights = box->scratch->columns[1];
    double first = 0, second = 0;
    int64_t begin, end;
    gp_box_cell(box, p, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        double weight = gp_span_weight(&box->col_spans[p], box->col0 + i) * weights[i], away = means[i] - *mean;
        first += weight * away, second += weight * (away * away);
    }
    *mean += first / cell_weight;
    return second - first * (first / cell_weight);
}

void gp_box_find_finite_moments(const gp_box *box, const double *sums, const double *weights, double *means, double *squares)
{
    (void)box->job->folds->settle_means(sums, 1.0, weights, box->n_cells, means);
    find_column_moments(box);
    gp_box_fold_sums(box, box->scratch->columns[3], NULL, squares);
    for (int64_t p = 0; p < box->n_cells; p++)
        if (weights[p] > 0) {
            squares[p] += squares_of_means(box, p, weights[p], &means[p]);
            squares[p] = beyond_rounding(squares[p], weights[p], means[p]);
        }
}

void gp_box_fold_finite_moments(const gp_box *box, gp_states out)
{
    double *means = box->scratch->cells[0];
    gp_box_fold_finite_sums(box, out);
    gp_box_find_finite_moments(box, out.a, out.b, means, out.c);
    for (int64_t p = 0; p < box->n_cells; p++) {
        bool is_there = out.b[p] > 0, is_beyond = is_there && gp_class_of(out.c[p]) != GP_HAS_FINITE;
        out.a[p] = out.b[p];
        out.b[p] = is_there ? means[p] : 0.0;
        out.c[p] = is_there ? gp_held_spread(out.c[p]) : 0.0;
        if (is_beyond) /* intermediate results overflow float64, which the careful reduction may avoid */
            gp_box_reduce_cell(box, p, out);
    }
}

/* ---- extremes ------------------------------------------------------------------------------------------------------- */

/* Fills the columns with the extremes of no elements. */
static void fill_nothing(const gp_box *box)
{
    double *lo = box->scratch->columns[0], *hi = box->scratch->columns[1];
    float *narrow_lo = (float *)lo, *narrow_hi = (float *)hi;
    for (int64_t i = 0; i < gp_box_n_cols(box); i++) {
        if (box->job->loops->extremes_dtype == GP_F32)
            narrow_lo[i] = INFINITY, narrow_hi[i] = -INFINITY;
        else
            lo[i] = (double)INFINITY, hi[i] = -(double)INFINITY;
    }
}

static bool has_finite(gp_states states, int64_t p) { return gp_order_of_bits(states.a[p]) <= gp_order_of_bits(states.b[p]); }

static void mark_extremes(const gp_box *box, gp_states out)
{
    gp_box_classify_cells(box, out.has);
    for (int64_t p = 0; p < box->n_cells; p++) {
        if (out.has[p] == GP_HAS_POS_INF)
            out.has[p] = (uint8_t)gp_box_classes_of_cell(box, p);
        if (has_finite(out, p))
            out.has[p] |= GP_HAS_FINITE;
    }
}

/* Where finite elements alone say what a cell shows, the others are looked at in cells that have none. */
static void mark_extremes_without(const gp_box *box, gp_states out)
{
    for (int64_t p = 0; p < box->n_cells; p++)
        out.has[p] = (uint8_t)(has_finite(out, p) ? GP_HAS_FINITE : gp_box_classes_of_cell(box, p));
}

void gp_box_fold_finite_extremes(const gp_box *box, gp_states out)
{
    void *kinds = gp_box_kinds_columns(box, gp_box_needs_all_kinds(box));
    const void *rows[GP_BOX_MAX_ROWS];
    fill_nothing(box);
    int n_passes = 0;
    for (int64_t row = box->row0; row < box->row1 && !gp_box_is_stopped(&n_passes);) {
        int n = gp_box_rows(box, row, box->row1, rows);
        box->job->loops->extremes_finite(rows, n, gp_box_n_cols(box), box->scratch->columns[0], box->scratch->columns[1]);
        if (kinds != NULL)
            box->job->loops->kinds(rows, n, gp_box_n_cols(box), kinds);
        row += n;
    }
    box->job->loops->fold_extremes(&box->fold, box->scratch->columns[0], box->scratch->columns[1], out.a, out.b);
    if (kinds != NULL)
        gp_box_fold_kinds(box, kinds, out.has);
    else if (box->job->nan == GP_NAN_SKIP)
        mark_extremes_without(box, out);
    else
        mark_extremes(box, out);
}
