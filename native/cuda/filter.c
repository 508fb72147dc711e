/* Cells of a device resampled there: one upload of the weights, and one kernel. */
#include "cuda.h"

#include "../core/base/alloc.h"
#include "kernels/shade_args.h"
#include "runtime/cells.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"

static size_t bytes_of(const gp_taps *taps)
{
    return (size_t)taps->n_cells * (3 * sizeof(int64_t) + (size_t)taps->n_taps * sizeof(double));
}

/* Copies the arrays to `to`, one after the other; returns the taps with their addresses after an upload of `to` to `at`. */
static gp_taps pack(const gp_taps *taps, char *to, CUdeviceptr at)
{
    size_t first = (size_t)taps->n_cells * sizeof(int64_t), weights = first * (size_t)taps->n_taps;
    gp_taps packed = *taps;
    memcpy(to, taps->first, first);
    memcpy(to + first, taps->touched, 2 * first);
    memcpy(to + 3 * first, taps->weights, weights);
    packed.first = (const int64_t *)(uintptr_t)at;
    packed.touched = (const int64_t *)(uintptr_t)(at + first);
    packed.weights = (const double *)(uintptr_t)(at + 3 * first);
    return packed;
}

static gp_status filter(gp_cuda_device *device, const gp_cells *from, const gp_taps *rows, const gp_taps *cols, gp_nan nan,
                        gp_cells *out, gp_error *error)
{
    gp_filter_args args = {.from = from->data, .n_cols = from->n_cols, .nan = nan, .out = out->data};
    size_t n_bytes = bytes_of(rows) + bytes_of(cols);
    GP_FREED char *packed = NULL;
    CUdeviceptr at = 0;
    GP_TRY(gp_alloc(n_bytes, &packed, error));
    GP_TRY(gp_cuda_scratch(device, GP_SLOT_AXES, n_bytes, &at, error));
    args.rows = pack(rows, packed, at);
    args.cols = pack(cols, packed + bytes_of(rows), at + bytes_of(rows));
    GP_TRY(gp_cuda_upload(device, at, packed, n_bytes, error));
    return gp_cuda_launch_items(device, "shade", "filter_cells", rows->n_cells * cols->n_cells, &args, error);
}

gp_status gp_cuda_filter(const gp_cells *from, const gp_taps *rows, const gp_taps *cols, gp_nan nan, gp_cells *out,
                         gp_error *error)
{
    gp_cuda_device *device;
    if (rows->n_cells == 0 || cols->n_cells == 0)
        return GP_OK;
    GP_TRY(gp_cuda_enter_cells(from, &device, error));
    gp_status status = filter(device, from, rows, cols, nan, out, error);
    return gp_cuda_finish_queued(device, status, error);
}
