/* Elements that share one address: how much a backend is asked to read, and what becomes of its answers. */
#include "check.h"
#include "gpuplot.h"
#include "levels.h"

#define MANY ((int64_t)1 << 40)

static int64_t n_elems_asked; /* of all planes and slices that the backend below was handed */

static void ask(const gp_plane *plane) { n_elems_asked += plane->n_rows * plane->n_cols; }

static gp_status reduce(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                        gp_cells *out, gp_limits_state *limits, gp_error *error)
{
    ask(plane);
    return gp_cpu_backend.reduce(plane, rows, cols, options, out, limits, error);
}

static gp_status limits_of(const gp_plane *plane, unsigned want, gp_limits_state *out, gp_error *error)
{
    ask(plane);
    return gp_cpu_backend.limits(plane, want, out, error);
}

static gp_status percentiles(const gp_plane *plane, const double *percents, int n, bool positive_only, double *out,
                             gp_error *error)
{
    ask(plane);
    return gp_cpu_backend.percentiles(plane, percents, n, positive_only, out, error);
}

static gp_status collect(const gp_plane *plane, const double *lows, const double *highs, int n_ranges, int64_t most, double *out,
                         int64_t *n_found, gp_error *error)
{
    ask(plane);
    return gp_cpu_backend.collect(plane, lows, highs, n_ranges, most, out, n_found, error);
}

static gp_status summarize(const gp_plane *plane, gp_summary_state *out, gp_error *error)
{
    ask(plane);
    return gp_cpu_backend.summarize(plane, out, error);
}

static gp_status histogram(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                           int64_t *counts, gp_error *error)
{
    ask(plane);
    return gp_cpu_backend.histogram(plane, edges, n_bins, range, counts, error);
}

static gp_status find(const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards, int64_t *out, gp_error *error)
{
    ask(plane);
    return gp_cpu_backend.find(plane, kinds, start, is_backwards, out, error);
}

static gp_status summarize_slices(const gp_slices *slices, gp_summary *out, gp_error *error)
{
    n_elems_asked += slices->n_slices * slices->n_elems;
    return gp_cpu_backend.summarize_slices(slices, out, error);
}

static const gp_backend counting = {.name = "counting",
                                    .reduce = reduce,
                                    .limits = limits_of,
                                    .percentiles = percentiles,
                                    .collect = collect,
                                    .summarize = summarize,
                                    .histogram = histogram,
                                    .find = find,
                                    .summarize_slices = summarize_slices};

static const double row[5] = {3.0, -1.0, 0.5, 7.0, 2.0};

static gp_tensor tensor_of(int64_t n_rows, int64_t n_cols, int64_t row_stride, int64_t col_stride)
{
    return (gp_tensor){.data = row,
                       .dtype = GP_F64,
                       .device = {GP_DL_CPU, 0},
                       .n_dims = 2,
                       .shape = {n_rows, n_cols},
                       .strides_bytes = {row_stride, col_stride}};
}

static gp_plane plane_of(const gp_tensor *tensor)
{
    gp_axis_use uses[2] = {{GP_ROLE_ROWS, 0, 1, tensor->shape[0], 0}, {GP_ROLE_COLS, 0, 1, tensor->shape[1], 0}};
    gp_plane plane;
    gp_error error = {0};
    CHECK(gp_plane_from(tensor, uses, 0, NULL, GP_COMPONENT_VALUE, &plane, &error) == GP_OK);
    return plane;
}

/* Each question of the backend is about the distinct elements, and each once: 5, or a single one. */
static void test_what_is_read(int64_t n_rows, int64_t n_cols, int64_t row_stride, int64_t col_stride, int64_t n_distinct)
{
    gp_tensor tensor = tensor_of(n_rows, n_cols, row_stride, col_stride);
    gp_plane plane = plane_of(&tensor);
    gp_axis rows, cols;
    gp_limits_state limits;
    gp_partial_summary summary;
    gp_error error = {0};
    double cells[4 * 3], percents[2] = {25, 50}, values[2], edges[3] = {-1, 1, 8};
    int64_t counts[2], n_found, n_all = n_rows * n_cols;
    gp_cells out = {cells, 4, 3, {GP_DL_CPU, 0}};
    CHECK(gp_axis_fit(n_rows, 0, (double)n_rows, 4, GP_TIE_UP, GP_REGIME_BY_WIDTH, &rows, &error) == GP_OK);
    CHECK(gp_axis_fit(n_cols, 0, (double)n_cols, 3, GP_TIE_UP, GP_REGIME_BY_WIDTH, &cols, &error) == GP_OK);
    for (int agg = 0; agg < GP_N_AGGS; agg++) {
        gp_reduce_options options = {.agg = (gp_agg)agg, .nan = GP_NAN_SHOW};
        n_elems_asked = 0;
        CHECK(gp_plane_reduce(&counting, &plane, &rows, &cols, &options, &out, NULL, &error) == GP_OK);
        CHECK(n_elems_asked == n_distinct);
    }
    n_elems_asked = 0;
    CHECK(gp_plane_limits(&counting, &plane, GP_WANT_COUNTS, &limits, &error) == GP_OK && limits.n_finite == n_all);
    CHECK(gp_plane_summarize(&counting, &plane, &summary, &error) == GP_OK);
    CHECK(summary.state.n_finite == n_all && summary.scale == 1);
    CHECK(gp_plane_histogram(&counting, &plane, edges, 2, NULL, counts, &error) == GP_OK && counts[0] + counts[1] == n_all);
    CHECK(gp_plane_percentiles(&counting, &plane, percents, 2, false, values, &error) == GP_OK);
    CHECK(gp_plane_collect(&counting, &plane, edges, edges + 2, 1, 0, NULL, &n_found, &error) == GP_OK && n_found > 0);
    CHECK(n_elems_asked == 5 * n_distinct);
    gp_axis_free(&rows);
    gp_axis_free(&cols);
}

