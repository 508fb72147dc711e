/* Chooses the backend for a device's memory. */
#include "backend.h"

#include "cuda/cuda.h"
#include "core/tensor/dlpack_abi.h"

gp_status gp_backend_for(gp_device device, const gp_backend **out, gp_error *error)
{
    if (gp_device_is_host(device)) {
        *out = &gp_cpu_backend;
        return GP_OK;
    }
    if (device.kind == GP_DL_CUDA || device.kind == GP_DL_CUDA_MANAGED) {
        *out = &gp_cuda_backend;
        return GP_OK;
    }
    return gp_fail(error, GP_ERR_UNSUPPORTED,
                   "memory of DLPack device type %d cannot be read: copy the tensor to the host "
                   "first, for example with .cpu()",
                   device.kind);
}
