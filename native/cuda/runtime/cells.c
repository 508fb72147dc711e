/* Enters a device for cells, if their memory is still there, and frees cells from anywhere. */
#include "cells.h"

#include "cells_memory.h"
#include "device.h"
#include "device_state.h"

gp_status gp_cuda_enter_cells(const gp_cells *cells, gp_cuda_device **out, gp_error *error)
{
    GP_TRY(gp_cuda_enter(cells->device.id, out, error));
    if (gp_cuda_cells_is_live(*out, (CUdeviceptr)(uintptr_t)cells->data))
        return GP_OK;
    gp_cuda_leave(*out);
    return gp_fail(error, GP_ERR_DEVICE,
                   "CUDA device %d was reset, which took the memory of tensors and of what was made of them: draw a new tensor",
                   cells->device.id);
}

void gp_cuda_cells_free(int ordinal, CUdeviceptr pointer)
{
    if (pointer == 0 || gp_cuda_is_forked())
        return;
    gp_cuda_device *device = gp_cuda_find_device(ordinal);
    if (device == NULL)
        return;
    gp_cuda_cells_keep(device, pointer);
    gp_cuda_tidy(device);
}
