/* Summaries, histograms and finds against one look after the other at each element: dtypes, layouts, masks, odd sizes. */
#include "../../native/core/base/threads.h"
#include "../../native/cpu/cpu.h"
#include "cpu/read/row_reader.h"
#include "cpu/read/row_load.h"
#include "check.h"
#include "levels.h"
#include "numbers.h"
#include "planes.h"

/* The value of one element by the plainest way there is: a row of length one, as float64. */
static double value_at(const gp_plane *plane, int64_t row, int64_t col)
{
    gp_row_reader rows;
    double value;
    gp_row_reader_init(plane, GP_NAN_SHOW, &rows);
    rows.origin = plane->data;
    const uint8_t *mask = plane->mask;
    if (mask != NULL)
        mask += row * plane->mask_row_stride_bytes + col * plane->mask_col_stride_bytes;
    const char *element = rows.origin + row * plane->row_stride_bytes + col * plane->col_stride_bytes;
    gp_row_reader_load_values(&rows, plane->component, element, mask, 1, &value);
    return value;
}

static double *values_of(const gp_plane *plane)
{
    int64_t n = plane->n_rows * plane->n_cols;
    double *values = calloc((size_t)n + 1, sizeof *values);
    CHECK(values != NULL);
    for (int64_t i = 0; i < n; i++)
        values[i] = value_at(plane, i / plane->n_cols, i % plane->n_cols);
    return values;
}

static bool is_near(double got, double want, double size)
{
    return (isnan(got) && isnan(want)) || fabs(got - want) <= 1e-10 * fabs(want) + 1e-14 * size;
}

static void check_summary(const gp_plane *plane, const double *x, int64_t n)
{
    gp_summary want = gp_summary_none(), got;
    gp_error error;
    double sum = 0, size = 0, n_finite = 0, smallest = gp_smallest_normal(plane->dtype);
    for (int64_t i = 0; i < n; i++) {
        want.n_nan += gp_class_of(x[i]) == GP_HAS_NAN, want.n_masked += gp_is_masked_value(x[i]),
            want.n_pos_inf += x[i] > 0 && isinf(x[i]), want.n_neg_inf += x[i] < 0 && isinf(x[i]);
        want.first_nan = gp_class_of(x[i]) == GP_HAS_NAN && want.first_nan < 0 ? i : want.first_nan;
        if (!isfinite(x[i]))
            continue;
        want.n_neg += x[i] < 0, want.n_zero += x[i] == 0, want.n_pos += x[i] > 0;
        want.n_subnormal += x[i] != 0 && fabs(x[i]) < smallest;
        want.argmin = want.argmin < 0 || x[i] < x[want.argmin] ? i : want.argmin;
        want.argmax = want.argmax < 0 || x[i] > x[want.argmax] ? i : want.argmax;
        sum += x[i], n_finite++, size = fabs(x[i]) > size ? fabs(x[i]) : size;
    }
    gp_summary_state state;
    CHECK(gp_cpu_summarize(plane, &state, &error) == GP_OK);
    got = gp_summary_state_finish(&state, gp_plane_summary_order(plane));
    CHECK(got.n_nan == want.n_nan && got.n_pos_inf == want.n_pos_inf && got.n_neg_inf == want.n_neg_inf);
    CHECK(got.n_masked == want.n_masked);
    CHECK(got.n_neg == want.n_neg && got.n_zero == want.n_zero && got.n_pos == want.n_pos);
    CHECK(got.n_subnormal == want.n_subnormal);
    CHECK(got.argmin == want.argmin && got.argmax == want.argmax && got.first_nan == want.first_nan);
    CHECK(n_finite > 0 ? got.min == x[want.argmin] && got.max == x[want.argmax] : isnan(got.min) && isnan(got.max));
    if (size > 1e150) /* squares overflow */
        return;
    CHECK(is_near(got.mean, sum / n_finite, size));
    double m2 = 0;
    for (int64_t i = 0; i < n; i++)
        m2 += isfinite(x[i]) ? (x[i] - sum / n_finite) * (x[i] - sum / n_finite) : 0;
    CHECK(is_near(got.m2, m2, size * size * n_finite));
}

static void check_histogram(const gp_plane *plane, const double *x, int64_t n, const double *edges, int64_t n_bins)
{
    int64_t *want = calloc((size_t)n_bins, sizeof *want), *got = malloc((size_t)n_bins * sizeof *got);
    gp_error error;
    for (int64_t i = 0; i < n; i++)
        for (int64_t bin = 0; bin < n_bins; bin++)
            want[bin] += x[i] >= edges[bin] && (x[i] < edges[bin + 1] || (bin == n_bins - 1 && x[i] == edges[n_bins]));
    CHECK(gp_cpu_histogram(plane, edges, n_bins, NULL, got, &error) == GP_OK);
    CHECK(memcmp(got, want, (size_t)n_bins * sizeof *got) == 0);
    free(want);
    free(got);
}

