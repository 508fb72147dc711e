/* Reduces a plane on a device to cells there: uploads the geometry, and launches a kernel for narrow or wide cells, and one to join parts. */
#include "cuda.h"

#include "../core/alloc.h"
#include "../core/arithmetic.h"
#include "../core/plane_layout.h"
#include "kernels/shade_args.h"
#include "limits.h"
#include "reduce_plan.h"
#include "shade.h"
#include "runtime/cells.h"
#include "runtime/cells_memory.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "runtime/module.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"
#include "runtime/stream.h"

#include "../core/cell_states.h"

#include <stdio.h>

/* States of parts take at most so much; more rows of cells wait for their turn. */
enum { STATES_BYTES = 16 << 20 };

#define MAX_BLOCKS INT32_MAX

typedef struct reduce_job {
    gp_plane whole;
    bool is_turned;
    const gp_cells *cells; /* NULL: partial results go to the host */
    gp_cuda_device *device;
    gp_cuda_elements elements;
    const gp_axis *rows, *cols; /* of the plane as it is read: columns are the dense direction */
    gp_axis distinct; /* rows without repetitions */
    int32_t *out_rows; /* where each of them begins in the output, and the end */
    gp_agg agg;
    gp_reduce_plan plan;
    gp_reduce_args args;
    const uint32_t *noted; /* NULL, or what kernels have written to args.needs, after the next wait */
    int64_t cell_rows_at_once;
} reduce_job;

/* ---- what goes to the device ---------------------------------------------------------------------------------------- */

/* Of an aggregation of owned elements, the weight of a border element is whether the cell owns it. */
static void pack_spans(const gp_axis *axis, gp_agg agg, gp_span *out)
{
    memcpy(out, axis->spans, (size_t)axis->n_cells * sizeof *out);
    for (int64_t p = 0; gp_agg_is(agg, GP_AGG_OWNED) && p < axis->n_cells; p++) {
        gp_span *span = &out[p];
        int64_t last = span->touched_end - 1;
        span->w_first = span->touched_begin >= span->owned_begin && span->touched_begin < span->owned_end;
        span->w_last = last >= span->owned_begin && last < span->owned_end;
    }
}

/* Copies the factors of an axis behind what is packed already, and says where they will be; NULL where there are none. */
static const double *pack_factors(const gp_axis *axis, char *packed, size_t *n_bytes, CUdeviceptr at)
{
    CUdeviceptr here = at + *n_bytes;
    if (axis->factors == NULL)
        return NULL;
    memcpy(packed + *n_bytes, axis->factors, (size_t)axis->n_cells * sizeof *axis->factors);
    *n_bytes += (size_t)axis->n_cells * sizeof *axis->factors;
    return (const double *)(uintptr_t)here;
}

/* Spans of rows and of columns, tiles, factors, and rows of the output, in one copy. */
static gp_status upload_geometry(reduce_job *job, gp_error *error)
{
    const gp_axis *rows = &job->distinct, *cols = job->cols;
    size_t row_bytes = (size_t)rows->n_cells * sizeof(gp_span), col_bytes = (size_t)cols->n_cells * sizeof(gp_span);
    size_t tiles_at = row_bytes + col_bytes,
           tile_bytes = (size_t)(job->plan.n_narrow + job->plan.n_wide) * sizeof(gp_reduce_tile);
    size_t out_rows_bytes = (size_t)(rows->n_cells + 1) * sizeof(int32_t), out_rows_at = tiles_at + tile_bytes;
    size_t n_bytes = out_rows_at + out_rows_bytes + (size_t)(job->rows->n_cells + cols->n_cells) * sizeof(double);
    CUdeviceptr at = 0;
    GP_FREED char *packed = NULL;
    GP_TRY(gp_alloc(n_bytes, &packed, error));
    GP_TRY(gp_cuda_scratch(job->device, GP_SLOT_AXES, n_bytes, &at, error));
    pack_spans(rows, job->agg, (gp_span *)(void *)packed);
    pack_spans(cols, job->agg, (gp_span *)(void *)(packed + row_bytes));
    if (tile_bytes > 0)
        memcpy(packed + tiles_at, job->plan.tiles, tile_bytes);
    job->args.row_factors = pack_factors(job->rows, packed, &out_rows_at, at);
    job->args.col_factors = pack_factors(cols, packed, &out_rows_at, at);
    memcpy(packed + out_rows_at, job->out_rows, out_rows_bytes);
    GP_TRY(gp_cuda_upload(job->device, at, packed, out_rows_at + out_rows_bytes, error));
    job->args.rows = (const gp_span *)(uintptr_t)at;
    job->args.cols = (const gp_span *)(uintptr_t)(at + row_bytes);
    job->args.tiles = (const gp_reduce_tile *)(uintptr_t)(at + tiles_at);
    job->args.out_rows = (const int32_t *)(uintptr_t)(at + out_rows_at);
    job->args.n_cell_rows = rows->n_cells, job->args.n_cell_cols = cols->n_cells;
    return GP_OK;
}

