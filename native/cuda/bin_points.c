/* Points to cells on a device: for each chunk, kernels find the cells of points, count these, and add values; a last one makes cells. */
#include "cuda.h"

#include "element_class.h"
#include "kernels/bin_points_args.h"
#include "runtime/cells.h"
#include "runtime/cells_memory.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"

/* Points of a chunk: their cell numbers take 16 MB. */
#define CHUNK_POINTS ((int64_t)1 << 22)
enum { BLOCKS_PER_PROCESSOR = 6 };

typedef struct points_job {
    gp_cuda_device *device;
    const gp_plane *x, *y, *classes, *values;
    gp_point_axis x_axis, y_axis, class_axis; /* x and y with edges on the device */
    uint32_t *cells; /* of the points of a chunk */
    int64_t chunk_points, n_cells;
    uint64_t *counts;
    gp_cell_state *sums;
    gp_agg agg;
} points_job;

/* Some rows or columns of all planes, whose points fit into a chunk. */
typedef struct chunk {
    int64_t row0, row1, col0, col1;
} chunk;

static gp_plane part_of(const gp_plane *plane, const chunk *c)
{
    return gp_plane_crop(plane, c->row0, c->row1, c->col0, c->col1);
}

/* ---- kernels -------------------------------------------------------------------------------------------------------- */

static gp_status place(const points_job *job, const gp_plane *plane, const gp_point_axis *axis, uint32_t step, bool is_first,
                       gp_error *error)
{
    gp_place_points_args args = {.axis = *axis, .step = step, .is_first = is_first, .cells = job->cells};
    return gp_cuda_launch_in_place(job->device, plane, "place_points", BLOCKS_PER_PROCESSOR, &args.plane, &args.positions, error);
}

static gp_status count(const points_job *job, int64_t n_points, gp_error *error)
{
    gp_count_points_args args = {job->cells, n_points, (uint32_t)job->n_cells, job->counts};
    return gp_cuda_launch_items(job->device, "bin_points", "count_points", n_points, &args, error);
}

static gp_status add(const points_job *job, const gp_plane *values, gp_state_kind kind, gp_error *error)
{
    gp_add_points_args args = {.cells = job->cells, .sums = job->sums, .kind = (int32_t)kind};
    return gp_cuda_launch_in_place(job->device, values, "add_points", BLOCKS_PER_PROCESSOR, &args.plane, &args.positions, error);
}

/* Turns sums into means, between the two passes of moments. */
static gp_status center(const points_job *job, gp_error *error)
{
    gp_center_points_args args = {job->sums, job->n_cells};
    return gp_cuda_launch_items(job->device, "bin_points", "center_points", job->n_cells, &args, error);
}

/* kind: the states that this pass adds to; points are counted in the first one. */
static gp_status take_chunk(const points_job *job, const chunk *c, gp_state_kind kind, bool is_first, gp_error *error)
{
    gp_plane x = part_of(job->x, c), y = part_of(job->y, c);
    GP_TRY(place(job, &x, &job->x_axis, 1, true, error));
    GP_TRY(place(job, &y, &job->y_axis, (uint32_t)job->x_axis.n_cells, false, error));
    if (job->classes != NULL) {
        gp_plane classes = part_of(job->classes, c);
        GP_TRY(place(job, &classes, &job->class_axis, (uint32_t)(job->y_axis.n_cells * job->x_axis.n_cells), false, error));
    }
    if (is_first)
        GP_TRY(count(job, x.n_rows * x.n_cols, error));
    if (job->values == NULL)
        return GP_OK;
    gp_plane values = part_of(job->values, c);
    return add(job, &values, kind, error);
}

static gp_status take_all(const points_job *job, gp_state_kind kind, bool is_first, gp_error *error)
{
    int64_t n_rows = job->x->n_rows, n_cols = job->x->n_cols, most = job->chunk_points;
    if (n_rows == 0 || n_cols == 0)
        return GP_OK;
    int64_t rows_at_once = n_cols <= most ? most / n_cols : 1, cols_at_once = n_cols <= most ? n_cols : most;
    for (int64_t row = 0; row < n_rows; row += rows_at_once) {
        for (int64_t col = 0; col < n_cols; col += cols_at_once) {
            int64_t row_end = row + rows_at_once, col_end = col + cols_at_once;
            chunk c = {row, row_end < n_rows ? row_end : n_rows, col, col_end < n_cols ? col_end : n_cols};
            GP_TRY(take_chunk(job, &c, kind, is_first, error));
        }
    }
    return GP_OK;
}

