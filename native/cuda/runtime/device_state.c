/* Makes, resets and frees the state of each device: its context, stream, event and memory pool. */
#include "device_state.h"

#include "cells_memory.h"
#include "module.h"
#include "pool.h"
#include "ring.h"
#include "scratch.h"
#include "state.h"
#include "visit.h"

#include <stdlib.h>

/* States are made once and never freed, so that a finalizer may look one up at any time. */
static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static gp_cuda_device *states[GP_MAX_DEVICES];

gp_cuda_device *gp_cuda_find_device(int ordinal)
{
    pthread_mutex_lock(&registry);
    gp_cuda_device *device = ordinal >= 0 && ordinal < GP_MAX_DEVICES ? states[ordinal] : NULL;
    pthread_mutex_unlock(&registry);
    return device;
}

/* The usual reason is CUDA_VISIBLE_DEVICES, which the driver reads once, when it is loaded. */
static gp_status fail_unseen(int ordinal, int n_devices, gp_error *error)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    return gp_fail(error, GP_ERR_DEVICE,
                   "there is no CUDA device %d: this process sees %d, numbered from 0; the others may be hidden "
                   "by the variable CUDA_VISIBLE_DEVICES (%s%.60s), to be set before Python starts",
                   ordinal, n_devices, visible != NULL ? "now " : "not set", visible != NULL ? visible : "");
}

gp_status gp_cuda_find_or_add(const gp_cuda_api *api, int ordinal, gp_cuda_device **out, gp_error *error)
{
    if (ordinal < 0 || ordinal >= api->n_devices || ordinal >= GP_MAX_DEVICES)
        return fail_unseen(ordinal, api->n_devices, error);
    pthread_mutex_lock(&registry);
    if (states[ordinal] == NULL) {
        gp_cuda_device *device = calloc(1, sizeof *device);
        if (device != NULL) {
            pthread_mutex_init(&device->mutex, NULL);
            pthread_mutex_init(&device->cells.mutex, NULL);
            pthread_cond_init(&device->transfers_done, NULL);
            device->ordinal = ordinal;
        }
        states[ordinal] = device;
    }
    *out = states[ordinal];
    pthread_mutex_unlock(&registry);
    return *out != NULL ? GP_OK : gp_fail_memory(error, (double)sizeof **out);
}

/* ---- making and unmaking ------------------------------------------------------------------------------------------- */

static gp_status read_attributes(gp_cuda_device *device, gp_error *error)
{
    const gp_cuda_api *api = device->api;
    int major = 0, minor = 0;
    GP_TRY_CUDA(api->deviceGet(&device->handle, device->ordinal), "cuDeviceGet", error);
    GP_TRY_CUDA(api->deviceGetAttribute(&device->n_processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device->handle),
                "cuDeviceGetAttribute", error);
    GP_TRY_CUDA(api->deviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device->handle),
                "cuDeviceGetAttribute", error);
    GP_TRY_CUDA(api->deviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device->handle),
                "cuDeviceGetAttribute", error);
    device->capability = 10 * major + minor;
    return GP_OK;
}

/* Frees what was made so far, in reverse order. The context is current if there is a stream. Error codes are ignored: a broken context
 * refuses every call, which cannot be helped. */
static void unmake_objects(gp_cuda_device *device)
{
    const gp_cuda_api *api = device->api;
    if (device->event != NULL)
        (void)api->eventDestroy(device->event);
    if (device->copy_stream != NULL)
        (void)api->streamDestroy(device->copy_stream);
    if (device->stream != NULL)
        (void)api->streamDestroy(device->stream);
    device->event = NULL, device->stream = NULL, device->copy_stream = NULL;
}

static gp_status make_objects(gp_cuda_device *device, gp_error *error)
{
    const gp_cuda_api *api = device->api;
    GP_TRY_CUDA(api->streamCreate(&device->stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate", error);
    GP_TRY_CUDA(api->eventCreate(&device->event, CU_EVENT_DISABLE_TIMING), "cuEventCreate", error);
    gp_cuda_pool_make(device);
    return GP_OK;
}

gp_status gp_cuda_state_make(gp_cuda_device *device, const gp_cuda_api *api, gp_error *error)
{
    CUcontext popped;
    device->api = api;
    GP_TRY(read_attributes(device, error));
    GP_TRY_CUDA(api->primaryCtxRetain(&device->context, device->handle), "cuDevicePrimaryCtxRetain", error);
    gp_status status = gp_cuda_check(api->ctxPushCurrent(device->context), "cuCtxPushCurrent", error);
    if (status == GP_OK) {
        status = make_objects(device, error);
        if (status != GP_OK)
            unmake_objects(device);
        (void)api->ctxPopCurrent(&popped);
    }
    if (status != GP_OK) {
        (void)api->primaryCtxRelease(device->handle);
        device->context = NULL;
        return status;
    }
    device->has_context_id = gp_cuda_context_id(api, device->context, &device->context_id);
    device->counts = (gp_cuda_counts){0};
    device->broken_by = CUDA_SUCCESS;
    device->is_ready = true;
    return GP_OK;
}

void gp_cuda_state_unmake(gp_cuda_device *device)
{
    const gp_cuda_api *api = device->api;
    gp_cuda_visit visit;
    gp_error unused;
    (void)!gp_cuda_visit_begin(api, device->context, &visit, &unused); /* fails in a broken context, as all else will */
    (void)api->streamSynchronize(device->stream);
    gp_cuda_ring_free(device);
    gp_cuda_scratch_free(device);
    gp_cuda_cells_close(device, false);
    gp_cuda_modules_free(device, false);
    gp_cuda_pool_destroy(device);
    unmake_objects(device);
    gp_cuda_visit_end(&visit);
    (void)api->primaryCtxRelease(device->handle);
    device->context = NULL;
    device->is_ready = false;
}

bool gp_cuda_state_is_reset(gp_cuda_device *device)
{
    return device->has_context_id && gp_cuda_context_is_gone(device->api, device->context, device->context_id);
}

/* A reset keeps the retain count of the context, which is therefore released. */
gp_status gp_cuda_state_forget(gp_cuda_device *device, gp_error *error)
{
    if (device->n_transfers > 0)
        return gp_fail(error, GP_ERR_DEVICE, "CUDA device %d was reset while tensors were being copied from it", device->ordinal);
    device->ring = (gp_cuda_ring){0};
    for (int i = 0; i < GP_N_SLOTS; i++)
        device->slots[i].block = (gp_cuda_block){0};
    gp_cuda_cells_close(device, true);
    gp_cuda_modules_free(device, true);
    device->event = NULL, device->stream = NULL, device->copy_stream = NULL, device->context = NULL, device->pool = NULL;
    device->is_ready = false;
    (void)device->api->primaryCtxRelease(device->handle);
    return GP_OK;
}