/* Where cells go: turned and reversed axes are strides of the output, and of the grid without NaN, unless that is NULL. */
static void set_output(reduce_job *job, bool is_turned, const gp_cells *out, const gp_cells *without_nan)
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

/* Memory for the states of as many rows of cells as may be; where there is none, cells are not cut if they need not be. */
static gp_status take_states(reduce_job *job, gp_error *error)
{
    CUdeviceptr at;
    size_t row_bytes = (size_t)job->plan.n_parts * (size_t)job->cols->n_cells * sizeof(gp_cell_state);
    int64_t wanted = (int64_t)(STATES_BYTES / row_bytes);
    job->cell_rows_at_once = job->distinct.n_cells;
    if (job->plan.n_parts == 1)
        return GP_OK;
    wanted = wanted < 1 ? 1 : wanted > job->distinct.n_cells ? job->distinct.n_cells : wanted;
    gp_status status = gp_cuda_scratch_pieces(job->device, GP_SLOT_STATES, row_bytes, wanted, 1, &at, &job->cell_rows_at_once,
                                              error);
    if (status == GP_OK) {
        job->args.states = (gp_cell_state *)(uintptr_t)at;
        return GP_OK;
    }
    if (!gp_cuda_is_out_of_memory(error))
        return status;
    gp_reduce_plan_join_parts(&job->plan);
    job->cell_rows_at_once = job->distinct.n_cells;
    return job->plan.n_parts == 1 ? GP_OK : status;
}

/* ---- launches ------------------------------------------------------------------------------------------------------- */

static const char *const kind_names[] = {
    [GP_STATE_SUM] = "sum", [GP_STATE_EXTREMES] = "extremes", [GP_STATE_MOMENTS] = "moments"};

static gp_status launch(reduce_job *job, const char *name, int64_t n_blocks, int n_threads, gp_error *error)
{
    char module[32], kernel[64];
    snprintf(module, sizeof module, "reduce_%s", job->elements.kind->name);
    snprintf(kernel, sizeof kernel, "%s_%s", name, job->elements.kind->name);
    return gp_cuda_launch(job->device, module, kernel, n_blocks, 1, 1, n_threads, &job->args, error);
}

static gp_status launch_kind(reduce_job *job, const char *shape, int64_t n_blocks, int n_threads, gp_error *error)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%s", kind_names[job->plan.kind], shape);
    return launch(job, name, n_blocks, n_threads, error);
}

/* Rows of cells that a block takes one after the other: so many that all blocks begin at once and end about together, or in as few
 * rounds as there must be. */
