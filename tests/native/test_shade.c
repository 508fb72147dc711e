/* Cells to pixels: the norm table, rows of the color table, edges, marks, alpha, equalized ranks and color channels. */
#include "../../native/cpu/cpu.h"
#include "../../native/core/color/threshold_table.h"
#include "../../native/core/base/sort.h"
#include "check.h"
#include "levels.h"
#include "numbers.h"

enum { MOST_COLORS = 300 };
static uint8_t table[4 * (MOST_COLORS + 3)];
/* Row k of the table is (k % 256, k / 256, 7, 200): a pixel says which row it came from. */
static gp_style style_of(gp_norm norm, double vmin, double vmax, int n_colors)
{
    for (int row = 0; row < n_colors + 3; row++) {
        const uint8_t rgba[4] = {(uint8_t)(row % 256), (uint8_t)(row / 256), 7, 200};
        memcpy(table + 4 * row, rgba, 4);
    }
    return (gp_style){.norm = norm,
                      .vmin = vmin,
                      .vmax = vmax,
                      .table = table,
                      .n_colors = n_colors,
                      .alpha = 1,
                      .nan_rgba = {1, 2, 3, 255},
                      .pos_inf_rgba = {4, 5, 6, 255},
                      .neg_inf_rgba = {7, 8, 9, 255}};
}

static int row_of_pixel(const uint8_t *rgba) { return rgba[0] + 256 * rgba[1]; }

static void check_near(double got, double want) { CHECK(fabs(got - want) <= 4e-16 * (1 + fabs(want))); }

static double t_of(gp_norm norm, double vmin, double vmax, double a, double b, double c, double v)
{
    gp_style style = style_of(norm, vmin, vmax, 256);
    style.params[0] = a, style.params[1] = b, style.params[2] = c;
    gp_scale scale = gp_scale_from(&style);
    return gp_scale_t(&scale, v);
}

static void test_formulas(void)
{
    check_near(t_of(GP_NORM_LINEAR, 2, 6, 0, 0, 0, 3), 0.25);
    check_near(t_of(GP_NORM_LOG, 1, 1000, 0, 0, 0, 10), 1.0 / 3);
    check_near(t_of(GP_NORM_SYMLOG, -10, 10, 1, 1, 10, 1), 0.7631578947368421);
    check_near(t_of(GP_NORM_SYMLOG, -10, 10, 2, 1, 10, 1), 0.6534615081099062);
    check_near(t_of(GP_NORM_ASINH, -10, 10, 1, 0, 0, 1), 0.6469826630024212);
    check_near(t_of(GP_NORM_POWER, 0, 8, 0.5, 0, 0, 2), 0.5);
    check_near(t_of(GP_NORM_POWER, 0, 8, 0.5, 0, 0, -2), -0.25);
    check_near(t_of(GP_NORM_CBRT, -8, 27, 0, 0, 0, 1), 0.6);
    check_near(t_of(GP_NORM_TWO_SLOPE, -2, 8, 0, 0, 0, -1), 0.25);
    check_near(t_of(GP_NORM_TWO_SLOPE, -2, 8, 0, 0, 0, 4), 0.75);
    check_near(t_of(GP_NORM_LINEAR, -1.7e308, 1.7e308, 0, 0, 0, 0), 0.5); /* the range itself overflows */
}

static void test_rows(void)
{
    gp_style style = style_of(GP_NORM_LINEAR, 0, 1, 256);
    gp_scale scale = gp_scale_from(&style);
    const double t[] = {0, 0.25, 0.5, 0.999999999, 1, 1 + 0x1p-52, 1.0000001, -1e-9, NAN};
    const int rows[] = {0, 64, 128, 255, 255, 257, 257, 256, 258};
    for (int i = 0; i < 9; i++)
        CHECK(gp_row_of_t(&scale, t[i]) == rows[i]);
    CHECK(gp_alpha_byte(255, 0.5f) == 127 && gp_alpha_byte(200, 0.5f) == 100);
    CHECK(gp_alpha_byte(200, NAN) == 0 && gp_alpha_byte(200, -1) == 0 && gp_alpha_byte(200, 9) == 255);
}

