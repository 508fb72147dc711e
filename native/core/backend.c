/* Chooses the backend that can read a device's memory. */
#include "backend.h"

#include "dlpack_abi.h"
#if GP_HAVE_CUDA
#include "../cuda/cuda.h"
#endif

gp_status gp_backend_for(gp_device device, const gp_backend **out, gp_error *error)
{
    if (device.kind == GP_DL_CPU || device.kind == GP_DL_CUDA_HOST) {
        *out = &gp_cpu_backend;
        return GP_OK;
    }
    if (device.kind == GP_DL_CUDA || device.kind == GP_DL_CUDA_MANAGED) {
#if GP_HAVE_CUDA
        *out = &gp_cuda_backend;
        return GP_OK;
#else
        return gp_fail(error, GP_ERR_DEVICE, "this build has no CUDA backend: copy the tensor to the host first, for example "
                       "with .cpu() in PyTorch or .get() in CuPy");
#endif
    }
    return gp_fail(error, GP_ERR_UNSUPPORTED, "memory of DLPack device type %d cannot be read: copy the tensor to the host "
                   "first, for example with .cpu()", device.kind);
}
