/* Reductions on the CPU, at every level of vector instructions: small cases by hand, one bad element found wherever it is. */
#define _GNU_SOURCE
#include "backend.h"
#include "check.h"
#include "levels.h"
#include "../../native/core/base/threads.h"
#include "planes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const double nan_value = (double)NAN, inf = (double)INFINITY;

typedef struct window {
    double row0, row1, col0, col1; /* in element coordinates */
} window;

/* Reduces a window of a plane to n_rows x n_cols cells; limits may be NULL. */
static void reduce_window(const gp_plane *plane, window view, int64_t n_rows, int64_t n_cols, gp_agg agg, gp_nan nan, double *out,
                          gp_limits *limits)
{
    gp_error error = {0};
    gp_axis rows = {0}, cols = {0};
    gp_regime regime = agg == GP_AGG_NEAREST ? GP_REGIME_NEAREST : GP_REGIME_BY_WIDTH;
    CHECK(gp_axis_fit(plane->n_rows, view.row0, view.row1, n_rows, GP_TIE_UP, regime, &rows, &error) == GP_OK);
    CHECK(gp_axis_fit(plane->n_cols, view.col0, view.col1, n_cols, GP_TIE_UP, regime, &cols, &error) == GP_OK);
    gp_cells cells = {.data = out, .n_rows = n_rows, .n_cols = n_cols, .device = {1, 0}};
    gp_reduce_options options = {.agg = agg, .nan = nan, .want = limits ? (unsigned)GP_WANT_RANGE : 0u};
    gp_limits_state state;
    CHECK(gp_cpu_backend.reduce(plane, &rows, &cols, &options, &cells, limits ? &state : NULL, &error) == GP_OK);
    if (limits)
        *limits = gp_limits_state_finish(&state);
    gp_axis_free(&rows);
    gp_axis_free(&cols);
}

static void reduce_all(const gp_plane *plane, int64_t n_rows, int64_t n_cols, gp_agg agg, gp_nan nan, double *out)
{
    reduce_window(plane, (window){0, (double)plane->n_rows, 0, (double)plane->n_cols}, n_rows, n_cols, agg, nan, out, NULL);
}

static bool is_close(double got, double want)
{
    return want != want ? got != got : got == want || fabs(got - want) <= 1e-12 * fabs(want);
}

static void check_row(const double *x, int n, gp_agg agg, gp_nan nan, int n_cells, const double *want)
{
    double got[8];
    gp_plane plane = plane_of(x, GP_F64, 1, n);
    reduce_all(&plane, 1, n_cells, agg, nan, got);
    for (int i = 0; i < n_cells; i++)
        CHECK(is_close(got[i], want[i]));
}

#define ROW(...)                                                                                                                 \
    (const double[]) { __VA_ARGS__ }

/* A border element counts for both neighbors, with the share of it that each covers. */
static void test_fractional_cells(void)
{
    const double *x = ROW(1, 2, 3, 4), *peaks = ROW(-3, 2, 3, 1, -1, 0.5);
    check_row(x, 4, GP_AGG_MEAN, GP_NAN_SHOW, 3, ROW(1.25, 2.5, 3.75));
    check_row(x, 4, GP_AGG_SUM, GP_NAN_SHOW, 3, ROW(5.0 / 3, 10.0 / 3, 5));
    check_row(x, 4, GP_AGG_COUNT, GP_NAN_SHOW, 3, ROW(1, 1, 2));
    check_row(x, 4, GP_AGG_STD, GP_NAN_SHOW, 3, ROW(sqrt(3.0 / 16), 0.5, sqrt(3.0 / 16)));
    check_row(peaks, 6, GP_AGG_MAX, GP_NAN_SHOW, 4, ROW(2, 3, 1, 0.5));
    check_row(peaks, 6, GP_AGG_MIN, GP_NAN_SHOW, 4, ROW(-3, 2, -1, -1));
    check_row(peaks, 6, GP_AGG_ABSMAX, GP_NAN_SHOW, 4, ROW(-3, 3, 1, -1));
    check_row(peaks, 6, GP_AGG_ABSMAX, GP_NAN_SHOW, 2, ROW(3, 1));
    check_row(x, 4, GP_AGG_NEAREST, GP_NAN_SHOW, 3, ROW(1, 3, 4));
}