static void shade(const double *values, int n, const gp_style *style, uint8_t *rgba)
{
    gp_cells cells = {(double *)values, 1, n, {1, 0}};
    gp_pixels pixels = {rgba, 1, n};
    gp_error error;
    CHECK(gp_cpu_shade(&cells, style, &pixels, &error) == GP_OK);
}

/* Whatever way is taken (a line, edges, the formula), the pixel is the one of gp_scale_row. */
static void check_norm(gp_style style)
{
    enum { N = 5000 };
    static double values[N];
    static uint8_t rgba[4 * N];
    gp_scale scale = gp_scale_from(&style);
    double span = style.vmax - style.vmin;
    for (int i = 0; i < N; i++)
        values[i] = style.vmin + (1.4 * uniform() - 0.2) * span;
    values[0] = style.vmin, values[1] = style.vmax, values[2] = gp_next_double(style.vmax), values[3] = 1e308;
    values[4] = -1e308, values[5] = 5e-324, values[6] = 0;
    shade(values, N, &style, rgba);
    for (int i = 0; i < N; i++)
        CHECK(row_of_pixel(rgba + 4 * i) == gp_scale_row(&scale, values[i]));
    CHECK(row_of_pixel(rgba) == 0 && row_of_pixel(rgba + 4) == style.n_colors - 1);
    shade(values, 9, &style, rgba); /* so few that no edges are made */
    for (int i = 0; i < 9; i++)
        CHECK(row_of_pixel(rgba + 4 * i) == gp_scale_row(&scale, values[i]));
}

static void check_with(gp_norm norm, double vmin, double vmax, double a, double b, double c)
{
    const int sizes[] = {1, 2, 3, 255, 256, MOST_COLORS};
    for (int i = 0; i < 6; i++) {
        gp_style style = style_of(norm, vmin, vmax, sizes[i]);
        style.params[0] = a, style.params[1] = b, style.params[2] = c;
        check_norm(style);
    }
}

static void test_all_ways_agree(void)
{
    check_with(GP_NORM_LINEAR, -3, 5, 0, 0, 0);
    check_with(GP_NORM_LOG, 1e-3, 2e4, 0, 0, 0);
    check_with(GP_NORM_LOG, 1e-300, 1e300, 0, 0, 0);
    check_with(GP_NORM_SYMLOG, -50, 800, 0.01, 1, 10);
    check_with(GP_NORM_ASINH, -1e5, 3, 0.5, 0, 0);
    check_with(GP_NORM_POWER, 2, 7, 0.2, 0, 0);
    check_with(GP_NORM_POWER, 2, 7, 6, 0, 0);
    check_with(GP_NORM_CBRT, -1, 1e9, 0, 0, 0);
    check_with(GP_NORM_TWO_SLOPE, -2, 8, 0, 0, 0);
    check_with(GP_NORM_LINEAR, 1e9, 1e9 + 1, 0, 0, 0);
}

static void check_edges(double (*draw)(void), int n_edges)
{
    double *edges = malloc(((size_t)n_edges + 1) * sizeof *edges);
    uint64_t keys[64], spare[64], *sorted;
    gp_threshold_table map;
    gp_error error;
    for (int i = 0; i < n_edges; i++)
        keys[i] = gp_bits_from_f64(fabs(draw()));
    sorted = gp_sort_keys(keys, spare, n_edges);
    for (int i = 0; i < n_edges; i++)
        edges[i] = gp_f64_from_bits(sorted[i]) - 0.3;
    CHECK(gp_threshold_table_from(edges, n_edges, &map, &error) == GP_OK);
    for (int i = 0; i < 3000; i++) {
        double v = i < n_edges ? map.edges[i] : draw();
        int32_t bucket = gp_edge_bucket(v, map.origin, map.floor, map.shift, map.first_bucket);
        if (map.n_tests < 0)
            break;
        int count = map.counts[gp_edge_bucket_clipped(bucket)];
        for (int test = 0; test < map.n_tests; test++)
            count += v >= map.edges[count];
        CHECK(count == gp_count_edges(map.edges, map.n_edges, v));
    }
    gp_threshold_table_free(&map);
    gp_threshold_table_free(&map);
}

