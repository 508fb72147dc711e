/* The operations of the CUDA backend, which fill its struct gp_backend; see backend.h. */
#ifndef GP_CUDA_H
#define GP_CUDA_H

#include "../backend.h"
#include "../core/tensor/conversion.h"
#include "runtime/handle.h"

/*
 * Each function enters the plane's or cells' device, queues kernels, and no longer reads the tensor when it returns.
 * Cells and pixels are as in backend.h; gp_cells.data is a device address.
 */
GP_OPERATIONS(GP_OPERATION_DECLARE, cuda)

extern const gp_backend gp_cuda_backend; /* backend.c */

#endif
