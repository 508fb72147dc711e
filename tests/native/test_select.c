/* Percentiles against a full sort: dtypes, layouts, what is not finite, and data made to defeat the sample. */
#include "../../native/core/base/threads.h"
#include "../../native/cpu/cpu.h"
#include "cpu/select/brackets.h"
#include "core/statistics/percentiles.h"
#include "check.h"
#include "levels.h"
#include "numbers.h"
#include "planes.h"

static double roughly_normal(void) { return uniform() + uniform() + uniform() + uniform() - 2; }

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The definition: values sorted, position (n - 1) p / 100, straight between the neighbors. */
static double slow_percentile(const double *sorted, int64_t n, double percent)
{
    double position = (double)(n - 1) * (percent / 100);
    int64_t rank = (int64_t)floor(position);
    double t = position - (double)rank;
    if (rank >= n - 1)
        return sorted[n - 1];
    double a = sorted[rank], b = sorted[rank + 1];
    return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
}

static const double all_percents[] = {0, 0.1, 2, 25, 50, 50.01, 75, 98, 99.9, 100};
enum { N_PERCENTS = sizeof all_percents / sizeof *all_percents };

/* values: the elements as float64, row-major or in any other order. */
static void check_plane(const gp_plane *plane, const double *values, int64_t n, bool is_positive_only)
{
    double *sorted = malloc(((size_t)n + 1) * sizeof *sorted), got[N_PERCENTS];
    int64_t n_valid = 0;
    gp_error error;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(values[i]) && (!is_positive_only || values[i] > 0))
            sorted[n_valid++] = values[i];
    qsort(sorted, (size_t)n_valid, sizeof *sorted, compare);
    CHECK(gp_cpu_percentiles(plane, all_percents, N_PERCENTS, is_positive_only, got, &error) == GP_OK);
    for (int i = 0; i < N_PERCENTS; i++) {
        if (n_valid == 0)
            CHECK(isnan(got[i]));
        else
            CHECK(got[i] == slow_percentile(sorted, n_valid, all_percents[i]));
    }
    free(sorted);
}

static void check_f32(const float *data, int64_t n_rows, int64_t n_cols)
{
    int64_t n = n_rows * n_cols;
    double *values = malloc(((size_t)n + 1) * sizeof *values);
    gp_plane plane = plane_of(data, GP_F32, n_rows, n_cols), turned = gp_plane_transpose(&plane);
    for (int64_t i = 0; i < n; i++)
        values[i] = (double)data[i];
    check_plane(&plane, values, n, false);
    check_plane(&plane, values, n, true);
    check_plane(&turned, values, n, false);
    free(values);
}

static void test_floats(void)
{
    enum { N = 300 * 401 };
    float *data = calloc(N, sizeof *data);
    for (int kind = 0; kind < 5; kind++) {
        for (int i = 0; i < N; i++) {
            double x = roughly_normal();
            data[i] = (float)(kind == 0 ? x : kind == 1 ? floor(2 * x) : kind == 2 ? exp(40 * x) : kind == 3 ? 3 : x * 1e-40);
            if (kind != 3 && i % 97 == 5)
                data[i] = i % 2 ? NAN : i % 4 ? INFINITY : -INFINITY;
        }
        check_f32(data, 300, 401);
        check_f32(data, N, 1);
        check_f32(data, 3, 5);
        check_f32(data, 1, 1);
    }
    for (int i = 0; i < N; i++)
        data[i] = i % 2 ? NAN : -INFINITY;
    check_f32(data, 300, 401);
    free(data);
}

