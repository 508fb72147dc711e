/* The test program's device memory, by the library's own table of driver calls. */
#include "memory.h"

#include "../../../native/core/tensor/dlpack_abi.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/staging.h"
#include "cuda/runtime/stream.h"

#define POISON 0xa5

static gp_status upload_inside(gp_cuda_device *device, const void *from, size_t n_bytes, CUdeviceptr *out, gp_error *error)
{
    GP_TRY_CUDA(gp_cuda_api_of(device)->memAlloc(out, n_bytes), "cuMemAlloc", error);
    if (from == NULL)
        return GP_OK;
    GP_TRY(gp_cuda_upload(device, *out, from, n_bytes, error));
    return gp_cuda_wait(device, error);
}

gp_status memory_upload(const void *from, size_t n_bytes, CUdeviceptr *out, gp_error *error)
{
    gp_cuda_device *device;
    *out = 0;
    if (n_bytes == 0)
        return GP_OK;
    GP_TRY(gp_cuda_enter(0, &device, error));
    gp_status status = upload_inside(device, from, n_bytes, out, error);
    gp_cuda_leave(device);
    return status;
}

gp_status memory_fill(CUdeviceptr block, unsigned char value, size_t n_bytes, gp_error *error)
{
    gp_cuda_device *device;
    GP_TRY(gp_cuda_enter(0, &device, error));
    gp_status status = gp_cuda_check(gp_cuda_api_of(device)->memsetD8Async(block, value, n_bytes, gp_cuda_stream(device)),
                                     "cuMemsetD8Async", error);
    if (status == GP_OK)
        status = gp_cuda_wait(device, error);
    gp_cuda_leave(device);
    return status;
}

void memory_free(CUdeviceptr block)
{
    gp_cuda_device *device;
    gp_error error;
    if (block == 0 || gp_cuda_enter(0, &device, &error) != GP_OK)
        return;
    (void)gp_cuda_api_of(device)->memFree(block);
    gp_cuda_leave(device);
}

gp_status memory_cells(int64_t n_rows, int64_t n_cols, gp_cells *out, gp_error *error)
{
    GP_TRY(gp_cuda_backend.cells_alloc(n_rows, n_cols, (gp_device){GP_DL_CUDA, 0}, out, error));
    size_t n_bytes = (size_t)(n_rows * n_cols) * sizeof(double);
    return memory_fill((CUdeviceptr)(uintptr_t)out->data, POISON, n_bytes, error);
}

gp_status memory_cells_from(const double *values, int64_t n_rows, int64_t n_cols, gp_cells *out, gp_error *error)
{
    gp_cuda_device *device;
    GP_TRY(gp_cuda_backend.cells_alloc(n_rows, n_cols, (gp_device){GP_DL_CUDA, 0}, out, error));
    GP_TRY(gp_cuda_enter(0, &device, error));
    size_t n_bytes = (size_t)(n_rows * n_cols) * sizeof(double);
    gp_status status = gp_cuda_upload(device, (CUdeviceptr)(uintptr_t)out->data, values, n_bytes, error);
    if (status == GP_OK)
        status = gp_cuda_wait(device, error);
    gp_cuda_leave(device);
    return status;
}
