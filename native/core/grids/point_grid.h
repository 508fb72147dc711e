/* Points to cells: the cell of a point in a grid over two ranges of coordinates. */
#ifndef GP_POINT_GRID_H
#define GP_POINT_GRID_H

#include "../tensor/cells.h"
#include "../states/reductions.h"
#include "../tensor/view.h"

/* Stands for "no cell". */
#define GP_NO_CELL 0xffffffffu /* NVRTC has no UINT32_MAX */

/* Cells over one coordinate's closed range: the last cell includes `last`. Any other one between equal edges is empty. */
typedef struct gp_point_axis {
    double first, last;
    int64_t n_cells;
    const double *edges; /* NULL: cells of one width; else n_cells + 1 coordinates, from first to last, that do not fall */
} gp_point_axis;

/*
 * How points become cells: the aggregation of their values in each cell, and which values mark it. With classes (n_cells > 0) values
 * are a third coordinate: points are counted in one grid for each of its cells, one below the other.
 */
typedef struct gp_point_options {
    gp_point_axis x, y, classes;
    gp_agg agg; /* not 'nearest'; 'count' without values, and for classes */
    gp_nan nan;
} gp_point_options;

/* The number of grids of cells. */
GP_FN int64_t gp_point_grids(const gp_point_options *options)
{
    return options->classes.n_cells > 0 ? options->classes.n_cells : 1;
}

/* The cell, by edges, of a coordinate that lies in the range: the last one whose lower edge is not above it. */
GP_FN int64_t gp_point_search(const double *edges, int64_t n_cells, double x)
{
    int64_t cell = 0;
    for (int64_t n = n_cells; n > 1;) {
        int64_t half = n / 2;
        cell += x >= edges[cell + half] ? half : 0;
        n -= half;
    }
    return cell;
}

/* The cell of a coordinate; GP_NO_CELL if it is outside of the range or not finite. */
GP_FN uint32_t gp_point_cell(const gp_point_axis *axis, double x)
{
    if (!(x >= axis->first && x <= axis->last))
        return GP_NO_CELL;
    if (axis->edges != 0)
        return (uint32_t)gp_point_search(axis->edges, axis->n_cells, x);
    int64_t cell = (int64_t)((x - axis->first) * (double)axis->n_cells / (axis->last - axis->first));
    return (uint32_t)(cell < axis->n_cells ? cell : axis->n_cells - 1);
}

/* Fails if the planes differ in shape, a range is empty or not finite, or the aggregation is not valid. */
gp_status gp_points_check(const gp_plane *x, const gp_plane *y, const gp_plane *values, const gp_point_options *options,
                          const gp_cells *out, gp_error *error) GP_MUST_CHECK;

#endif
