/* gp_scale: norms, cell value -> t in 0..1 -> row of the color table, for every device. */
#ifndef GP_SCALES_H
#define GP_SCALES_H

#include "../states/reductions.h"
#include "style.h"

/*
 * The parameters of a norm, prepared on the host by gp_scale_from. `f` is the norm's own function (the logarithm for log,
 * v itself for linear ...); t = (f(v) - f_min) / f_range. Rows of the color table: 0..n_colors-1 the colors, then under,
 * over, bad.
 *
 * Two norms are steps without a formula, with ascending edges. BOUNDARY: region k is edges[k] <= v < edges[k+1], drawn in
 * row edge_rows[k]. EQ_HIST: edges[k] is the smallest cell that is drawn in row k+1 or above.
 */
typedef struct gp_scale {
    gp_norm norm;
    int n_colors;
    bool is_flat; /* vmin == vmax: t is 0 everywhere */
    double vmin, vmax;
    double params[3];
    double half; /* 1, or 1/2 where vmax - vmin would overflow */
    double f_min, f_range;
    double slopes[2]; /* of TWO_SLOPE */
    double log_base, log_linthresh, linear_factor; /* of SYMLOG */
    const double *edges;
    const int32_t *edge_rows;
    int n_edges;
} gp_scale;

GP_FN int gp_row_under(const gp_scale *scale) { return scale->n_colors; }
GP_FN int gp_row_over(const gp_scale *scale) { return scale->n_colors + 1; }
GP_FN int gp_row_bad(const gp_scale *scale) { return scale->n_colors + 2; }

GP_FN double gp_symlog_of(const gp_scale *scale, double v)
{
    double magnitude = v < 0 ? -v : v, linthresh = scale->params[0], bent;
    if (magnitude <= linthresh)
        return v * scale->linear_factor;
    bent = linthresh * (scale->linear_factor - scale->log_linthresh + log(magnitude) / scale->log_base);
    return v < 0 ? -bent : bent;
}

/* The norm's own function; NaN or -Inf where it is not defined (log of zero or less). */
GP_FN double gp_scale_f(const gp_scale *scale, double v)
{
    switch (scale->norm) {
    case GP_NORM_LOG: return log10(v);
    case GP_NORM_SYMLOG: return gp_symlog_of(scale, v);
    case GP_NORM_ASINH: return scale->params[0] * asinh(v / scale->params[0]);
    case GP_NORM_CBRT: return cbrt(v);
    default: return v * scale->half;
    }
}

/* Sets the limits of a norm whose own function is v itself. */
GP_FN void gp_scale_set_limits(gp_scale *scale, double vmin, double vmax)
{
    bool is_finite = gp_class_of(vmin) == GP_HAS_FINITE && gp_class_of(vmax) == GP_HAS_FINITE;
    scale->vmin = vmin, scale->vmax = vmax;
    scale->is_flat = vmin == vmax;
    scale->half = is_finite && gp_class_of(vmax - vmin) != GP_HAS_FINITE ? 0.5 : 1;
    scale->f_min = vmin * scale->half;
    scale->f_range = vmax * scale->half - scale->f_min;
}

/* Two straight lines that meet at (vcenter, 1/2); outside of 0..1 beyond vmin and vmax, even by one unit in the last place. */
GP_FN double gp_two_slope_t(const gp_scale *scale, double v)
{
    double center = scale->params[0], t;
    if (v < scale->vmin)
        return -1;
    if (v >= scale->vmax)
        return v > scale->vmax ? 2 : 1;
    if (v >= center)
        t = scale->slopes[1] * (v - center) + 0.5;
    else
        t = scale->slopes[0] * (v - scale->vmin);
    return t < 1 ? t : 1;
}