static void test_marks(void)
{
    const struct {
        double x[3], show, skip;
    } cases[] = {{{1, nan_value, 3}, nan_value, 2}, {{1, -inf, 1}, -inf, 1},
                 {{1, inf, 2}, inf, 1.5},           {{nan_value, nan_value, nan_value}, nan_value, nan_value},
                 {{inf, -inf, inf}, inf, inf},      {{nan_value, inf, -inf}, nan_value, nan_value},
                 {{-inf, -inf, -inf}, -inf, -inf}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int agg = GP_AGG_MEAN; agg <= GP_AGG_ABSMAX; agg++) {
            check_row(cases[i].x, 3, (gp_agg)agg, GP_NAN_SHOW, 1, &cases[i].show);
            if (agg == GP_AGG_MEAN)
                check_row(cases[i].x, 3, GP_AGG_MEAN, GP_NAN_SKIP, 1, &cases[i].skip);
        }
    check_row(ROW(1, nan_value, 3, 4), 4, GP_AGG_MEAN, GP_NAN_SKIP, 3, ROW(1, 3, 3.75));
    check_row(ROW(1, nan_value, 3, 4), 4, GP_AGG_COUNT, GP_NAN_SKIP, 2, ROW(1, 2));
}

/* Cells beside the plane are empty, a reversed view is turned, and zero has no sign. */
static void test_outside_and_reversed(void)
{
    float x[6] = {0, 1, 2, 3, 4, -0.0f};
    double got[4];
    gp_plane plane = plane_of(x, GP_F32, 1, 6);
    for (int agg = 0; agg < GP_N_AGGS; agg++) {
        reduce_window(&plane, (window){0, 1, 6, 10}, 1, 4, (gp_agg)agg, GP_NAN_SKIP, got, NULL);
        for (int i = 0; i < 4; i++)
            CHECK(gp_is_empty_cell(got[i]));
    }
    reduce_window(&plane, (window){0, 1, 6, 0}, 1, 3, GP_AGG_MAX, GP_NAN_SHOW, got, NULL);
    CHECK(got[0] == 4 && got[1] == 3 && got[2] == 1);
    reduce_window(&plane, (window){0, 1, 5, 6}, 1, 1, GP_AGG_MEAN, GP_NAN_SHOW, got, NULL);
    CHECK(got[0] == 0 && !signbit(got[0]));
    plane.n_rows = plane.n_cols = 0;
    reduce_window(&plane, (window){0, 1, 0, 1}, 2, 2, GP_AGG_MEAN, GP_NAN_SHOW, got, NULL);
    CHECK(gp_is_empty_cell(got[0]) && gp_is_empty_cell(got[3]));
}

/* However the view is placed, the cells that touch the one bad element are marked, and no others. */
static void test_one_bad_element_is_always_seen(void)
{
    enum { N = 300 };
    static const float bad[3] = {NAN, INFINITY, -INFINITY};
    float *x = calloc(N * N, sizeof *x);
    double got[20 * 30];
    CHECK(x != NULL);
    gp_plane plane = plane_of(x, GP_F32, N, N);
    for (int i = 0; i < N * N; i++)
        x[i] = (float)(i % 97);
    for (int trial = 0; trial < 240; trial++) {
        gp_agg agg = (gp_agg)(trial % GP_AGG_NEAREST);
        int row = (trial * 37) % N, col = (trial * 101 + trial / 7) % N;
        double offset = trial * 0.173 - 20, height = 30 + trial, width = 290 - trial;
        window view = {offset, offset + height, -offset, width - offset};
        float kept = x[row * N + col];
        x[row * N + col] = bad[trial % 3];
        reduce_window(&plane, view, 20, 30, agg, GP_NAN_SHOW, got, NULL);
        for (int q = 0; q < 20; q++)
            for (int p = 0; p < 30; p++) {
                bool is_touched = offset + height * q / 20 < row + 1 && offset + height * (q + 1) / 20 > row &&
                                  -offset + width * p / 30 < col + 1 && -offset + width * (p + 1) / 30 > col;
                double cell = got[q * 30 + p];
                if (height > 20 && width > 30 && !gp_is_empty_cell(cell))
                    CHECK(is_touched ? is_close(cell, (double)bad[trial % 3]) : cell - cell == 0);
            }
        x[row * N + col] = kept;
    }
    free(x);
}