static double draw_even(void) { return 4 * uniform() - 2; }
static double draw_steep(void) { return exp(60 * uniform() - 30) * (uniform() < 0.5 ? -1 : 1); }

static void test_edges(void)
{
    for (int n = 1; n <= 64; n += 7) {
        check_edges(draw_even, n);
        check_edges(draw_steep, n);
    }
    CHECK(gp_next_double(1) == 1 + 0x1p-52 && gp_next_double(-1) == -1 + 0x1p-53 && gp_next_double(0) == 5e-324);
    CHECK(isinf(gp_next_double(1.7976931348623157e308)));
}

static void test_marks_and_alpha(void)
{
    const double values[] = {NAN, INFINITY, -INFINITY, gp_empty_cell(), 0, 0.5, 2, -1};
    const uint8_t want[8][4] = {{1, 2, 3, 127}, {4, 5, 6, 127}, {7, 8, 9, 127}, {0, 0, 0, 0},
                                {0, 0, 7, 100}, {2, 0, 7, 100}, {5, 0, 7, 100}, {4, 0, 7, 100}};
    const float factors[] = {0.5f, 0.5f, 0.5f, 0.5f, 1, 0, 0.25f, NAN};
    uint8_t rgba[32];
    const gp_norm norms[] = {GP_NORM_LINEAR, GP_NORM_CBRT, GP_NORM_EQ_HIST};
    for (int i = 0; i < 3; i++) {
        gp_style style = style_of(norms[i], 0, 1, 4);
        style.alpha = 0.5f;
        shade(values, 8, &style, rgba);
        CHECK(memcmp(rgba, want, 16) == 0 && row_of_pixel(rgba + 24) == 5 && row_of_pixel(rgba + 28) == 4);
        if (norms[i] == GP_NORM_LINEAR)
            CHECK(memcmp(rgba, want, 32) == 0);
        style.alpha_cells = factors;
        shade(values, 8, &style, rgba);
        CHECK(rgba[3] == 127 && rgba[15] == 0 && rgba[19] == 200 && rgba[23] == 0 && rgba[27] == 50 && rgba[31] == 0);
    }
    gp_style log_style = style_of(GP_NORM_LOG, 1, 100, 4), flat = style_of(GP_NORM_LOG, 3, 3, 4);
    shade((double[]){0, -1, 0.5, 10, NAN}, 5, &log_style, rgba);
    CHECK(row_of_pixel(rgba) == 6 && row_of_pixel(rgba + 4) == 6 && row_of_pixel(rgba + 8) == 4 && row_of_pixel(rgba + 12) == 2);
    CHECK(rgba[16] == 1);
    shade((double[]){0, -1, 3, 10}, 4, &flat, rgba);
    for (int i = 0; i < 4; i++)
        CHECK(row_of_pixel(rgba + 4 * i) == 0);
}

static void test_boundaries(void)
{
    const double edges[] = {0, 1, 2, 4}, values[] = {-1, 0.5, 1, 3, 4, 0};
    const int32_t rows[] = {0, 127, 255};
    const int want[] = {256, 0, 127, 255, 257, 0};
    uint8_t rgba[24];
    gp_style style = style_of(GP_NORM_BOUNDARY, 0, 4, 256);
    style.boundaries = edges, style.boundary_indices = rows, style.n_boundaries = 4;
    shade(values, 6, &style, rgba);
    for (int i = 0; i < 6; i++)
        CHECK(row_of_pixel(rgba + 4 * i) == want[i]);
}

static void check_ranks(const double *values, int n, double vmin, double vmax, int n_colors, const int *rows)
{
    uint8_t rgba[64];
    gp_style style = style_of(GP_NORM_EQ_HIST, vmin, vmax, n_colors);
    shade(values, n, &style, rgba);
    for (int i = 0; i < n; i++)
        CHECK(row_of_pixel(rgba + 4 * i) == rows[i]);
}