static void check_histograms(const gp_plane *plane, const double *x, int64_t n)
{
    double even[18], uneven[] = {-1e30, -7, -3, 0, 0x1p-20, 1, 2.5, 100, 1e6};
    for (int i = 0; i < 18; i++)
        even[i] = -4 + i * 0.7;
    check_histogram(plane, x, n, even, 17);
    check_histogram(plane, x, n, uneven, 8);
}

static void check_find(const gp_plane *plane, const double *x, int64_t n)
{
    const int64_t starts[] = {0, n / 3, n - 1};
    gp_error error;
    for (unsigned kinds = 1; kinds < 32; kinds++)
        for (int i = 0; i < 6; i++) {
            bool is_backwards = i >= 3;
            int64_t start = starts[i % 3], at = start, got;
            while (at >= 0 && at < n && !(gp_class_of(x[at]) & kinds))
                at += is_backwards ? -1 : 1;
            CHECK(gp_cpu_find(plane, kinds, start, is_backwards, &got, &error) == GP_OK);
            CHECK(got == (at < n ? at : -1));
        }
}

static void check_plane(const gp_plane *plane)
{
    int64_t n = plane->n_rows * plane->n_cols;
    double *values = values_of(plane);
    check_summary(plane, values, n);
    check_histograms(plane, values, n);
    check_find(plane, values, n);
    free(values);
}

/* Bits at random give all kinds of small floats; wide ones get numbers, and now and then what is not finite. */
static void fill(void *data, gp_dtype dtype, int64_t n)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-40f};
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = random_53_bits();
        double number = bits % 16 < 6 ? (double)odd[bits % 16] : (double)((bits >> 8) % 4000) / 97 - 20;
        if (dtype == GP_F32)
            ((float *)data)[i] = (float)number;
        else if (dtype == GP_F64)
            ((double *)data)[i] = number;
        else if (gp_dtype_size_bytes(dtype) == 1)
            ((uint8_t *)data)[i] = (uint8_t)bits;
        else if (gp_dtype_size_bytes(dtype) == 2)
            ((uint16_t *)data)[i] = (uint16_t)bits;
        else if (gp_dtype_size_bytes(dtype) == 4)
            ((uint32_t *)data)[i] = (uint32_t)bits;
        else
            ((uint64_t *)data)[i] = bits << 10;
    }
}

/* One shape in memory that ends where the elements end, read upright, turned, backwards, with gaps, and with a mask. */
static void check_layouts(gp_dtype dtype, int64_t n_rows, int64_t n_cols)
{
    int size = gp_dtype_size_bytes(dtype);
    int64_t n = n_rows * n_cols;
    void *data = malloc((size_t)n * (size_t)size);
    uint8_t *mask = malloc((size_t)n);
    CHECK(data != NULL && mask != NULL);
    fill(data, dtype, n);
    for (int64_t i = 0; i < n; i++)
        mask[i] = random_53_bits() % 3 == 0;
    gp_plane plane = plane_of(data, dtype, n_rows, n_cols);
    for (int has_mask = 0; has_mask < 2; has_mask++) {
        plane.mask = has_mask ? mask : NULL;
        plane.mask_row_stride_bytes = n_cols, plane.mask_col_stride_bytes = 1;
        gp_plane turned = gp_plane_transpose(&plane), backwards = plane;
        gp_plane gaps = gp_plane_crop(&plane, 0, n_rows, 0, (n_cols + 1) / 2);
        backwards.data = (const char *)data + (n - 1) * size, backwards.mask = has_mask ? mask + n - 1 : NULL;
        backwards.row_stride_bytes *= -1, backwards.col_stride_bytes *= -1;
        backwards.mask_row_stride_bytes *= -1, backwards.mask_col_stride_bytes *= -1;
        check_plane(&plane);
        check_plane(&turned);
        check_plane(&backwards);
        check_plane(&gaps);
        plane.is_mask_inverted = plane.is_byteswapped = true;
        check_plane(&plane);
        plane.is_mask_inverted = plane.is_byteswapped = false;
    }
    free(data);
    free(mask);
}

static void test_dtypes(void)
{
    const int64_t shapes[][2] = {{1, 1}, {1, 63}, {3, 65}, {90, 3}, {1, 2049}, {2, 4100}, {300, 10}};
    for (gp_dtype dtype = 0; dtype < GP_N_DTYPES; dtype++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !gp_dtype_is_complex(dtype) && dtype != GP_LONGDOUBLE; i++)
            check_layouts(dtype, shapes[i][0], shapes[i][1]);
}

