/* Adds the rows of a box to columns: inner rows several at a time, border rows with their weights in one more pass. */
#include "box.h"

/* Dense rows of at most this many elements are read several at a time, as one long row. */
#define NARROW_ROW 128
#define VERY_NARROW_ROW 8

/* Whether the cells are a part of the axis, and lie within these columns. */
static bool are_whole(const gp_axis *axis, const gp_span *first, int64_t n_cells, int64_t col0, int64_t col1)
{
    const gp_span *last = first + n_cells - 1;
    bool is_of_axis = first >= axis->spans && last < axis->spans + axis->n_cells;
    return is_of_axis && first->touched_begin >= col0 && last->touched_end <= col1;
}

static gp_fold fold_from(const gp_reduction *job, const gp_span *col_spans, int64_t n_cells, int64_t col0, int64_t col1)
{
    const gp_axis *axis = job->col_axis;
    gp_fold fold = {.spans = col_spans, .n_cells = n_cells, .col0 = col0, .col1 = col1};
    if (are_whole(axis, col_spans, n_cells, col0, col1)) {
        fold.even_width = axis->even_width;
        fold.table = job->cell_columns.n_columns > 0 ? &job->cell_columns : NULL;
        fold.cell0 = col_spans - axis->spans;
    }
    return fold;
}

gp_box gp_box_from(const gp_reduction *job, gp_scratch *scratch, const gp_span *row_span, const gp_span *col_spans,
                   int64_t n_cells, const int64_t bounds[4])
{
    gp_box box = {.job = job,
                  .scratch = scratch,
                  .row_span = row_span,
                  .col_spans = col_spans,
                  .n_cells = n_cells,
                  .row0 = bounds[0],
                  .row1 = bounds[1],
                  .col0 = bounds[2],
                  .col1 = bounds[3],
                  .range = {(double)INFINITY, -(double)INFINITY}};
    box.inner0 = box.row0, box.inner1 = box.row1;
    if (job->kind != GP_STATE_EXTREMES) {
        if (gp_span_weight(row_span, box.row0) != 1.0)
            box.inner0++;
        if (box.inner1 > box.inner0 && gp_span_weight(row_span, box.row1 - 1) != 1.0)
            box.inner1--;
    }
    box.fold = fold_from(job, col_spans, n_cells, bounds[2], bounds[3]);
    return box;
}

const void *gp_box_row(const gp_box *box, int64_t row, int slot)
{
    return gp_reduction_row(box->job, box->scratch, row, box->col0, gp_box_n_cols(box), slot);
}

int gp_box_rows(const gp_box *box, int64_t row, int64_t end, const void *rows[GP_BOX_MAX_ROWS])
{
    int64_t n_at_once = box->job->rows.source == GP_ROWS_IN_PLACE ? GP_BOX_MAX_ROWS : GP_MAX_CELL_ROWS;
    int n = 0;
    if (end - row > n_at_once && end - row < 2 * n_at_once) /* two passes of about equal size */
        n_at_once = (end - row + 1) / 2;
    for (; row < end && n < n_at_once; row++, n++)
        rows[n] = gp_box_row(box, row, n);
    return n;
}

/* Adds rows of n elements and weight 1 to columns. */
static bool add_rows(gp_box *box, const void *const *rows, int n_rows, int64_t n, bool is_first)
{
    const gp_loops *loops = box->job->loops;
    double *const *columns = box->scratch->columns;
    if (gp_box_is(box, GP_STATE_EXTREMES))
        return loops->extremes(rows, n_rows, n, gp_box_wants_lo(box) ? columns[0] : NULL,
                               gp_box_wants_hi(box) ? columns[1] : NULL, is_first);
    if (gp_box_is(box, GP_STATE_MOMENTS))
        loops->moments(rows, n_rows, 1.0, n, columns[2], columns[0], columns[1], is_first);
    else if (box->job->want & GP_WANT_RANGE)
        loops->sum_range(rows, n_rows, n, columns[0], is_first, &box->range);
    else
        loops->sum(rows, n_rows, n, columns[0], is_first);
    return true;
}

/* ---- several narrow rows as one ------------------------------------------------------------------------------------- */

