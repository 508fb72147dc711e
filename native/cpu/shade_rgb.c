/* Three or four grids of channels to pixels: alpha divided out, scale and offset, clipping, rounding, colours of marks. */
#include "../core/scales.h"
#include "../core/shading.h"
#include "../core/threads.h"
#include "cpu.h"

#include <stdlib.h>

enum { CELLS_PER_PIECE = 1 << 14 };

typedef struct rgb_plan {
    const double *channels[4];
    int n_channels;
    int64_t n_cells;
    const gp_rgb_style *style;
    double scale[4], offset[4]; /* to 0..255: then the scale 1/255 of bytes is exactly 1 */
    uint8_t *rgba;
    double (*ranges)[2]; /* one per worker */
} rgb_plan;

static uint8_t byte_of(const gp_rgb_style *style, double x)
{
    if (style->is_rounded)
        x = floor(x + 0.5);
    else if (style->is_f32)
        x = (double)(float)x;
    if (!(x > 0))
        return 0;
    return x < 255 ? (uint8_t)x : (uint8_t)255;
}

static void paint_mark(const gp_rgb_style *style, unsigned has, float alpha, uint8_t *rgba)
{
    const uint8_t *color = has & GP_HAS_NAN ? style->nan_rgba : has & GP_HAS_POS_INF ? style->pos_inf_rgba : style->neg_inf_rgba;
    memcpy(rgba, color, 4);
    rgba[3] = gp_alpha_byte(color[3], alpha);
}

/* The alpha byte of a finite cell; `opacity` is 0..1. */
static uint8_t alpha_of(const rgb_plan *plan, double opacity, float alpha)
{
    if (plan->n_channels == 3 || plan->style->is_alpha_replaced)
        return gp_alpha_byte(255, alpha);
    return byte_of(plan->style, 255 * opacity * (double)alpha);
}

static double opacity_of(const rgb_plan *plan, int64_t at)
{
    double opacity;
    if (plan->n_channels == 3)
        return 1;
    opacity = plan->channels[3][at] * plan->style->scale[3] + plan->style->offset[3];
    opacity = opacity > 0 ? opacity : 0;
    return opacity < 1 ? opacity : 1;
}

static void paint_finite(const rgb_plan *plan, int64_t at, float alpha, uint8_t *rgba, double range[2])
{
    const gp_rgb_style *style = plan->style;
    double opacity = opacity_of(plan, at);
    bool is_divided = style->is_alpha_weighted && plan->n_channels == 4;
    if (is_divided && opacity == 0) {
        memset(rgba, 0, 4);
        return;
    }
    for (int i = 0; i < 3; i++) {
        double cell = is_divided ? plan->channels[i][at] / opacity : plan->channels[i][at];
        double color = cell * style->scale[i] + style->offset[i];
        range[0] = color < range[0] ? color : range[0];
        range[1] = color > range[1] ? color : range[1];
        rgba[i] = byte_of(style, cell * plan->scale[i] + plan->offset[i]);
    }
    rgba[3] = alpha_of(plan, opacity, alpha);
}

static unsigned classes_of(const rgb_plan *plan, int64_t at, bool *is_empty)
{
    unsigned has = 0;
    *is_empty = false;
    for (int i = 0; i < plan->n_channels; i++) {
        double cell = plan->channels[i][at];
        has |= gp_class_of(cell);
        *is_empty |= gp_is_empty_cell(cell);
    }
    return has;
}

static gp_status paint_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const rgb_plan *plan = context;
    const gp_rgb_style *style = plan->style;
    int64_t begin = piece * CELLS_PER_PIECE, end = begin + CELLS_PER_PIECE;
    (void)error;
    end = end < plan->n_cells ? end : plan->n_cells;
    for (int64_t at = begin; at < end; at++) {
        float alpha = style->alpha_cells != NULL ? style->alpha_cells[at] : style->alpha;
        bool is_empty;
        unsigned has = classes_of(plan, at, &is_empty);
        if (has == GP_HAS_FINITE)
            paint_finite(plan, at, alpha, plan->rgba + 4 * at, plan->ranges[worker]);
        else if (is_empty)
            memset(plan->rgba + 4 * at, 0, 4);
        else
            paint_mark(style, has, alpha, plan->rgba + 4 * at);
    }
    return GP_OK;
}

static void join_ranges(const rgb_plan *plan, int n_threads, double range[2])
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < n_threads; i++) {
        low = plan->ranges[i][0] < low ? plan->ranges[i][0] : low;
        high = plan->ranges[i][1] > high ? plan->ranges[i][1] : high;
    }
    range[0] = low <= high ? low : NAN;
    range[1] = low <= high ? high : NAN;
}

gp_status gp_cpu_shade_rgb(const gp_cells *channels, int n_channels, const gp_rgb_style *style, gp_pixels *out,
                           double range[2], gp_error *error)
{
    rgb_plan plan = {.n_channels = n_channels, .n_cells = out->n_rows * out->n_cols, .style = style, .rgba = out->rgba};
    int n_threads = gp_threads_for(plan.n_cells);
    gp_status status;
    GP_TRY(gp_shade_rgb_check(channels, n_channels, out, error));
    for (int i = 0; i < n_channels; i++) {
        plan.channels[i] = channels[i].data;
        plan.scale[i] = 255 * style->scale[i], plan.offset[i] = 255 * style->offset[i];
    }
    plan.ranges = malloc((size_t)n_threads * sizeof *plan.ranges);
    if (plan.ranges == NULL)
        return gp_fail_memory(error, (double)n_threads * sizeof *plan.ranges);
    for (int i = 0; i < n_threads; i++)
        plan.ranges[i][0] = INFINITY, plan.ranges[i][1] = -INFINITY;
    status = gp_threads_run((plan.n_cells + CELLS_PER_PIECE - 1) / CELLS_PER_PIECE, n_threads, paint_piece, &plan, error);
    if (status == GP_OK)
        join_ranges(&plan, n_threads, range);
    free(plan.ranges);
    return status;
}
