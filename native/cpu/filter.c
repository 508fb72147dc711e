/* Resamples cells: weighted sums over rows, then over columns; cells that touch a source cell that is not finite are computed again. */
#include "../core/base/threads.h"
#include "cpu.h"
#include "simd/filter_loops.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS_PER_PIECE = 1 << 14 };

typedef struct filter_job {
    const gp_filter_loops *loops;
    const gp_cells *from;
    const gp_taps *rows, *cols;
    gp_nan nan;
    double *out;
    uint8_t *is_finite; /* for each row of the source: all elements are finite */
    double *columns; /* for each worker */
    int64_t rows_per_piece;
    gp_filter_table table;
    int64_t *others; /* columns of cells that are not in the table */
    int64_t n_others;
    void *table_memory;
} filter_job;

GP_DECLARE_LEVELS(gp_filter_loops, gp_filter_loops, );

static bool is_empty(const gp_taps *taps, int64_t i) { return taps->touched[2 * i] >= taps->touched[2 * i + 1]; }

/* ---- the table ------------------------------------------------------------------------------------------------------- */

/* Columns first to stop - 1, relative to the cell's index in its block. */
typedef struct span {
    int64_t first, stop;
} span;

/* The columns that have a weight for any cell of a block. */
static span columns_of_block(const gp_taps *cols, int64_t block)
{
    span all = {INT64_MAX, INT64_MIN};
    for (int64_t i = 0; i < GP_FILTER_BLOCK && block * GP_FILTER_BLOCK + i < cols->n_cells; i++) {
        int64_t p = block * GP_FILTER_BLOCK + i;
        for (int64_t k = 0, at = cols->first[p] - i; k < cols->n_taps; k++, at++)
            if (cols->weights[p * cols->n_taps + k] != 0)
                all = (span){at < all.first ? at : all.first, at >= all.stop ? at + 1 : all.stop};
    }
    return all.first < all.stop ? all : (span){0, 1}; /* no column has a weight */
}

static bool is_in_reach(span columns) { return columns.stop - columns.first <= GP_FILTER_MOST_REACH; }

static int find_reach(const gp_taps *cols, int64_t n_blocks)
{
    int64_t most = 1;
    for (int64_t block = 0; block < n_blocks; block++) {
        span columns = columns_of_block(cols, block);
        if (is_in_reach(columns) && columns.stop - columns.first > most)
            most = columns.stop - columns.first;
    }
    return most == 1 ? 1 : most <= 6 ? 6 : most <= 8 ? 8 : GP_FILTER_MOST_REACH;
}

/* Writes the weights of cell i of a block whose columns begin at `first`; false if it has none. */
static bool fill_cell(const gp_taps *cols, int64_t p, int64_t i, int64_t first, double *weights)
{
    bool has_any = false;
    for (int64_t k = 0, at = cols->first[p] - i - first; k < cols->n_taps; k++, at++)
        if (cols->weights[p * cols->n_taps + k] != 0) {
            weights[2 * at * GP_FILTER_BLOCK + i] = cols->weights[p * cols->n_taps + k];
            weights[(2 * at + 1) * GP_FILTER_BLOCK + i] = 0;
            has_any = true;
        }
    return has_any;
}

static void fill_block(filter_job *job, int64_t block, int32_t *first, double *weights)
{
    const gp_taps *cols = job->cols;
    span columns = columns_of_block(cols, block);
    bool is_known = is_in_reach(columns);
    *first = (int32_t)(is_known ? columns.first : 0);
    for (int i = 0; i < 2 * GP_FILTER_BLOCK * job->table.reach; i++)
        weights[i] = i / GP_FILTER_BLOCK % 2 == 0 ? 0 : (double)INFINITY;
    for (int64_t i = 0; i < GP_FILTER_BLOCK && block * GP_FILTER_BLOCK + i < cols->n_cells; i++) {
        int64_t p = block * GP_FILTER_BLOCK + i;
        if (!is_known || !fill_cell(cols, p, i, columns.first, weights) || is_empty(cols, p))
            job->others[job->n_others++] = p;
    }
}

