/* What the CPU backend finds of elements is the same at every level of vector instructions: equal, or near where sums are rounded. */
#include "cast_elements.h"
#include "../../native/core/grids/cell_states.h"
#include "../../native/cpu/lines/line_rows.h"
#include "../../native/cpu/reduce/finish_states.h"
#include "check.h"
#include "gpuplot.h"
#include "levels.h"
#include "planes.h"

#include <stdlib.h>

enum { N_SHAPES = 5, MOST_ELEMS = 20000, MOST_CELLS = 41 * 67, N_PLANES = 3, PLANE_ROWS = 23, PLANE_COLS = 131 };

static const int64_t shapes[N_SHAPES][2] = {{1, 1}, {13, 1031}, {2, 9001}, {1011, 6}, {64, 100}};

/* ---- elements ------------------------------------------------------------------------------------------------------- */

/* Numbers of the dtype near 0 or 100, as many bits as it has, and where asked for some that are not finite. */
static void fill(gp_dtype dtype, int64_t n, bool has_bad, char *out)
{
    int parts = gp_dtype_is_complex(dtype) ? 2 : 1, part_bytes = gp_dtype_size_bytes(dtype) / parts;
    gp_dtype part = dtype == GP_C32 ? GP_F16 : dtype == GP_C64 ? GP_F32 : dtype == GP_C128 ? GP_F64 : dtype;
    for (int64_t i = 0; i < n * parts; i++) {
        double x = (double)(random_bits() >> 11) * 0x1p-53 * 200 - 60;
        if (has_bad && random_bits() % 997 == 0)
            x = random_bits() % 3 == 0 ? NAN : random_bits() % 2 ? (double)INFINITY : -(double)INFINITY;
        cast_part((const char *)&x, GP_F64, part, out + i * part_bytes);
    }
}

static const char *titled(const char *what, gp_dtype dtype)
{
    static char title[40];
    snprintf(title, sizeof title, "%s of %s", what, gp_dtype_name(dtype));
    return title;
}

/* ---- cells ---------------------------------------------------------------------------------------------------------- */

/* The same cells by way of their partial results. */
static void check_states(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                         double tolerance)
{
    static gp_cell_state states[MOST_CELLS];
    static double values[MOST_CELLS], by_blocks[MOST_CELLS];
    int64_t n = rows->n_cells * cols->n_cells;
    gp_error error = {0};
    gp_limits_state limits;
    CHECK(gp_cpu_backend.reduce_states(plane, rows, cols, options, states, &limits, &error) == GP_OK);
    same_at_every_level(titled("limits of states", plane->dtype), &limits, sizeof limits);
    gp_cell_states_finish(options->agg, options->nan, gp_plane_order_type(plane), states, n, values);
    CHECK(gp_finish_states(options->agg, options->nan, gp_plane_order_type(plane), states, n, by_blocks, &error) == GP_OK);
    CHECK(memcmp(values, by_blocks, (size_t)n * sizeof *values) == 0);
    for (int64_t i = 0; i < n && tolerance > 0; i += 1 + n / 50)
        near_at_every_level(titled("states", plane->dtype), values[i], tolerance);
    if (tolerance == 0)
        same_at_every_level(titled("states", plane->dtype), values, n * (int64_t)sizeof *values);
}

