/* Reduces a plane as it lies in memory: plans the pieces, sets up the reduction and takes it down, and gathers limits. */
#include "reduce_job.h"

#include "../../core/base/alloc.h"
#include "../../core/base/arithmetic.h"
#include "reduce_ways.h"
#include "../../core/base/threads.h"

#define IN_PLACE_CHUNK 8192
#define PACKED_CHUNK 2048

/*
 * What to find out about elements on the way; 0 where not every element is met. Elements are not counted: the range tells whether all
 * are finite, and counting the others takes a pass of its own.
 */
static unsigned fused_want(const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options)
{
    bool is_met = options->agg != GP_AGG_NEAREST && gp_axis_is_partition(rows) && gp_axis_is_partition(cols);
    bool counts_alone = (options->want & (GP_WANT_COUNTS | GP_WANT_RANGE)) == GP_WANT_COUNTS;
    return is_met && !counts_alone ? options->want & ~(unsigned)GP_WANT_COUNTS : 0;
}

/* NULL where all cells have one width. */
static gp_status make_col_weights(const gp_axis *cols, double **out, gp_error *error)
{
    if (cols->even_width > 0)
        return GP_OK;
    GP_TRY(gp_alloc((size_t)cols->n_cells * sizeof **out, out, error));
    for (int64_t p = 0; p < cols->n_cells; p++)
        (*out)[p] = gp_span_weight_of(&cols->spans[p], cols->spans[p].touched_begin, cols->spans[p].touched_end);
    return GP_OK;
}

/* Masked elements become float64 one by one, which takes three times as long; but many tiles of a masked plane have none. */
static void make_unmasked(const gp_plane *plane, const gp_reduce_options *options, gp_reduce_job *job)
{
    gp_reduction *r = &job->unmasked;
    gp_plane bare = *plane;
    if (plane->mask == NULL || plane->n_stages > 0)
        return;
    *r = job->reductions[0];
    bare.mask = NULL;
    gp_row_reader_init(&bare, options->nan, &r->rows);
    r->loops = gp_loops_for(r->rows.dtype);
    job->has_unmasked = job->is_whole && r->rows.source != GP_ROWS_VALUES && gp_can_reduce_tiles(r);
}

static gp_status init_reduction(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                                int n_threads, gp_reduce_job *job, gp_error *error)
{
    gp_reduction *r = &job->reductions[0];
    gp_row_reader_init(plane, options->nan, &r->rows);
    job->n_targets = job->without_nan != NULL && gp_reduction_keeps_rows(r) ? 2 : 1;
    r->loops = gp_loops_for(r->rows.dtype);
    r->folds = gp_folds_here();
    r->row_axis = rows, r->col_axis = cols;
    bool splits_nan = job->without_nan != NULL && job->n_targets == 1;
    r->nan = job->out_states != NULL || splits_nan ? GP_NAN_INFINITE : options->nan;
    job->nan = options->nan;
    r->agg = options->agg, r->kind = gp_agg_kind(options->agg), r->order = gp_plane_order_type(plane);
    r->want = fused_want(rows, cols, options);
    r->chunk_elems = r->rows.source == GP_ROWS_IN_PLACE ? IN_PLACE_CHUNK : PACKED_CHUNK;
    if (r->chunk_elems > plane->n_cols)
        r->chunk_elems = plane->n_cols;
    r->most_rows = gp_reduction_keeps_rows(r) ? GP_KEPT_ROWS : INT64_MAX;
    r->is_one_to_one = options->agg == GP_AGG_NEAREST && gp_axis_is_one_to_one(cols);
    if (!r->is_one_to_one)
        GP_TRY(gp_cell_columns_make(cols, &r->cell_columns, error));
    job->is_whole = !job->plan.is_partial && gp_can_reduce_tiles(r);
    GP_TRY(make_col_weights(cols, &r->col_weights, error));
    make_unmasked(plane, options, job);
    job->reductions[1] = *r;
    job->reductions[1].nan = GP_NAN_INFINITE, job->reductions[1].leaves_out_nan = true;
    return gp_scratches_alloc(job->reductions, job->n_targets, cols->n_cells, n_threads, &job->scratches, error);
}

/* What the threads have seen; limits without NaN are those of all elements that it does not mark, and of the others without it. */
static void join_limits(const gp_reduce_job *job, int n_threads, gp_limits_state *out, gp_limits_state *without_nan)
{
    gp_limits_state shown = gp_limits_state_none(), others = gp_limits_state_none();
    for (int i = 0; i < n_threads * job->n_targets; i++)
        gp_limits_state_join(i % job->n_targets == 0 ? &shown : &others, &job->scratches[i].limits);
    *out = shown;
    gp_limits_state_join(&others, &shown);
    if (without_nan != NULL)
        *without_nan = others;
}

static int64_t product(int64_t a, int64_t b) { return a > INT64_MAX / b ? INT64_MAX : a * b; }