static void test_integers(void)
{
    enum { N = 70000 };
    int64_t *wide = malloc(N * sizeof *wide);
    uint8_t *bytes = malloc(N);
    double *values = malloc(N * sizeof *values), got[2];
    gp_error error;
    for (int i = 0; i < N; i++)
        wide[i] = (int64_t)(roughly_normal() * 0x1p61), values[i] = (double)wide[i];
    gp_plane plane = plane_of(wide, GP_I64, 700, 100);
    check_plane(&plane, values, N, false);
    check_plane(&plane, values, N, true);
    for (int i = 0; i < N; i++)
        values[i] = (double)(uint64_t)wide[i];
    plane.dtype = GP_U64;
    check_plane(&plane, values, N, true);
    for (int i = 0; i < N; i++)
        bytes[i] = (uint8_t)(128 + 30 * roughly_normal()), values[i] = bytes[i];
    plane = plane_of(bytes, GP_U8, 700, 100);
    check_plane(&plane, values, N, false);
    for (int i = 0; i < N; i++)
        values[i] = (int8_t)bytes[i];
    plane.dtype = GP_I8;
    check_plane(&plane, values, N, true);
    /* neighbors that float64 cannot tell apart are ordered as integers and then converted */
    wide[0] = ((int64_t)1 << 60) + 256, wide[1] = ((int64_t)1 << 60) + 1;
    plane = plane_of(wide, GP_I64, 1, 2);
    CHECK(gp_cpu_percentiles(&plane, (double[]){0, 100}, 2, false, got, &error) == GP_OK);
    CHECK(got[0] == 0x1p60 && got[1] == 0x1p60 + 256);
    free(wide), free(bytes), free(values);
}

static void test_codes_of_halves(void)
{
    uint16_t *codes = malloc(65536 * sizeof *codes);
    double *values = malloc(65536 * sizeof *values);
    for (int i = 0; i < 65536; i++)
        codes[i] = (uint16_t)i, values[i] = gp_value_F16((uint16_t)i) + 0.0;
    gp_plane plane = plane_of(codes, GP_F16, 256, 256);
    check_plane(&plane, values, 65536, false);
    check_plane(&plane, values, 65536, true);
    for (int i = 0; i < 65536; i++)
        values[i] = gp_value_BF16((uint16_t)i) + 0.0;
    plane.dtype = GP_BF16;
    check_plane(&plane, values, 65536, false);
    free(codes), free(values);
}

/* Every second row and every third column backwards, from misaligned memory. */
static void test_strides(void)
{
    enum { ROWS = 100, COLS = 90 };
    char *memory = malloc(ROWS * COLS * sizeof(double) + 1);
    double values[50 * 30];
    int n = 0;
    for (int i = 0; i < ROWS * COLS; i++) {
        double x = roughly_normal();
        memcpy(memory + 1 + (size_t)i * sizeof x, &x, sizeof x);
        if (i / COLS % 2 == 0 && i % COLS % 3 == 2)
            values[n++] = x;
    }
    gp_plane plane = {.data = memory + 1 + 89 * sizeof(double),
                      .dtype = GP_F64,
                      .device = {1, 0},
                      .n_rows = 50,
                      .n_cols = 30,
                      .row_stride_bytes = 2 * COLS * sizeof(double),
                      .col_stride_bytes = -3 * (int64_t)sizeof(double)};
    check_plane(&plane, values, n, false);
    free(memory);
}

/* Where the sample looks, found by sampling a ramp: element i of the plane is i. */
static int64_t sampled_places(float *ramp, int64_t n, int64_t n_wanted, uint64_t *places)
{
    gp_plane plane = plane_of(ramp, GP_F32, 1, n);
    gp_key_range valid = gp_keys_of(GP_F32, false);
    GP_OWNED_PLANE_SCAN scan = {0};
    gp_error error;
    for (int64_t i = 0; i < n; i++)
        ramp[i] = (float)i;
    CHECK(gp_plane_scan_init(&plane, &scan, &error) == GP_OK);
    int64_t n_keys = gp_select_sample(&scan, valid, n_wanted, places);
    for (int64_t i = 0; i < n_keys; i++)
        places[i] = (uint64_t)gp_value_of_key(GP_F32, gp_key_of_sortable(places[i], valid));
    return n_keys;
}