/* Where most cells have one they are found by one pass over all elements, in memory that ends with the last element. */
static void test_many_bad_elements(void)
{
    enum { N_ROWS = 60, N_COLS = 333, CELL_ROWS = 6, CELL_COLS = 37 }; /* cells of 10 x 9 elements */
    static const float classes[4] = {NAN, INFINITY, -INFINITY, 1};
    float *x = malloc(N_ROWS * N_COLS * sizeof *x);
    double *wide = malloc(N_ROWS * N_COLS * sizeof *wide), got[2][CELL_ROWS * CELL_COLS];
    CHECK(x != NULL && wide != NULL);
    for (int i = 0; i < N_ROWS * N_COLS; i++)
        wide[i] = x[i] = i % N_COLS % 9 == 8 ? classes[i % N_COLS / 9 % 4] : 1;
    gp_plane narrow_plane = plane_of(x, GP_F32, N_ROWS, N_COLS), wide_plane = plane_of(wide, GP_F64, N_ROWS, N_COLS);
    reduce_all(&narrow_plane, CELL_ROWS, CELL_COLS, GP_AGG_MEAN, GP_NAN_SHOW, got[0]);
    reduce_all(&wide_plane, CELL_ROWS, CELL_COLS, GP_AGG_MEAN, GP_NAN_SHOW, got[1]);
    for (int p = 0; p < CELL_ROWS * CELL_COLS; p++) {
        double want = classes[p % CELL_COLS % 4];
        CHECK(is_close(got[0][p], want) && is_close(got[1][p], want));
    }
    free(x), free(wide);
}

/* The mean of every dtype against plain sums, and the same bits for any number of threads. */
static void test_big_planes(gp_dtype dtype, int64_t n_rows, int64_t n_cols, int64_t cell_rows, int64_t cell_cols)
{
    size_t n = (size_t)(n_rows * n_cols), n_cells = (size_t)(cell_rows * cell_cols);
    unsigned char *x = malloc(n * 8);
    double *one = malloc(n_cells * sizeof *one), *two = malloc(n_cells * sizeof *two);
    CHECK(x != NULL && one != NULL && two != NULL);
    uint32_t random = 1;
    for (size_t i = 0; i < n * 8; i++) {
        random = random * 1664525u + 1013904223u;
        x[i] = (unsigned char)(random >> 26); /* small bytes: finite in every dtype */
    }
    gp_plane plane = plane_of(x, dtype, n_rows, n_cols);
    for (int agg = 0; agg < GP_N_AGGS; agg++) {
        gp_threads_limit(1);
        reduce_all(&plane, cell_rows, cell_cols, (gp_agg)agg, GP_NAN_SHOW, one);
        gp_threads_limit(3);
        reduce_all(&plane, cell_rows, cell_cols, (gp_agg)agg, GP_NAN_SHOW, two);
        CHECK(memcmp(one, two, n_cells * sizeof *one) == 0);
    }
    reduce_all(&plane, 1, 1, GP_AGG_SUM, GP_NAN_SHOW, two);
    reduce_all(&plane, cell_rows, cell_cols, GP_AGG_SUM, GP_NAN_SHOW, one);
    double total = 0;
    for (size_t i = 0; i < n_cells; i++)
        total += one[i];
    CHECK(fabs(total - two[0]) <= 1e-9 * fabs(two[0]));
    gp_threads_limit(0);
    free(x), free(one), free(two);
}

/* Two rows a gigabyte apart, and a row that is repeated a thousand million times. */
static void test_strides_of_any_size(void)
{
    int64_t far_bytes = (int64_t)1 << 30;
    char *memory = mmap(NULL, (size_t)far_bytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                        0);
    double got[4];
    CHECK(memory != MAP_FAILED);
    memcpy(memory, ROW(1, 2), 16);
    memcpy(memory + far_bytes, ROW(3, 4), 16);
    gp_plane plane = plane_of(memory, GP_F64, 2, 2);
    plane.row_stride_bytes = far_bytes;
    reduce_all(&plane, 1, 2, GP_AGG_MEAN, GP_NAN_SHOW, got);
    CHECK(got[0] == 2 && got[1] == 3);
    plane.n_rows = 1000000000, plane.row_stride_bytes = 0;
    reduce_window(&plane, (window){999999000, 1000000000, 0, 2}, 2, 2, GP_AGG_MEAN, GP_NAN_SHOW, got, NULL);
    CHECK(got[0] == 1 && got[1] == 2 && got[2] == 1 && got[3] == 2);
    munmap(memory, (size_t)far_bytes + 4096);
}

