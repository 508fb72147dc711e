/* Checks of points and of their grid. */
#include "point_grid.h"

#include <math.h>

static gp_status check_axis(const char *name, const gp_point_axis *axis, int64_t n_cells, gp_error *error)
{
    if (axis->n_cells < 1 || axis->n_cells > INT32_MAX || axis->n_cells != n_cells)
        return gp_fail(error, GP_ERR_VALUE, "%lld cells along %s for a grid of %lld", (long long)axis->n_cells, name,
                       (long long)n_cells);
    if (!isfinite(axis->first) || !isfinite(axis->last) || !(axis->first < axis->last))
        return gp_fail(error, GP_ERR_VALUE, "the range of %s, %g to %g, is not two rising finite numbers", name, axis->first,
                       axis->last);
    if (axis->edges == NULL && !isfinite((axis->last - axis->first) * (double)axis->n_cells))
        return gp_fail(error, GP_ERR_OVERFLOW, "the range of %s, %g to %g, is wider than float64 can divide", name, axis->first,
                       axis->last);
    for (int64_t i = 0; axis->edges != NULL && i < axis->n_cells; i++)
        if (!(axis->edges[i] <= axis->edges[i + 1]))
            return gp_fail(error, GP_ERR_VALUE, "edges of cells along %s must not fall: edge %lld does", name, (long long)i + 1);
    return GP_OK;
}

static gp_status check_alike(const gp_plane *x, const gp_plane *other, const char *name, gp_error *error)
{
    if (other->n_rows != x->n_rows || other->n_cols != x->n_cols)
        return gp_fail(error, GP_ERR_VALUE, "%s has %lld x %lld elements and x %lld x %lld: give one for each point", name,
                       (long long)other->n_rows, (long long)other->n_cols, (long long)x->n_rows, (long long)x->n_cols);
    if (!gp_device_is_same(other->device, x->device))
        return gp_fail(error, GP_ERR_VALUE, "coordinates and values are in the memory of different devices: move them to one");
    return GP_OK;
}

gp_status gp_points_check(const gp_plane *x, const gp_plane *y, const gp_plane *values, const gp_point_options *options,
                          const gp_cells *out, gp_error *error)
{
    GP_TRY(check_alike(x, y, "y", error));
    if (values != NULL)
        GP_TRY(check_alike(x, values, "c", error));
    GP_TRY(check_axis("x", &options->x, out->n_cols, error));
    GP_TRY(check_axis("y", &options->y, out->n_rows / gp_point_grids(options), error));
    if (options->classes.n_cells > 0)
        GP_TRY(check_axis("classes", &options->classes, options->classes.n_cells, error));
    if (out->n_rows % gp_point_grids(options) != 0 || out->n_rows * out->n_cols >= (int64_t)INT32_MAX)
        return gp_fail(error, GP_ERR_VALUE, "%lld x %lld cells are too many for points: ask for fewer", (long long)out->n_rows,
                       (long long)out->n_cols);
    if (options->classes.n_cells > 0 && (values == NULL || options->agg != GP_AGG_COUNT))
        return gp_fail(error, GP_ERR_VALUE, "points with classes are counted: give these as values, and agg 'count'");
    if (options->agg == GP_AGG_NEAREST || (values == NULL && options->agg != GP_AGG_COUNT))
        return gp_fail(error, GP_ERR_VALUE, "points without values can be counted, and those with values have no nearest one");
    return GP_OK;
}
