/* Lines to cells: elements of every kind as samples, over positions in either way and, in no order, over themselves; counted and
 * normalized, with rows for what is outside and without. */
#include "checks.h"

#include <float.h>

/* Rows of the grid, and of cells, with those below and above; columns. */
enum { ROWS = 37, ALL_ROWS = ROWS + 2, COLS = 11 };

static gp_status bin(const gp_backend *backend, const gp_plane *x, const gp_plane *y, gp_line_order order,
                     const gp_line_options *options, double *out, gp_error *error)
{
    gp_cells cells = {0};
    gp_lines lines = {.x = x, .y = y, .order = order};
    GP_TRY(backend->cells_alloc(gp_line_n_rows(options), COLS, y->device, &cells, error));
    gp_status status = backend->bin_lines(&lines, 1, options, &cells, error);
    if (status == GP_OK)
        status = backend->cells_copy_out(&cells, out, error);
    backend->cells_free(&cells);
    return status;
}

static void check_options(tally *all, const sample *s, const gp_line_options *options, gp_line_order order)
{
    double got[ALL_ROWS * COLS], want[ALL_ROWS * COLS];
    bool has_x = order == GP_LINE_FOUND;
    gp_error error = {0};
    if (!tally_ok(all, bin(&gp_cpu_backend, has_x ? &s->host : NULL, &s->host, order, options, want, &error), &error,
                  "the CPU's lines") ||
        !tally_ok(all, bin(&gp_cuda_backend, has_x ? &s->device : NULL, &s->device, order, options, got, &error), &error,
                  "bin_lines"))
        return;
    for (int i = 0; i < gp_line_n_rows(options) * COLS; i++) {
        if (is_same_value(got[i], want[i]))
            continue;
        tally_fail(all, "cell %d of lines %s is %.17g, not %.17g", i, has_x ? "over themselves" : "over positions", got[i],
                   want[i]);
        return;
    }
}

/* Samples that are computed are left out, but extremes of hidden axes: by their last bit they may fall into another cell. */
static void check_lines_of(tally *all, const sample *s, const sample_kind *kind, int number)
{
    static const double values[] = {-90, -3, -1, 0, 0.5, 2, 40, 95}, places[] = {-4, 0, 5, 11, 22, 30, ROWS, 50};
    double last = (double)(s->host.n_cols > 1 ? s->host.n_cols : 2) - 1;
    gp_line_options options = {.x = {.first = last / 7, .last = last, .n_cells = COLS, .low = -DBL_MAX, .high = DBL_MAX},
                               .y = {.first = -3,
                                     .last = 40,
                                     .n_cells = ROWS,
                                     .low = -DBL_MAX,
                                     .high = DBL_MAX,
                                     .values = values,
                                     .places = places,
                                     .n_knots = number % 2 ? 8 : 0},
                               .is_normalized = number % 3 == 0,
                               .has_outside = number % 5 < 2};
    if (!sample_is_exact(kind))
        return;
    check_options(all, s, &options, GP_LINE_SORTED);
    check_options(all, s, &options, GP_LINE_UNSORTED);
    options.x.first = -20, options.x.last = 60;
    check_options(all, s, &options, GP_LINE_FOUND);
}

void check_bin_lines(tally *all, const check_sizes *sizes)
{
    if (tally_group(all, "bin_lines"))
        for_every_sample(all, sizes, check_lines_of);
}
