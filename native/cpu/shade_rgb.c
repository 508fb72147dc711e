/* Three or four grids of channels to pixels, on all threads. */
#include "simd/shade_loops.h"

#include "../core/color/shading.h"
#include "../core/base/threads.h"
#include "cpu.h"

#include <stdlib.h>

enum { CELLS_PER_PIECE = 1 << 14 };

typedef struct rgb_job {
    gp_channel_plan plan;
    const gp_shade_loops *loops;
    int64_t n_cells;
    uint8_t *rgba;
    double (*ranges)[2]; /* one per worker */
} rgb_job;

static void paint_block(const rgb_job *job, int64_t at, int n, double range[2])
{
    if (job->loops->paint_channels(&job->plan, at, n, job->rgba + 4 * at, range))
        return;
    for (int i = 0; i < n; i++)
        gp_channel_paint(&job->plan, at + i, job->rgba + 4 * (at + i), range);
}

static gp_status paint_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const rgb_job *job = context;
    int64_t begin = piece * CELLS_PER_PIECE, end = begin + CELLS_PER_PIECE;
    (void)error;
    end = end < job->n_cells ? end : job->n_cells;
    for (int64_t at = begin; at < end; at += GP_SHADE_BLOCK)
        paint_block(job, at, (int)(end - at < GP_SHADE_BLOCK ? end - at : GP_SHADE_BLOCK), job->ranges[worker]);
    return GP_OK;
}

static void join_ranges(const rgb_job *job, int n_threads, double range[2])
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < n_threads; i++) {
        low = job->ranges[i][0] < low ? job->ranges[i][0] : low;
        high = job->ranges[i][1] > high ? job->ranges[i][1] : high;
    }
    range[0] = low <= high ? low : NAN;
    range[1] = low <= high ? high : NAN;
}

gp_status gp_cpu_shade_rgb(const gp_cells *channels, int n_channels, const gp_rgb_style *style, gp_pixels *out, double range[2],
                           gp_error *error)
{
    rgb_job job = {.loops = gp_shade_loops_now(), .n_cells = out->n_rows * out->n_cols, .rgba = out->rgba};
    int n_threads = gp_threads_for(job.n_cells);
    gp_status status;
    GP_TRY(gp_shade_rgb_check(channels, n_channels, out, error));
    job.plan = gp_channel_plan_from(style, n_channels);
    for (int i = 0; i < n_channels; i++)
        job.plan.channels[i] = channels[i].data;
    job.ranges = malloc((size_t)n_threads * sizeof *job.ranges);
    if (job.ranges == NULL)
        return gp_fail_memory(error, (double)n_threads * sizeof *job.ranges);
    for (int i = 0; i < n_threads; i++)
        job.ranges[i][0] = INFINITY, job.ranges[i][1] = -INFINITY;
    status = gp_threads_run((job.n_cells + CELLS_PER_PIECE - 1) / CELLS_PER_PIECE, n_threads, paint_piece, &job, error);
    if (status == GP_OK)
        join_ranges(&job, n_threads, range);
    free(job.ranges);
    return status;
}
