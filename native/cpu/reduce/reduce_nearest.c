/* agg 'nearest': the one element of each cell, as it is. */
#include "reduce_ways.h"

#define CHUNK_ELEMS 1024

static double cell_value(double x)
{
    unsigned has = gp_class_of(x);
    return has == GP_HAS_FINITE ? x + 0.0 : gp_mark_value(has);
}

/* Computes elements of a plane with hidden axes for all targets. */
static void keep(const gp_reduce_target *target, int64_t row, int64_t col0, int64_t col1)
{
    const int64_t bounds[4] = {row, row + 1, col0, col1};
    gp_reduction_keep(target->job, target->scratch, bounds);
}

static void load_values(const gp_reduce_target *target, int64_t row, int64_t col0, int64_t col1, double *out)
{
    const gp_reduction *job = target->job;
    job->loops->values(gp_reduction_row(job, target->scratch, row, col0, col1 - col0, 0), col1 - col0, out);
}

/* Elements col0..col1 of a row as values of cells: marks if they are not finite. */
static void load_cells(const gp_reduce_target *target, int64_t row, int64_t col0, int64_t col1, double *out)
{
    load_values(target, row, col0, col1, out);
    bool are_finite = target->job->folds->unsign_zeros(out, col1 - col0);
    for (int64_t i = 0; i < col1 - col0 && !are_finite; i++)
        out[i] = cell_value(out[i]);
}

static void fill_row(const gp_reduce_target *targets, int n_targets, int64_t row, double *const *outs)
{
    const gp_axis *cols = targets[0].job->col_axis;
    for (int64_t p = 0; p < cols->n_cells; p++) {
        int64_t begin = cols->spans[p].touched_begin, end = cols->spans[p].touched_end;
        if (begin < end)
            keep(&targets[0], row, begin, begin + 1);
        for (int i = 0; i < n_targets; i++) {
            outs[i][p] = gp_empty_cell();
            if (begin >= end)
                continue;
            load_values(&targets[i], row, begin, begin + 1, &outs[i][p]);
            outs[i][p] = cell_value(outs[i][p]);
        }
    }
}

/* The cells among values of the elements from col0 on: cell p on, whose elements lie before col1. */
static int64_t pick_cells(const gp_reduction *job, const double *values, int64_t col0, int64_t col1, int64_t p, double *out)
{
    const gp_axis *cols = job->col_axis;
    const int32_t *first = job->cell_columns.first; /* the column of each cell's element */
    for (; first != NULL && p < cols->n_cells && first[p] < col1; p++)
        out[p] = values[first[p] - col0];
    for (; first == NULL && p < cols->n_cells && cols->spans[p].touched_begin < col1; p++)
        out[p] = cols->spans[p].touched_begin < cols->spans[p].touched_end ? values[cols->spans[p].touched_begin - col0]
                                                                           : gp_empty_cell();
    return p;
}

/* Elements begin..end, a few at a time, so that they stay in the nearest cache from one step to the next. */
static void fill_row_by_chunks(const gp_reduce_target *targets, int n_targets, int64_t row, int64_t begin, int64_t end,
                               double *const *outs)
{
    const gp_reduction *job = targets[0].job;
    bool is_one_to_one = job->is_one_to_one;
    int64_t chunk_elems = job->chunk_elems < CHUNK_ELEMS ? job->chunk_elems : CHUNK_ELEMS, p = 0, next = 0;
    for (int64_t col = begin; col < end; col += chunk_elems, p = next) {
        int64_t col_end = col + chunk_elems < end ? col + chunk_elems : end;
        keep(&targets[0], row, col, col_end);
        for (int i = 0; i < n_targets; i++) {
            double *values = is_one_to_one ? outs[i] + (col - begin) : targets[i].scratch->values;
            load_cells(&targets[i], row, col, col_end, values);
            if (!is_one_to_one)
                next = pick_cells(job, values, col, col_end, p, outs[i]);
        }
    }
    for (; p < job->col_axis->n_cells && !is_one_to_one; p++)
        for (int i = 0; i < n_targets; i++)
            outs[i][p] = gp_empty_cell();
}

void gp_reduce_nearest(const gp_reduce_target *targets, int n_targets, int64_t q0, int64_t q1, double *const *outs)
{
    const gp_reduction *job = targets[0].job;
    int64_t n_cells = job->col_axis->n_cells, begin, end;
    gp_axis_touched(job->col_axis, &begin, &end);
    for (int64_t q = q0; q < q1; q++) {
        const gp_span *span = &job->row_axis->spans[q];
        double *rows_out[] = {outs[0] + q * n_cells, n_targets > 1 ? outs[1] + q * n_cells : NULL};
        if (span->touched_begin >= span->touched_end)
            for (int64_t p = 0; p < n_cells * n_targets; p++)
                rows_out[p / n_cells][p % n_cells] = gp_empty_cell();
        else if (end - begin <= 4 * n_cells) /* the cells show at least a quarter of the row's elements */
            fill_row_by_chunks(targets, n_targets, span->touched_begin, begin, end, rows_out);
        else
            fill_row(targets, n_targets, span->touched_begin, rows_out);
    }
}
