/* Checks of styles and sizes before cells are colored, and the 4-byte words that are written as pixels. */
#include "shading.h"

#include "scales.h"

static gp_status check_boundaries(const gp_style *style, gp_error *error)
{
    for (int i = 0; i + 1 < style->n_boundaries; i++)
        if (style->boundary_indices[i] < 0 || style->boundary_indices[i] >= style->n_colors + 3)
            return gp_fail(error, GP_ERR_VALUE, "region %d wants row %d of a table of %d", i, style->boundary_indices[i],
                           style->n_colors + 3);
    return style->n_boundaries >= 2 ? GP_OK : gp_fail(error, GP_ERR_VALUE, "boundaries must be at least two");
}

gp_status gp_shade_check(const gp_cells *cells, const gp_style *style, const gp_pixels *out, gp_error *error)
{
    if (out->n_rows != cells->n_rows || out->n_cols != cells->n_cols)
        return gp_fail(error, GP_ERR_VALUE, "%lld x %lld cells do not fill %lld x %lld pixels", (long long)cells->n_rows,
                       (long long)cells->n_cols, (long long)out->n_rows, (long long)out->n_cols);
    if ((int)style->norm < 0 || style->norm >= GP_N_NORMS || style->n_colors < 1)
        return gp_fail(error, GP_ERR_VALUE, "norm %d with %d colors is not a style", (int)style->norm, style->n_colors);
    if (style->norm == GP_NORM_BOUNDARY)
        return check_boundaries(style, error);
    if (style->vmin > style->vmax)
        return gp_fail(error, GP_ERR_VALUE, "vmin %g is above vmax %g", style->vmin, style->vmax);
    if (style->norm == GP_NORM_LOG && style->vmin <= 0 && style->vmin != style->vmax)
        return gp_fail(error, GP_ERR_VALUE, "a log norm needs limits above zero, not vmin = %g", style->vmin);
    return GP_OK;
}

gp_status gp_shade_rgb_check(const gp_cells *channels, int n_channels, const gp_pixels *out, gp_error *error)
{
    if (n_channels != 3 && n_channels != 4)
        return gp_fail(error, GP_ERR_VALUE, "RGB has 3 channels and RGBA 4, not %d", n_channels);
    for (int i = 0; i < n_channels; i++)
        if (channels[i].n_rows != out->n_rows || channels[i].n_cols != out->n_cols)
            return gp_fail(error, GP_ERR_VALUE, "channel %d has %lld x %lld cells, the picture %lld x %lld pixels", i,
                           (long long)channels[i].n_rows, (long long)channels[i].n_cols, (long long)out->n_rows,
                           (long long)out->n_cols);
    return GP_OK;
}

uint32_t gp_color_word(const uint8_t rgba[4], float alpha)
{
    uint8_t bytes[4] = {rgba[0], rgba[1], rgba[2], gp_alpha_byte(rgba[3], alpha)};
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

void gp_mark_words(const gp_style *style, float alpha, uint32_t words[GP_N_MARK_ROWS])
{
    words[GP_MARK_NAN] = gp_color_word(style->nan_rgba, alpha);
    words[GP_MARK_POS_INF] = gp_color_word(style->pos_inf_rgba, alpha);
    words[GP_MARK_NEG_INF] = gp_color_word(style->neg_inf_rgba, alpha);
    words[GP_MARK_EMPTY] = 0;
    words[GP_MARK_MASKED] = gp_color_word(style->masked_rgba, alpha);
}
