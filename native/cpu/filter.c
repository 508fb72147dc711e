/* Resamples cells: rows of the source are added up first, then columns; one by one the cells that meet an element
 * that is not finite. */
#include "../core/filter.h"
#include "../core/threads.h"
#include "cpu.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS_PER_PIECE = 1 << 14 };

typedef struct filter_job {
    const gp_cells *from;
    const gp_taps *rows, *cols;
    gp_nan nan;
    double *out;
    uint8_t *is_finite; /* of each row of the source */
    double *columns;    /* of each worker: see `column_sums` */
    int64_t rows_per_piece;
} filter_job;

/* The rows of a cell added up, column by column: sums by their weights, the smallest and largest of those that have one, and
 * what is not 0 where an element of the column is not finite. */
typedef struct column_sums {
    double *sums, *lows, *highs, *odds;
} column_sums;

enum { ARRAYS_OF_COLUMNS = 4 };

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

static void add_rows(const filter_job *job, int64_t q, const column_sums *columns)
{
    double *restrict sums = columns->sums, *restrict lows = columns->lows, *restrict highs = columns->highs;
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

static double add_columns(const gp_taps *cols, int64_t p, const column_sums *columns)
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

static bool is_empty(const gp_taps *taps, int64_t i) { return taps->touched[2 * i] >= taps->touched[2 * i + 1]; }

static void filter_row(const filter_job *job, int64_t q, double *memory)
{
    int64_t n = job->from->n_cols;
    column_sums columns = {memory, memory + n, memory + 2 * n, memory + 3 * n};
    double *out = job->out + q * job->cols->n_cells;
    bool is_row_empty = is_empty(job->rows, q), is_row_finite = are_finite(job, q);
    if (!is_row_empty)
        add_rows(job, q, &columns);
    if (!is_row_finite)
        find_odd_columns(job, q, columns.odds);
    for (int64_t p = 0; p < job->cols->n_cells; p++) {
        bool is_slow = is_row_empty || is_empty(job->cols, p) || (!is_row_finite && has_odd_column(job->cols, p, columns.odds));
        out[p] = is_slow ? gp_filter_cell(job->from->data, n, job->rows, q, job->cols, p, job->nan)
                         : add_columns(job->cols, p, &columns);
    }
}

static gp_status filter_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const filter_job *job = context;
    int64_t first = piece * job->rows_per_piece, stop = first + job->rows_per_piece;
    (void)error;
    stop = stop < job->rows->n_cells ? stop : job->rows->n_cells;
    for (int64_t q = first; q < stop; q++)
        filter_row(job, q, job->columns + ARRAYS_OF_COLUMNS * (int64_t)worker * job->from->n_cols);
    return GP_OK;
}

static gp_status filter_all(filter_job *job, int n_threads, gp_error *error)
{
    int64_t n_rows = job->rows->n_cells;
    size_t n_bytes = ARRAYS_OF_COLUMNS * (size_t)n_threads * (size_t)job->from->n_cols * sizeof(double);
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