/* How many rows are read as one super row; 0 if there are too few or rows have gaps. Of few rows only very narrow ones gain by it. */
static int64_t rows_per_super_row(const gp_box *box)
{
    const gp_row_reader *rows = &box->job->rows;
    int64_t n_cols = gp_box_n_cols(box), n_inner = box->inner1 - box->inner0;
    if (rows->source != GP_ROWS_IN_PLACE || n_cols > NARROW_ROW || rows->plane.row_stride_bytes != n_cols * rows->item_bytes)
        return 0;
    int64_t n = GP_SUPER_ROW / n_cols;
    if (n_inner / n < 4 && n_cols <= VERY_NARROW_ROW)
        n = NARROW_ROW / n_cols;
    return n_inner / n >= 4 ? n : 0;
}

/* Folds a column array of n_segments rows of n into its first n values. */
static void fold_segments(const gp_box *box, int which, int64_t n_segments, int64_t n)
{
    gp_dtype dtype = gp_box_is(box, GP_STATE_EXTREMES) ? box->job->loops->extremes_dtype : GP_F64;
    const gp_loops *loops = gp_loops_for(dtype);
    char *column = (char *)box->scratch->columns[which];
    int64_t segment_bytes = n * gp_dtype_size_bytes(dtype);
    for (int64_t i = 1; i < n_segments;) {
        const void *rows[GP_BOX_MAX_ROWS];
        int n_rows = 0;
        for (; i < n_segments && n_rows < GP_BOX_MAX_ROWS; i++)
            rows[n_rows++] = column + i * segment_bytes;
        if (!gp_box_is(box, GP_STATE_EXTREMES))
            loops->sum(rows, n_rows, n, box->scratch->columns[which], false);
        else if (which == 0)
            (void)loops->extremes(rows, n_rows, n, column, NULL, false);
        else
            (void)loops->extremes(rows, n_rows, n, NULL, column, false);
    }
}

/* Adds inner rows by whole super rows; returns the first row that is left. */
static int64_t add_super_rows(gp_box *box, int64_t rows_each, bool *is_finite)
{
    const char *data = gp_box_row(box, box->inner0, 0);
    int64_t n_super = (box->inner1 - box->inner0) / rows_each, width = rows_each * gp_box_n_cols(box);
    bool is_extreme = gp_box_is(box, GP_STATE_EXTREMES), is_moments = gp_box_is(box, GP_STATE_MOMENTS);
    double *shift = box->scratch->columns[2];
    for (int64_t i = gp_box_n_cols(box); is_moments && i < width; i++)
        shift[i] = shift[i - gp_box_n_cols(box)];
    int n_passes = 0;
    for (int64_t i = 0; i < n_super && !gp_box_is_stopped(&n_passes);) {
        const void *rows[GP_BOX_MAX_ROWS];
        int n_rows = 0;
        bool is_first = i == 0;
        for (; i < n_super && n_rows < GP_BOX_MAX_ROWS; i++)
            rows[n_rows++] = data + i * width * box->job->rows.item_bytes;
        *is_finite &= add_rows(box, rows, n_rows, width, is_first);
    }
    if (!is_extreme || gp_box_wants_lo(box))
        fold_segments(box, 0, rows_each, gp_box_n_cols(box));
    if (is_moments || (is_extreme && gp_box_wants_hi(box)))
        fold_segments(box, 1, rows_each, gp_box_n_cols(box));
    return box->inner0 + n_super * rows_each;
}

/* ---- rows one by one ------------------------------------------------------------------------------------------------ */

static bool add_inner_rows(gp_box *box)
{
    bool is_finite = true, is_first = true;
    int64_t row = box->inner0, rows_each = rows_per_super_row(box);
    if (rows_each > 0)
        row = add_super_rows(box, rows_each, &is_finite), is_first = false;
    for (int n_passes = 0; row < box->inner1 && !gp_box_is_stopped(&n_passes);) {
        const void *rows[GP_BOX_MAX_ROWS];
        int n = gp_box_rows(box, row, box->inner1, rows);
        row += n;
        is_finite &= add_rows(box, rows, n, gp_box_n_cols(box), is_first);
        is_first = false;
    }
    return is_finite;
}

