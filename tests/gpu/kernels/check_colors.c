/* Cells to pixels: every norm, marks, alpha, color channels, and the angle of two grids. */
#include "checks.h"
#include "../../native/numbers.h"

#include "../../../native/core/tensor/dlpack_abi.h"
#include "../../../native/core/color/scales.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLORS = 300, N_ROWS = 29, N_COLS = 43 };

/* Marks, an empty cell and other corners among `values`, at places that differ from call to call. */
static void add_corners(double *values, int64_t n, double vmin, double vmax)
{
    const double corners[] = {
        (double)NAN, (double)INFINITY, -(double)INFINITY,        gp_empty_cell(),         vmin, vmax, 0, 1e308,
        -1e308,      5e-324,           vmin - 1e-9 * fabs(vmin), vmax + 1e-9 * fabs(vmax)};
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++)
        values[(int64_t)(uniform() * (double)n) % n] = corners[i];
}

/* ---- shade --------------------------------------------------------------------------------------------------------- */

typedef struct norm_case {
    gp_norm norm;
    double vmin, vmax, params[3];
    const char *name;
} norm_case;

static const norm_case norms[] = {
    {GP_NORM_LINEAR, -3, 5, {0}, "linear"},
    {GP_NORM_LINEAR, 1e9, 1e9 + 1, {0}, "linear, narrow"},
    {GP_NORM_LINEAR, -1.7e308, 1.7e308, {0}, "linear, all"},
    {GP_NORM_LINEAR, 2, 2, {0}, "linear, flat"},
    {GP_NORM_LOG, 1e-3, 2e4, {0}, "log"},
    {GP_NORM_LOG, 1e-300, 1e300, {0}, "log, wide"},
    {GP_NORM_SYMLOG, -50, 800, {0.01, 1, 10}, "symlog"},
    {GP_NORM_ASINH, -1e5, 3, {0.5}, "asinh"},
    {GP_NORM_POWER, 2, 7, {0.2}, "power 0.2"},
    {GP_NORM_POWER, 2, 7, {6}, "power 6"},
    {GP_NORM_CBRT, -1, 1e9, {0}, "cbrt"},
    {GP_NORM_TWO_SLOPE, -2, 8, {0}, "two slopes"},
    {GP_NORM_BOUNDARY, 0, 4, {0}, "boundary"},
    {GP_NORM_EQ_HIST, 0, 1, {0}, "eq_hist"},
    {GP_NORM_EQ_HIST, -1e300, 1e300, {0}, "eq_hist, steep"},
    {GP_NORM_EQ_HIST, 5, 5, {0}, "eq_hist, flat"},
};
enum { N_NORMS = (int)(sizeof norms / sizeof *norms) };

static const double boundaries[] = {0, 0.5, 1, 2, 4};
static const int32_t regions[] = {0, 1, 0, 1};

/* Row k of the table is (k % 256, k / 256, 7, 200): a pixel says which row it came from. */
static gp_style style_of(const norm_case *norm, int n_colors, uint8_t *table)
{
    gp_style style = {.norm = norm->norm,
                      .vmin = norm->vmin,
                      .vmax = norm->vmax,
                      .table = table,
                      .n_colors = n_colors,
                      .alpha = 1,
                      .nan_rgba = {1, 2, 3, 255},
                      .pos_inf_rgba = {4, 5, 6, 255},
                      .neg_inf_rgba = {7, 8, 9, 255}};
    for (int row = 0; row < n_colors + 3; row++)
        memcpy(table + 4 * row, ((uint8_t[]){(uint8_t)(row % 256), (uint8_t)(row / 256), 7, 200}), 4);
    memcpy(style.params, norm->params, sizeof style.params);
    if (norm->norm == GP_NORM_BOUNDARY)
        style.boundaries = boundaries, style.boundary_indices = regions, style.n_boundaries = 5;
    return style;
}

