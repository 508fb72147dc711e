/* Histogram equalization: the cell values at which the color by rank changes. */
#ifndef GP_EQ_HIST_H
#define GP_EQ_HIST_H

#include "../tensor/cells.h"
#include "scales.h"

/*
 * With C(v) the number of finite cells in [vmin, vmax] that are <= v, m all of them and c0 those equal to the smallest,
 * t = (C(v) - c0) / (m - c0). edges[k-1] is the smallest cell with t n_colors >= k, for k = 1..n_colors-1; if there is no
 * such cell (all are equal, or there are none) it is the next double above vmax.
 */
gp_status gp_eq_hist_edges(const gp_cells *cells, const gp_scale *scale, double *edges, gp_error *error) GP_MUST_CHECK;

/* The rank of edges[k-1] among the m cells, from 0: the first C with (C - c0) / (m - c0) * n_colors >= k, minus 1. */
int64_t gp_eq_hist_rank(int64_t m, int64_t c0, int k, int n_colors);

#endif