static gp_status make_table(filter_job *job, gp_error *error)
{
    int64_t n_blocks = (job->cols->n_cells + GP_FILTER_BLOCK - 1) / GP_FILTER_BLOCK;
    int reach = find_reach(job->cols, n_blocks), n_weights = 2 * GP_FILTER_BLOCK * reach;
    size_t n_bytes = (size_t)n_blocks * ((size_t)(n_weights + GP_FILTER_BLOCK) * sizeof(double) + sizeof(int32_t));
    double *weights = malloc(n_bytes);
    if (weights == NULL)
        return gp_fail_memory(error, (double)n_bytes);
    job->table_memory = weights;
    job->others = (int64_t *)(weights + n_blocks * n_weights);
    int32_t *first = (int32_t *)(job->others + n_blocks * GP_FILTER_BLOCK);
    job->table = (gp_filter_table){job->cols->n_cells, reach, first, weights};
    for (int64_t block = 0; block < n_blocks; block++)
        fill_block(job, block, first + block, weights + block * n_weights);
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

static int64_t column_length(const filter_job *job) { return job->from->n_cols + 2 * GP_FILTER_BEYOND; }

static gp_filter_columns columns_of(const filter_job *job, int worker)
{
    int64_t n = column_length(job);
    double *sums = job->columns + 4 * worker * n + GP_FILTER_BEYOND;
    return (gp_filter_columns){sums, sums + n, sums + 2 * n, sums + 3 * n};
}

/* Adds the rows with a weight for cell row q to the columns; false if there are none. is_whole: all their elements are finite. */
static bool add_rows(const filter_job *job, int64_t q, bool is_whole, const gp_filter_columns *columns)
{
    const double *rows[GP_MOST_TAPS], *all = job->rows->weights + q * job->rows->n_taps;
    double weights[GP_MOST_TAPS];
    int n = 0;
    for (int i = 0; i < job->rows->n_taps; i++)
        if (all[i] != 0)
            rows[n] = job->from->data + (job->rows->first[q] + i) * job->from->n_cols, weights[n] = all[i], n++;
    if (n > 0)
        (is_whole ? job->loops->add_rows : job->loops->add_finite_rows)(rows, weights, n, job->from->n_cols, columns);
    return n > 0;
}

static double careful_cell(const filter_job *job, int64_t q, int64_t p)
{
    return gp_filter_cell(job->from->data, job->from->n_cols, job->rows, q, job->cols, p, job->nan);
}

/* Marks the columns with an element that is not finite, among the rows that cell row q touches, by a number other than 0. */
static void find_odd_columns(const filter_job *job, int64_t q, double *restrict odds)
{
    int64_t n = job->from->n_cols;
    memset(odds, 0, (size_t)n * sizeof *odds);
    for (int64_t row = job->rows->touched[2 * q]; row < job->rows->touched[2 * q + 1]; row++) {
        const double *restrict x = job->from->data + row * n;
        for (int64_t j = 0; j < n && !job->is_finite[row]; j++)
            odds[j] += x[j] - x[j];
    }
}

static bool touches_odd_column(const gp_taps *cols, int64_t p, const double *odds)
{
    double odd = 0;
    for (int64_t j = cols->touched[2 * p]; j < cols->touched[2 * p + 1]; j++)
        odd += odds[j];
    return odd != 0;
}

/* The final value of a cell that touches an element that is not finite; `value` is its filtered value, NaN if it has none. */
static double mended_cell(const filter_job *job, int64_t q, int64_t p, double value)
{
    unsigned has = gp_filter_kinds(job->from->data, job->from->n_cols, job->rows, q, job->cols, p);
    if (has == 0)
        return gp_empty_cell();
    if (gp_is_marked(has, job->nan))
        return gp_mark_of(has, job->nan);
    return value == value ? value : careful_cell(job, q, p);
}

static void mend_row(const filter_job *job, int64_t q, double *odds, double *out)
{
    find_odd_columns(job, q, odds);
    for (int64_t p = 0; p < job->cols->n_cells; p++)
        if (out[p] != out[p] || touches_odd_column(job->cols, p, odds))
            out[p] = mended_cell(job, q, p, out[p]);
}

static void filter_row(const filter_job *job, int64_t q, const gp_filter_columns *columns)
{
    double *out = job->out + q * job->cols->n_cells;
    bool is_whole = are_finite(job, q), is_fast = !is_empty(job->rows, q) && add_rows(job, q, is_whole, columns);
    for (int64_t p = 0; p < job->cols->n_cells && !is_fast; p++)
        out[p] = careful_cell(job, q, p);
    if (!is_fast)
        return;
    (is_whole ? job->loops->add_columns : job->loops->add_finite_columns)(&job->table, columns, out);
    if (!is_whole)
        mend_row(job, q, columns->sums, out); /* the sums are free for reuse */
    for (int64_t i = 0; i < job->n_others; i++)
        out[job->others[i]] = careful_cell(job, q, job->others[i]);
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
    size_t n_columns = 4 * (size_t)n_threads * (size_t)column_length(job);
    job->is_finite = malloc((size_t)job->from->n_rows + 1);
    job->columns = calloc(n_columns, sizeof(double));
    if (job->is_finite == NULL || job->columns == NULL)
        return gp_fail_memory(error, (double)n_columns * sizeof(double));
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
    if (from->n_cols > INT32_MAX - 2 * GP_FILTER_BEYOND)
        return gp_fail(error, GP_ERR_OVERFLOW, "cells of %lld columns can't be resampled", (long long)from->n_cols);
    job.loops = GP_AT_LEVEL_HERE(gp_filter_loops);
    job.rows_per_piece = CELLS_PER_PIECE / cols->n_cells > 0 ? CELLS_PER_PIECE / cols->n_cells : 1;
    gp_status status = filter_all(&job, gp_threads_for(8 * n_cells), error);
    free(job.is_finite);
    free(job.columns);
    free(job.table_memory);
    return status;
}
