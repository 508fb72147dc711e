/* Reduces a plane to cells or to their partial results: a transposed plane is turned, and limits not met on the way are found apart. */
#include "cpu.h"

#include "reduce_channels.h"
#include "reduce_job.h"

#include "../../core/base/alloc.h"
#include "../../core/base/arithmetic.h"

#include "../../core/grids/cell_states.h"
#include "../../core/tensor/plane_layout.h"

#define TURN_BLOCK 32

/* out[row][col] = cells[col][row], by blocks that fit the cache. */
static void turn_cells(const double *cells, int64_t n_rows, int64_t n_cols, double *out)
{
    for (int64_t row0 = 0; row0 < n_rows; row0 += TURN_BLOCK)
        for (int64_t col0 = 0; col0 < n_cols; col0 += TURN_BLOCK)
            for (int64_t row = row0; row < row0 + TURN_BLOCK && row < n_rows; row++)
                for (int64_t col = col0; col < col0 + TURN_BLOCK && col < n_cols; col++)
                    out[row * n_cols + col] = cells[col * n_rows + row];
}

static gp_status reduce_turned(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                               gp_reduce_job *job, gp_limits_state *limits, bool *has_limits, gp_error *error)
{
    gp_plane turned = gp_plane_transpose(plane);
    double *out = job->out, *without_nan = job->without_nan;
    int64_t n = rows->n_cells * cols->n_cells;
    GP_FREED double *cells = NULL;
    GP_TRY(gp_alloc((size_t)n * sizeof(double) * (without_nan != NULL ? 2 : 1), &cells, error));
    job->out = cells, job->without_nan = without_nan != NULL ? cells + n : NULL;
    GP_TRY(gp_reduce_upright(&turned, cols, rows, options, job, limits, has_limits, error));
    turn_cells(cells, rows->n_cells, cols->n_cells, out);
    if (job->has_nan)
        turn_cells(cells + n, rows->n_cells, cols->n_cells, without_nan);
    return GP_OK;
}

static void swap_cells(double *a, double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double kept = a[i];
        a[i] = b[i], b[i] = kept;
    }
}

/* Cells that stand for more or for fewer elements than they were made of; marks and empty ones do not change. */
static void multiply_cells(double *cells, const gp_axis *rows, const gp_axis *cols)
{
    for (int64_t row = 0; row < rows->n_cells && (rows->factors != NULL || cols->factors != NULL); row++)
        for (int64_t col = 0; col < cols->n_cells; col++)
            cells[row * cols->n_cells + col] = gp_axis_multiply(rows->factors, row, cols->factors, col,
                                                                cells[row * cols->n_cells + col]);
}

static void reverse_rows(double *cells, int64_t n_rows, int64_t n_cols)
{
    for (int64_t row = 0; row < n_rows / 2; row++)
        swap_cells(cells + row * n_cols, cells + (n_rows - 1 - row) * n_cols, n_cols);
}

static void reverse_cols(double *cells, int64_t n_rows, int64_t n_cols)
{
    for (int64_t row = 0; row < n_rows; row++)
        for (int64_t i = 0, k = n_cols - 1; i < k; i++, k--)
            swap_cells(&cells[row * n_cols + i], &cells[row * n_cols + k], 1);
}

/* Cells in the direction of growing index to those of the axes. */
static void arrange_cells(double *cells, const gp_axis *rows, const gp_axis *cols)
{
    multiply_cells(cells, rows, cols);
    if (rows->is_reversed)
        reverse_rows(cells, rows->n_cells, cols->n_cells);
    if (cols->is_reversed)
        reverse_cols(cells, rows->n_cells, cols->n_cells);
}

/* Limits that were not found on the way; without NaN there are others where hidden axes have left it out of elements. */
static gp_status limits_apart(const gp_plane *plane, const gp_reduce_options *options, gp_limits_state *limits, gp_error *error)
{
    gp_plane whole = *plane;
    whole.hidden_nan = options->nan;
    if (options->want == 0 || limits == NULL)
        return GP_OK;
    GP_TRY(gp_cpu_limits(&whole, options->want, limits, error));
    if (options->limits_without_nan == NULL)
        return GP_OK;
    *options->limits_without_nan = *limits;
    whole.hidden_nan = GP_NAN_INFINITE;
    if (plane->n_stages == 0 || limits->n_nan == 0)
        return GP_OK;
    return gp_cpu_limits(&whole, options->want, options->limits_without_nan, error);
}

