/* Colors, channels and filtered cells are the same at every level of vector instructions. */
#include "cast_elements.h"
#include "check.h"
#include "gpuplot.h"
#include "levels.h"

#include <stdlib.h>

enum { N_CELLS = 3001, N_COLORS = 256 };

static void fill_cells(double *values, double low, double high)
{
    for (int i = 0; i < N_CELLS; i++)
        values[i] = low + (high - low) * ((double)(random_bits() >> 11) * 0x1p-53 * 1.4 - 0.2);
    values[5] = NAN, values[6] = INFINITY, values[7] = -INFINITY, values[8] = gp_empty_cell(), values[9] = low, values[10] = high;
}

static void check_norm(gp_norm norm, double low, double high, double a, double b, double c)
{
    static const double edges[] = {-1, 0, 2, 5, 9};
    static const int32_t regions[] = {3, 80, 81, 255};
    static uint8_t table[4 * (N_COLORS + 3)], rgba[4 * N_CELLS];
    static double values[N_CELLS];
    static float alphas[N_CELLS];
    gp_style style = {.norm = norm,
                      .vmin = low,
                      .vmax = high,
                      .params = {a, b, c},
                      .table = table,
                      .n_colors = N_COLORS,
                      .alpha = 1,
                      .nan_rgba = {1, 2, 3, 4},
                      .boundaries = edges,
                      .boundary_indices = regions,
                      .n_boundaries = 5};
    gp_cells cells = {values, 1, N_CELLS, {GP_DL_CPU, 0}};
    gp_pixels pixels = {rgba, 1, N_CELLS};
    gp_error error = {0};
    for (size_t i = 0; i < sizeof table; i++)
        table[i] = (uint8_t)random_bits();
    for (int i = 0; i < N_CELLS; i++)
        alphas[i] = (float)(i % 100) / 100;
    fill_cells(values, low, high);
    for (int has_alphas = 0; has_alphas < 2; has_alphas++) {
        style.alpha_cells = has_alphas ? alphas : NULL;
        CHECK(gp_cpu_backend.shade(&cells, &style, &pixels, &error) == GP_OK);
        same_at_every_level("pixels", rgba, sizeof rgba);
        cells.n_cols = pixels.n_cols = 11; /* so few that no edges are made */
        CHECK(gp_cpu_backend.shade(&cells, &style, &pixels, &error) == GP_OK);
        same_at_every_level("few pixels", rgba, 44);
        cells.n_cols = pixels.n_cols = N_CELLS;
    }
}

static void test_norms(void)
{
    check_norm(GP_NORM_LINEAR, -3, 5, 0, 0, 0);
    check_norm(GP_NORM_LOG, 1e-3, 2e4, 0, 0, 0);
    check_norm(GP_NORM_SYMLOG, -50, 800, 0.01, 1, 10);
    check_norm(GP_NORM_ASINH, -1e5, 3, 0.5, 0, 0);
    check_norm(GP_NORM_POWER, 2, 7, 0.2, 0, 0);
    check_norm(GP_NORM_CBRT, -1, 1e9, 0, 0, 0);
    check_norm(GP_NORM_TWO_SLOPE, -2, 8, 0, 0, 0);
    check_norm(GP_NORM_BOUNDARY, -1, 9, 0, 0, 0);
    check_norm(GP_NORM_EQ_HIST, -3, 5, 0, 0, 0);
}

static void test_channels(void)
{
    static double values[4][N_CELLS], range[2], turned[N_CELLS];
    static uint8_t rgba[4 * N_CELLS];
    gp_cells channels[4], angles = {turned, 1, N_CELLS, {GP_DL_CPU, 0}};
    gp_pixels pixels = {rgba, 1, N_CELLS};
    gp_error error = {0};
    for (int k = 0; k < 4; k++) {
        fill_cells(values[k], 0, 1);
        channels[k] = (gp_cells){values[k], 1, N_CELLS, {GP_DL_CPU, 0}};
    }
    for (int way = 0; way < 8; way++) {
        gp_rgb_style style = {.scale = {0.9, 1, 1.1, 1},
                              .offset = {0.01, 0, -0.02, 0},
                              .is_rounded = way & 1,
                              .is_f32 = way & 2,
                              .is_alpha_weighted = way & 4,
                              .alpha = 0.5f,
                              .nan_rgba = {9, 8, 7, 6}};
        CHECK(gp_cpu_backend.shade_rgb(channels, way & 4 ? 4 : 3, &style, &pixels, range, &error) == GP_OK);
        same_at_every_level("channels", rgba, sizeof rgba);
        same_at_every_level("range of channels", range, sizeof range);
    }
    CHECK(gp_cpu_backend.angle(&channels[0], &channels[1], &angles, &error) == GP_OK);
    same_at_every_level("angles", turned, sizeof turned);
}

/* Four weights for each of some cells; every seventh touches nothing. */
static gp_taps taps_of(int64_t n_from, int64_t n_cells)
{
    static const double four[] = {-0.05, 0.6, 0.5, -0.05};
    int64_t *first = calloc((size_t)n_cells, sizeof *first), *touched = calloc(2 * (size_t)n_cells, sizeof *touched);
    double *weights = calloc(4 * (size_t)n_cells, sizeof *weights);
    CHECK(first != NULL && touched != NULL && weights != NULL);
    for (int64_t i = 0; i < n_cells; i++) {
        first[i] = i * (n_from - 4) / n_cells;
        touched[2 * i] = first[i] + 1, touched[2 * i + 1] = first[i] + (i % 7 == 6 ? 1 : 3);
        memcpy(weights + 4 * i, four, sizeof four);
    }
    return (gp_taps){first, touched, weights, n_cells, 4};
}

static void taps_free(const gp_taps *taps)
{
    free((void *)taps->first);
    free((void *)taps->touched);
    free((void *)taps->weights);
}

/* Cells with marks in some of the first rows, and rows without. */
static void test_filter(void)
{
    static double values[N_CELLS], filtered[N_CELLS];
    gp_cells from = {values, 60, 50, {GP_DL_CPU, 0}}, out = {filtered, 50, 43, {GP_DL_CPU, 0}};
    gp_taps rows = taps_of(from.n_rows, out.n_rows), cols = taps_of(from.n_cols, out.n_cols);
    fill_cells(values, -3, 5);
    for (int i = 60; i < 400; i += 11)
        values[i] = i % 2 ? NAN : gp_masked_value();
    for (int nan = 0; nan < GP_N_NANS; nan++) {
        CHECK(gp_cpu_backend.filter(&from, &rows, &cols, (gp_nan)nan, &out, &(gp_error){0}) == GP_OK);
        same_at_every_level("filtered cells", filtered, out.n_rows * out.n_cols * (int64_t)sizeof *filtered);
    }
    taps_free(&rows);
    taps_free(&cols);
}

static void run_all(void)
{
    test_norms();
    test_channels();
    test_filter();
}

int main(void)
{
    run_at_every_level(run_all);
    return 0;
}
