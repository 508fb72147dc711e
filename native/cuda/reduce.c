/* Reduces a plane on a device to cells there, or to partial results on the host. */
#include "cuda.h"

#include "../core/base/alloc.h"
#include "../core/grids/cell_states.h"
#include "../core/tensor/plane_layout.h"
#include "reduction.h"
#include "runtime/cells.h"
#include "runtime/cells_memory.h"
#include "runtime/device.h"
#include "runtime/staging.h"
#include "runtime/stream.h"

/* Where cells go: turned and reversed axes are strides of the output, and of the grid without NaN, unless that is NULL. */
static void set_output(gp_cuda_reduction *job, bool is_turned, const gp_cells *out, const gp_cells *without_nan)
{
    gp_reduce_args *args = &job->args;
    int64_t row_stride = is_turned ? 1 : out->n_cols, col_stride = is_turned ? out->n_cols : 1;
    int64_t first = (job->rows->is_reversed ? (job->rows->n_cells - 1) * row_stride : 0) +
                    (job->cols->is_reversed ? (job->cols->n_cells - 1) * col_stride : 0);
    args->out = out->data + first;
    args->without_nan = without_nan != NULL ? without_nan->data + first : NULL;
    args->out_row_stride = job->rows->is_reversed ? -row_stride : row_stride;
    args->out_col_stride = job->cols->is_reversed ? -col_stride : col_stride;
}

/* ---- what leaves the range of float64 ------------------------------------------------------------------------------------ */

static gp_status run(gp_cuda_reduction *job, const gp_reduce_options *options, gp_limits_state *limits, gp_error *error);

/* Whether a cell may need scaled elements: of partial results callers ask. */
static bool may_leave_range(const gp_cuda_reduction *job)
{
    bool adds_up = gp_agg_kind(job->agg) == GP_STATE_MOMENTS || job->agg == GP_AGG_MEAN || job->agg == GP_AGG_SUM;
    bool is_wide = job->elements.kind->is_float && job->elements.kind->keys == GP_KEYS_DOUBLE;
    return adds_up && is_wide && job->args.out_states == NULL && job->whole.scale == 0;
}

/* Reduces once more, from scaled elements, to those cells that need it. */
static gp_status reduce_scaled(const gp_cuda_reduction *job, gp_nan nan, double scale, gp_error *error)
{
    gp_cuda_reduction again = *job;
    again.noted = NULL;
    gp_reduce_options simple = {.agg = job->agg, .nan = nan};
    again.whole.scale = scale;
    gp_plane upright = again.is_turned ? gp_plane_transpose(&again.whole) : again.whole;
    again.elements = gp_cuda_elements_from(&upright);
    again.args = (gp_reduce_args){.out = job->args.out,
                                  .without_nan = job->args.without_nan,
                                  .out_row_stride = job->args.out_row_stride,
                                  .out_col_stride = job->args.out_col_stride};
    return run(&again, &simple, NULL, error);
}

/* Puts cells right that kernels have noted by now, and their limits; pixels are the caller's to make. */
static gp_status mend(gp_cuda_reduction *job, const gp_reduce_options *options, gp_error *error)
{
    bool needs_down = job->noted[0] != 0, needs_up = job->noted[1] != 0;
    if (!needs_down && !needs_up)
        return GP_OK;
    if (needs_down)
        GP_TRY(reduce_scaled(job, options->nan, GP_SCALE_DOWN, error));
    if (needs_up)
        GP_TRY(reduce_scaled(job, options->nan, GP_SCALE_UP, error));
    if (gp_cuda_asks_of_cells(job, options)) {
        gp_plane cells = gp_plane_of_cells(job->cells);
        GP_TRY(gp_cuda_limits_find(job->device, &cells, options->limits_of_cells, error));
    }
    if (options->shading != NULL) /* pixels are of cells that are no more */
        options->shading->is_made = false;
    return GP_OK;
}

