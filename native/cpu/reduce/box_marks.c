/* Finds out which kinds of element the cells of a box have that are not finite, and what marks them. */
#include "box_marks.h"

static bool is_finite(double x) { return x - x == 0; }

/* The classes of a cell's elements, as far as a NaN. */
unsigned gp_box_classes_of_cell(const gp_box *box, int64_t p)
{
    int64_t begin, end;
    unsigned has = 0;
    gp_box_cell(box, p, &begin, &end);
    for (int64_t row = box->row0; row < box->row1 && begin < end && !(has & GP_HAS_NAN); row++) {
        const void *elems = gp_reduction_row(box->job, box->scratch, row, box->col0 + begin, end - begin, 0);
        has |= box->job->loops->classes(elems, end - begin);
    }
    return has;
}

/* Per cell: NaN, an infinity of either sign, or finite; by one pass over all elements. */
void gp_box_classify_cells(const gp_box *box, uint8_t *has)
{
    void *worst = box->scratch->columns[3];
    const void *rows[GP_BOX_MAX_ROWS];
    memset(worst, 0, (size_t)gp_box_n_cols(box) * sizeof(double));
    int n_passes = 0;
    for (int64_t row = box->row0; row < box->row1 && !gp_box_is_stopped(&n_passes);) {
        int n = gp_box_rows(box, row, box->row1, rows);
        box->job->loops->worst(rows, n, gp_box_n_cols(box), worst);
        row += n;
    }
    box->job->loops->fold_worst(&box->fold, worst, has);
}

/* Of narrower floats no float64 sum is infinite unless an element is. */
bool gp_box_may_overflow(const gp_box *box) { return box->job->loops->extremes_dtype != GP_F32; }

/*
 * Marks from sums that are not finite. NaN may also be +Inf - Inf, or Inf with the weight 0 of tables, and where sums may overflow
 * an infinite one may be of finite elements: a search decides, cell by cell while they are few, else by one pass over all elements.
 * Infinities of one sign alone never give a sum of the other one.
 */
void gp_box_mark_sums(const gp_box *box, const double *sums, int64_t n_bad, uint8_t *has)
{
    bool are_many = n_bad * 8 > box->n_cells, is_doubtful = gp_box_may_overflow(box);
    if (are_many)
        gp_box_classify_cells(box, has);
    for (int64_t p = 0; p < box->n_cells; p++) {
        bool is_sum_nan = sums[p] != sums[p], has_inf = are_many ? has[p] == GP_HAS_POS_INF : !is_doubtful;
        if (is_finite(sums[p]))
            has[p] = GP_HAS_FINITE;
        else if (!is_sum_nan && has_inf)
            has[p] = sums[p] > 0 ? GP_HAS_POS_INF : GP_HAS_NEG_INF;
        else if (!are_many || has_inf)
            has[p] = (uint8_t)gp_box_classes_of_cell(box, p);
        /* else it stands: a NaN, or finite elements */
    }
}

/* Where some elements that are not finite mark and others do not, all kinds of element in a cell count. */
bool gp_box_needs_all_kinds(const gp_box *box)
{
    gp_nan nan = box->job->nan;
    return nan == GP_NAN_INFINITE || (box->job->rows.plane.mask != NULL && nan != GP_NAN_SKIP);
}

/* Columns for the kinds of their elements, which `loops->kinds` adds; NULL where not all of them are needed. */
void *gp_box_kinds_columns(const gp_box *box, bool are_needed)
{
    void *columns = box->scratch->columns[3];
    if (are_needed)
        memset(columns, 0, (size_t)gp_box_n_cols(box) * sizeof(double));
    return are_needed ? columns : NULL;
}

void gp_box_fold_kinds(const gp_box *box, const void *columns, uint8_t *has)
{
    box->job->loops->fold_kinds(&box->fold, columns, has);
}

/* Where elements that are not finite may be left out, finite ones are added by themselves. */
bool gp_box_leaves_some_out(const gp_box *box) { return box->job->nan == GP_NAN_SKIP || gp_box_needs_all_kinds(box); }
