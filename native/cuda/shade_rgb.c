/* Channels on a device to pixels on the host; also angles of cells, and cells that leave NaN out. */
#include "cuda.h"

#include "../core/color/shading.h"
#include "kernels/shade_args.h"
#include "runtime/cells.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"

/* As in shade.c: opacities of so many cells are on the device at a time. */
enum { OPACITIES_PER_PIECE = 1 << 22, LEAST_OPACITIES = 1 << 12 };

typedef struct rgb_job {
    gp_cuda_device *device;
    const gp_cells *channels;
    const gp_rgb_style *style;
    gp_shade_rgb_args args;
    CUdeviceptr alpha_cells, range; /* alpha_cells is 0 where there are none */
    int64_t piece, cells_per_piece; /* first cell of the piece, and how many it has */
} rgb_job;

/* ---- channels -------------------------------------------------------------------------------------------------------- */

static gp_status check_devices(const gp_cells *grids, int n_grids, gp_error *error)
{
    for (int i = 1; i < n_grids; i++)
        if (grids[i].device.id != grids[0].device.id)
            return gp_fail(error, GP_ERR_VALUE, "cells of one picture are on the devices %d and %d: reduce them on one device",
                           grids[0].device.id, grids[i].device.id);
    return GP_OK;
}

/* Room for opacities, and the range as that of nothing: all ones below, zeros above. */
static gp_status begin_job(rgb_job *job, int64_t n_cells, gp_error *error)
{
    int64_t wanted = n_cells < OPACITIES_PER_PIECE ? n_cells : OPACITIES_PER_PIECE;
    int64_t least = wanted < LEAST_OPACITIES ? wanted : LEAST_OPACITIES;
    job->cells_per_piece = n_cells;
    if (job->style->alpha_cells != NULL)
        GP_TRY(gp_cuda_scratch_pieces(job->device, GP_SLOT_STYLE, sizeof(float), wanted, least, &job->alpha_cells,
                                      &job->cells_per_piece, error));
    GP_TRY(gp_cuda_scratch(job->device, GP_SLOT_FACTS, 2 * sizeof(uint64_t), &job->range, error));
    job->args.range = (uint64_t *)(uintptr_t)job->range;
    GP_TRY(gp_cuda_fill(job->device, job->range, 0xff, sizeof(uint64_t), error));
    return gp_cuda_fill(job->device, job->range + sizeof(uint64_t), 0, sizeof(uint64_t), error);
}

static gp_status make_pixels(void *context, int64_t begin, int64_t *n_items, CUdeviceptr target, gp_error *error)
{
    rgb_job *job = context;
    gp_shade_rgb_args *args = &job->args;
    for (int i = 0; i < args->plan.n_channels; i++)
        args->plan.channels[i] = job->channels[i].data + job->piece + begin;
    args->plan.style.alpha_cells = job->alpha_cells != 0 ? (const float *)(uintptr_t)job->alpha_cells + begin : NULL;
    args->n_cells = *n_items, args->pixels = (uint32_t *)(uintptr_t)target;
    return gp_cuda_launch_items(job->device, "shade", "shade_channels", *n_items, args, error);
}

static gp_status paint_piece(rgb_job *job, int64_t n, uint8_t *rgba, gp_error *error)
{
    if (job->alpha_cells != 0)
        GP_TRY(gp_cuda_upload(job->device, job->alpha_cells, job->style->alpha_cells + job->piece, (size_t)n * sizeof(float),
                              error));
    return gp_cuda_fetch(job->device, rgba + 4 * job->piece, n, sizeof(uint32_t), GP_SLOT_PIXELS, make_pixels, job, error);
}

static gp_status paint_all(rgb_job *job, gp_pixels *out, double range[2], gp_error *error)
{
    int64_t n_cells = out->n_rows * out->n_cols;
    uint64_t bits[2];
    GP_TRY(begin_job(job, n_cells, error));
    for (; job->piece < n_cells; job->piece += job->cells_per_piece) {
        int64_t n_left = n_cells - job->piece;
        GP_TRY(paint_piece(job, n_left < job->cells_per_piece ? n_left : job->cells_per_piece, out->rgba, error));
    }
    GP_TRY(gp_cuda_download(job->device, bits, job->range, sizeof bits, error));
    double low = gp_f64_of_ordered(bits[0]), high = gp_f64_of_ordered(bits[1]);
    range[0] = low <= high ? low : (double)NAN;
    range[1] = low <= high ? high : (double)NAN;
    return GP_OK;
}

gp_status gp_cuda_shade_rgb(const gp_cells *channels, int n_channels, const gp_rgb_style *style, gp_pixels *out, double range[2],
                            gp_error *error)
{
    rgb_job job = {.channels = channels, .style = style};
    GP_TRY(gp_shade_rgb_check(channels, n_channels, out, error));
    GP_TRY(check_devices(channels, n_channels, error));
    range[0] = range[1] = (double)NAN;
    if (out->n_rows == 0 || out->n_cols == 0)
        return GP_OK;
    GP_TRY(gp_cuda_enter_cells(&channels[0], &job.device, error));
    job.args.plan = gp_channel_plan_from(style, n_channels);
    gp_status status = paint_all(&job, out, range, error);
    return gp_cuda_finish(job.device, status, error);
}

/* ---- angles ---------------------------------------------------------------------------------------------------------- */

gp_status gp_cuda_angle(const gp_cells *real, const gp_cells *imaginary, gp_cells *out, gp_error *error)
{
    const gp_cells grids[] = {*real, *imaginary, *out};
    gp_angle_args args = {real->data, imaginary->data, out->data, real->n_rows * real->n_cols};
    gp_cuda_device *device;
    for (int i = 1; i < 3; i++)
        if (grids[i].n_rows != real->n_rows || grids[i].n_cols != real->n_cols)
            return gp_fail(error, GP_ERR_VALUE, "parts of %lld x %lld and %lld x %lld cells have no angles in common",
                           (long long)real->n_rows, (long long)real->n_cols, (long long)grids[i].n_rows,
                           (long long)grids[i].n_cols);
    GP_TRY(check_devices(grids, 3, error));
    if (args.n_cells == 0)
        return GP_OK;
    GP_TRY(gp_cuda_enter_cells(real, &device, error));
    return gp_cuda_finish_queued(device, gp_cuda_launch_items(device, "shade", "shade_angles", args.n_cells, &args, error),
                                 error);
}

/* ---- cells without NaN ---------------------------------------------------------------------------------------------- */

gp_status gp_cuda_fill_without_nan(const gp_cells *cells, gp_cells *without_nan, gp_error *error)
{
    const gp_cells grids[] = {*cells, *without_nan};
    gp_without_nan_args args = {cells->data, without_nan->data, cells->n_rows * cells->n_cols};
    gp_cuda_device *device;
    GP_TRY(check_devices(grids, 2, error));
    if (args.n_cells == 0)
        return GP_OK;
    GP_TRY(gp_cuda_enter_cells(cells, &device, error));
    return gp_cuda_finish_queued(device, gp_cuda_launch_items(device, "shade", "shade_without_nan", args.n_cells, &args, error),
                                 error);
}