static void check_cells(const gp_plane *plane, gp_agg agg, gp_nan nan)
{
    static double values[MOST_CELLS], others[MOST_CELLS];
    gp_axis rows, cols;
    gp_cells cells = {values, plane->n_rows < 41 ? 2 : 41, plane->n_cols < 67 ? 3 : 67, {GP_DL_CPU, 0}};
    gp_cells without_nan = {others, cells.n_rows, cells.n_cols, cells.device};
    gp_limits_state limits, limits_without_nan, limits_of_cells;
    gp_reduce_options options = {.agg = agg,
                                 .nan = nan,
                                 .want = GP_WANT_RANGE | GP_WANT_POSITIVE,
                                 .without_nan = &without_nan,
                                 .limits_without_nan = &limits_without_nan,
                                 .limits_of_cells = &limits_of_cells};
    gp_error error = {0};
    bool is_sum = gp_agg_kind(agg) == GP_STATE_SUM && !gp_agg_is(agg, GP_AGG_OWNED);
    bool is_rounded = is_sum || gp_agg_kind(agg) == GP_STATE_MOMENTS;
    double n_elems = (double)(plane->n_rows * plane->n_cols);
    double scale = agg == GP_AGG_SUM ? 200.0 * n_elems : agg == GP_AGG_VAR ? 200.0 * 200.0 : 200.0;
    CHECK(gp_axis_fit(plane->n_rows, 0, (double)plane->n_rows, cells.n_rows, GP_TIE_UP, GP_REGIME_BY_WIDTH, &rows, &error) ==
          GP_OK);
    CHECK(gp_axis_fit(plane->n_cols, -0.3, (double)plane->n_cols, cells.n_cols, GP_TIE_UP, GP_REGIME_BY_WIDTH, &cols, &error) ==
          GP_OK);
    CHECK(gp_cpu_backend.reduce(plane, &rows, &cols, &options, &cells, &limits, &error) == GP_OK);
    CHECK(gp_cpu_backend.fill_without_nan(&cells, &without_nan, &error) == GP_OK);
    int64_t n = cells.n_rows * cells.n_cols;
    for (int64_t i = 0; i < n && is_rounded; i += 1 + n / 50) {
        near_at_every_level(titled("cells", plane->dtype), values[i], 1e-12 * scale);
        near_at_every_level(titled("cells without NaN", plane->dtype), others[i], 1e-12 * scale);
    }
    if (!is_rounded) {
        same_at_every_level(titled("cells", plane->dtype), values, n * (int64_t)sizeof *values);
        same_at_every_level(titled("cells without NaN", plane->dtype), others, n * (int64_t)sizeof *others);
    }
    if (gp_agg_kind(agg) != GP_STATE_ELEMENT && nan == GP_NAN_SHOW) /* which has no say in them */
        check_states(plane, &rows, &cols, &options, is_rounded ? 1e-12 * scale : 0);
    if (!is_rounded)
        same_at_every_level(titled("limits of cells", plane->dtype), &limits_of_cells, sizeof limits_of_cells);
    same_at_every_level(titled("limits", plane->dtype), &limits, sizeof limits);
    same_at_every_level(titled("limits without NaN", plane->dtype), &limits_without_nan, sizeof limits_without_nan);
    gp_axis_free(&rows);
    gp_axis_free(&cols);
}

/* By the first n_nans policies; by one where no element can be a mark. */
static void check_reductions(const gp_plane *plane, int n_nans)
{
    bool is_finite = !gp_dtype_is_float(plane->dtype) && plane->mask == NULL;
    for (int agg = 0; agg < GP_N_AGGS; agg++)
        for (int nan = 0; nan < (is_finite ? 1 : n_nans); nan++)
            check_cells(plane, (gp_agg)agg, (gp_nan)nan);
}

/* ---- points ---------------------------------------------------------------------------------------------------------- */

/* Elements as both coordinates, and as their own values. */
static void check_points(const gp_plane *plane)
{
    enum { N_ROWS = 7, N_COLS = 9 };
    gp_point_options options = {.x = {.first = -50, .last = 110, .n_cells = N_COLS},
                                .y = {.first = -3, .last = 2, .n_cells = N_ROWS}};
    gp_cells cells;
    int64_t n_outside;
    gp_error error = {0};
    CHECK(gp_cpu_backend.cells_alloc(N_ROWS, N_COLS, plane->device, &cells, &error) == GP_OK);
    for (int agg = 0; agg < GP_N_AGGS; agg++) {
        options.agg = (gp_agg)agg, options.nan = GP_NAN_SKIP;
        if (agg == GP_AGG_NEAREST)
            continue;
        CHECK(gp_cpu_backend.bin_points(plane, plane, plane, &options, &cells, &n_outside, &error) == GP_OK);
        same_at_every_level(titled("points", plane->dtype), cells.data, N_ROWS * N_COLS * (int64_t)sizeof *cells.data);
        same_at_every_level(titled("points outside", plane->dtype), &n_outside, sizeof n_outside);
    }
    gp_cpu_backend.cells_free(&cells);
}

/* ---- lines ----------------------------------------------------------------------------------------------------------- */