/* Whether limits that were met on the way have the counts that are asked for: those of finite elements alone, which are added. */
static bool have_counts(const gp_plane *plane, const gp_reduce_options *options, gp_limits_state *limits)
{
    if (!(options->want & GP_WANT_COUNTS))
        return true;
    if (limits->n_nan + limits->n_pos_inf + limits->n_neg_inf + limits->n_masked > 0)
        return false;
    limits->n_finite = plane->n_rows * plane->n_cols;
    if (options->limits_without_nan != NULL)
        *options->limits_without_nan = *limits;
    return true;
}

/* Finds limits that were not met on the way. */
static gp_status rest_of_limits(const gp_plane *plane, const gp_reduce_options *options, bool has_limits, gp_limits_state *limits,
                                gp_error *error)
{
    return has_limits && have_counts(plane, options, limits) ? GP_OK : limits_apart(plane, options, limits, error);
}

static gp_status reduce_cells(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                              gp_reduce_job *job, gp_limits_state *limits, bool *has_limits, gp_error *error)
{
    if (gp_plane_is_turned(plane))
        return reduce_turned(plane, rows, cols, options, job, limits, has_limits, error);
    return gp_reduce_upright(plane, rows, cols, options, job, limits, has_limits, error);
}

static void take_scaled(const double *scaled, gp_agg agg, double scale, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        double back = gp_scaled_back(agg, scaled[i], scale);
        if (gp_class_of(scaled[i]) == GP_HAS_FINITE && gp_takes_scaled(agg, out[i], back, scale))
            out[i] = back;
    }
}

/* Reduces once more, from elements for which nothing leaves the range of float64 on the way; sums may in the end. */
static gp_status mend(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                      double scale, const gp_reduce_job *job, gp_error *error)
{
    int64_t n = rows->n_cells * cols->n_cells;
    gp_plane scaled = *plane;
    gp_reduce_options simple = {.agg = options->agg, .nan = options->nan};
    bool has_limits;
    GP_FREED double *cells = NULL;
    GP_TRY(gp_alloc_zeroed((size_t)n * sizeof(double) * 2, &cells, error));
    gp_reduce_job again = {.out = cells, .without_nan = job->has_nan ? cells + n : NULL};
    scaled.scale = scale;
    GP_TRY(reduce_cells(&scaled, rows, cols, &simple, &again, NULL, &has_limits, error));
    take_scaled(cells, options->agg, scale, n, job->out);
    if (again.has_nan)
        take_scaled(cells + n, options->agg, scale, n, job->without_nan);
    return GP_OK;
}

static gp_reduce_job job_of(const gp_cells *out, const gp_cells *without_nan)
{
    return (gp_reduce_job){.out = out->data, .without_nan = without_nan != NULL ? without_nan->data : NULL};
}

/* What cells need once elements are reduced: mended sums, and the direction of their axes. */
static gp_status finish_cells(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *simple,
                              gp_reduce_job *job, gp_error *error)
{
    if (job->needs & GP_NEEDS_DOWN)
        GP_TRY(mend(plane, rows, cols, simple, GP_SCALE_DOWN, job, error));
    if (job->needs & GP_NEEDS_UP)
        GP_TRY(mend(plane, rows, cols, simple, GP_SCALE_UP, job, error));
    arrange_cells(job->out, rows, cols);
    if (job->has_nan)
        arrange_cells(job->without_nan, rows, cols);
    return GP_OK;
}

gp_status gp_cpu_reduce(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                        gp_cells *out, gp_limits_state *limits, gp_error *error)
{
    GP_TRY(gp_axis_check_pair(rows, cols, plane->n_rows, plane->n_cols, out->n_rows, out->n_cols, error));
    bool has_limits = false;
    gp_reduce_options simple = *options;
    simple.agg = gp_axis_simplest_agg(rows, cols, options->agg);
    gp_reduce_job job = job_of(out, options->without_nan), whole = job;
    GP_TRY(reduce_cells(plane, rows, cols, &simple, &job, limits, &has_limits, error));
    job.out = whole.out, job.without_nan = whole.without_nan; /* of a turned plane these were others */
    GP_TRY(finish_cells(plane, rows, cols, &simple, &job, error));
    gp_plane cells = gp_plane_of_cells(out);
    if (options->limits_of_cells != NULL)
        GP_TRY(gp_cpu_limits(&cells, GP_WANT_RANGE | GP_WANT_POSITIVE | GP_WANT_COUNTS, options->limits_of_cells, error));
    return rest_of_limits(plane, options, has_limits, limits, error);
}

