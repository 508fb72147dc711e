/* Points to cells: elements of every kind as coordinates and as values, counted, aggregated, and apart by classes. */
#include "checks.h"

#include "../../../native/core/tensor/dlpack_abi.h"

enum { ROWS = 7, COLS = 11, CLASSES = 3 };

typedef struct points_result {
    double cells[CLASSES * ROWS * COLS];
    int64_t n_outside;
} points_result;

static gp_status bin(const gp_backend *backend, const gp_plane *plane, bool has_values, const gp_point_options *options,
                     points_result *out, gp_error *error)
{
    gp_cells cells = {0};
    const gp_plane *values = has_values ? plane : NULL;
    GP_TRY(backend->cells_alloc(ROWS * gp_point_grids(options), COLS, plane->device, &cells, error));
    gp_status status = backend->bin_points(plane, plane, values, options, &cells, &out->n_outside, error);
    if (status == GP_OK)
        status = backend->cells_copy_out(&cells, out->cells, error);
    backend->cells_free(&cells);
    return status;
}

static void compare(tally *all, const points_result *got, const points_result *want, int64_t n_cells, bool is_sum, double most)
{
    if (got->n_outside != want->n_outside)
        tally_fail(all, "%lld points outside, not %lld", (long long)got->n_outside, (long long)want->n_outside);
    for (int64_t i = 0; i < n_cells; i++) {
        double tolerance = is_sum ? 1e-6 * fabs(want->cells[i]) + 1e-12 * most : 0;
        if (is_same_value(got->cells[i], want->cells[i]) || fabs(got->cells[i] - want->cells[i]) <= tolerance)
            continue;
        tally_fail(all, "cell %lld is %.17g, not %.17g", (long long)i, got->cells[i], want->cells[i]);
        return;
    }
}

static void check_agg(tally *all, const sample *s, const gp_point_options *options, bool has_values)
{
    points_result got, want;
    gp_error error = {0};
    gp_state_kind kind = gp_agg_kind(options->agg);
    bool is_sum = has_values && options->agg != GP_AGG_COUNT && kind != GP_STATE_EXTREMES;
    if (tally_ok(all, bin(&gp_cpu_backend, &s->host, has_values, options, &want, &error), &error, "the CPU's points") &&
        tally_ok(all, bin(&gp_cuda_backend, &s->device, has_values, options, &got, &error), &error, "bin_points"))
        compare(all, &got, &want, ROWS * COLS * gp_point_grids(options), is_sum, s->most);
}

/* Coordinates that are computed are left out, but extremes of hidden axes: by their last bit they may fall into another cell. Sums by
 * atomics depend on the order of threads in their last bits. */
static void check_points_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    static const double edges[COLS + 1] = {-90, -50, -20, -5, -1, 0, 0.5, 2, 7, 30, 60, 95};
    static const gp_agg aggs[] = {GP_AGG_MAX, GP_AGG_ABSMAX, GP_AGG_MEAN, GP_AGG_STD};
    bool has_sums = may_depend_on_order(all);
    gp_point_options options = {.x = {.first = -90, .last = 95, .n_cells = COLS, .edges = number % 2 ? edges : NULL},
                                .y = {.first = -3, .last = 40, .n_cells = ROWS},
                                .agg = GP_AGG_COUNT,
                                .nan = (gp_nan)(number % GP_N_NANS)};
    if (!sample_is_exact(kind))
        return;
    check_agg(all, s, &options, false);
    for (int i = 0; i < (has_sums ? 4 : 2); i++) {
        options.agg = aggs[i];
        check_agg(all, s, &options, true);
    }
    options.agg = GP_AGG_COUNT;
    options.classes = (gp_point_axis){.first = -1.5, .last = 1.5, .n_cells = CLASSES};
    check_agg(all, s, &options, true);
}

void check_bin_points(tally *all, const check_sizes *sizes)
{
    if (tally_group(all, "bin_points"))
        for_every_sample(all, sizes, check_points_of);
}