/* t of a finite value, for norms with a formula; NaN or an infinity where the norm is not defined. */
GP_FN double gp_scale_t(const gp_scale *scale, double v)
{
    double t;
    if (v == scale->vmin || v == scale->vmax)
        return v == scale->vmin ? 0 : 1;
    if (scale->norm == GP_NORM_TWO_SLOPE)
        return gp_two_slope_t(scale, v);
    t = (gp_scale_f(scale, v) - scale->f_min) / scale->f_range;
    if (scale->norm == GP_NORM_POWER && t > 0)
        t = pow(t, scale->params[0]);
    return t;
}

/* t to row: t N truncated; t = 1 is still the last color. */
GP_FN int gp_row_of_t(const gp_scale *scale, double t)
{
    double x = t * scale->n_colors;
    if (!(x >= 0))
        return x < 0 ? gp_row_under(scale) : gp_row_bad(scale);
    if (x >= scale->n_colors)
        return x > scale->n_colors ? gp_row_over(scale) : scale->n_colors - 1;
    return (int)x;
}

/* The number of ascending edges that are <= v. */
GP_FN int gp_count_edges(const double *edges, int n_edges, double v)
{
    int begin = 0, end = n_edges;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (v >= edges[middle])
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* The row of a value v, of which `count` edges are <= v. */
GP_FN int gp_row_of_count(const gp_scale *scale, int count, double v)
{
    if (scale->norm == GP_NORM_BOUNDARY) {
        if (count == 0)
            return gp_row_under(scale);
        return count == scale->n_edges ? gp_row_over(scale) : scale->edge_rows[count - 1];
    }
    if (v < scale->vmin)
        return gp_row_under(scale);
    return v > scale->vmax ? gp_row_over(scale) : count;
}

/* The row of a finite value. */
GP_FN int gp_scale_row(const gp_scale *scale, double v)
{
    if (scale->norm == GP_NORM_BOUNDARY)
        return gp_row_of_count(scale, gp_count_edges(scale->edges, scale->n_edges, v), v);
    if (scale->is_flat)
        return 0;
    if (scale->norm == GP_NORM_EQ_HIST)
        return gp_row_of_count(scale, gp_count_edges(scale->edges, scale->n_edges, v), v);
    if (scale->norm == GP_NORM_LOG && !(v > 0))
        return gp_row_bad(scale);
    return gp_row_of_t(scale, gp_scale_t(scale, v));
}

/* The alpha byte times a factor in float32, truncated. A factor outside 0..1 (or NaN) is clipped. */
GP_FN uint8_t gp_alpha_byte(uint8_t alpha, float factor)
{
    float product = (float)alpha * factor;
    if (!(product > 0))
        return 0;
    return product < 255 ? (uint8_t)product : (uint8_t)255;
}

#if !defined(GP_ON_DEVICE)
/* The gp_scale of a style, whose arrays it borrows; the caller sets the edges of EQ_HIST. */
GP_FN gp_scale gp_scale_from(const gp_style *style)
{
    gp_scale scale = {.norm = style->norm,
                      .n_colors = style->n_colors,
                      .edges = style->boundaries,
                      .edge_rows = style->boundary_indices,
                      .n_edges = style->n_boundaries};
    memcpy(scale.params, style->params, sizeof scale.params);
    gp_scale_set_limits(&scale, style->vmin, style->vmax);
    if (scale.norm == GP_NORM_SYMLOG) {
        scale.log_base = log(scale.params[2]);
        scale.log_linthresh = log(scale.params[0]) / scale.log_base;
        scale.linear_factor = scale.params[1] / (1 - 1 / scale.params[2]);
    }
    if (scale.norm == GP_NORM_TWO_SLOPE) {
        scale.slopes[0] = 0.5 / (scale.params[0] - scale.vmin);
        scale.slopes[1] = 0.5 / (scale.vmax - scale.params[0]);
    }
    scale.f_min = gp_scale_f(&scale, scale.vmin);
    scale.f_range = gp_scale_f(&scale, scale.vmax) - scale.f_min;
    return scale;
}
#endif

#endif