/* A row of the table that rounding allows: that of t N - e, t N or t N + e; steps and limits are exact. */
static bool is_allowed(const gp_scale *scale, double v, int row)
{
    double reach = fmax(fabs(scale->f_min), fabs(scale->f_min + scale->f_range));
    double e = (1e-9 + 0x1p-50 * scale->n_colors * reach / fabs(scale->f_range)) / scale->n_colors;
    bool is_stepped = scale->norm == GP_NORM_BOUNDARY || scale->norm == GP_NORM_EQ_HIST || scale->is_flat;
    if (is_stepped || v == scale->vmin || v == scale->vmax || (scale->norm == GP_NORM_LOG && !(v > 0)))
        return false;
    double t = gp_scale_t(scale, v);
    return row == gp_row_of_t(scale, t - e) || row == gp_row_of_t(scale, t) || row == gp_row_of_t(scale, t + e);
}

static bool is_allowed_pixel(const gp_scale *scale, double v, const uint8_t *got, const uint8_t *want)
{
    if (memcmp(got, want, 4) == 0)
        return true;
    bool is_color = gp_class_of(v) == GP_HAS_FINITE && got[2] == 7 && got[3] == want[3];
    return is_color && is_allowed(scale, v, got[0] + 256 * got[1]);
}

static void compare_pixels(tally *all, const gp_style *style, const double *values, int64_t n, const uint8_t *got,
                           const uint8_t *want)
{
    gp_scale scale = gp_scale_from(style);
    for (int64_t i = 0; i < n; i++)
        if (!is_allowed_pixel(&scale, values[i], got + 4 * i, want + 4 * i)) {
            tally_fail(all, "cell %lld = %.17g is (%d %d %d %d), not (%d %d %d %d)", (long long)i, values[i], got[4 * i],
                       got[4 * i + 1], got[4 * i + 2], got[4 * i + 3], want[4 * i], want[4 * i + 1], want[4 * i + 2],
                       want[4 * i + 3]);
            return;
        }
}

static void shade_both(tally *all, const gp_style *style, double *values, int64_t n_rows, int64_t n_cols)
{
    size_t n = (size_t)(n_rows * n_cols);
    uint8_t *want = malloc(4 * n), *got = malloc(4 * n);
    gp_pixels want_pixels = {want, n_rows, n_cols}, got_pixels = {got, n_rows, n_cols};
    gp_cells host = {values, n_rows, n_cols, {GP_DL_CPU, 0}}, device = {0};
    gp_error error = {0};
    if (want != NULL && got != NULL)
        memset(got, 0xa5, 4 * n);
    if (want != NULL && got != NULL &&
        tally_ok(all, gp_cpu_backend.shade(&host, style, &want_pixels, &error), &error, "the CPU's shade") &&
        tally_ok(all, memory_cells_from(values, n_rows, n_cols, &device, &error), &error, "uploading cells") &&
        tally_ok(all, gp_cuda_backend.shade(&device, style, &got_pixels, &error), &error, "shade"))
        compare_pixels(all, style, values, (int64_t)n, got, want);
    gp_cuda_backend.cells_free(&device);
    free(want);
    free(got);
}

static void check_norm(tally *all, const norm_case *norm, int n_colors, int alpha, int64_t scale)
{
    static const char *const alphas[] = {"opaque", "alpha 0.5", "alpha of cells"};
    uint8_t table[4 * (MOST_COLORS + 3)];
    int64_t n_rows = N_ROWS * scale, n_cols = N_COLS * scale, n = n_rows * n_cols;
    double *values = malloc((size_t)n * sizeof *values), half = norm->vmax / 2 - norm->vmin / 2;
    float *factors = malloc((size_t)n * sizeof *factors);
    gp_style style = style_of(norm, n_colors, table);
    tally_name(all, "%s, %d colors, %s", norm->name, n_colors, alphas[alpha]);
    for (int64_t i = 0; values != NULL && factors != NULL && i < n; i++) {
        double share = 1.3 * uniform() - 0.15;
        values[i] = norm->vmin + half * share + half * share;
        if (norm->norm == GP_NORM_LOG || norm->name[0] == 'a')
            values[i] = norm->norm == GP_NORM_LOG ? norm->vmin * pow(norm->vmax / norm->vmin, share) : values[i];
        factors[i] = (float)(1.2 * uniform() - 0.1);
    }
    if (values != NULL && factors != NULL) {
        add_corners(values, n, norm->vmin, norm->vmax);
        style.alpha = alpha == 1 ? 0.5f : 1;
        style.alpha_cells = alpha == 2 ? factors : NULL;
        shade_both(all, &style, values, n_rows, n_cols);
    }
    free(values);
    free(factors);
}

