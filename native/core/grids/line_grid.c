/* Checks of lines and of their grid. */
#include "line_grid.h"

#include <math.h>

static gp_status check_knots(const char *name, const gp_line_axis *axis, gp_error *error)
{
    for (int64_t i = 0; i < axis->n_knots; i++) {
        bool is_rising = i == 0 || (axis->values[i] > axis->values[i - 1] && axis->places[i] >= axis->places[i - 1]);
        if (!isfinite(axis->values[i]) || !(fabs(axis->places[i]) <= GP_FARTHEST) || !is_rising)
            return gp_fail(error, GP_ERR_VALUE,
                           "knots along %s must be finite and rise, with places that don't fall: knot %lld does not", name,
                           (long long)i);
    }
    return GP_OK;
}

static gp_status check_axis(const char *name, const gp_line_axis *axis, int64_t n_cells, gp_error *error)
{
    if (axis->n_cells < 1 || axis->n_cells > INT32_MAX || axis->n_cells != n_cells)
        return gp_fail(error, GP_ERR_VALUE, "%lld cells along %s for a grid of %lld", (long long)axis->n_cells, name,
                       (long long)n_cells);
    if (axis->n_knots > 0)
        return check_knots(name, axis, error);
    if (!isfinite(axis->first) || !isfinite(axis->last) || !(axis->first < axis->last))
        return gp_fail(error, GP_ERR_VALUE, "the range of %s, %g to %g, is not two rising finite numbers", name, axis->first,
                       axis->last);
    if (!isfinite((axis->last - axis->first) * (double)axis->n_cells))
        return gp_fail(error, GP_ERR_OVERFLOW, "the range of %s, %g to %g, is wider than float64 can divide", name, axis->first,
                       axis->last);
    return GP_OK;
}

static gp_status check_planes(const gp_lines *lines, gp_device device, gp_error *error)
{
    const gp_plane *x = lines->x, *y = lines->y;
    if (!gp_device_is_same(y->device, device) || (x != NULL && !gp_device_is_same(x->device, device)))
        return gp_fail(error, GP_ERR_VALUE, "coordinates of lines are in the memory of different devices: move them to one");
    if (x == NULL || (x->n_cols == y->n_cols && (x->n_rows == 1 || x->n_rows == y->n_rows)))
        return GP_OK;
    return gp_fail(error, GP_ERR_VALUE,
                   "x is %lld lines of %lld samples and y %lld of %lld: give one line of x for all, or one for each",
                   (long long)x->n_rows, (long long)x->n_cols, (long long)y->n_rows, (long long)y->n_cols);
}

void gp_line_places(const gp_line_axis *axis, const double *values, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = gp_line_place(axis, values[i]);
}

gp_status gp_lines_check(const gp_lines *lines, int64_t n_lines, const gp_line_options *options, const gp_cells *out,
                         gp_error *error)
{
    int64_t n_all = 0;
    for (int64_t i = 0; i < n_lines; i++) {
        GP_TRY(check_planes(&lines[i], out->device, error));
        n_all += lines[i].y->n_rows;
    }
    if (n_all > INT32_MAX)
        return gp_fail(error, GP_ERR_VALUE, "%lld lines are too many to be counted: at most %lld", (long long)n_all,
                       (long long)INT32_MAX);
    if (out->n_rows * out->n_cols >= (int64_t)INT32_MAX)
        return gp_fail(error, GP_ERR_VALUE, "%lld x %lld cells are too many for lines: ask for fewer", (long long)out->n_rows,
                       (long long)out->n_cols);
    GP_TRY(check_axis("x", &options->x, out->n_cols, error));
    return check_axis("y", &options->y, out->n_rows - (options->has_outside ? 2 : 0), error);
}