enum { SEES_ZEROS, SEES_ENDS, SEES_NAN, SEES_NO_NEIGHBORS, N_KINDS };

static float misleading(int kind)
{
    double x = uniform();
    return (float)(kind == SEES_ZEROS ? 5 + x : kind == SEES_NO_NEIGHBORS ? 5 + x * 0x1p-12 : 2 * x - 1);
}

static float misleading_sample(int kind, int64_t i)
{
    return kind == SEES_NAN ? NAN : kind == SEES_ENDS ? (i % 2 ? -1.0f : 1.0f) : 0.0f;
}

/* The sample sees other values than the rest: only zeros, only the two ends, so that all lies in between, only NaN, or only zeros
 * where all other values are neighbors. */
static void check_misleading_sample(int kind, int n)
{
    float *data = calloc((size_t)n, sizeof *data);
    uint64_t *places = malloc((size_t)n / 64 * sizeof *places);
    double *values = malloc((size_t)n * sizeof *values);
    int64_t n_places = sampled_places(data, n, n / 64, places);
    CHECK(n_places == n / 64);
    for (int i = 0; i < n; i++)
        data[i] = misleading(kind);
    for (int64_t i = 0; i < n_places; i++)
        data[places[i]] = misleading_sample(kind, i);
    for (int i = 0; i < n; i++)
        values[i] = (double)data[i];
    gp_plane plane = plane_of(data, GP_F32, 1, n);
    check_plane(&plane, values, n, false);
    free(data), free(places), free(values);
}

/* What lies between the two ends, or among neighbors, is more than a pass keeps, on any number of threads. */
static void test_misleading_samples(void)
{
    for (int kind = 0; kind < N_KINDS; kind++)
        check_misleading_sample(kind, kind == SEES_ENDS || kind == SEES_NO_NEIGHBORS ? 9 << 18 : 600000);
}

/* Many elements are the end of a bracket that has others inside of it. */
static void test_ends_of_brackets(void)
{
    enum { N = 200000 };
    float *data = calloc(N, sizeof *data);
    for (int i = 0; i < N; i++)
        data[i] = i % 2 ? (float)roughly_normal() : i % 4 ? 0.0f : -0.0f;
    check_f32(data, 400, 500);
    for (int i = 0; i < N; i++)
        data[i] = i % 50 ? 1.0f : 1 + (float)uniform();
    check_f32(data, 400, 500);
    free(data);
}

/* Values of which brackets are too full at first: all different, few different ones, and periodic ones. */
static float crowded(int kind, int i)
{
    double x = roughly_normal();
    return (float)(kind == 0 ? x : kind == 1 ? floor(20 * x) : i % 64 + x);
}

/* A pass keeps all keys inside of the brackets, and the wanted ranks are not outside. */
static void check_brackets(const gp_wanted *wanted, int64_t most)
{
    gp_brackets brackets;
    gp_key_tally tally = {0};
    gp_error error;
    CHECK(gp_select_brackets(wanted, most, &brackets, &error) == GP_OK && brackets.n == wanted->n_percents);
    CHECK(gp_select_tally(wanted->scan, &brackets, most, 1, &tally, &error) == GP_OK && !tally.is_full);
    for (int b = 0; b < brackets.n; b++) {
        gp_percent_place place = gp_percent_place_of(wanted->percents[b], tally.n_valid, 1);
        int64_t n_inside = 0;
        for (int64_t i = 0; i < tally.n_kept; i++)
            n_inside += tally.kept[i] > brackets.low[b] && tally.kept[i] < brackets.high[b];
        CHECK(place.low >= tally.below[b]);
        CHECK(place.high < tally.below[b] + tally.at_low[b] + n_inside + tally.at_high[b]);
    }
    free(tally.kept);
}