void check_shade(tally *all, const check_sizes *sizes)
{
    const int colors[] = {256, 2, MOST_COLORS, 1};
    if (!tally_group(all, "shade"))
        return;
    for (int alpha = 0; alpha < 3; alpha++)
        for (int i = 0; i < 4; i++)
            for (int norm = 0; norm < N_NORMS; norm++)
                if (norms[norm].norm != GP_NORM_BOUNDARY || colors[i] > 1)
                    if (tally_wants(all, alpha == 0 && i == 0))
                        check_norm(all, &norms[norm], colors[i], alpha, sizes->scale);
}

/* ---- color channels ----------------------------------------------------------------------------------------------- */

typedef struct rgb_case {
    int n_channels;
    bool is_rounded, is_f32, is_weighted, is_replaced;
    double scale, offset;
    float alpha;
} rgb_case;

static const rgb_case rgb_cases[] = {
    {3, false, false, false, false, 1, 0, 1},        {3, true, false, false, false, 1, 0, 1},
    {3, false, true, false, false, 1, 0, 0.5f},      {4, false, false, true, false, 1, 0, 1},
    {4, true, false, true, false, 1, 0, 0.7f},       {4, false, true, false, false, 1, 0, 1},
    {3, true, false, false, false, 0.229, 0.485, 1}, {3, true, false, false, true, 1.0 / 255, 0, 0.5f},
};
enum { N_RGB = (int)(sizeof rgb_cases / sizeof *rgb_cases), N_CHANNEL_CELLS = N_ROWS * N_COLS };

static gp_rgb_style rgb_style_of(const rgb_case *c)
{
    gp_rgb_style style = {.scale = {c->scale, c->scale, c->scale, 1},
                          .offset = {c->offset, c->offset, c->offset, 0},
                          .is_rounded = c->is_rounded,
                          .is_f32 = c->is_f32,
                          .is_alpha_weighted = c->is_weighted,
                          .is_alpha_replaced = c->is_replaced,
                          .alpha = c->alpha,
                          .nan_rgba = {9, 8, 7, 66},
                          .pos_inf_rgba = {5, 4, 3, 22},
                          .neg_inf_rgba = {11, 22, 33, 44}};
    return style;
}

static void fill_channels(const rgb_case *c, bool is_dirty, double values[4][N_CHANNEL_CELLS])
{
    for (int k = 0; k < c->n_channels; k++) {
        for (int i = 0; i < N_CHANNEL_CELLS; i++)
            values[k][i] = (double)(float)((1.3 * uniform() - 0.1) * (c->scale < 0.01 ? 255 : 1));
        if (is_dirty)
            add_corners(values[k], N_CHANNEL_CELLS, 0, 1);
    }
}

