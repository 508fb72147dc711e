/* agg 'nearest': the one element of each cell, as it is. */
#include "reduce.h"

#define CHUNK_ELEMS 1024

static double cell_value(double x)
{
    unsigned has = gp_class_of(x);
    return has == GP_HAS_FINITE ? x + 0.0 : gp_mark_value(has);
}

static void fill_row(const gp_reduction *job, gp_scratch *scratch, int64_t row, double *out)
{
    const gp_axis *cols = job->col_axis;
    for (int64_t p = 0; p < cols->n_cells; p++) {
        const gp_span *span = &cols->spans[p];
        out[p] = gp_empty_cell();
        if (span->touched_begin >= span->touched_end)
            continue;
        const void *elem = gp_rows_get(&job->rows, row, span->touched_begin, 1, scratch->packed, scratch->row_scratch);
        job->loops->values(elem, 1, &out[p]);
        out[p] = cell_value(out[p]);
    }
}

/* The cells among values of the elements from col0 on: cell p on, whose elements lie before col1. */
static int64_t pick_cells(const gp_reduction *job, const double *values, int64_t col0, int64_t col1, int64_t p, double *out)
{
    const gp_axis *cols = job->col_axis;
    const int32_t *first = job->cell_columns.first; /* where each cell has an element */
    for (; first != NULL && p < cols->n_cells && first[p] < col1; p++)
        out[p] = values[first[p] - col0];
    for (; first == NULL && p < cols->n_cells && cols->spans[p].touched_begin < col1; p++)
        out[p] = cols->spans[p].touched_begin < cols->spans[p].touched_end ? values[cols->spans[p].touched_begin - col0]
                                                                           : gp_empty_cell();
    return p;
}

/* Elements col0..col1 of a row as cells would show them. */
static void load_cells(const gp_reduction *job, gp_scratch *scratch, int64_t row, int64_t col0, int64_t col1, double *out)
{
    const void *elems = gp_rows_get(&job->rows, row, col0, col1 - col0, scratch->packed, scratch->row_scratch);
    job->loops->values(elems, col1 - col0, out);
    bool are_finite = job->folds->unsign_zeros(out, col1 - col0);
    for (int64_t i = 0; i < col1 - col0 && !are_finite; i++)
        out[i] = cell_value(out[i]);
}

/* Whether the cells are elements from `begin` on, one after the other. */
static bool are_neighbors(const gp_axis *axis, int64_t begin, int64_t end)
{
    if (axis->n_cells != end - begin)
        return false;
    for (int64_t p = 0; p < axis->n_cells; p++)
        if (axis->spans[p].touched_begin != begin + p || axis->spans[p].touched_end != begin + p + 1)
            return false;
    return true;
}

/* Elements begin..end, a few at a time, so that they stay in the nearest cache from one step to the next. */
static void fill_row_by_chunks(const gp_reduction *job, gp_scratch *scratch, int64_t row, int64_t begin, int64_t end,
                               bool is_one_to_one, double *out)
{
    int64_t chunk_elems = job->chunk_elems < CHUNK_ELEMS ? job->chunk_elems : CHUNK_ELEMS, p = 0;
    for (int64_t col = begin; col < end; col += chunk_elems) {
        int64_t col_end = col + chunk_elems < end ? col + chunk_elems : end;
        double *values = is_one_to_one ? out + (col - begin) : scratch->values;
        load_cells(job, scratch, row, col, col_end, values);
        if (!is_one_to_one)
            p = pick_cells(job, values, col, col_end, p, out);
    }
    for (; p < job->col_axis->n_cells && !is_one_to_one; p++)
        out[p] = gp_empty_cell();
}

void gp_reduce_nearest(const gp_reduction *job, gp_scratch *scratch, int64_t q0, int64_t q1, double *out)
{
    int64_t n_cells = job->col_axis->n_cells, begin, end;
    gp_axis_touched(job->col_axis, &begin, &end);
    bool is_one_to_one = are_neighbors(job->col_axis, begin, end);
    for (int64_t q = q0; q < q1; q++) {
        const gp_span *span = &job->row_axis->spans[q];
        double *row_out = out + q * n_cells;
        if (span->touched_begin >= span->touched_end)
            for (int64_t p = 0; p < n_cells; p++)
                row_out[p] = gp_empty_cell();
        else if (end - begin <= 4 * n_cells) /* most elements of the row are wanted */
            fill_row_by_chunks(job, scratch, span->touched_begin, begin, end, is_one_to_one, row_out);
        else
            fill_row(job, scratch, span->touched_begin, row_out);
    }
}
