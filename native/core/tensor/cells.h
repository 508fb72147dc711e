/* gp_cells: the grid of cells that a reduction makes; gp_pixels: their colors. */
#ifndef GP_CELLS_H
#define GP_CELLS_H

#include "tensor.h"

/* H x W float64 values in row-major order, in the memory of the device that computed them. A cell with elements that are
 * not finite is a mark (NaN, +Inf, -Inf); a cell without elements is gp_empty_cell(). Zero is always +0.0. */
typedef struct gp_cells {
    double *data;
    int64_t n_rows, n_cols;
    gp_device device;
} gp_cells;

/* H x W x 4 bytes in host memory, R first, straight alpha. */
typedef struct gp_pixels {
    uint8_t *rgba;
    int64_t n_rows, n_cols;
} gp_pixels;

#endif
