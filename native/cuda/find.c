/* The nearest element of a kind from a position on, on a device: one kernel, which skips elements farther than the best so far. */
#include "cuda.h"

#include "element_class.h"
#include "kernels/summary_args.h"
#include "runtime/device.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"

/* Blocks for each multiprocessor: a multiple of 2 and of 3, the numbers that may be resident at once. */
enum { BLOCKS_PER_PROCESSOR = 6 };

typedef struct search {
    gp_plane plane; /* the rows from `start` on, or the columns of a single row */
    int64_t n_before; /* elements of the whole plane before it */
    int64_t start;
    bool is_backwards;
} search;

/* Crops the plane to the elements that are searched. */
static search search_from(const gp_plane *plane, int64_t start, bool is_backwards)
{
    int64_t row = start / plane->n_cols, n_rows = plane->n_rows, n_cols = plane->n_cols;
    search s = {.start = start, .is_backwards = is_backwards};
    if (n_rows == 1)
        s.plane = is_backwards ? gp_plane_crop(plane, 0, 1, 0, start + 1) : gp_plane_crop(plane, 0, 1, start, n_cols);
    else
        s.plane = is_backwards ? gp_plane_crop(plane, 0, row + 1, 0, n_cols) : gp_plane_crop(plane, row, n_rows, 0, n_cols);
    s.n_before = is_backwards ? 0 : n_rows == 1 ? start : row * n_cols;
    return s;
}

/* Positions as distances from the start, in the direction of the search. */
static gp_positions distances_of(const search *s, gp_positions positions)
{
    int64_t origin = positions.origin + s->n_before - s->start;
    if (!s->is_backwards)
        return (gp_positions){.origin = origin, .row_step = positions.row_step, .col_step = positions.col_step};
    return (gp_positions){.origin = -origin, .row_step = -positions.row_step, .col_step = -positions.col_step};
}

static gp_status find(gp_cuda_device *device, const gp_cuda_elements *elements, gp_find_args *args, uint64_t *nearest,
                      gp_error *error)
{
    int64_t n_blocks = gp_cuda_blocks_through(device, elements, BLOCKS_PER_PROCESSOR);
    GP_TRY(gp_cuda_scratch_filled(device, GP_SLOT_FACTS, sizeof *nearest, 0xff, &args->nearest, error));
    GP_TRY(gp_cuda_launch_class(device, elements, "summary", "find", n_blocks, args, error));
    return gp_cuda_download(device, nearest, gp_cuda_address(args->nearest), sizeof *nearest, error);
}

gp_status gp_cuda_find(const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards, int64_t *out, gp_error *error)
{
    gp_cuda_device *device;
    uint64_t nearest;
    GP_TRY(gp_find_check(plane, kinds, start, is_backwards, error));
    *out = -1;
    if (start < 0 || start >= plane->n_rows * plane->n_cols)
        return GP_OK;
    search s = search_from(plane, start, is_backwards);
    gp_find_args args = {.kinds = kinds, .is_backwards = is_backwards};
    gp_positions positions;
    gp_cuda_elements elements = gp_cuda_elements_in_place(&s.plane, &positions);
    if (!elements.kind->is_float) { /* integers without a mask are all finite */
        *out = kinds & GP_HAS_FINITE ? start : -1;
        return GP_OK;
    }
    args.plane = elements.plane, args.distances = distances_of(&s, positions);
    args.is_in_order = positions.col_step == 1; /* neither turned nor reversed */
    GP_TRY(gp_cuda_enter(plane->device.id, &device, error));
    GP_TRY(gp_cuda_finish(device, find(device, &elements, &args, &nearest, error), error));
    if (nearest != UINT64_MAX)
        *out = is_backwards ? start - (int64_t)nearest : start + (int64_t)nearest;
    return GP_OK;
}