/* Squared deviations need the mean of each cell, which takes a pass before. */
static gp_status add_up(const points_job *job, gp_error *error)
{
    gp_state_kind kind = gp_agg_kind(job->agg);
    if (job->values == NULL || kind != GP_STATE_MOMENTS)
        return take_all(job, kind, true, error);
    GP_TRY(take_all(job, GP_STATE_SUM, true, error));
    GP_TRY(center(job, error));
    return take_all(job, kind, false, error);
}

static gp_status finish(const points_job *job, gp_nan nan, double *out, gp_error *error)
{
    gp_finish_points_args args = {job->counts, job->sums, job->n_cells, (int32_t)job->agg, (int32_t)nan, out};
    return gp_cuda_launch_items(job->device, "bin_points", "finish_points", job->n_cells, &args, error);
}

/* ---- memory --------------------------------------------------------------------------------------------------------- */

/* Copies the edges of both axes, if any, to the device, each to a slot that is not used otherwise here. */
static gp_status upload_edges(points_job *job, gp_error *error)
{
    gp_point_axis *axes[] = {&job->x_axis, &job->y_axis};
    for (int i = 0; i < 2; i++)
        if (axes[i]->edges != NULL)
            GP_TRY(gp_cuda_scratch_copy(job->device, i == 0 ? GP_SLOT_AXES : GP_SLOT_STATES, axes[i]->edges,
                                        (size_t)(axes[i]->n_cells + 1) * sizeof(double), &axes[i]->edges, error));
    return GP_OK;
}

static gp_status run(points_job *job, gp_nan nan, CUdeviceptr tables, size_t n_bytes, gp_cells *out, int64_t *n_outside,
                     gp_error *error)
{
    uint64_t outside;
    size_t sums_bytes = job->values != NULL ? (size_t)job->n_cells * sizeof *job->sums : 0;
    job->sums = job->values != NULL ? (gp_cell_state *)(uintptr_t)tables : NULL;
    job->counts = (uint64_t *)(uintptr_t)(tables + sums_bytes);
    GP_TRY(gp_cuda_fill(job->device, tables, 0, n_bytes, error));
    GP_TRY(upload_edges(job, error));
    GP_TRY(gp_cuda_scratch_pieces(job->device, GP_SLOT_GATHER, sizeof *job->cells, CHUNK_POINTS, 1 << 12, &job->cells,
                                  &job->chunk_points, error));
    GP_TRY(add_up(job, error));
    GP_TRY(finish(job, nan, out->data, error));
    GP_TRY(gp_cuda_download(job->device, &outside, tables + sums_bytes + (size_t)job->n_cells * sizeof outside, sizeof outside,
                            error));
    *n_outside = (int64_t)outside;
    return GP_OK;
}

gp_status gp_cuda_bin_points(const gp_plane *x, const gp_plane *y, const gp_plane *values, const gp_point_options *options,
                             gp_cells *out, int64_t *n_outside, gp_error *error)
{
    bool has_classes = options->classes.n_cells > 0;
    points_job job = {.x = x,
                      .y = y,
                      .classes = has_classes ? values : NULL,
                      .values = has_classes ? NULL : values,
                      .x_axis = options->x,
                      .y_axis = options->y,
                      .class_axis = options->classes,
                      .agg = options->agg};
    GP_TRY(gp_points_check(x, y, values, options, out, error));
    job.n_cells = out->n_rows * out->n_cols;
    GP_TRY(gp_cuda_enter_cells(out, &job.device, error));
    CUdeviceptr tables = 0;
    size_t n_bytes = (size_t)(job.n_cells + 1) * sizeof *job.counts +
                     (job.values != NULL ? (size_t)job.n_cells * sizeof *job.sums : 0);
    gp_status status = gp_cuda_cells_alloc(job.device, n_bytes, &tables, error);
    if (status == GP_OK)
        status = run(&job, options->nan, tables, n_bytes, out, n_outside, error);
    status = gp_cuda_finish(job.device, status, error);
    gp_cuda_cells_free(x->device.id, tables);
    return status;
}