/* Each row of cells is reduced once: those of the output, which come first in it now, to their places. */
static void spread_rows(const gp_reduce_job *job, double *out, int64_t n_cols)
{
    for (int64_t q = job->distinct.n_cells - 1; q >= 0; q--)
        for (int64_t row = job->out_rows[q + 1] - 1; row >= job->out_rows[q]; row--)
            if (row != q)
                memcpy(out + row * n_cols, out + q * n_cols, (size_t)n_cols * sizeof(double));
}

/* Cells, or their partial results, without any elements. */
static void fill_nothing(const gp_reduce_job *job, gp_agg agg, int64_t n)
{
    const gp_cell_state none = gp_cell_state_none(gp_agg_kind(agg));
    for (int64_t i = 0; i < n && job->out_states == NULL; i++)
        job->out[i] = gp_empty_cell();
    for (int64_t i = 0; i < n && job->out_states != NULL; i++)
        job->out_states[i] = none;
}

static gp_status start_job(gp_reduce_job *job, const gp_plane *plane, const gp_axis *cols, const gp_reduce_options *options,
                           int *n_threads, gp_error *error)
{
    const gp_axis *rows = &job->distinct;
    int64_t n_reads = gp_plane_reads_per_elem(plane);
    GP_TRY(gp_plan_make(rows, cols, n_reads, &job->plan, error));
    int64_t n_cell_rows = job->plan.row_cell1 - job->plan.row_cell0, n_cell_cols = job->plan.col_cell1 - job->plan.col_cell0;
    *n_threads = gp_threads_for(gp_larger(product(job->plan.n_elems, n_reads), n_cell_rows * n_cell_cols));
    if (n_cell_rows < rows->n_cells || n_cell_cols < cols->n_cells)
        fill_nothing(job, options->agg, rows->n_cells * cols->n_cells);
    return job->plan.n_elems > 0 ? init_reduction(plane, rows, cols, options, *n_threads, job, error) : GP_OK;
}

static void end_job(gp_reduce_job *job, int n_threads)
{
    int n_scratches = job->scratches != NULL ? n_threads * job->n_targets : 0;
    for (int i = 0; i < n_scratches; i++)
        job->has_nan |= job->scratches[i].has_nan, job->needs |= job->scratches[i].needs;
    gp_scratches_free(job->scratches, n_scratches);
    gp_cell_columns_free(&job->reductions[0].cell_columns);
    free(job->reductions[0].col_weights);
    free(job->partial_memory);
    gp_plan_free(&job->plan);
}

gp_status gp_reduce_distinct(gp_reduce_job *job, const gp_plane *plane, const gp_axis *cols, const gp_reduce_options *options,
                             gp_limits_state *limits, bool *has_limits, gp_error *error)
{
    int n_threads = 0;
    gp_status status = start_job(job, plane, cols, options, &n_threads, error);
    bool has_elems = status == GP_OK && job->plan.n_elems > 0;
    if (has_elems)
        status = gp_reduce_pieces(job, 1, n_threads, error);
    *has_limits = has_elems && status == GP_OK && job->reductions[0].want != 0 && limits != NULL;
    if (*has_limits)
        join_limits(job, n_threads, limits, options->limits_without_nan);
    end_job(job, n_threads);
    return status;
}

/* The cells of the job's distinct rows in all rows that show them. */
static void spread_cells(const gp_reduce_job *job, int64_t n_cols)
{
    spread_rows(job, job->out, n_cols);
    if (job->has_nan)
        spread_rows(job, job->without_nan, n_cols);
}

gp_status gp_reduce_upright(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                            gp_reduce_job *job, gp_limits_state *limits, bool *has_limits, gp_error *error)
{
    GP_TRY(gp_axis_distinct(rows, &job->distinct, &job->out_rows, error));
    gp_status status = gp_reduce_distinct(job, plane, cols, options, limits, has_limits, error);
    if (status == GP_OK)
        spread_cells(job, cols->n_cells);
    gp_axis_free(&job->distinct);
    return status;
}

gp_status gp_reduce_together(const gp_plane *planes, int n, const gp_axis *rows, const gp_axis *cols,
                             const gp_reduce_options *options, gp_reduce_job *jobs, gp_error *error)
{
    int n_threads = 0;
    gp_status status = GP_OK;
    for (int i = 0; i < n && status == GP_OK; i++) {
        status = gp_axis_distinct(rows, &jobs[i].distinct, &jobs[i].out_rows, error);
        if (status == GP_OK)
            status = start_job(&jobs[i], &planes[i], cols, options, &n_threads, error);
    }
    if (status == GP_OK && jobs[0].plan.n_elems > 0)
        status = gp_reduce_pieces(jobs, n, n_threads, error);
    for (int i = 0; i < n; i++) {
        end_job(&jobs[i], n_threads);
        if (status == GP_OK)
            spread_cells(&jobs[i], cols->n_cells);
        gp_axis_free(&jobs[i].distinct);
    }
    return status;
}
