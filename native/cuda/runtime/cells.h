/* Cells of a device outside of its work: entering the device for them, and freeing them. */
#ifndef GP_CUDA_CELLS_H
#define GP_CUDA_CELLS_H

#include "../../core/tensor/cells.h"
#include "handle.h"

/* gp_cuda_enter for work that reads cells: fails if a reset of the device has freed their memory. */
gp_status gp_cuda_enter_cells(const gp_cells *cells, gp_cuda_device **out, gp_error *error) GP_MUST_CHECK;

/* May be called outside enter and leave, by any thread; in a forked child and after gp_cuda_close it does nothing. */
void gp_cuda_cells_free(int ordinal, CUdeviceptr pointer);

#endif