static void check_rgb_case(tally *all, const rgb_case *c, bool is_dirty)
{
    static double values[4][N_CHANNEL_CELLS];
    static uint8_t want[4 * N_CHANNEL_CELLS], got[4 * N_CHANNEL_CELLS];
    gp_cells host[4], device[4] = {0};
    gp_pixels want_pixels = {want, N_ROWS, N_COLS}, got_pixels = {got, N_ROWS, N_COLS};
    gp_rgb_style style = rgb_style_of(c);
    double want_range[2], got_range[2];
    gp_error error = {0};
    bool is_ok = true;
    fill_channels(c, is_dirty, values);
    memset(got, 0xa5, sizeof got);
    for (int k = 0; k < c->n_channels; k++) {
        host[k] = (gp_cells){values[k], N_ROWS, N_COLS, {GP_DL_CPU, 0}};
        is_ok = is_ok &&
                tally_ok(all, memory_cells_from(values[k], N_ROWS, N_COLS, &device[k], &error), &error, "uploading cells");
    }
    if (is_ok &&
        tally_ok(all, gp_cpu_backend.shade_rgb(host, c->n_channels, &style, &want_pixels, want_range, &error), &error,
                 "the CPU's shade_rgb") &&
        tally_ok(all, gp_cuda_backend.shade_rgb(device, c->n_channels, &style, &got_pixels, got_range, &error), &error,
                 "shade_rgb")) {
        for (int i = 0; i < 4 * N_CHANNEL_CELLS; i++)
            if (got[i] != want[i]) {
                tally_fail(all, "channel %d of pixel %d is %d, not %d", i % 4, i / 4, got[i], want[i]);
                break;
            }
        if (!is_same_value(got_range[0], want_range[0]) || !is_same_value(got_range[1], want_range[1]))
            tally_fail(all, "range %.17g..%.17g, not %.17g..%.17g", got_range[0], got_range[1], want_range[0], want_range[1]);
    }
    for (int k = 0; k < c->n_channels; k++)
        gp_cuda_backend.cells_free(&device[k]);
}

void check_shade_rgb(tally *all, const check_sizes *sizes)
{
    (void)sizes;
    if (!tally_group(all, "shade_rgb"))
        return;
    for (int is_dirty = 0; is_dirty < 2; is_dirty++)
        for (int i = 0; i < N_RGB; i++)
            if (tally_wants(all, false)) {
                tally_name(all, "style %d%s", i, is_dirty ? " with marks" : "");
                check_rgb_case(all, &rgb_cases[i], is_dirty);
            }
}

/* ---- angles -------------------------------------------------------------------------------------------------------- */

static void compare_angles(tally *all, const double *real, const double *imaginary, const double *got)
{
    for (int i = 0; i < N_CHANNEL_CELLS; i++) {
        bool is_mark = gp_class_of(real[i]) != GP_HAS_FINITE;
        double want = is_mark ? real[i] : atan2(imaginary[i], real[i]);
        if (is_mark ? !is_same_value(got[i], want) : !(fabs(got[i] - want) <= 1e-12)) {
            tally_fail(all, "the angle of (%.17g, %.17g) is %.17g, not %.17g", real[i], imaginary[i], got[i], want);
            return;
        }
    }
}

void check_angle(tally *all, const check_sizes *sizes)
{
    static double real[N_CHANNEL_CELLS], imaginary[N_CHANNEL_CELLS], got[N_CHANNEL_CELLS];
    gp_cells cells[3] = {0};
    gp_error error = {0};
    (void)sizes;
    if (!tally_group(all, "angle") || !tally_wants(all, false))
        return;
    tally_name(all, "%d x %d", N_ROWS, N_COLS);
    for (int i = 0; i < N_CHANNEL_CELLS; i++)
        real[i] = i % 7 ? 2 * uniform() - 1 : -1, imaginary[i] = i % 14 ? 2 * uniform() - 1 : 0;
    const double marks[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, gp_empty_cell()};
    for (int i = 0; i < 4; i++)
        real[100 + i] = imaginary[100 + i] = marks[i];
    if (tally_ok(all, memory_cells_from(real, N_ROWS, N_COLS, &cells[0], &error), &error, "uploading cells") &&
        tally_ok(all, memory_cells_from(imaginary, N_ROWS, N_COLS, &cells[1], &error), &error, "uploading cells") &&
        tally_ok(all, memory_cells(N_ROWS, N_COLS, &cells[2], &error), &error, "cells") &&
        tally_ok(all, gp_cuda_backend.angle(&cells[0], &cells[1], &cells[2], &error), &error, "angle") &&
        tally_ok(all, gp_cuda_backend.cells_copy_out(&cells[2], got, &error), &error, "cells_copy_out"))
        compare_angles(all, real, imaginary, got);
    for (int i = 0; i < 3; i++)
        gp_cuda_backend.cells_free(&cells[i]);
}
