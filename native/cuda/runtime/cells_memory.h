/* Memory for cells: blocks outlive the work that allocated them, and freed ones are kept for the next cells. */
#ifndef GP_CUDA_CELLS_MEMORY_H
#define GP_CUDA_CELLS_MEMORY_H

#include "pool.h"

/* A block of the pool. If there is no memory left, kept cells are freed, and it tries again. */
gp_status gp_cuda_block_alloc(gp_cuda_device *device, size_t n_bytes, gp_cuda_block *out, gp_error *error) GP_MUST_CHECK;

/* Memory for cells. Freed blocks are kept for the next cells, up to GP_KEPT_BYTES, so that repeated draws allocate nothing. */
gp_status gp_cuda_cells_alloc(gp_cuda_device *device, size_t n_bytes, CUdeviceptr *out, gp_error *error) GP_MUST_CHECK;

/* Keeps the block at this address for the next cells, if it is one in use. Does not call the driver. */
void gp_cuda_cells_keep(gp_cuda_device *device, CUdeviceptr pointer);

/* Whether the memory still belongs to cells: a reset of the device frees it. */
bool gp_cuda_cells_is_live(gp_cuda_device *device, CUdeviceptr pointer);

/* Frees kept cells, oldest first, until at most so many bytes are kept. The device is entered. */
void gp_cuda_cells_trim(gp_cuda_device *device, size_t n_bytes_kept);

/* Whether more is kept than is allowed, so that the next thread that leaves the device trims. */
bool gp_cuda_cells_is_full(gp_cuda_device *device);

/* Frees all cells, also those in use. If the context is gone, their memory is too, and only the list is freed. */
void gp_cuda_cells_close(gp_cuda_device *device, bool is_context_gone);

#endif
