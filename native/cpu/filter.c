/* Resamples cells: rows of the source are added up first, then columns; one by one the cells that meet an element that is not finite. */
#include "../core/threads.h"
#include "cpu.h"
#include "filter_loops.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS_PER_PIECE = 1 << 14, CELLS_PER_WINDOW = 8, WINDOW_COLUMNS = 16 };

typedef struct filter_job {
    const gp_filter_loops *loops;
    const gp_cells *from;
    const gp_taps *rows, *cols;
    gp_nan nan;
    double *out;
    uint8_t *is_finite; /* of each row of the source */
    double *columns; /* of each worker */
    int64_t rows_per_piece;
    gp_filter_table table;
    int64_t *others; /* cells of which the table does not know all */
    int64_t n_others;
    void *table_memory;
} filter_job;

GP_DECLARE_LEVELS(gp_filter_loops, gp_filter_loops, );

static bool is_empty(const gp_taps *taps, int64_t i) { return taps->touched[2 * i] >= taps->touched[2 * i + 1]; }

/* ---- the table ------------------------------------------------------------------------------------------------------- */

/* The two runs of the columns with a weight; false where these are fewer than a run has, or have one without weight between them. */
static bool find_runs(const gp_taps *cols, int64_t p, int32_t *near, int32_t *far)
{
    const double *weights = cols->weights + p * cols->n_taps;
    int begin = 0, end = cols->n_taps;
    *near = *far = (int32_t)cols->first[p];
    while (begin < end && weights[begin] == 0)
        begin++;
    while (end > begin && weights[end - 1] == 0)
        end--;
    for (int i = begin; i < end; i++)
        if (weights[i] == 0)
            return false;
    if (end - begin < GP_FILTER_RUN)
        return false;
    *near += begin, *far += end - GP_FILTER_RUN;
    return true;
}

/* The first of the columns that some cells need, or -1 where these are more than a window has. */
static int32_t window_of(const gp_taps *cols, int64_t p)
{
    int64_t first = cols->first[p], last = first;
    for (int64_t i = p; i < p + CELLS_PER_WINDOW; i++) {
        first = cols->first[i] < first ? cols->first[i] : first;
        last = cols->first[i] > last ? cols->first[i] : last;
    }
    return last + cols->n_taps - first <= WINDOW_COLUMNS ? (int32_t)first : -1;
}

static void fill_table(filter_job *job, int32_t *first, int32_t *near, int32_t *far, int32_t *window, double *weights)
{
    const gp_taps *cols = job->cols;
    for (int64_t p = 0; p < cols->n_cells; p++) {
        first[p] = (int32_t)cols->first[p];
        if (!find_runs(cols, p, &near[p], &far[p]) || is_empty(cols, p))
            job->others[job->n_others++] = p;
        for (int k = 0; k < cols->n_taps; k++)
            weights[k * cols->n_cells + p] = cols->weights[p * cols->n_taps + k];
        if (p % CELLS_PER_WINDOW == 0 && p + CELLS_PER_WINDOW <= cols->n_cells)
            window[p / CELLS_PER_WINDOW] = window_of(cols, p);
    }
    job->table = (gp_filter_table){cols->n_cells, cols->n_taps, first, weights, near, far, window};
}

static gp_status make_table(filter_job *job, gp_error *error)
{
    size_t n = (size_t)job->cols->n_cells, n_taps = (size_t)job->cols->n_taps;
    size_t n_bytes = n * ((n_taps + 1) * sizeof(double) + 4 * sizeof(int32_t));
    double *weights = malloc(n_bytes);
    if (weights == NULL)
        return gp_fail_memory(error, (double)n_bytes);
    job->table_memory = weights;
    job->others = (int64_t *)(weights + n * n_taps);
    int32_t *first = (int32_t *)(job->others + n);
    fill_table(job, first, first + n, first + 2 * n, first + 3 * n, weights);
    return GP_OK;
}

/* ---- rows of cells --------------------------------------------------------------------------------------------------- */

static gp_status look_at_row(void *context, int64_t row, int worker, gp_error *error)
{
    const filter_job *job = context;
    (void)worker, (void)error;
    job->is_finite[row] = job->loops->are_finite(job->from->data + row * job->from->n_cols, job->from->n_cols);
    return GP_OK;
}

static bool are_finite(const filter_job *job, int64_t q)
{
    for (int i = 0; i < job->rows->n_taps; i++)
        if (!job->is_finite[job->rows->first[q] + i])
            return false;
    return true;
}

static int64_t column_length(const filter_job *job) { return job->from->n_cols + GP_FILTER_BEYOND; }

static gp_filter_columns columns_of(const filter_job *job, int worker)
{
    int64_t n = column_length(job);
    double *memory = job->columns + 5 * worker * n;
    return (gp_filter_columns){memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n};
}

/* The rows of a cell that have a weight, to columns; false where there are none. */
static bool add_rows(const filter_job *job, int64_t q, const gp_filter_columns *columns)
{
    const double *rows[GP_MOST_TAPS], *all = job->rows->weights + q * job->rows->n_taps;
    double weights[GP_MOST_TAPS];
    int n = 0;
    for (int i = 0; i < job->rows->n_taps; i++)
        if (all[i] != 0)
            rows[n] = job->from->data + (job->rows->first[q] + i) * job->from->n_cols, weights[n] = all[i], n++;
    if (n > 0)
        job->loops->add_rows(rows, weights, n, job->from->n_cols, columns);
    return n > 0;
}

