/* gp_axis: the geometry of a reduction along one axis: which elements each cell covers, and with what weights. */
#ifndef GP_GRID_H
#define GP_GRID_H

#include "../base/portable.h"
#include "../states/reductions.h"
#include "../base/status.h"

/*
 * One cell along one axis; ranges are half-open. `touched` are the elements that overlap the cell; only the first and the
 * last may overlap in part, those between have weight 1. A single touched element has the weight w_first. `owned` gives each
 * element to exactly one cell (for counting). A cell that touches nothing has touched_end == touched_begin and is empty. In
 * the nearest regime a cell has one element, of weight 1.
 */
typedef struct gp_span {
    int64_t touched_begin, touched_end;
    int64_t owned_begin, owned_end;
    double w_first, w_last;
} gp_span;

typedef struct gp_axis {
    int64_t n_elems, n_cells;
    gp_span *spans;   /* n_cells of them in the direction of growing element index; owned */
    double *factors;  /* NULL, or for each cell a factor of its finite results; owned */
    bool is_reversed; /* the picture shows the cells in the opposite direction: turned at the very end */
    bool is_nearest;  /* every cell is in the nearest regime (cells not wider than an element) */
    int64_t even_width; /* 0, or the number of elements of each cell, if cells are side by side and all weights are 1 */
} gp_axis;

/* Where the center of a cell lies exactly between two elements: the one above (mathematical floor), or the one below. */
typedef enum gp_tie { GP_TIE_UP, GP_TIE_DOWN } gp_tie;

/* The regime: by the width of the cells, or nearest for any width (agg 'nearest'). */
typedef enum gp_regime { GP_REGIME_BY_WIDTH, GP_REGIME_NEAREST } gp_regime;

/*
 * n_cells equal cells over [u0, u1) in element coordinates: element j covers [j, j+1). The view may reach outside the
 * axis; u0 > u1 reverses; u0 == u1 or a limit that is not finite is an error. Free with gp_axis_free.
 */
gp_status gp_axis_fit(int64_t n_elems, double u0, double u1, int64_t n_cells, gp_tie tie, gp_regime regime, gp_axis *out,
                      gp_error *error) GP_MUST_CHECK;

/* The same from n_cells + 1 monotonic edges and n_cells centers in element coordinates (log axes and the like). */
gp_status gp_axis_fit_edges(int64_t n_elems, const double *edges, const double *centers, int64_t n_cells, gp_tie tie,
                            gp_regime regime, gp_axis *out, gp_error *error) GP_MUST_CHECK;

/* A cell times the factors of its row and column, if axes have them; cells that are not finite stay. */
GP_FN double gp_axis_multiply(const double *row_factors, int64_t row, const double *col_factors, int64_t col, double cell)
{
    double factor = (row_factors != 0 ? row_factors[row] : 1.0) * (col_factors != 0 ? col_factors[col] : 1.0);
    return cell - cell == 0 ? cell * factor : cell;
}

/* An error unless the axes have so many elements and so many cells. */
gp_status gp_axis_check_pair(const gp_axis *rows, const gp_axis *cols, int64_t n_elem_rows, int64_t n_elem_cols,
                             int64_t n_cell_rows, int64_t n_cell_cols, gp_error *error) GP_MUST_CHECK;

/* The elements that any cell touches: half-open, 0..0 if none. */
void gp_axis_touched(const gp_axis *axis, int64_t *begin, int64_t *end);

/* Whether cell p is element first + p, whole, for all cells. */
bool gp_axis_is_one_to_one(const gp_axis *axis);

/* Whether every element belongs to exactly one cell, so that facts about owned elements are facts about all. */
bool gp_axis_is_partition(const gp_axis *axis);

/*
 * The axis with one cell for neighboring cells of the same elements, as in magnified views. Its cell p is cells (*starts)[p] to
 * (*starts)[p + 1] of the given axis; starts has n_cells + 1 entries, in memory of *out. Factors and directions are left out.
 */
gp_status gp_axis_distinct(const gp_axis *axis, gp_axis *out, int32_t **starts, gp_error *error) GP_MUST_CHECK;

/*
 * The part of the axis for elements begin..end, which are numbered from 0 in it: cells *first to *first + n_cells, without their
 * elements outside of the range; n_cells is 0 if no cell touches the range. Its direction is that of growing index. Partial results
 * of pieces of a plane, joined cell by cell, are those of the plane.
 */
gp_status gp_axis_crop(const gp_axis *axis, int64_t begin, int64_t end, gp_axis *out, int64_t *first,
                       gp_error *error) GP_MUST_CHECK;

/* If every cell is one element, the simplest aggregation with the same result, "nearest" for most; else the given one. */
gp_agg gp_axis_simplest_agg(const gp_axis *rows, const gp_axis *cols, gp_agg agg);

void gp_axis_free(gp_axis *axis);

#endif