static int64_t rows_of_a_block(const reduce_job *job, int64_t n_cell_rows)
{
    const gp_reduce_plan *plan = &job->plan;
    bool is_large = plan->kind == GP_STATE_SUM || job->args.limits != NULL;
    int n_resident = GP_REDUCE_RESIDENT_THREADS(is_large, plan->run_elems) / plan->n_threads;
    int64_t n_at_once = (int64_t)gp_cuda_n_processors(job->device) * n_resident;
    int64_t n = gp_n_parts(n_cell_rows * plan->n_narrow, n_at_once);
    bool takes_one = plan->kind == GP_STATE_MOMENTS || plan->n_parts > 1;
    return takes_one ? 1 : gp_n_parts(n, gp_n_parts(n, GP_REDUCE_MOST_ROWS));
}

/* The tiles of one kind of kernel, in some rows of cells. */
static gp_status launch_tiles(reduce_job *job, bool is_wide, int64_t first, int64_t n_cell_rows, gp_error *error)
{
    gp_reduce_plan *plan = &job->plan;
    gp_reduce_args kept = job->args;
    const char *shape = is_wide ? (kept.limits != NULL ? "wide_want" : "wide") : kept.limits != NULL ? "narrow_want" : "narrow";
    int n_tiles = is_wide ? plan->n_wide : plan->n_narrow;
    if (n_tiles == 0)
        return GP_OK;
    int64_t blocks_per_row = (int64_t)n_tiles * plan->n_parts, rows_at_once = MAX_BLOCKS / blocks_per_row;
    int64_t rows_per_block = is_wide ? 1 : rows_of_a_block(job, n_cell_rows);
    if (rows_at_once < 1)
        return gp_fail(error, GP_ERR_VALUE,
                       "%d tiles in %d parts are more blocks than a device starts at once: ask for a smaller shape", n_tiles,
                       plan->n_parts);
    job->args.tiles += is_wide ? plan->n_narrow : 0;
    job->args.n_tiles = n_tiles;
    job->args.n_row_parts = is_wide ? plan->n_row_parts : plan->n_parts;
    job->args.n_col_parts = is_wide ? plan->n_col_parts : 1;
    gp_status status = GP_OK;
    for (int64_t done = 0; status == GP_OK && done < n_cell_rows; done += rows_at_once) {
        int64_t n = n_cell_rows - done < rows_at_once ? n_cell_rows - done : rows_at_once;
        job->args.first_cell_row = first + done;
        job->args.first_state_row = first;
        job->args.end_cell_row = first + done + n, job->args.rows_per_block = (int32_t)rows_per_block;
        status = launch_kind(job, shape, gp_n_parts(n, rows_per_block) * blocks_per_row,
                             is_wide ? GP_BLOCK_THREADS : plan->n_threads, error);
    }
    job->args = kept;
    return status;
}

static gp_status launch_finish(reduce_job *job, int64_t first, int64_t n_cell_rows, gp_error *error)
{
    gp_reduce_args kept = job->args;
    int n_parts = job->plan.n_parts;
    job->args.first_cell_row = job->args.first_state_row = first, job->args.n_cell_rows = first + n_cell_rows;
    job->args.n_row_parts = n_parts, job->args.n_col_parts = 1;
    while (job->args.log2_lanes < 5 && 2 << job->args.log2_lanes <= n_parts)
        job->args.log2_lanes++;
    if (n_parts >= GP_BLOCK_THREADS / 2)
        job->args.log2_lanes = 8; /* a block for each cell */
    int64_t n_threads = n_cell_rows * job->cols->n_cells << job->args.log2_lanes;
    gp_status status = launch_kind(job, "finish", (n_threads + GP_BLOCK_THREADS - 1) / GP_BLOCK_THREADS, GP_BLOCK_THREADS, error);
    job->args = kept;
    return status;
}