static void test_narrower_brackets(void)
{
    enum { N = 1 << 20 };
    float *data = calloc(N, sizeof *data);
    gp_plane plane = plane_of(data, GP_F32, 1 << 10, N >> 10);
    gp_error error;
    for (int kind = 0; kind < 3; kind++) {
        GP_OWNED_PLANE_SCAN scan = {0};
        for (int i = 0; i < N; i++)
            data[i] = crowded(kind, i);
        CHECK(gp_plane_scan_init(&plane, &scan, &error) == GP_OK);
        gp_wanted wanted = {&scan, gp_keys_of(GP_F32, false), all_percents, GP_MOST_BRACKETS, 1};
        for (int64_t most = 1 << 14; most <= 1 << 20; most *= 8)
            check_brackets(&wanted, most);
    }
    free(data);
}

/* Chunks of memory for keys go to whoever finds some: one stretch of the plane has all of them. */
static void test_keys_in_one_place(void)
{
    enum { N = 1 << 20, N_INSIDE = N / 4 };
    float *data = calloc(N, sizeof *data);
    gp_plane plane = plane_of(data, GP_F32, 1 << 10, N >> 10);
    gp_key_range valid = gp_keys_of(GP_F32, false);
    gp_key_tally tally = {0};
    gp_error error;
    GP_OWNED_PLANE_SCAN scan = {0};
    for (int i = N / 2; i < N / 2 + N_INSIDE; i++)
        data[i] = 1 + (float)uniform();
    uint64_t low = gp_sortable(gp_key_32(0x3f000000, GP_KEY_FLOAT), valid),
             high = gp_sortable(gp_key_32(0x40400000, GP_KEY_FLOAT), valid);
    gp_brackets brackets = {.valid = valid, .n = 1, .low = {low}, .high = {high}};
    CHECK(gp_plane_scan_init(&plane, &scan, &error) == GP_OK);
    CHECK(gp_select_tally(&scan, &brackets, N_INSIDE, 1, &tally, &error) == GP_OK);
    CHECK(!tally.is_full && tally.n_kept == N_INSIDE && tally.below[0] == N - N_INSIDE);
    free(tally.kept);
    CHECK(gp_select_tally(&scan, &brackets, N_INSIDE / 16, 16, &tally, &error) == GP_OK);
    CHECK(!tally.is_full && llabs(tally.n_kept - N_INSIDE / 16) <= 32 && tally.below[0] == N - N_INSIDE);
    free(tally.kept);
    CHECK(gp_select_tally(&scan, &brackets, N_INSIDE / 2, 1, &tally, &error) == GP_OK);
    CHECK(tally.is_full && tally.n_kept >= N_INSIDE / 2 && tally.n_valid == N);
    free(tally.kept), free(data);
}

/* ---- elements in ranges ----------------------------------------------------------------------------------------------- */

enum { N_RANGES = 11 };

/* Ranges in rising order: their ends are the largest value, the smallest positive one and so on, or lie between values. */
static const double range_lows[N_RANGES] = {-INFINITY, -200, -1.5, -0.25, 0, 0.1, 1, 3.5, 126, 250, 1e30};
static const double range_highs[N_RANGES] = {-1e30, -100, -1.25, -0.125, -0.0, 0.2, 1, 3.25, 127, 255, INFINITY};

static bool is_in_ranges(double x)
{
    bool is_inside = false;
    for (int i = 0; i < N_RANGES; i++)
        is_inside |= isfinite(x) && x >= range_lows[i] && x <= range_highs[i];
    return is_inside;
}