/* Elements as samples over positions, in one pass and stroke by stroke, and over themselves. */
static void check_lines(const gp_plane *plane)
{
    enum { N_ROWS = 70, N_COLS = 9 };
    gp_line_options options = {.x = {.first = 0, .last = 40, .n_cells = N_COLS, .low = -1e308, .high = 1e308},
                               .y = {.first = -3, .last = 20, .n_cells = N_ROWS - 2, .low = -1e308, .high = 1e308},
                               .has_outside = true};
    gp_lines lines[3] = {
        {.y = plane, .order = GP_LINE_SORTED}, {.x = plane, .y = plane}, {.y = plane, .order = GP_LINE_UNSORTED}};
    gp_cells cells;
    gp_error error = {0};
    CHECK(gp_cpu_backend.cells_alloc(N_ROWS, N_COLS, plane->device, &cells, &error) == GP_OK);
    for (int is_normalized = 0; is_normalized < 2; is_normalized++) {
        options.is_normalized = is_normalized;
        CHECK(gp_cpu_backend.bin_lines(lines, 3, &options, &cells, &error) == GP_OK);
        same_at_every_level(titled("lines", plane->dtype), cells.data, N_ROWS * N_COLS * (int64_t)sizeof *cells.data);
    }
    gp_line_rows_of_column rows[2 * N_COLS];
    int64_t n_lines = plane->n_rows < 2 ? plane->n_rows : 2;
    CHECK(gp_cpu_line_rows(lines, 1, &options, (gp_line_box){0, n_lines, 0, N_COLS}, rows, &error) == GP_OK);
    same_at_every_level(titled("rows of lines", plane->dtype), rows, n_lines * N_COLS * (int64_t)sizeof *rows);
    gp_cpu_backend.cells_free(&cells);
}

/* ---- facts ---------------------------------------------------------------------------------------------------------- */

/* Counts of a plane by itself, its elements as weights, and both. */
static void check_joint(const gp_plane *plane, const double *even, const double *uneven)
{
    double sums[8 * 7];
    int64_t counts[8 * 7], n_counted;
    gp_error error = {0};
    gp_joint joint = {.sides = {{plane, even, 8, NULL}, {plane, uneven, 7, NULL}}, .n_sides = 2};
    CHECK(gp_cpu_backend.histogram_joint(&joint, counts, NULL, &n_counted, &error) == GP_OK);
    same_at_every_level(titled("bins of two", plane->dtype), counts, sizeof counts);
    joint.weights = plane;
    CHECK(gp_cpu_backend.histogram_joint(&joint, NULL, sums, &n_counted, &error) == GP_OK);
    same_at_every_level(titled("sums of two", plane->dtype), sums, sizeof sums);
    joint.n_sides = 1;
    CHECK(gp_cpu_backend.histogram_joint(&joint, NULL, sums, &n_counted, &error) == GP_OK);
    same_at_every_level(titled("sums", plane->dtype), sums, 8 * sizeof *sums);
    same_at_every_level(titled("how many are in a bin", plane->dtype), &n_counted, sizeof n_counted);
}