static gp_status reduce_by_plan(reduce_job *job, gp_error *error)
{
    gp_reduce_plan *plan = &job->plan;
    GP_TRY(upload_geometry(job, error));
    GP_TRY(take_states(job, error));
    job->args.log2_tx = plan->log2_tx, job->args.layout = plan->layout;
    for (int64_t first = 0; first < job->distinct.n_cells; first += job->cell_rows_at_once) {
        int64_t left = job->distinct.n_cells - first, n = left < job->cell_rows_at_once ? left : job->cell_rows_at_once;
        GP_TRY(launch_tiles(job, false, first, n, error));
        GP_TRY(launch_tiles(job, true, first, n, error));
        if (plan->n_parts > 1)
            GP_TRY(launch_finish(job, first, n, error));
    }
    return GP_OK;
}

/* By a plan that is made for it. */
static gp_status reduce_planned(reduce_job *job, gp_error *error)
{
    GP_TRY(gp_reduce_plan_make(&job->elements, &job->distinct, job->cols, job->agg, gp_cuda_wanted_blocks(job->device),
                               &job->plan, error));
    gp_status status = reduce_by_plan(job, error);
    gp_reduce_plan_free(&job->plan);
    return status;
}

/* A thread for each cell: cells need no sums. */
static gp_status reduce_single(reduce_job *job, gp_error *error)
{
    int64_t n_cells = job->distinct.n_cells * job->cols->n_cells;
    GP_TRY(upload_geometry(job, error));
    return launch(job, "single", (n_cells + GP_BLOCK_THREADS - 1) / GP_BLOCK_THREADS, GP_BLOCK_THREADS, error);
}

/* ---- a reduction ---------------------------------------------------------------------------------------------------- */

/* Whether limits of elements are found on the way, which takes that every element is met. Counting takes a pass of its own, and
 * so do limits beside moments: colors of these come from cells, and the kernels for both would be a sixth of all code. */
static bool is_fused(const reduce_job *job, const gp_reduce_options *options)
{
    return options->want != 0 && !(options->want & GP_WANT_COUNTS) && gp_agg_kind(job->agg) != GP_STATE_MOMENTS &&
           gp_axis_is_partition(&job->distinct) && gp_axis_is_partition(job->cols);
}

/* Partial results are no cells yet. */
static bool asks_of_cells(const reduce_job *job, const gp_reduce_options *options)
{
    return options->limits_of_cells != NULL && job->cells != NULL;
}

/* Limits that were found on the way; without NaN there are also those of what it marks. */
static void split_limits(gp_limits_state found[GP_N_LIMITS], const gp_reduce_options *options, gp_limits_state *limits)
{
    gp_limits_state *without_nan = &found[GP_LIMITS_MARKED];
    *limits = found[GP_LIMITS_ALL];
    gp_limits_state_join(without_nan, limits);
    if (options->limits_without_nan != NULL)
        *options->limits_without_nan = *without_nan;
}

/* Limits by a look of their own; without NaN there are others where hidden axes have left it out of elements. */
static gp_status limits_apart(const reduce_job *job, gp_limits_state found[GP_N_LIMITS], const gp_reduce_options *options,
                              gp_limits_state *limits, gp_error *error)
{
    gp_plane finite = job->whole;
    gp_cuda_limits_settle(&job->whole, &found[GP_LIMITS_ALL]);
    *limits = found[GP_LIMITS_ALL];
    if (options->limits_without_nan == NULL)
        return GP_OK;
    *options->limits_without_nan = *limits;
    finite.splits_nan = false, finite.hidden_nan = GP_NAN_INFINITE;
    return job->whole.splits_nan && limits->n_nan > 0
               ? gp_cuda_limits_find(job->device, &finite, options->limits_without_nan, error)
               : GP_OK;
}

/* Whether color limits that are missing are found from limits of elements (where `has_elements`) and of cells. */
static bool searches_colors(const reduce_job *job, const gp_reduce_options *options, bool has_elements)
{
    const gp_shading *shading = options->shading;
    if (shading == NULL || shading->search == NULL || job->cells == NULL || !gp_norm_is_searched(shading->style->norm))
        return false;
    bool is_of_elements = shading->search->origin != GP_ORIGIN_CELLS, is_of_cells = shading->search->origin != GP_ORIGIN_ELEMENTS;
    return (!is_of_elements || has_elements || shading->search->knows_elements) && (!is_of_cells || asks_of_cells(job, options));
}