/* What is collected once is returned as often as it repeats. */
static void test_what_is_collected(void)
{
    static const double lows[2] = {0.5, 7}, highs[2] = {2, 7}, want[9] = {0.5, 0.5, 0.5, 7, 7, 7, 2, 2, 2};
    gp_tensor tensor = tensor_of(3, 5, 0, sizeof(double));
    gp_plane plane = plane_of(&tensor);
    double got[9], sum = 0;
    gp_error error = {0};
    int64_t n_found;
    CHECK(gp_plane_collect(&counting, &plane, lows, highs, 2, 8, got, &n_found, &error) == GP_OK && n_found == 9);
    CHECK(gp_plane_collect(&counting, &plane, lows, highs, 2, 9, got, &n_found, &error) == GP_OK && n_found == 9);
    for (int i = 0; i < 9; i++) {
        CHECK(got[i] == got[i / 3 * 3]);
        sum += got[i] - want[i];
    }
    CHECK(sum == 0);
}

/* A search that finds nothing goes through the distinct elements twice at most: the rest of a row, and the next one. */
static void test_what_is_searched(void)
{
    gp_tensor tensor = tensor_of(MANY, 5, 0, sizeof(double));
    gp_plane plane = plane_of(&tensor);
    gp_error error = {0};
    int64_t found;
    n_elems_asked = 0;
    CHECK(gp_plane_find(&counting, &plane, GP_HAS_NAN, 7, false, &found, &error) == GP_OK && found == -1);
    CHECK(n_elems_asked == 10);
    CHECK(gp_plane_find(&counting, &plane, GP_HAS_FINITE, MANY * 5 - 1, true, &found, &error) == GP_OK && found == MANY * 5 - 1);
}

/* Slices that are the same memory are one slice, and elements of a slice that are the same are one element. */
static void test_slices(void)
{
    gp_tensor tensor = tensor_of(1000, 5, 0, sizeof(double));
    gp_slice_use between_rows[2] = {{0, 1, 1000, true}, {0, 1, 5, false}},
                 between_cols[2] = {{0, 1, 1000, false}, {0, 1, 5, true}};
    gp_slices slices;
    gp_error error = {0};
    static gp_summary out[1000];
    CHECK(gp_slices_from(&tensor, between_rows, GP_COMPONENT_VALUE, &slices, &error) == GP_OK);
    n_elems_asked = 0;
    CHECK(gp_slices_summarize(&counting, &slices, out, &error) == GP_OK && n_elems_asked == 5);
    for (int i = 0; i < 1000; i++)
        CHECK(out[i].n_pos == 4 && out[i].n_neg == 1 && out[i].max == 7 && out[i].argmax == 3);
    CHECK(gp_slices_from(&tensor, between_cols, GP_COMPONENT_VALUE, &slices, &error) == GP_OK);
    n_elems_asked = 0;
    CHECK(gp_slices_summarize(&counting, &slices, out, &error) == GP_OK && n_elems_asked == 5);
    for (int i = 0; i < 5; i++)
        CHECK(out[i].n_pos + out[i].n_neg == 1000 && out[i].max == row[i] && out[i].argmax == 0);
}

/* A hidden axis of one address is not an axis that is walked. */
static void test_hidden(void)
{
    gp_tensor tensor = {.data = row,
                        .dtype = GP_F64,
                        .device = {GP_DL_CPU, 0},
                        .n_dims = 2,
                        .shape = {MANY, 5},
                        .strides_bytes = {0, sizeof(double)}};
    gp_axis_use uses[2] = {{GP_ROLE_HIDDEN, 0, 1, MANY, 0}, {GP_ROLE_COLS, 0, 1, 5, 0}};
    gp_hidden_op op = GP_HIDDEN_SUM;
    gp_plane plane;
    gp_limits_state limits;
    gp_error error = {0};
    CHECK(gp_plane_from(&tensor, uses, 1, &op, GP_COMPONENT_VALUE, &plane, &error) == GP_OK);
    CHECK(plane.n_hidden == 0 && gp_plane_reads_per_elem(&plane) == 1);
    CHECK(gp_plane_limits(&counting, &plane, GP_WANT_RANGE, &limits, &error) == GP_OK);
    gp_limits found = gp_limits_state_finish(&limits);
    CHECK(found.min == -1.0 * (double)MANY && found.max == 7.0 * (double)MANY);
}

static void run_all(void)
{
    test_what_is_read(MANY, 5, 0, sizeof(double), 5);
    test_what_is_read(5, MANY, sizeof(double), 0, 5);
    test_what_is_read((int64_t)1 << 29, (int64_t)1 << 29, 0, 0, 1);
    test_what_is_collected();
    test_what_is_searched();
    test_slices();
    test_hidden();
}

int main(void)
{
    run_at_every_level(run_all);
    return 0;
}