/* limits: NULL, or wanted. */
static gp_status run(gp_cuda_reduction *job, const gp_reduce_options *options, gp_limits_state *limits, gp_error *error)
{
    gp_limits_found *found = NULL;
    const gp_limits_found *sent = NULL;
    bool is_counted = job->agg == GP_AGG_COUNT && !job->elements.kind->is_float && job->args.out_states == NULL; /* all finite */
    bool is_single = job->agg == GP_AGG_NEAREST || is_counted;
    job->args.plane = job->elements.plane;
    job->args.agg = (int32_t)job->agg, job->args.nan = (int32_t)options->nan;
    job->args.order = (int32_t)gp_plane_order_type(&job->args.plane);
    if (limits != NULL || gp_cuda_asks_of_cells(job, options))
        GP_TRY(gp_cuda_limits_begin(job->device, &found, error));
    job->args.limits = limits != NULL && !is_single && gp_cuda_limits_are_fused(job, options) ? found->states : NULL;
    if (!is_single && may_leave_range(job))
        GP_TRY(gp_cuda_flags(job->device, &job->noted, &job->args.needs, error));
    GP_TRY(is_single ? gp_cuda_reduction_single(job, error) : gp_cuda_reduction_by_plan(job, error));
    bool is_apart = limits != NULL && job->args.limits == NULL;
    bool is_searched = found != NULL && gp_cuda_searches_colors(job, options, limits != NULL);
    if (found != NULL)
        GP_TRY(gp_cuda_reduction_send(job, found, is_apart, is_searched, options, &sent, error));
    GP_TRY(gp_cuda_reduction_shade(job, options->shading, is_searched ? &found->colors : NULL, error));
    if (found != NULL)
        GP_TRY(gp_cuda_reduction_end(job, sent, is_apart, options, limits, error));
    if (job->noted == NULL)
        return GP_OK;
    GP_TRY(gp_cuda_wait(job->device, error));
    return mend(job, options, error);
}

/* The plane with its columns along memory, to be entered. */
static gp_cuda_reduction job_of(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, gp_agg agg, gp_nan nan,
                                bool splits_nan)
{
    gp_cuda_reduction job = {.whole = *plane, .is_turned = gp_plane_is_turned(plane), .agg = agg};
    job.whole.hidden_nan = nan;
    job.whole.splits_nan = splits_nan && plane->n_stages > 0;
    gp_plane upright = job.is_turned ? gp_plane_transpose(&job.whole) : job.whole;
    job.elements = gp_cuda_elements_from(&upright);
    job.rows = job.is_turned ? cols : rows, job.cols = job.is_turned ? rows : cols;
    return job;
}

/* Leaves the device. */
static gp_status end_job(gp_cuda_reduction *job, gp_status status, gp_error *error)
{
    gp_axis_free(&job->distinct);
    return gp_cuda_finish(job->device, status, error);
}

static gp_limits_state *wanted(const gp_reduce_options *options, gp_limits_state *limits)
{
    return options->want != 0 ? limits : NULL;
}

gp_status gp_cuda_reduce(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                         gp_cells *out, gp_limits_state *limits, gp_error *error)
{
    GP_TRY(gp_axis_check_pair(rows, cols, plane->n_rows, plane->n_cols, out->n_rows, out->n_cols, error));
    gp_cuda_reduction job = job_of(plane, rows, cols, gp_axis_simplest_agg(rows, cols, options->agg), options->nan,
                                   options->without_nan != NULL);
    job.cells = out;
    set_output(&job, job.is_turned, out, options->without_nan);
    GP_TRY(gp_cuda_enter_cells(out, &job.device, error));
    gp_status status = gp_axis_distinct(job.rows, &job.distinct, &job.out_rows, error);
    if (status == GP_OK)
        status = run(&job, options, wanted(options, limits), error);
    return end_job(&job, status, error);
}

/* ---- partial results -------------------------------------------------------------------------------------------------- */

/* Reduces to states on the device and copies these to the host. */
static gp_status run_states(gp_cuda_reduction *job, const gp_reduce_options *options, gp_cell_state *out, gp_limits_state *limits,
                            gp_error *error)
{
    CUdeviceptr at = 0;
    GP_TRY(gp_axis_distinct(job->rows, &job->distinct, &job->out_rows, error));
    size_t n_bytes = (size_t)job->distinct.n_cells * (size_t)job->cols->n_cells * sizeof(gp_cell_state);
    GP_FREED gp_cell_state *states = NULL;
    GP_TRY(gp_alloc(n_bytes, &states, error));
    gp_status status = gp_cuda_cells_alloc(job->device, n_bytes, &at, error);
    job->args.out_states = (gp_cell_state *)(uintptr_t)at;
    if (status == GP_OK)
        status = run(job, options, wanted(options, limits), error);
    if (status == GP_OK)
        status = gp_cuda_download(job->device, states, at, n_bytes, error);
    if (status == GP_OK)
        gp_cell_states_spread(gp_agg_kind(job->agg), states, job->rows, job->cols, job->out_rows, job->distinct.n_cells,
                              job->is_turned, out);
    gp_cuda_cells_free(job->elements.plane.device.id, at);
    return status;
}

gp_status gp_cuda_reduce_states(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                                gp_cell_state *out, gp_limits_state *limits, gp_error *error)
{
    GP_TRY(gp_axis_check_pair(rows, cols, plane->n_rows, plane->n_cols, rows->n_cells, cols->n_cells, error));
    gp_cuda_reduction job = job_of(plane, rows, cols, options->agg, options->nan, false);
    GP_TRY(gp_cuda_enter(plane->device.id, &job.device, error));
    gp_status status = run_states(&job, options, out, limits, error);
    return end_job(&job, status, error);
}