/* Queues the kernel that chooses color limits. */
static gp_status choose_colors(const reduce_job *job, gp_limits_found *found, const gp_shading *shading, gp_error *error)
{
    gp_search_args args = {.search = *shading->search,
                           .scale = gp_scale_from(shading->style),
                           .elements = &found->states[GP_LIMITS_ALL],
                           .cells = &found->states[GP_LIMITS_CELLS],
                           .out = &found->colors};
    return gp_cuda_launch(job->device, "shade", "shade_limits", 1, 1, 1, 1, &args, error);
}

/* Queues looks at what the reduction did not tell about elements and cells, and one copy of all that is known of them. */
static gp_status send_limits(reduce_job *job, gp_limits_found *found, bool is_apart, bool is_searched,
                             const gp_reduce_options *options, const gp_limits_found **sent, gp_error *error)
{
    gp_plane whole = job->whole;
    whole.splits_nan = false;
    if (is_apart)
        GP_TRY(gp_cuda_limits_look(job->device, &whole, &found->states[GP_LIMITS_ALL], error));
    if (asks_of_cells(job, options)) {
        gp_plane cells = gp_plane_of_cells(job->cells);
        GP_TRY(gp_cuda_limits_look(job->device, &cells, &found->states[GP_LIMITS_CELLS], error));
    }
    if (is_searched)
        GP_TRY(choose_colors(job, found, options->shading, error));
    return gp_cuda_limits_send(job->device, found, sent, error);
}

static gp_status end_limits(reduce_job *job, const gp_limits_found *sent, bool is_apart, const gp_reduce_options *options,
                            gp_limits_state *limits, gp_error *error)
{
    gp_limits_found found;
    GP_TRY(gp_cuda_limits_end(job->device, sent, &found, error));
    if (asks_of_cells(job, options)) {
        gp_plane cells = gp_plane_of_cells(job->cells);
        gp_cuda_limits_settle(&cells, &found.states[GP_LIMITS_CELLS]);
        *options->limits_of_cells = found.states[GP_LIMITS_CELLS];
    }
    if (options->shading != NULL && options->shading->search != NULL)
        options->shading->limits = found.colors;
    if (is_apart)
        return limits_apart(job, found.states, options, limits, error);
    if (limits != NULL)
        split_limits(found.states, options, limits);
    return GP_OK;
}

/* Pixels come before the limits are waited for, which were sent before them. colors: NULL, or limits on the device. */
static gp_status shade_cells(const reduce_job *job, gp_shading *shading, const gp_ends *colors, gp_error *error)
{
    if (shading == NULL || job->cells == NULL || (shading->search != NULL && colors == NULL))
        return GP_OK;
    GP_TRY(gp_cuda_shade_entered(job->device, job->cells, shading->style, colors, shading->out, error));
    shading->limits = (gp_ends){shading->style->vmin, shading->style->vmax};
    shading->is_made = true;
    return GP_OK;
}

/* ---- what leaves the range of float64 ------------------------------------------------------------------------------------ */

static gp_status run(reduce_job *job, const gp_reduce_options *options, gp_limits_state *limits, gp_error *error);

/* Whether a cell may need scaled elements: of partial results callers ask. */
static bool may_leave_range(const reduce_job *job)
{
    bool adds_up = gp_agg_kind(job->agg) == GP_STATE_MOMENTS || job->agg == GP_AGG_MEAN || job->agg == GP_AGG_SUM;
    bool is_wide = job->elements.kind->is_float && job->elements.kind->keys == GP_KEYS_DOUBLE;
    return adds_up && is_wide && job->args.out_states == NULL && job->whole.scale == 0;
}