/* A cell of the table's others, by its own weights one after the other. */
static double add_columns(const gp_taps *cols, int64_t p, const gp_filter_columns *columns)
{
    double sum = 0, low = (double)INFINITY, high = -(double)INFINITY;
    for (int k = 0; k < cols->n_taps; k++) {
        double weight = cols->weights[p * cols->n_taps + k];
        int64_t j = cols->first[p] + k;
        if (weight == 0)
            continue;
        sum += weight * columns->sums[j];
        low = columns->lows[j] < low ? columns->lows[j] : low, high = columns->highs[j] > high ? columns->highs[j] : high;
    }
    return gp_filter_held(sum, low, high) + 0.0;
}

static double careful_cell(const filter_job *job, int64_t q, int64_t p)
{
    return gp_filter_cell(job->from->data, job->from->n_cols, job->rows, q, job->cols, p, job->nan);
}

/* What is not 0 where an element of the column, among the rows of a cell, is not finite. */
static void find_odd_columns(const filter_job *job, int64_t q, double *restrict odds)
{
    int64_t n = job->from->n_cols;
    memset(odds, 0, (size_t)n * sizeof *odds);
    for (int i = 0; i < job->rows->n_taps; i++) {
        const double *restrict x = job->from->data + (job->rows->first[q] + i) * n;
        for (int64_t j = 0; j < n && !job->is_finite[job->rows->first[q] + i]; j++)
            odds[j] += x[j] - x[j];
    }
}

static bool has_odd_column(const gp_taps *cols, int64_t p, const double *odds)
{
    double odd = 0;
    for (int k = 0; k < cols->n_taps; k++)
        odd += odds[cols->first[p] + k];
    return odd != 0;
}

/* Cells that meet an element that is not finite, anew. */
static void mend_row(const filter_job *job, int64_t q, double *odds, double *out)
{
    find_odd_columns(job, q, odds);
    for (int64_t p = 0; p < job->cols->n_cells; p++)
        if (has_odd_column(job->cols, p, odds))
            out[p] = careful_cell(job, q, p);
}

static void filter_row(const filter_job *job, int64_t q, const gp_filter_columns *columns)
{
    double *out = job->out + q * job->cols->n_cells;
    bool is_fast = !is_empty(job->rows, q) && add_rows(job, q, columns);
    for (int64_t p = 0; p < job->cols->n_cells && !is_fast; p++)
        out[p] = careful_cell(job, q, p);
    if (!is_fast)
        return;
    job->loops->add_columns(&job->table, columns, out);
    for (int64_t i = 0; i < job->n_others; i++) {
        int64_t p = job->others[i];
        out[p] = is_empty(job->cols, p) ? careful_cell(job, q, p) : add_columns(job->cols, p, columns);
    }
    if (!are_finite(job, q))
        mend_row(job, q, columns->sums, out); /* which are not needed any more */
}

static gp_status filter_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const filter_job *job = context;
    int64_t first = piece * job->rows_per_piece, stop = first + job->rows_per_piece;
    gp_filter_columns columns = columns_of(job, worker);
    (void)error;
    stop = stop < job->rows->n_cells ? stop : job->rows->n_cells;
    for (int64_t q = first; q < stop; q++)
        filter_row(job, q, &columns);
    return GP_OK;
}

static gp_status filter_all(filter_job *job, int n_threads, gp_error *error)
{
    int64_t n_rows = job->rows->n_cells;
    size_t n_bytes = 5 * (size_t)n_threads * (size_t)column_length(job) * sizeof(double);
    job->is_finite = malloc((size_t)job->from->n_rows + 1);
    job->columns = malloc(n_bytes);
    if (job->is_finite == NULL || job->columns == NULL)
        return gp_fail_memory(error, (double)n_bytes);
    GP_TRY(make_table(job, error));
    GP_TRY(gp_threads_run(job->from->n_rows, n_threads, look_at_row, job, error));
    return gp_threads_run((n_rows + job->rows_per_piece - 1) / job->rows_per_piece, n_threads, filter_piece, job, error);
}

gp_status gp_cpu_filter(const gp_cells *from, const gp_taps *rows, const gp_taps *cols, gp_nan nan, gp_cells *out,
                        gp_error *error)
{
    filter_job job = {.from = from, .rows = rows, .cols = cols, .nan = nan, .out = out->data};
    int64_t n_cells = rows->n_cells * cols->n_cells;
    if (n_cells == 0)
        return GP_OK;
    if (from->n_cols > INT32_MAX - GP_FILTER_BEYOND)
        return gp_fail(error, GP_ERR_OVERFLOW, "cells of %lld columns can't be resampled", (long long)from->n_cols);
    job.loops = GP_AT_LEVEL_HERE(gp_filter_loops);
    job.rows_per_piece = CELLS_PER_PIECE / cols->n_cells > 0 ? CELLS_PER_PIECE / cols->n_cells : 1;
    gp_status status = filter_all(&job, gp_threads_for(8 * n_cells), error);
    free(job.is_finite);
    free(job.columns);
    free(job.table_memory);
    return status;
}