/* Many pieces, so that threads and the joining of parts have something to do. */
static void test_large(void)
{
    int64_t n_rows = 611, n_cols = 1009, n = n_rows * n_cols;
    float *data = malloc((size_t)n * sizeof *data);
    gp_error error;
    int64_t found;
    gp_summary_state one, many;
    CHECK(data != NULL);
    for (int64_t i = 0; i < n; i++)
        data[i] = (float)(random_53_bits() % 1000) - 300;
    data[n - 5] = NAN, data[n / 2] = NAN, data[n / 2 + 1] = 5000, data[n / 2 + 2 * n_cols] = 5000;
    gp_plane plane = plane_of(data, GP_F32, n_rows, n_cols), turned = gp_plane_transpose(&plane);
    check_plane(&plane);
    check_plane(&turned);
    CHECK(gp_cpu_find(&plane, GP_HAS_NAN, n / 2 + 1, false, &found, &error) == GP_OK && found == n - 5);
    CHECK(gp_cpu_find(&plane, GP_HAS_NAN, n - 6, true, &found, &error) == GP_OK && found == n / 2);
    gp_threads_limit(1);
    CHECK(gp_cpu_summarize(&plane, &one, &error) == GP_OK);
    gp_threads_limit(4);
    CHECK(gp_cpu_summarize(&plane, &many, &error) == GP_OK);
    CHECK(memcmp(&one, &many, sizeof one) == 0);
    gp_threads_limit(0);
    free(data);
}

static void test_integers_beyond_float64(void)
{
    const uint64_t data[] = {UINT64_MAX - 2, UINT64_MAX - 1, UINT64_MAX, 7, UINT64_MAX};
    const double edges[] = {0, 0x1p63, 0x1p64};
    gp_plane plane = plane_of(data, GP_U64, 1, 5);
    gp_integer_range range = {(int64_t)(UINT64_MAX - 1), (int64_t)UINT64_MAX}, none = {1, 0};
    gp_summary_state state;
    int64_t counts[2];
    gp_error error;
    CHECK(gp_cpu_summarize(&plane, &state, &error) == GP_OK);
    gp_summary summary = gp_summary_state_finish(&state, gp_plane_summary_order(&plane));
    CHECK(summary.argmax == 2 && summary.argmin == 3 && summary.max == 0x1p64);
    CHECK(gp_cpu_histogram(&plane, edges, 2, &range, counts, &error) == GP_OK && counts[0] == 0 && counts[1] == 3);
    CHECK(gp_cpu_histogram(&plane, edges, 2, &none, counts, &error) == GP_OK && counts[0] == 0 && counts[1] == 0);
}

static void test_refusals(void)
{
    const float data[] = {1, 2};
    const double falling[] = {1, 0}, infinite[] = {0, INFINITY}, good[] = {0, 1};
    gp_plane plane = plane_of(data, GP_F32, 1, 2);
    gp_integer_range range = {0, 1};
    int64_t out = 77;
    gp_error error;
    CHECK(gp_cpu_histogram(&plane, falling, 1, NULL, &out, &error) == GP_ERR_VALUE);
    CHECK(gp_cpu_histogram(&plane, infinite, 1, NULL, &out, &error) == GP_ERR_VALUE);
    CHECK(gp_cpu_histogram(&plane, good, 0, NULL, &out, &error) == GP_ERR_VALUE);
    CHECK(gp_cpu_histogram(&plane, good, (int64_t)1 << 40, NULL, &out, &error) == GP_ERR_VALUE);
    CHECK(gp_cpu_histogram(&plane, good, 1, &range, &out, &error) == GP_ERR_VALUE);
    CHECK(gp_cpu_find(&plane, 0, 0, false, &out, &error) == GP_ERR_VALUE);
    CHECK(gp_cpu_find(&plane, 1, 3, false, &out, &error) == GP_ERR_INDEX);
    CHECK(gp_cpu_find(&plane, 1, 2, true, &out, &error) == GP_ERR_INDEX);
    CHECK(out == 77); /* nothing is written on failure */
}

static void run_all(void)
{
    test_dtypes();
    test_large();
    test_integers_beyond_float64();
    test_refusals();
}

/* Nothing changes what it is joined to, on either side, even where squares are beyond float64. */
static void test_states_of_nothing(void)
{
    gp_summary_state one = gp_summary_state_none(), none = gp_summary_state_none(), both = none;
    one.n_finite = one.n_zero = 3, one.lowest = -5, one.highest = 7, one.argmin = 2, one.argmax = 9, one.first_nan = 4;
    one.moments = (gp_moments){3, 1e200, 2};
    gp_summary_state_join(&both, &one);
    CHECK(memcmp(&both, &one, sizeof one) == 0);
    gp_summary_state_join(&both, &none);
    CHECK(memcmp(&both, &one, sizeof one) == 0);
    gp_summary nothing = gp_summary_state_finish(&none, GP_ORDER_I64), same = gp_summary_none();
    CHECK(memcmp(&nothing, &same, sizeof same) == 0);
}

int main(void)
{
    test_states_of_nothing();
    run_at_every_level(run_all);
    return 0;
}