/* Reduces once more, from scaled elements, to those cells that need it. */
static gp_status reduce_scaled(const reduce_job *job, gp_nan nan, double scale, gp_error *error)
{
    reduce_job again = *job;
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
static gp_status mend(reduce_job *job, const gp_reduce_options *options, gp_error *error)
{
    bool needs_down = job->noted[0] != 0, needs_up = job->noted[1] != 0;
    if (!needs_down && !needs_up)
        return GP_OK;
    if (needs_down)
        GP_TRY(reduce_scaled(job, options->nan, GP_SCALE_DOWN, error));
    if (needs_up)
        GP_TRY(reduce_scaled(job, options->nan, GP_SCALE_UP, error));
    if (asks_of_cells(job, options)) {
        gp_plane cells = gp_plane_of_cells(job->cells);
        GP_TRY(gp_cuda_limits_find(job->device, &cells, options->limits_of_cells, error));
    }
    if (options->shading != NULL) /* pixels are of cells that are no more */
        options->shading->is_made = false;
    return GP_OK;
}

/* limits: NULL, or wanted. */
static gp_status run(reduce_job *job, const gp_reduce_options *options, gp_limits_state *limits, gp_error *error)
{
    gp_limits_found *found = NULL;
    const gp_limits_found *sent = NULL;
    bool is_counted = job->agg == GP_AGG_COUNT && !job->elements.kind->is_float && job->args.out_states == NULL; /* all finite */
    bool is_single = job->agg == GP_AGG_NEAREST || is_counted;
    job->args.plane = job->elements.plane;
    job->args.agg = (int32_t)job->agg, job->args.nan = (int32_t)options->nan;
    job->args.order = (int32_t)gp_plane_order_type(&job->args.plane);
    if (limits != NULL || asks_of_cells(job, options))
        GP_TRY(gp_cuda_limits_begin(job->device, &found, error));
    job->args.limits = limits != NULL && !is_single && is_fused(job, options) ? found->states : NULL;
    if (!is_single && may_leave_range(job))
        GP_TRY(gp_cuda_flags(job->device, &job->noted, &job->args.needs, error));
    GP_TRY(is_single ? reduce_single(job, error) : reduce_planned(job, error));
    bool is_apart = limits != NULL && job->args.limits == NULL;
    bool is_searched = found != NULL && searches_colors(job, options, limits != NULL);
    if (found != NULL)
        GP_TRY(send_limits(job, found, is_apart, is_searched, options, &sent, error));
    GP_TRY(shade_cells(job, options->shading, is_searched ? &found->colors : NULL, error));
    if (found != NULL)
        GP_TRY(end_limits(job, sent, is_apart, options, limits, error));
    if (job->noted == NULL)
        return GP_OK;
    GP_TRY(gp_cuda_wait(job->device, error));
    return mend(job, options, error);
}

/* The plane with its columns along memory, to be entered. */
static reduce_job job_of(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, gp_agg agg, gp_nan nan, bool splits_nan)
{
    reduce_job job = {.whole = *plane, .is_turned = gp_plane_is_turned(plane), .agg = agg};
    job.whole.hidden_nan = nan;
    job.whole.splits_nan = splits_nan && plane->n_stages > 0;
    gp_plane upright = job.is_turned ? gp_plane_transpose(&job.whole) : job.whole;
    job.elements = gp_cuda_elements_from(&upright);
    job.rows = job.is_turned ? cols : rows, job.cols = job.is_turned ? rows : cols;
    return job;
}

/* Leaves the device. */
static gp_status end_job(reduce_job *job, gp_status status, gp_error *error)
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
    reduce_job job = job_of(plane, rows, cols, gp_axis_simplest_agg(rows, cols, options->agg), options->nan,
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
static gp_status run_states(reduce_job *job, const gp_reduce_options *options, gp_cell_state *out, gp_limits_state *limits,
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
    reduce_job job = job_of(plane, rows, cols, options->agg, options->nan, false);
    GP_TRY(gp_cuda_enter(plane->device.id, &job.device, error));
    gp_status status = run_states(&job, options, out, limits, error);
    return end_job(&job, status, error);
}
