/* Histogram equalization on a device: the cell values at which the color by rank changes. */
#ifndef GP_CUDA_RANKS_H
#define GP_CUDA_RANKS_H

#include "../core/color/eq_hist.h"
#include "runtime/handle.h"

/* As gp_eq_hist_edges, for cells on the entered device. */
gp_status gp_cuda_rank_edges(gp_cuda_device *device, const gp_cells *cells, const gp_scale *scale, double *edges,
                             gp_error *error) GP_MUST_CHECK;

#endif
