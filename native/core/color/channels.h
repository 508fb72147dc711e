/* One cell of three or four channels to one pixel: alpha divided out, scale and offset, clipping, rounding, colors of marks. */
#ifndef GP_CHANNELS_H
#define GP_CHANNELS_H

#include "../states/reductions.h"
#include "scales.h"

typedef struct gp_channel_plan {
    const double *channels[4]; /* grids of cells */
    int n_channels;
    gp_rgb_style style;
    double scale[4], offset[4]; /* to 0..255, so that the scale of bytes is exactly 1 */
} gp_channel_plan;

GP_FN uint8_t gp_channel_byte(const gp_rgb_style *style, double x)
{
    if (style->is_rounded)
        x = floor(x + 0.5);
    else if (style->is_f32)
        x = (double)(float)x;
    if (!(x > 0))
        return 0;
    return x < 255 ? (uint8_t)x : (uint8_t)255;
}

GP_FN double gp_channel_opacity(const gp_channel_plan *plan, int64_t at)
{
    double opacity;
    if (plan->n_channels == 3)
        return 1;
    opacity = plan->channels[3][at] * plan->style.scale[3] + plan->style.offset[3];
    opacity = opacity > 0 ? opacity : 0;
    return opacity < 1 ? opacity : 1;
}

/* gp_channel_paint for a cell all of whose channels are finite. */
GP_FN void gp_channel_paint_finite(const gp_channel_plan *plan, int64_t at, float alpha, uint8_t rgba[4], double range[2])
{
    const gp_rgb_style *style = &plan->style;
    double opacity = gp_channel_opacity(plan, at);
    bool is_divided = style->is_alpha_weighted && plan->n_channels == 4;
    if (is_divided && opacity == 0) {
        rgba[0] = rgba[1] = rgba[2] = rgba[3] = 0;
        return;
    }
    for (int i = 0; i < 3; i++) {
        double cell = is_divided ? plan->channels[i][at] / opacity : plan->channels[i][at];
        double color = cell * style->scale[i] + style->offset[i];
        range[0] = color < range[0] ? color : range[0];
        range[1] = color > range[1] ? color : range[1];
        rgba[i] = gp_channel_byte(style, cell * plan->scale[i] + plan->offset[i]);
    }
    if (plan->n_channels == 3 || style->is_alpha_replaced)
        rgba[3] = gp_alpha_byte(255, alpha);
    else
        rgba[3] = gp_channel_byte(style, 255 * opacity * (double)alpha);
}

GP_FN void gp_channel_paint_mark(const gp_rgb_style *style, unsigned has, float alpha, uint8_t rgba[4])
{
    const uint8_t *color = has & GP_HAS_NAN ? style->nan_rgba : has & GP_HAS_POS_INF ? style->pos_inf_rgba : style->neg_inf_rgba;
    bool is_masked = (has & GP_HAS_MASKED) != 0 && (has & (GP_HAS_BAD & ~GP_HAS_MASKED)) == 0; /* transparent */
    rgba[0] = is_masked ? 0 : color[0], rgba[1] = is_masked ? 0 : color[1], rgba[2] = is_masked ? 0 : color[2];
    rgba[3] = is_masked ? 0 : gp_alpha_byte(color[3], alpha);
}

/* The pixel of cell `at`; widens `range` by its colors after scale and offset, before they are clipped to 0..1. */
GP_FN void gp_channel_paint(const gp_channel_plan *plan, int64_t at, uint8_t rgba[4], double range[2])
{
    float alpha = plan->style.alpha_cells != 0 ? plan->style.alpha_cells[at] : plan->style.alpha;
    bool is_empty = false;
    unsigned has = 0;
    for (int i = 0; i < plan->n_channels; i++) {
        has |= gp_class_of(plan->channels[i][at]);
        is_empty |= gp_is_empty_cell(plan->channels[i][at]);
    }
    if (has == GP_HAS_FINITE)
        gp_channel_paint_finite(plan, at, alpha, rgba, range);
    else if (is_empty)
        rgba[0] = rgba[1] = rgba[2] = rgba[3] = 0;
    else
        gp_channel_paint_mark(&plan->style, has, alpha, rgba);
}

#if !defined(GP_ON_DEVICE)
/* Borrows the style's alpha_cells; the caller sets the channels. */
GP_FN gp_channel_plan gp_channel_plan_from(const gp_rgb_style *style, int n_channels)
{
    gp_channel_plan plan = {.n_channels = n_channels, .style = *style};
    for (int i = 0; i < 4; i++)
        plan.scale[i] = 255 * style->scale[i], plan.offset[i] = 255 * style->offset[i];
    return plan;
}
#endif

#endif
