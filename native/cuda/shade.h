/* Cells to pixels between enter and leave, for operations that have just made the cells. */
#ifndef GP_CUDA_SHADE_H
#define GP_CUDA_SHADE_H

#include "../core/tensor/cells.h"
#include "../core/color/limits_search.h"
#include "../core/color/style.h"
#include "runtime/handle.h"

/* As gp_cuda_shade, for cells on the entered device. Returns when the pixels are there and the stream is idle.
 * limits: NULL, or on the device, limits in place of those of the style. */
gp_status gp_cuda_shade_entered(gp_cuda_device *device, const gp_cells *cells, const gp_style *style, const gp_ends *limits,
                                gp_pixels *out, gp_error *error) GP_MUST_CHECK;

#endif
