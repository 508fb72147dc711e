/* agg 'nearest': the one element of each cell, as it is. */
#include "reduce.h"

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

/* The cells of one chunk of columns, read as a row. */
static int64_t fill_chunk(const gp_reduction *job, gp_scratch *scratch, int64_t row, int64_t col0, int64_t col1, int64_t p,
                          double *out)
{
    const gp_axis *cols = job->col_axis;
    const void *elems = gp_rows_get(&job->rows, row, col0, col1 - col0, scratch->packed, scratch->row_scratch);
    job->loops->values(elems, col1 - col0, scratch->values);
    for (; p < cols->n_cells && cols->spans[p].touched_begin < col1; p++)
        if (cols->spans[p].touched_begin < cols->spans[p].touched_end)
            out[p] = cell_value(scratch->values[cols->spans[p].touched_begin - col0]);
    return p;
}

static void fill_row_by_chunks(const gp_reduction *job, gp_scratch *scratch, int64_t row, int64_t begin, int64_t end, double *out)
{
    int64_t p = 0;
    for (int64_t i = 0; i < job->col_axis->n_cells; i++)
        out[i] = gp_empty_cell();
    for (int64_t col = begin; col < end; col += job->chunk_elems)
        p = fill_chunk(job, scratch, row, col, col + job->chunk_elems < end ? col + job->chunk_elems : end, p, out);
}

void gp_reduce_nearest(const gp_reduction *job, gp_scratch *scratch, int64_t q0, int64_t q1, double *out)
{
    int64_t n_cells = job->col_axis->n_cells, begin, end;
    gp_axis_touched(job->col_axis, &begin, &end);
    for (int64_t q = q0; q < q1; q++) {
        const gp_span *span = &job->row_axis->spans[q];
        double *row_out = out + q * n_cells;
        if (span->touched_begin >= span->touched_end)
            for (int64_t p = 0; p < n_cells; p++)
                row_out[p] = gp_empty_cell();
        else if (end - begin <= 4 * n_cells) /* most elements of the row are wanted */
            fill_row_by_chunks(job, scratch, span->touched_begin, begin, end, row_out);
        else
            fill_row(job, scratch, span->touched_begin, row_out);
    }
}
