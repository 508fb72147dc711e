/* The four samples of each column by blocks, pieces and searches against one look after the other: dtypes, layouts, masks, threads. */
#include "../../native/core/base/threads.h"
#include "../../native/cpu/cpu.h"
#include "cpu/read/row_reader.h"
#include "cpu/read/row_load.h"
#include "check.h"
#include "levels.h"
#include "numbers.h"

enum { N = 300007, N_COLUMNS = 9 };

/* Orders of integers of 64 bits, which float64 does not hold, are their own. */
static gp_order order_at(const gp_plane *plane, int64_t at, double value)
{
    gp_order_type type = gp_series_order_type(plane);
    uint64_t bits;
    if (type == GP_ORDER_F64)
        return gp_order_of_f64(value);
    memcpy(&bits, (const char *)plane->data + at * plane->col_stride_bytes, sizeof bits);
    return type == GP_ORDER_U64 ? gp_order_of_u64(bits) : (gp_order)bits;
}

/* The careful way: every sample is added to the state of its column. */
static void careful_m4(const gp_plane *plane, const int64_t *bounds, gp_m4_state *out)
{
    gp_row_reader rows;
    gp_row_reader_init(plane, GP_NAN_SHOW, &rows);
    for (int64_t k = 0; k < N_COLUMNS; k++) {
        out[k] = gp_m4_state_none();
        for (int64_t at = bounds[k]; at < bounds[k + 1]; at++) {
            double value;
            const uint8_t *mask = plane->mask == NULL ? NULL : plane->mask + at * plane->mask_col_stride_bytes;
            gp_row_reader_load_values(&rows, plane->component, (const char *)plane->data + at * plane->col_stride_bytes, mask, 1,
                                      &value);
            gp_m4_state_add(&out[k], gp_class_of(value), order_at(plane, at, value), at);
        }
    }
}

/* Positions are of no use where there is no finite sample. */
static bool is_same(const gp_m4_state *got, const gp_m4_state *want)
{
    return want->n_finite > 0 ? memcmp(got, want, sizeof *got) == 0 : got->n_finite == 0 && got->has == want->has;
}

static void check_plane(const gp_plane *plane)
{
    int64_t n = plane->n_cols, bounds[N_COLUMNS + 1];
    gp_m4_state want[N_COLUMNS], got[N_COLUMNS];
    gp_error error;
    for (int k = 0; k <= N_COLUMNS; k++)
        bounds[k] = (int64_t)(random_53_bits() % (uint64_t)(n + 1));
    for (int k = 1; k <= N_COLUMNS; k++) /* sorted */
        for (int i = k; i > 0 && bounds[i] < bounds[i - 1]; i--) {
            int64_t other = bounds[i];
            bounds[i] = bounds[i - 1], bounds[i - 1] = other;
        }
    careful_m4(plane, bounds, want);
    for (int n_threads = 1; n_threads <= 4; n_threads += 3) {
        gp_threads_limit(n_threads);
        CHECK(gp_cpu_m4(plane, bounds, N_COLUMNS, got, &error) == GP_OK);
        for (int k = 0; k < N_COLUMNS; k++)
            CHECK(is_same(&got[k], &want[k]));
    }
    gp_threads_limit(0);
}

/* Bits of any kind; of floats a share is not a number. */
static void fill(void *data, gp_dtype dtype, int64_t n)
{
    int size = gp_dtype_size_bytes(dtype);
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits[2] = {random_53_bits() * 2654435761u, random_53_bits() * 2654435761u};
        double value = (double)(int64_t)(bits[0] % 2000) / 8 - 100;
        float single = random_53_bits() % 500 == 0 ? NAN : random_53_bits() % 700 == 0 ? INFINITY : (float)value;
        if (dtype == GP_F32)
            ((float *)data)[i] = single;
        else if (dtype == GP_F64)
            ((double *)data)[i] = single;
        else
            memcpy((char *)data + i * size, bits, (size_t)size);
    }
}

static void check_dtype(gp_dtype dtype)
{
    int size = gp_dtype_size_bytes(dtype);
    char *data = malloc((size_t)N * (size_t)size);
    uint8_t *mask = malloc(N);
    CHECK(data != NULL && mask != NULL);
    fill(data, dtype, N);
    for (int64_t i = 0; i < N; i++)
        mask[i] = random_53_bits() % 3 == 0;
    gp_component component = gp_dtype_is_complex(dtype) ? GP_COMPONENT_ABS : GP_COMPONENT_VALUE;
    gp_plane plane = {.data = data,
                      .dtype = dtype,
                      .device = {1, 0},
                      .n_rows = 1,
                      .n_cols = N,
                      .col_stride_bytes = size,
                      .component = component};
    check_plane(&plane);
    plane.n_cols = 1501; /* one piece, collected blocks */
    check_plane(&plane);
    plane.n_cols = N / 3, plane.col_stride_bytes = 3 * size;
    check_plane(&plane);
    plane.mask = mask, plane.mask_col_stride_bytes = 3;
    check_plane(&plane);
    free(data);
    free(mask);
}

static void check_all(void)
{
    for (int dtype = 0; dtype < GP_N_DTYPES; dtype++)
        if (dtype != GP_LONGDOUBLE) /* whose padding random bits would spoil */
            check_dtype((gp_dtype)dtype);
}

int main(void)
{
    run_at_every_level(check_all);
    return 0;
}