static void test_ranks(void)
{
    check_ranks((double[]){1, 1, 2, 100}, 4, 1, 100, 256, (int[]){0, 0, 128, 255});
    check_ranks((double[]){9, 0, 0, 5, 0, 6, 0, 7}, 8, 0, 9, 4, (int[]){3, 0, 0, 1, 0, 2, 0, 3});
    check_ranks((double[]){5, 5, NAN, 5, 6, 4}, 6, 5, 5.5, 256, (int[]){0, 0, 1 + 2 * 256, 0, 257, 256});
    check_ranks((double[]){7, 9}, 2, 0, 1, 3, (int[]){4, 4}); /* nobody takes part */
    check_ranks((double[]){-1, -2, -3}, 3, -3, -1, 1, (int[]){0, 0, 0});
}

/* Many cells, steep and tied, against the definition by counting. */
static void test_many_ranks(void)
{
    enum { N = 3000 };
    double *values = malloc(N * sizeof *values);
    uint8_t *rgba = malloc(4 * N);
    for (int kind = 0; kind < 4; kind++) {
        for (int i = 0; i < N; i++) {
            double x = uniform();
            values[i] = kind == 0 ? x : kind == 1 ? exp(1000 * x - 500) : kind == 2 ? floor(9 * x) : (2 * x - 1) * 1.7e308;
        }
        double vmin = kind == 3 ? -1.7e308 : 0, vmax = kind == 2 ? 7 : 1.7e308;
        for (int n_colors = 1; n_colors <= 300; n_colors = 2 * n_colors + 1) {
            gp_style style = style_of(GP_NORM_EQ_HIST, vmin, vmax, n_colors);
            gp_scale scale = gp_scale_from(&style);
            shade(values, N, &style, rgba);
            for (int i = 0; i < N; i += 7) {
                double smallest = INFINITY;
                int m = 0, n_upto = 0, n_smallest = 0;
                for (int j = 0; j < N; j++)
                    if (values[j] >= vmin && values[j] <= vmax)
                        m++, n_upto += values[j] <= values[i], smallest = fmin(smallest, values[j]);
                for (int j = 0; j < N; j++)
                    n_smallest += values[j] == smallest;
                int want = gp_row_of_t(&scale, (double)(n_upto - n_smallest) / (m - n_smallest));
                CHECK(row_of_pixel(rgba + 4 * i) == (values[i] > vmax ? n_colors + 1 : want));
            }
        }
    }
    free(values), free(rgba);
}

static void shade_rgb(const double *values, int n_channels, const gp_rgb_style *style, uint8_t rgba[4], double range[2])
{
    gp_cells channels[4];
    gp_pixels pixels = {rgba, 1, 1};
    gp_error error;
    for (int i = 0; i < n_channels; i++)
        channels[i] = (gp_cells){(double *)values + i, 1, 1, {1, 0}};
    CHECK(gp_cpu_shade_rgb(channels, n_channels, style, &pixels, range, &error) == GP_OK);
}

static void check_rgb(const double *values, int n_channels, gp_rgb_style style, int r, int g, int b, int a)
{
    uint8_t rgba[4];
    double range[2];
    shade_rgb(values, n_channels, &style, rgba, range);
    CHECK(rgba[0] == r && rgba[1] == g && rgba[2] == b && rgba[3] == a);
}

