/* From the geometry of a reduction to its kernels: uploads it, and launches those for narrow and for wide cells, and one to join parts. */
#include "reduction.h"

#include "../core/base/alloc.h"
#include "../core/base/arithmetic.h"
#include "runtime/launch.h"
#include "runtime/module.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"
#include "runtime/stream.h"

#include <stdio.h>

/* States of parts take at most so much; more rows of cells wait for their turn. */
enum { STATES_BYTES = 16 << 20 };

#define MAX_BLOCKS INT32_MAX

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
static gp_status upload_geometry(gp_cuda_reduction *job, gp_error *error)
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

/* Memory for the states of as many rows of cells as may be; where there is none, cells are not cut if they need not be. */
static gp_status take_states(gp_cuda_reduction *job, gp_error *error)
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

static gp_status launch(gp_cuda_reduction *job, const char *name, int64_t n_blocks, int n_threads, gp_error *error)
{
    char module[32], kernel[64];
    snprintf(module, sizeof module, "reduce_%s", job->elements.kind->name);
    snprintf(kernel, sizeof kernel, "%s_%s", name, job->elements.kind->name);
    return gp_cuda_launch(job->device, module, kernel, n_blocks, 1, 1, n_threads, &job->args, error);
}

static gp_status launch_kind(gp_cuda_reduction *job, const char *shape, int64_t n_blocks, int n_threads, gp_error *error)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%s", kind_names[job->plan.kind], shape);
    return launch(job, name, n_blocks, n_threads, error);
}

/* Rows of cells that a block takes one after the other: so many that all blocks begin at once and end about together, or in as few
 * rounds as there must be. */
static int64_t rows_of_a_block(const gp_cuda_reduction *job, int64_t n_cell_rows)
{
    const gp_reduce_plan *plan = &job->plan;
    bool is_large = plan->kind == GP_STATE_SUM || job->args.limits != NULL;
    int n_resident = GP_REDUCE_RESIDENT_THREADS(is_large, plan->run_elems, job->elements.run_bytes) / plan->n_threads;
    int64_t n_at_once = (int64_t)gp_cuda_n_processors(job->device) * n_resident;
    int64_t n = gp_n_parts(n_cell_rows * plan->n_narrow, n_at_once);
    bool takes_one = plan->kind == GP_STATE_MOMENTS || plan->n_parts > 1;
    return takes_one ? 1 : gp_n_parts(n, gp_n_parts(n, GP_REDUCE_MOST_ROWS));
}

/* The tiles of one kind of kernel, in some rows of cells. */
static gp_status launch_tiles(gp_cuda_reduction *job, bool is_wide, int64_t first, int64_t n_cell_rows, gp_error *error)
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

static gp_status launch_finish(gp_cuda_reduction *job, int64_t first, int64_t n_cell_rows, gp_error *error)
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

static gp_status reduce_by_plan(gp_cuda_reduction *job, gp_error *error)
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

gp_status gp_cuda_reduction_by_plan(gp_cuda_reduction *job, gp_error *error)
{
    GP_TRY(gp_reduce_plan_make(&job->elements, &job->distinct, job->cols, job->agg, gp_cuda_wanted_blocks(job->device),
                               &job->plan, error));
    gp_status status = reduce_by_plan(job, error);
    gp_reduce_plan_free(&job->plan);
    return status;
}

gp_status gp_cuda_reduction_single(gp_cuda_reduction *job, gp_error *error)
{
    int64_t n_cells = job->distinct.n_cells * job->cols->n_cells;
    GP_TRY(upload_geometry(job, error));
    return launch(job, "single", (n_cells + GP_BLOCK_THREADS - 1) / GP_BLOCK_THREADS, GP_BLOCK_THREADS, error);
}