static uintptr_t first_byte(const gp_plane *plane)
{
    return (uintptr_t)plane->data + (uintptr_t)(plane->channel * plane->channel_stride_bytes);
}

static bool lie_beside(const gp_plane *plane, const gp_plane *first)
{
    int64_t distance = (int64_t)(first_byte(plane) - first_byte(first));
    bool are_alike = plane->n_rows == first->n_rows && plane->n_cols == first->n_cols && plane->n_stages == 0 &&
                     plane->row_stride_bytes == first->row_stride_bytes && plane->col_stride_bytes == first->col_stride_bytes;
    return are_alike && gp_absolute(distance) < gp_absolute(plane->col_stride_bytes);
}

bool gp_cpu_share_memory(const gp_plane *planes, int n)
{
    bool share = planes[0].row_stride_bytes != 0 &&
                 !gp_plane_is_turned(&planes[0]); /* rows that repeat are read once as they are */
    for (int i = 0; i < n; i++)
        share = share && lie_beside(&planes[i], &planes[0]);
    return share;
}

gp_status gp_cpu_reduce_channels(const gp_plane *planes, int n, const gp_axis *rows, const gp_axis *cols,
                                 const gp_reduce_options *options, gp_cells *const *outs, gp_cells *const *without_nan,
                                 gp_error *error)
{
    gp_reduce_job jobs[GP_MAX_CHANNELS];
    gp_reduce_options simple = {.agg = gp_axis_simplest_agg(rows, cols, options->agg), .nan = options->nan};
    for (int i = 0; i < n; i++) {
        GP_TRY(gp_axis_check_pair(rows, cols, planes[i].n_rows, planes[i].n_cols, outs[i]->n_rows, outs[i]->n_cols, error));
        jobs[i] = job_of(outs[i], without_nan[i]);
    }
    GP_TRY(gp_reduce_together(planes, n, rows, cols, &simple, jobs, error));
    for (int i = 0; i < n; i++)
        GP_TRY(finish_cells(&planes[i], rows, cols, &simple, &jobs[i], error));
    return GP_OK;
}

/* ---- partial results -------------------------------------------------------------------------------------------------- */

/* Whether each row and column of the output shows states of its own, as they are. */
static bool is_one_to_one(const gp_reduce_job *job, const gp_axis *rows, const gp_axis *cols)
{
    return job->distinct.n_cells == rows->n_cells && rows->factors == NULL && cols->factors == NULL;
}

/* States of the job's distinct rows: at once in their places if these are one to one, else copied to them. */
static gp_status reduce_to_places(gp_reduce_job *job, const gp_plane *upright, const gp_axis *rows, const gp_axis *cols,
                                  bool turns, const gp_reduce_options *options, gp_cell_state *out, gp_limits_state *limits,
                                  bool *has_limits, gp_error *error)
{
    GP_FREED gp_cell_state *states = NULL;
    bool is_in_place = !turns && is_one_to_one(job, rows, cols);
    if (!is_in_place)
        GP_TRY(gp_alloc((size_t)(job->distinct.n_cells * cols->n_cells) * sizeof *states, &states, error));
    job->out_states = is_in_place ? out : states;
    GP_TRY(gp_reduce_distinct(job, upright, cols, options, limits, has_limits, error));
    if (!is_in_place)
        gp_cell_states_spread(gp_agg_kind(options->agg), states, rows, cols, job->out_rows, job->distinct.n_cells, turns, out);
    return GP_OK;
}

gp_status gp_cpu_reduce_states(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                               gp_cell_state *out, gp_limits_state *limits, gp_error *error)
{
    GP_TRY(gp_axis_check_pair(rows, cols, plane->n_rows, plane->n_cols, rows->n_cells, cols->n_cells, error));
    bool turns = gp_plane_is_turned(plane), has_limits = false;
    gp_plane upright = turns ? gp_plane_transpose(plane) : *plane;
    const gp_axis *upright_rows = turns ? cols : rows, *upright_cols = turns ? rows : cols;
    gp_reduce_job job = {0};
    GP_TRY(gp_axis_distinct(upright_rows, &job.distinct, &job.out_rows, error));
    gp_status status = reduce_to_places(&job, &upright, upright_rows, upright_cols, turns, options, out, limits, &has_limits,
                                        error);
    gp_axis_free(&job.distinct);
    return status != GP_OK ? status : rest_of_limits(plane, options, has_limits, limits, error);
}