static void test_channels(void)
{
    const double to_unit = 1.0 / 255;
    gp_rgb_style style = {.scale = {1, 1, 1, 1}, .alpha = 1, .nan_rgba = {9, 9, 9, 99}}, bytes = style, imagenet = style;
    double range[2];
    uint8_t rgba[4];
    check_rgb((double[]){0, 0.25, 0.5}, 3, style, 0, 63, 127, 255);
    check_rgb((double[]){1, 1.2, -0.1}, 3, style, 255, 255, 0, 255);
    style.is_rounded = true;
    check_rgb((double[]){0, 0.25, 0.5}, 3, style, 0, 64, 128, 255);
    for (int i = 0; i < 4; i++)
        bytes.scale[i] = to_unit;
    bytes.is_rounded = true;
    check_rgb((double[]){100.5, 255, 17}, 3, bytes, 101, 255, 17, 255);
    style.is_rounded = false, style.is_alpha_weighted = true; /* opaque red beside transparent green */
    check_rgb((double[]){0.5, 0, 0, 0.5}, 4, style, 255, 0, 0, 127);
    check_rgb((double[]){0, 0, 0, 0}, 4, style, 0, 0, 0, 0);
    check_rgb((double[]){0.5, NAN, 0, 0.5}, 4, style, 9, 9, 9, 99);
    check_rgb((double[]){0.5, gp_empty_cell(), 0, 0.5}, 4, style, 0, 0, 0, 0);
    style.is_alpha_weighted = false, style.alpha = 0.5f;
    check_rgb((double[]){1, 0, 0, 0.5}, 4, style, 255, 0, 0, 63);
    check_rgb((double[]){1, 0, 0}, 3, style, 255, 0, 0, 127);
    for (int i = 0; i < 3; i++) {
        imagenet.scale[i] = ((double[]){0.229, 0.224, 0.225})[i];
        imagenet.offset[i] = ((double[]){0.485, 0.456, 0.406})[i];
    }
    imagenet.is_rounded = true;
    check_rgb((double[]){0, 0, 0}, 3, imagenet, 124, 116, 104, 255);
    check_rgb((double[]){1, 1, 1}, 3, imagenet, 182, 173, 161, 255);
    shade_rgb((double[]){-0.5, 2, 1}, 3, &style, rgba, range);
    CHECK(range[0] == -0.5 && range[1] == 2);
    shade_rgb((double[]){NAN, 2, 1}, 3, &style, rgba, range);
    CHECK(isnan(range[0]) && isnan(range[1]));
}

static void test_f32_bytes(void)
{
    gp_rgb_style style = {.scale = {1, 1, 1, 1}, .alpha = 1, .is_f32 = true};
    for (int b = 0; b < 256; b++) {
        float c = (float)b / 255.0f;
        double values[] = {(double)c, 0, 0};
        check_rgb(values, 3, style, (int)(255.0f * c), 0, 0, 255);
    }
}

static void test_refusals(void)
{
    double values[2] = {0, 1};
    uint8_t rgba[8];
    gp_cells cells = {values, 1, 2, {1, 0}};
    gp_pixels pixels = {rgba, 1, 2}, too_small = {rgba, 1, 1};
    gp_error error;
    gp_style reversed = style_of(GP_NORM_LINEAR, 2, 1, 4), fine = style_of(GP_NORM_LINEAR, 0, 1, 4);
    gp_style low = style_of(GP_NORM_LOG, 0, 1, 4), none = style_of(GP_NORM_LINEAR, 0, 1, 0);
    CHECK(gp_cpu_shade(&cells, &reversed, &pixels, &error) == GP_ERR_VALUE);
    CHECK(gp_cpu_shade(&cells, &low, &pixels, &error) == GP_ERR_VALUE);
    CHECK(gp_cpu_shade(&cells, &none, &pixels, &error) == GP_ERR_VALUE);
    CHECK(gp_cpu_shade(&cells, &fine, &too_small, &error) == GP_ERR_VALUE);
    cells.n_rows = pixels.n_rows = 0;
    CHECK(gp_cpu_shade(&cells, &fine, &pixels, &error) == GP_OK);
}

static void run_all(void)
{
    test_formulas();
    test_rows();
    test_all_ways_agree();
    test_edges();
    test_marks_and_alpha();
    test_boundaries();
    test_ranks();
    test_many_ranks();
    test_channels();
    test_f32_bytes();
    test_refusals();
}

int main(void)
{
    run_at_every_level(run_all);
    return 0;
}
