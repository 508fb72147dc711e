/* The CUDA backend's struct gp_backend. */
#include "cuda.h"
#include "runtime/cells.h"
#include "runtime/cells_memory.h"
#include "runtime/device.h"
#include "runtime/staging.h"

static gp_status cells_alloc(int64_t n_rows, int64_t n_cols, gp_device where, gp_cells *out, gp_error *error)
{
    int64_t n_bytes;
    gp_cuda_device *device = NULL;
    CUdeviceptr pointer = 0;
    *out = (gp_cells){.n_rows = n_rows, .n_cols = n_cols, .device = where};
    if (n_rows < 0 || n_cols < 0 || __builtin_mul_overflow(n_rows, n_cols, &n_bytes) ||
        __builtin_mul_overflow(n_bytes, (int64_t)sizeof(double), &n_bytes))
        return gp_fail(error, GP_ERR_OVERFLOW, "%lld x %lld cells are more than memory can address", (long long)n_rows,
                       (long long)n_cols);
    GP_TRY(gp_cuda_enter(where.id, &device, error));
    gp_status status = gp_cuda_cells_alloc(device, (size_t)n_bytes, &pointer, error);
    gp_cuda_leave(device);
    out->data = (double *)(uintptr_t)pointer;
    return status;
}

static void cells_free(gp_cells *cells)
{
    gp_cuda_cells_free(cells->device.id, (CUdeviceptr)(uintptr_t)cells->data);
    *cells = (gp_cells){0};
}

static gp_status cells_copy_out(const gp_cells *cells, double *out, gp_error *error)
{
    gp_cuda_device *device = NULL;
    size_t n_bytes = (size_t)cells->n_rows * (size_t)cells->n_cols * sizeof *out;
    if (n_bytes == 0)
        return GP_OK;
    GP_TRY(gp_cuda_enter_cells(cells, &device, error));
    gp_status status = gp_cuda_download(device, out, (CUdeviceptr)(uintptr_t)cells->data, n_bytes, error);
    gp_cuda_leave(device);
    return status;
}

static gp_status cells_check(const gp_cells *cells, gp_error *error)
{
    gp_cuda_device *device = NULL;
    if (cells->data == NULL)
        return GP_OK;
    GP_TRY(gp_cuda_enter_cells(cells, &device, error));
    gp_cuda_leave(device);
    return GP_OK;
}

const gp_backend gp_cuda_backend = {.name = "cuda",
                                    .cells_alloc = cells_alloc,
                                    .cells_free = cells_free,
                                    .cells_check = cells_check,
                                    .cells_copy_out = cells_copy_out,
                                    GP_OPERATIONS(GP_OPERATION_ROW, cuda)};