/* Limits are of the whole plane, whatever the view; a NaN among the elements is told, but is not a limit. */
static void test_limits_on_the_way(void)
{
    enum { N = 700 };
    float *x = calloc(N * N, sizeof *x);
    double got[64];
    gp_limits limits;
    CHECK(x != NULL);
    gp_plane plane = plane_of(x, GP_F32, N, N);
    for (int i = 0; i < N * N; i++)
        x[i] = (float)(i % 1013) - 500;
    x[N * N - 1] = 1e30f, x[0] = -7e20f;
    for (int i = 0; i < 2; i++) {
        window views[3] = {{0, N, 0, N}, {-5, N + 3, -2, N + 1}, {10, 20, 30, 50}};
        for (int view = 0; view < 3; view++) {
            reduce_window(&plane, views[view], 8, 8, GP_AGG_MEAN, GP_NAN_SHOW, got, &limits);
            CHECK(limits.min == (double)-7e20f && limits.max == (double)1e30f);
            CHECK(limits.has == (i == 0 ? GP_HAS_FINITE : GP_HAS_FINITE | GP_HAS_NAN | GP_HAS_POS_INF));
        }
        x[N * 3 + 5] = NAN, x[N * 600] = INFINITY;
    }
    free(x);
}

/* The variance of large numbers that differ little, and of one huge cell. */
static void test_std_does_not_cancel(void)
{
    check_row(ROW(1e8, 1e8 + 1, 1e8 + 2), 3, GP_AGG_STD, GP_NAN_SHOW, 1, ROW(sqrt(2.0 / 3)));
    int64_t n = 3000000;
    double *x = malloc((size_t)n * sizeof *x), got;
    CHECK(x != NULL);
    for (int64_t i = 0; i < n; i++)
        x[i] = 1e9 + (double)(i % 2);
    gp_plane plane = plane_of(x, GP_F64, 1, n);
    reduce_all(&plane, 1, 1, GP_AGG_STD, GP_NAN_SHOW, &got);
    CHECK(fabs(got - 0.5) < 1e-6);
    free(x);
}

/* Tiles in which nothing is masked are read as without a mask: one masked element is found wherever it is, however the mask lies. */
static void test_one_masked_element(void)
{
    enum { ROWS = 5, COLS = 6000, CELLS = COLS / 4, STRIDE = 2 };
    static uint8_t elems[ROWS * COLS], mask[ROWS * COLS * STRIDE];
    static double got[CELLS];
    memset(elems, 1, sizeof elems);
    for (int stride = 1; stride <= STRIDE; stride++)
        for (int is_inverted = 0; is_inverted < 2; is_inverted++)
            for (int at = 0; at < ROWS * COLS; at += 97) {
                gp_plane plane = plane_of(elems, GP_U8, ROWS, COLS);
                plane.mask = mask, plane.is_mask_inverted = is_inverted;
                plane.mask_row_stride_bytes = COLS * stride, plane.mask_col_stride_bytes = stride;
                memset(mask, is_inverted, sizeof mask);
                mask[at * stride] = !is_inverted;
                reduce_all(&plane, 1, CELLS, GP_AGG_SUM, GP_NAN_UNMASKED, got);
                for (int p = 0; p < CELLS; p++)
                    CHECK(got[p] == 4 * ROWS - (p == at % COLS / 4));
            }
}

static void run_all(void)
{
    test_one_masked_element();
    test_fractional_cells();
    test_marks();
    test_outside_and_reversed();
    test_one_bad_element_is_always_seen();
    test_many_bad_elements();
    for (int dtype = 0; dtype < GP_N_DTYPES; dtype++)
        if (!gp_dtype_is_complex((gp_dtype)dtype) && dtype != GP_LONGDOUBLE)
            test_big_planes((gp_dtype)dtype, 700, 500, 61, 33);
    test_big_planes(GP_F32, 100000, 6, 50, 6);
    test_big_planes(GP_F32, 1, 600000, 1, 7);
    test_big_planes(GP_U8, 600000, 1, 1, 1);
    test_big_planes(GP_I16, 3, 300000, 2, 9);
    test_strides_of_any_size();
    test_limits_on_the_way();
    test_std_does_not_cancel();
}

int main(void)
{
    run_at_every_level(run_all);
    return 0;
}
