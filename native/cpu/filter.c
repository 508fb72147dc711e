/* Resamples cells: rows of the source are added up first, then columns; cell by cell where something is not finite. */
#include "../core/filter.h"
#include "../core/threads.h"
#include "cpu.h"

#include <stdlib.h>

enum { CELLS_PER_PIECE = 1 << 14 };

typedef struct filter_job {
    const gp_cells *from;
    const gp_taps *rows, *cols;
    gp_nan nan;
    double *out;
    uint8_t *is_finite; /* of each row of the source */
    double *columns;    /* of each worker: sums, smallest and largest of the columns of some rows */
    int64_t rows_per_piece;
} filter_job;

static gp_status look_at_row(void *context, int64_t row, int worker, gp_error *error)
{
    const filter_job *job = context;
    const double *x = job->from->data + row * job->from->n_cols;
    double odd = 0;
    (void)worker, (void)error;
    for (int64_t i = 0; i < job->from->n_cols; i++)
        odd += x[i] - x[i];
    job->is_finite[row] = odd == 0;
    return GP_OK;
}

static bool are_finite(const filter_job *job, int64_t q)
{
    for (int i = 0; i < job->rows->n_taps; i++)
        if (!job->is_finite[job->rows->first[q] + i])
            return false;
    return true;
}

/* The columns of the rows of a cell: sums by their weights, and the smallest and largest of those that have one. */
static void add_rows(const filter_job *job, int64_t q, double *restrict sums, double *restrict lows, double *restrict highs)
{
    int64_t n = job->from->n_cols;
    for (int64_t j = 0; j < n; j++)
        sums[j] = 0, lows[j] = (double)INFINITY, highs[j] = -(double)INFINITY;
    for (int i = 0; i < job->rows->n_taps; i++) {
        double weight = job->rows->weights[q * job->rows->n_taps + i];
        const double *restrict x = job->from->data + (job->rows->first[q] + i) * n;
        for (int64_t j = 0; j < n && weight != 0; j++) {
            sums[j] += weight * x[j];
            lows[j] = x[j] < lows[j] ? x[j] : lows[j];
            highs[j] = x[j] > highs[j] ? x[j] : highs[j];
        }
    }
}

static double add_columns(const gp_taps *cols, int64_t p, const double *sums, const double *lows, const double *highs)
{
    double sum = 0, low = (double)INFINITY, high = -(double)INFINITY;
    for (int k = 0; k < cols->n_taps; k++) {
        double weight = cols->weights[p * cols->n_taps + k];
        int64_t j = cols->first[p] + k;
        if (weight == 0)
            continue;
        sum += weight * sums[j];
        low = lows[j] < low ? lows[j] : low, high = highs[j] > high ? highs[j] : high;
    }
    return gp_filter_held(sum, low, high) + 0.0;
}

static bool is_empty(const gp_taps *taps, int64_t i) { return taps->touched[2 * i] >= taps->touched[2 * i + 1]; }

static void filter_row(const filter_job *job, int64_t q, double *columns)
{
    int64_t n = job->from->n_cols;
    double *sums = columns, *lows = columns + n, *highs = columns + 2 * n, *out = job->out + q * job->cols->n_cells;
    bool is_fast = !is_empty(job->rows, q) && are_finite(job, q);
    if (is_fast)
        add_rows(job, q, sums, lows, highs);
    for (int64_t p = 0; p < job->cols->n_cells; p++)
        out[p] = is_fast && !is_empty(job->cols, p) ? add_columns(job->cols, p, sums, lows, highs)
                                                    : gp_filter_cell(job->from->data, n, job->rows, q, job->cols, p, job->nan);
}

static gp_status filter_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const filter_job *job = context;
    int64_t first = piece * job->rows_per_piece, stop = first + job->rows_per_piece;
    (void)error;
    stop = stop < job->rows->n_cells ? stop : job->rows->n_cells;
    for (int64_t q = first; q < stop; q++)
        filter_row(job, q, job->columns + 3 * (int64_t)worker * job->from->n_cols);
    return GP_OK;
}

static gp_status filter_all(filter_job *job, int n_threads, gp_error *error)
{
    int64_t n_rows = job->rows->n_cells;
    size_t n_bytes = 3 * (size_t)n_threads * (size_t)job->from->n_cols * sizeof(double);
    job->is_finite = malloc((size_t)job->from->n_rows + 1);
    job->columns = malloc(n_bytes + 1);
    if (job->is_finite == NULL || job->columns == NULL)
        return gp_fail_memory(error, (double)n_bytes);
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
    job.rows_per_piece = CELLS_PER_PIECE / cols->n_cells > 0 ? CELLS_PER_PIECE / cols->n_cells : 1;
    gp_status status = filter_all(&job, gp_threads_for(8 * n_cells), error);
    free(job.is_finite);
    free(job.columns);
    return status;
}