/* Against each element of `values` by itself, with room for all, for just enough and for one too few. */
static void check_collected(const gp_plane *plane, const double *values, int64_t n)
{
    double *want = malloc(((size_t)n + 1) * sizeof *want), *got = malloc(((size_t)n + 1) * sizeof *got);
    int64_t n_want = 0, n_got;
    gp_error error;
    for (int64_t i = 0; i < n; i++)
        if (is_in_ranges(values[i]))
            want[n_want++] = values[i] + 0.0;
    qsort(want, (size_t)n_want, sizeof *want, compare);
    for (int64_t most = n_want > 0 ? n_want - 1 : 0; most <= n; most = most < n_want ? n_want : most < n ? n : n + 1) {
        CHECK(gp_cpu_collect(plane, range_lows, range_highs, N_RANGES, most, got, &n_got, &error) == GP_OK);
        CHECK(most < n_want ? n_got > most : n_got == n_want);
        if (most < n_want)
            continue;
        qsort(got, (size_t)n_got, sizeof *got, compare);
        CHECK(memcmp(got, want, (size_t)n_want * sizeof *want) == 0);
    }
    free(want), free(got);
}

/* Writes element i, converted as C does, and returns its value; F16 elements are any bits. */
static double put_element(void *data, gp_dtype dtype, int i, double x)
{
    switch (dtype) {
    case GP_F32: return ((float *)data)[i] = (float)x;
    case GP_F64: return ((double *)data)[i] = x;
    case GP_I32: return ((int32_t *)data)[i] = (int32_t)x;
    case GP_I64: return (double)(((int64_t *)data)[i] = (int64_t)x);
    case GP_U8: return ((uint8_t *)data)[i] = (uint8_t)(int)fabs(x);
    case GP_I8: return ((int8_t *)data)[i] = (int8_t)(x / 2);
    default: return gp_value_F16(((uint16_t *)data)[i] = (uint16_t)random_53_bits());
    }
}

static double odd_element(int i, double x) { return i % 97 == 5 ? (i % 2 ? NAN : INFINITY) : i % 89 == 7 ? -0.0 : x; }

static void test_collected(void)
{
    enum { N = 300 * 401 };
    static const gp_dtype dtypes[] = {GP_F32, GP_F64, GP_I32, GP_U8, GP_I8, GP_F16, GP_I64};
    char *data = malloc(N * 8);
    double *values = malloc(N * sizeof *values);
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int kind = 0; kind < 2; kind++) {
            gp_plane plane = plane_of(data, dtypes[d], 300, 401), turned;
            for (int i = 0; i < N; i++) {
                double x = kind == 0 ? 100 * roughly_normal() : floor(3 * roughly_normal()) / 2;
                values[i] = put_element(data, dtypes[d], i, gp_dtype_is_float(dtypes[d]) ? odd_element(i, floor(4 * x) / 4) : x);
            }
            turned = gp_plane_transpose(&plane);
            check_collected(&plane, values, N);
            check_collected(&turned, values, N);
        }
    gp_plane empty = plane_of(NULL, GP_F32, 0, 4);
    check_collected(&empty, values, 0);
    free(data), free(values);
}

static void test_refusals(void)
{
    float one = 1;
    gp_plane plane = plane_of(&one, GP_F32, 1, 1), empty = plane_of(NULL, GP_F32, 0, 0);
    double got;
    gp_error error;
    CHECK(gp_cpu_percentiles(&plane, (double[]){101}, 1, false, &got, &error) == GP_ERR_VALUE);
    CHECK(gp_cpu_percentiles(&plane, (double[]){NAN}, 1, false, &got, &error) == GP_ERR_VALUE);
    CHECK(gp_cpu_percentiles(&empty, (double[]){50}, 1, false, &got, &error) == GP_OK && isnan(got));
}

static void run_all(void)
{
    for (int n_threads = 1; n_threads <= 3; n_threads += 2) {
        gp_threads_limit(n_threads);
        test_floats();
        test_integers();
        test_codes_of_halves();
        test_strides();
        test_misleading_samples();
        test_ends_of_brackets();
        test_narrower_brackets();
        test_keys_in_one_place();
        test_collected();
    }
    test_refusals();
}

int main(void)
{
    run_at_every_level(run_all);
    return 0;
}