/* An element less its neighbor, and what is known about all of these. */
static void check_differences(const gp_plane *plane)
{
    if (plane->n_cols < 2 || gp_pair_check(plane, plane, &(gp_error){0}) != GP_OK)
        return;
    gp_plane first = gp_plane_crop(plane, 0, plane->n_rows, 0, plane->n_cols - 1);
    gp_plane second = gp_plane_crop(plane, 0, plane->n_rows, 1, plane->n_cols);
    gp_compared compared = {&first, &second, 1e-3, 1e-6};
    gp_comparison found;
    gp_cells cells = {0};
    gp_error error = {0};
    CHECK(gp_cpu_backend.compare(&compared, &found, &error) == GP_OK);
    same_at_every_level(titled("comparison", plane->dtype), &found, sizeof found);
    CHECK(gp_cpu_backend.cells_alloc(first.n_rows, first.n_cols, first.device, &cells, &error) == GP_OK);
    CHECK(gp_cpu_backend.subtract(&first, &second, &cells, &error) == GP_OK);
    same_at_every_level(titled("difference", plane->dtype), cells.data, cells.n_rows * cells.n_cols * (int64_t)sizeof(double));
    gp_cpu_backend.cells_free(&cells);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The elements of one range, sorted: they come in any order. */
static void check_collected(const gp_plane *plane, const double *low, const double *high)
{
    int64_t most = plane->n_rows * plane->n_cols, n;
    double *values = malloc(((size_t)most + 1) * sizeof *values);
    gp_error error = {0};
    CHECK(gp_cpu_backend.collect(plane, low, high, 1, most, values, &n, &error) == GP_OK && n <= most);
    qsort(values, (size_t)n, sizeof *values, compare_numbers);
    same_at_every_level(titled("elements in a range", plane->dtype), values, n * (int64_t)sizeof *values);
    free(values);
}

static void check_facts(const gp_plane *plane)
{
    double percents[] = {0, 2, 33.3, 50, 98, 100}, values[6], even[9], uneven[] = {-100, -1, 0, 0.5, 7, 7.25, 50, 1e6};
    int64_t counts[8], found;
    gp_limits_state limits;
    gp_summary_state summary;
    gp_error error = {0};
    for (int i = 0; i < 9; i++)
        even[i] = -50 + 20 * i;
    CHECK(gp_cpu_backend.limits(plane, GP_WANT_RANGE | GP_WANT_POSITIVE | GP_WANT_COUNTS, &limits, &error) == GP_OK);
    same_at_every_level(titled("limits and counts", plane->dtype), &limits, sizeof limits);
    for (int is_positive = 0; is_positive < 2; is_positive++) {
        CHECK(gp_cpu_backend.percentiles(plane, percents, 6, is_positive, values, &error) == GP_OK);
        same_at_every_level(titled("percentiles", plane->dtype), values, sizeof values);
    }
    check_collected(plane, values + 2, values + 3);
    CHECK(gp_cpu_backend.summarize(plane, &summary, &error) == GP_OK);
    same_at_every_level(titled("summary", plane->dtype), &summary, sizeof summary);
    CHECK(gp_cpu_backend.histogram(plane, even, 8, NULL, counts, &error) == GP_OK);
    same_at_every_level(titled("even bins", plane->dtype), counts, sizeof counts);
    CHECK(gp_cpu_backend.histogram(plane, uneven, 7, NULL, counts, &error) == GP_OK);
    same_at_every_level(titled("uneven bins", plane->dtype), counts, 7 * sizeof *counts);
    if (plane->component == GP_COMPONENT_VALUE && plane->n_stages == 0 && !gp_dtype_is_complex(plane->dtype))
        check_joint(plane, even, uneven);
    check_differences(plane);
    check_points(plane);
    check_lines(plane);
    for (unsigned kind = GP_HAS_NAN; kind <= GP_HAS_FINITE; kind *= 2)
        for (int is_backwards = 0; is_backwards < 2; is_backwards++) {
            CHECK(gp_cpu_backend.find(plane, kind, plane->n_rows * plane->n_cols / 2, is_backwards, &found, &error) == GP_OK);
            same_at_every_level(titled("search", plane->dtype), &found, sizeof found);
        }
}

/* ---- series --------------------------------------------------------------------------------------------------------- */

/* Each row by itself: what draws it, which way it goes, samples of it, and where values belong in its first sample. */
static void check_series(const gp_plane *plane)
{
    enum { N_COLUMNS = 3 };
    gp_m4_state states[N_COLUMNS];
    gp_error error = {0};
    for (int64_t row = 0; row < plane->n_rows && plane->n_cols > 0; row += 1 + plane->n_rows / 5) {
        gp_plane series = gp_plane_crop(plane, row, row + 1, 0, plane->n_cols), first = gp_plane_crop(&series, 0, 1, 0, 1);
        int64_t n = plane->n_cols, bounds[] = {n / 7, n / 2, n - n / 3, n}, places[] = {n - 1, 0, n / 2}, found[3];
        double values[3];
        unsigned ways;
        CHECK(gp_cpu_backend.m4(&series, bounds, N_COLUMNS, states, &error) == GP_OK);
        same_at_every_level(titled("M4", plane->dtype), states, sizeof states);
        CHECK(gp_cpu_backend.find_ways(&series, &ways, &error) == GP_OK);
        same_at_every_level(titled("ways", plane->dtype), &ways, sizeof ways);
        CHECK(gp_cpu_backend.take(&series, places, 3, values, &error) == GP_OK);
        same_at_every_level(titled("samples", plane->dtype), values, sizeof values);
        CHECK(gp_cpu_backend.search_sorted(&first, values, 3, found, &error) == GP_OK);
        same_at_every_level(titled("places", plane->dtype), found, sizeof found);
    }
}

/* ---- slices --------------------------------------------------------------------------------------------------------- */

static void check_slices(const char *data, gp_dtype dtype, bool is_between_cols)
{
    enum { N_ROWS = 211, N_COLS = 83, N_BINS = 5, MOST = 211 };
    static gp_summary summaries[MOST];
    static double edges[MOST * (N_BINS + 1)], values[MOST * 3];
    static int64_t counts[MOST * N_BINS];
    int size = gp_dtype_size_bytes(dtype);
    gp_tensor tensor = {.data = data,
                        .dtype = dtype,
                        .device = {GP_DL_CPU, 0},
                        .n_dims = 2,
                        .shape = {N_ROWS, N_COLS},
                        .strides_bytes = {N_COLS * size, size}};
    gp_slice_use uses[2] = {{0, 1, N_ROWS, !is_between_cols}, {0, 1, N_COLS, is_between_cols}};
    gp_component component = gp_dtype_is_complex(dtype) ? GP_COMPONENT_ABS : GP_COMPONENT_VALUE;
    gp_slices slices;
    gp_error error = {0};
    CHECK(gp_slices_from(&tensor, uses, component, &slices, &error) == GP_OK);
    for (int64_t i = 0; i < slices.n_slices * (N_BINS + 1); i++)
        edges[i] = (double)(i % (N_BINS + 1)) * 30 - 50 + (double)(i / (N_BINS + 1)) * 0.1;
    CHECK(gp_cpu_backend.summarize_slices(&slices, summaries, &error) == GP_OK);
    CHECK(gp_cpu_backend.histogram_slices(&slices, edges, N_BINS, NULL, counts, &error) == GP_OK);
    CHECK(gp_cpu_backend.percentiles_slices(&slices, (double[]){1, 50, 99.5}, 3, values, &error) == GP_OK);
    same_at_every_level(titled("slices", dtype), summaries, slices.n_slices * (int64_t)sizeof *summaries);
    same_at_every_level(titled("bins of slices", dtype), counts, slices.n_slices * N_BINS * (int64_t)sizeof *counts);
    same_at_every_level(titled("ranks of slices", dtype), values, slices.n_slices * 3 * (int64_t)sizeof *values);
}

/* ---- views of which each element is more than a load --------------------------------------------------------------- */

static void swap_bytes(const char *data, gp_dtype dtype, int64_t n, char *out)
{
    int size = gp_dtype_size_bytes(dtype) / (gp_dtype_is_complex(dtype) ? 2 : 1);
    int64_t n_bytes = n * gp_dtype_size_bytes(dtype);
    for (int64_t i = 0; i < n_bytes; i++)
        out[i] = data[i - i % size + (size - 1 - i % size)];
}

/* A plane of three, or where there is an operation all of them by it. */
static void check_view(const char *data, gp_dtype dtype, bool is_byteswapped, const uint8_t *mask, const gp_hidden_op *op)
{
    int size = gp_dtype_size_bytes(dtype);
    gp_tensor tensor = {.data = data,
                        .dtype = dtype,
                        .is_byteswapped = is_byteswapped,
                        .device = {GP_DL_CPU, 0},
                        .n_dims = 3,
                        .shape = {N_PLANES, PLANE_ROWS, PLANE_COLS},
                        .strides_bytes = {PLANE_ROWS * PLANE_COLS * size, PLANE_COLS * size, size},
                        .mask = mask,
                        .mask_strides_bytes = {PLANE_ROWS * PLANE_COLS, PLANE_COLS, 1}};
    gp_axis_use uses[3] = {{op ? GP_ROLE_HIDDEN : GP_ROLE_FIXED, 0, 1, op ? N_PLANES : 1, 0},
                           {GP_ROLE_ROWS, 0, 1, PLANE_ROWS, 0},
                           {GP_ROLE_COLS, 0, 1, PLANE_COLS, 0}};
    gp_component component = gp_dtype_is_complex(dtype) ? GP_COMPONENT_ABS : GP_COMPONENT_VALUE;
    gp_plane plane = {0};
    CHECK(gp_plane_from(&tensor, uses, op != NULL, op, component, &plane, &(gp_error){0}) == GP_OK);
    check_reductions(&plane, GP_N_NANS);
    check_facts(&plane);
    check_series(&plane);
}

static void check_views(const char *data, gp_dtype dtype, char *swapped)
{
    static uint8_t mask[N_PLANES * PLANE_ROWS * PLANE_COLS];
    gp_hidden_op op = (gp_hidden_op)(dtype % GP_N_HIDDEN_OPS);
    for (size_t i = 0; i < sizeof mask; i++)
        mask[i] = random_bits() % 5 == 0;
    swap_bytes(data, dtype, (int64_t)sizeof mask, swapped);
    check_view(data, dtype, false, mask, NULL);
    check_view(swapped, dtype, true, NULL, NULL);
    check_view(swapped, dtype, true, mask, &op);
}

/* ---- conversions ---------------------------------------------------------------------------------------------------- */

/* Rows as they are, swapped, and turned: every loop over layouts has its size of element. */
static void check_conversions(const char *data, gp_dtype from, char *out)
{
    int64_t n_rows = 41, n_cols = 131, size = gp_dtype_size_bytes(from);
    for (int dtype = 0; dtype < GP_N_DTYPES; dtype++) {
        gp_dtype to = (gp_dtype)dtype;
        int64_t to_size = gp_dtype_size_bytes(to);
        for (int layout = 0; layout < 3 && is_pair(from, to) && to != GP_LONGDOUBLE; layout++) {
            gp_tensor tensor = {.data = data,
                                .dtype = from,
                                .is_byteswapped = layout == 1,
                                .device = {GP_DL_CPU, 0},
                                .n_dims = 2,
                                .shape = {n_rows, n_cols},
                                .strides_bytes = {n_cols * size, size}};
            gp_target target = {out, to, {n_cols * to_size, to_size}};
            gp_error error = {0};
            if (layout == 2)
                target.strides_bytes[0] = to_size, target.strides_bytes[1] = n_rows * to_size;
            gp_conversion plan = plan_of(&tensor, &target);
            CHECK(gp_cpu_backend.convert(&plan, NULL, &error) == GP_OK);
            same_at_every_level(titled(gp_dtype_name(to), from), out, n_rows * n_cols * to_size);
        }
    }
}

/* ---- every dtype ---------------------------------------------------------------------------------------------------- */

static void test_elements(gp_dtype dtype, bool has_bad)
{
    char *data = calloc(MOST_ELEMS, MAX_ITEM_BYTES), *out = calloc(MOST_ELEMS, MAX_ITEM_BYTES);
    CHECK(data != NULL && out != NULL);
    fill(dtype, MOST_ELEMS, has_bad, data);
    for (int i = 0; i < N_SHAPES; i++) {
        gp_plane plane = plane_of(data, dtype, shapes[i][0], shapes[i][1]), turned = gp_plane_transpose(&plane);
        check_reductions(&plane, GP_NAN_SKIP + 1);
        check_facts(&plane);
        check_facts(&turned);
        check_series(&plane);
        check_series(&turned);
        CHECK(gp_cpu_backend.gather(&turned, out, &(gp_error){0}) == GP_OK);
        same_at_every_level(titled("gathered", dtype), out, plane.n_rows * plane.n_cols * gp_dtype_size_bytes(dtype));
    }
    check_slices(data, dtype, false);
    check_slices(data, dtype, true);
    check_views(data, dtype, out);
    check_conversions(data, dtype, out);
    free(data);
    free(out);
}

static void run_all(void)
{
    for (int dtype = 0; dtype < GP_N_DTYPES; dtype++)
        if (dtype != GP_LONGDOUBLE)
            test_elements((gp_dtype)dtype, false);
    test_elements(GP_F32, true);
    test_elements(GP_F64, true);
    test_elements(GP_F16, true);
    test_elements(GP_BF16, true);
    test_elements(GP_F8_E5M2, true);
    test_elements(GP_C64, true);
}

int main(void)
{
    run_at_every_level(run_all);
    return 0;
}
