/* The driver's calls about itself, devices, contexts and error codes. */
#include "driver_state.h"

#include "capture.h"
#include "memory.h"
#include "scheduler.h"
#include "streams.h"

#include <cstdio>

using namespace gp_emu;

int gp_emu::capability_of(int device) { return settings.capability ? settings.capability : device ? 80 : 90; }

static bool is_device(CUdevice device) { return device >= 0 && device < settings.n_devices; }

GP_EMU_CALL cuDriverGetVersion(int *version)
{
    GP_EMU_BEGIN(Needs::nothing)
    *version = settings.driver_version;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuInit(unsigned flags)
{
    GP_EMU_BEGIN(Needs::nothing)
    if (flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (!settings.n_devices)
        return CUDA_ERROR_NO_DEVICE;
    set_initialized();
    catch_faults();
    return CUDA_SUCCESS;
}

/* The texts of codes are never made to fail: they describe failures. */
GP_EMU_CALL cuGetErrorName(CUresult code, const char **name)
{
    *name = error_name(code);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

GP_EMU_CALL cuGetErrorString(CUresult code, const char **text)
{
    static thread_local char buffer[80];
    *text = nullptr;
    if (!error_name(code))
        return CUDA_ERROR_INVALID_VALUE;
    snprintf(buffer, sizeof buffer, "emulated error %d", code);
    *text = buffer;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuDeviceGetCount(int *count)
{
    GP_EMU_BEGIN(Needs::init)
    *count = settings.n_devices;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuDeviceGet(CUdevice *device, int ordinal)
{
    GP_EMU_BEGIN(Needs::init)
    if (!is_device(ordinal))
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuDeviceGetName(char *name, int n_bytes, CUdevice device)
{
    GP_EMU_BEGIN(Needs::init)
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    snprintf(name, (size_t)n_bytes, "Emulated device %d", device);
    return CUDA_SUCCESS;
}

/* Device 0 is of another generation than device 1, and neither has many multiprocessors (but for EMU_PROCESSORS): grids stay small. */
GP_EMU_CALL cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    GP_EMU_BEGIN(Needs::init)
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    switch (attribute) {
    case 1: *value = 1024; return CUDA_SUCCESS; /* MAX_THREADS_PER_BLOCK */
    case 8: *value = 48 * 1024; return CUDA_SUCCESS; /* MAX_SHARED_MEMORY_PER_BLOCK */
    case 10: *value = 32; return CUDA_SUCCESS; /* WARP_SIZE */
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = settings.n_processors ? settings.n_processors : device ? 3 : 4;
        return CUDA_SUCCESS;
    case 41: *value = 1; return CUDA_SUCCESS; /* UNIFIED_ADDRESSING */
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = capability_of(device) / 10; return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = capability_of(device) % 10; return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: *value = settings.has_pools; return CUDA_SUCCESS;
    default: note_problem("cuDeviceGetAttribute: the emulator does not know attribute %d", attribute);
    }
    return CUDA_ERROR_INVALID_VALUE;
}

/* ---- contexts ----------------------------------------------------------------------------------------------------- */

GP_EMU_CALL cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    GP_EMU_BEGIN(Needs::init)
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    Context *primary = primary_context(device);
    primary->n_retained++;
    *context = (CUcontext)primary;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    GP_EMU_BEGIN_RELEASE(Needs::init)
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    Context *primary = primary_context(device);
    if (!primary->n_retained) {
        note_problem("the primary context of device %d was released more often than retained", device);
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (--primary->n_retained == 0)
        end_context(primary);
    return call.failure;
}

GP_EMU_CALL cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *is_active)
{
    GP_EMU_BEGIN(Needs::init)
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    *flags = 0;
    *is_active = primary_context(device)->n_retained > 0;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    GP_EMU_BEGIN(Needs::init)
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    reset_context(primary_context(device));
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuCtxGetId(CUcontext context, unsigned long long *id)
{
    GP_EMU_BEGIN(Needs::init)
    if (!is_handle(Handle::context, context))
        return CONTEXT_IS_DESTROYED;
    *id = ((Context *)context)->serial;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    GP_EMU_BEGIN(Needs::init)
    (void)flags;
    if (!is_device(device))
        return CUDA_ERROR_INVALID_DEVICE;
    Context *made = new_context(device, false);
    context_stack().push_back(made);
    *context = (CUcontext)made;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuCtxDestroy_v2(CUcontext context)
{
    GP_EMU_BEGIN_RELEASE(Needs::init)
    Context *mine = (Context *)context;
    if (!is_handle(Handle::context, mine) || mine->is_primary) {
        note_problem("cuCtxDestroy was given no context made by cuCtxCreate");
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    end_context(mine);
    if (current_context() == mine)
        context_stack().pop_back();
    return call.failure;
}

GP_EMU_CALL cuCtxPushCurrent_v2(CUcontext context)
{
    GP_EMU_BEGIN(Needs::init)
    if (!is_handle(Handle::context, context)) {
        note_problem("cuCtxPushCurrent was given no live context");
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    context_stack().push_back((Context *)context);
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuCtxPopCurrent_v2(CUcontext *context)
{
    GP_EMU_BEGIN_RELEASE(Needs::init)
    if (context_stack().empty()) {
        note_problem("cuCtxPopCurrent was called while no context was current");
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (context)
        *context = (CUcontext)current_context();
    context_stack().pop_back();
    return call.failure;
}

GP_EMU_CALL cuCtxGetCurrent(CUcontext *context)
{
    GP_EMU_BEGIN(Needs::init)
    *context = (CUcontext)current_context();
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuCtxSynchronize(void)
{
    GP_EMU_BEGIN(Needs::context)
    if (is_capturing_any(call.context)) {
        invalidate_captures(call.context);
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    drain_context(call.context);
    return call.context->sticky;
}