/* Adds the border rows, which have weights below 1: at most the first and the last. */
static void add_border_rows(const gp_box *box, bool is_first)
{
    const gp_loops *loops = box->job->loops;
    double *const *columns = box->scratch->columns;
    const void *rows[2];
    double weights[2];
    int n = 0;
    if (box->row0 < box->inner0)
        weights[n] = gp_span_weight(box->row_span, box->row0), rows[n] = gp_box_row(box, box->row0, n), n++;
    if (box->inner1 < box->row1)
        weights[n] = gp_span_weight(box->row_span, box->row1 - 1), rows[n] = gp_box_row(box, box->row1 - 1, n), n++;
    if (n == 0)
        return;
    if (gp_box_is(box, GP_STATE_MOMENTS)) {
        for (int i = 0; i < n; i++)
            loops->moments(&rows[i], 1, weights[i], gp_box_n_cols(box), columns[2], columns[0], columns[1], is_first && i == 0);
        return;
    }
    loops->sum_weighted(rows, weights, n, gp_box_n_cols(box), columns[0], is_first);
}

/* ---- all rows of a cell at once ---------------------------------------------------------------------------------------- */

static void add_border_row(const gp_box *box, int64_t row, gp_cell_rows *cell)
{
    int n = cell->n_inner + cell->n_border;
    cell->rows[n] = gp_box_row(box, row, n);
    cell->weights[cell->n_border++] = gp_span_weight(box->row_span, row);
}

/* Collects all rows of the cell. False if they are too many, no row has weight 1, or they are read as super rows. */
static bool gather_cell_rows(const gp_box *box, gp_cell_rows *out)
{
    int64_t n_inner = box->inner1 - box->inner0;
    if (n_inner < 1 || box->row1 - box->row0 > GP_MAX_CELL_ROWS || rows_per_super_row(box) > 0)
        return false;
    *out = (gp_cell_rows){.n_inner = (int)n_inner, .begins_with_border = box->row0 < box->inner0};
    out->weight = gp_span_weight_of(box->row_span, box->row0, box->row1);
    for (int i = 0; i < out->n_inner; i++)
        out->rows[i] = gp_box_row(box, box->inner0 + i, i);
    if (box->row0 < box->inner0)
        add_border_row(box, box->row0, out);
    if (box->inner1 < box->row1)
        add_border_row(box, box->inner1, out);
    return true;
}

static bool add_cell_rows(const gp_box *box)
{
    gp_cell_rows cell;
    bool has_border = box->row0 < box->inner0 || box->inner1 < box->row1;
    if (!gp_box_is(box, GP_STATE_SUM) || (box->job->want & GP_WANT_RANGE) || !has_border || !gather_cell_rows(box, &cell))
        return false;
    box->job->loops->sum_cell(&cell, gp_box_n_cols(box), box->scratch->columns[0]);
    return true;
}

/* ---- the shift of each cell's moments ------------------------------------------------------------------------------- */

/* The shift of a cell is its element in the row and the column of greatest weight: one of small weight could be far from the mean. */
static int64_t shift_row(const gp_box *box)
{
    if (box->inner0 < box->inner1)
        return box->inner0;
    return gp_span_weight(box->row_span, box->row0) >= gp_span_weight(box->row_span, box->row1 - 1) ? box->row0 : box->row1 - 1;
}

/* Adds rows begin..end, which have one weight; returns whether no row has been added yet. */
static bool add_moment_rows(const gp_box *box, int64_t begin, int64_t end, double weight, bool is_first)
{
    double *const *columns = box->scratch->columns;
    while (begin < end) {
        const void *rows[GP_BOX_MAX_ROWS];
        int n = gp_box_rows(box, begin, end, rows);
        box->job->loops->moments(rows, n, weight, gp_box_n_cols(box), columns[2], columns[0], columns[1], is_first);
        begin += n, is_first = false;
    }
    return is_first;
}

void gp_box_find_column_moments(const gp_box *box)
{
    int64_t shift = shift_row(box), last = box->row1 - 1;
    double *const *columns = box->scratch->columns;
    bool is_first = true;
    gp_cell_rows cell;
    if (gather_cell_rows(box, &cell)) {
        box->job->loops->moments_of_cell(&cell, gp_box_n_cols(box), columns[0], columns[1]);
        return;
    }
    box->job->loops->values(gp_box_row(box, shift, 0), gp_box_n_cols(box), columns[2]);
    if (box->row0 < box->inner0 && box->row0 != shift)
        is_first = add_moment_rows(box, box->row0, box->row0 + 1, gp_span_weight(box->row_span, box->row0), is_first);
    if (box->inner0 < box->inner1) /* row inner0 itself is the shift */
        is_first = add_moment_rows(box, box->inner0 + 1, box->inner1, 1.0, is_first);
    if (box->inner1 < box->row1 && last != shift)
        is_first = add_moment_rows(box, last, last + 1, gp_span_weight(box->row_span, last), is_first);
    for (int i = 0; i < 2 && is_first; i++)
        memset(columns[i], 0, (size_t)gp_box_n_cols(box) * sizeof(double));
    box->job->folds->column_moments(columns[0], columns[1], columns[2], gp_span_weight_of(box->row_span, box->row0, box->row1),
                                    gp_box_n_cols(box));
}

static int64_t shift_col(const gp_box *box, int64_t p, int64_t begin, int64_t end)
{
    int64_t best = begin, candidates[2] = {begin + 1 < end ? begin + 1 : begin, end - 1};
    for (int i = 0; i < 2; i++)
        if (gp_span_weight(&box->col_spans[p], box->col0 + candidates[i]) > gp_span_weight(&box->col_spans[p], box->col0 + best))
            best = candidates[i];
    return best;
}

/* Shifts for cells of one width: the first column of each. */
static void choose_even_shifts(const gp_box *box)
{
    int64_t width = box->fold.even_width, first = box->col_spans[0].touched_begin - box->col0;
    const double *values = box->scratch->values + first;
    double *by_col = box->scratch->columns[2] + first, *by_cell = box->scratch->cells[0];
    for (int64_t p = 0; p < box->n_cells; p++)
        by_cell[p] = values[p * width] - values[p * width] == 0 ? values[p * width] : 0.0;
    for (int64_t p = 0; p < box->n_cells; p++)
        for (int64_t i = 0; i < width; i++)
            by_col[p * width + i] = by_cell[p];
}

static void choose_shifts(gp_box *box)
{
    gp_scratch *scratch = box->scratch;
    double *by_col = scratch->columns[2], *by_cell = scratch->cells[0];
    int64_t last_end = 0;
    box->job->loops->values(gp_box_row(box, shift_row(box), 0), gp_box_n_cols(box), scratch->values);
    if (box->fold.even_width > 0) {
        choose_even_shifts(box);
        return;
    }
    for (int64_t p = 0; p < box->n_cells; p++) {
        int64_t begin, end;
        gp_box_cell(box, p, &begin, &end);
        by_cell[p] = 0, scratch->border_cols[p] = 0;
        if (begin >= end)
            continue;
        double shift = scratch->values[shift_col(box, p, begin, end)];
        by_cell[p] = gp_class_of(shift) == GP_HAS_FINITE ? shift : 0.0;
        scratch->border_cols[p] = end - 1;
        box->has_border |= begin < last_end;
        last_end = end;
        for (int64_t i = begin; i < end; i++)
            by_col[i] = by_cell[p];
    }
}

/* A column shared by two cells has the shift of the second; the moments of the first's last column are computed separately. */
static void add_border_cols(const gp_box *box)
{
    gp_scratch *scratch = box->scratch;
    memset(scratch->cells[1], 0, (size_t)box->n_cells * sizeof(double));
    memset(scratch->cells[2], 0, (size_t)box->n_cells * sizeof(double));
    for (int64_t row = box->row0; row < box->row1; row++)
        box->job->loops->moments_at(gp_box_row(box, row, 0), gp_span_weight(box->row_span, row), scratch->border_cols,
                                    box->n_cells, scratch->cells[0], scratch->cells[1], scratch->cells[2]);
}

bool gp_box_add(gp_box *box)
{
    bool is_finite = true, has_inner = box->inner0 < box->inner1;
    if (add_cell_rows(box))
        return true;
    if (gp_box_is(box, GP_STATE_MOMENTS))
        choose_shifts(box);
    if (has_inner)
        is_finite = add_inner_rows(box);
    add_border_rows(box, !has_inner);
    if (gp_box_is(box, GP_STATE_MOMENTS) && box->has_border)
        add_border_cols(box);
    return is_finite;
}
