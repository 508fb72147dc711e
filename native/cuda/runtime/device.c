/* Entering and leaving a device, one thread at a time; and transfers, which do so many times. */
#include "device.h"

#include "cells_memory.h"
#include "device_state.h"
#include "pool.h"
#include "scratch.h"
#include "stream.h"

static _Thread_local gp_cuda_device *entered;

/* ---- enter and leave ----------------------------------------------------------------------------------------------- */

/* A sticky error usually lasts until the process ends, so every further call would fail; waiting for the stream shows whether it does. */
static gp_status check_unbroken(gp_cuda_device *device, gp_error *error)
{
    if (device->broken_by == CUDA_SUCCESS)
        return GP_OK;
    CUresult code = device->api->streamSynchronize(device->stream);
    if (code == CUDA_SUCCESS) {
        device->broken_by = CUDA_SUCCESS;
        return GP_OK;
    }
    return gp_cuda_check(code, "an earlier call on this GPU", error);
}

/* While this thread captures a graph on another stream, our allocations must neither fail nor invalidate the capture. The capture mode
 * belongs to the thread; the previous one is restored by gp_cuda_leave. */
static void exchange_capture_mode(gp_cuda_device *device)
{
    if (device->api->threadExchangeStreamCaptureMode != NULL)
        (void)device->api->threadExchangeStreamCaptureMode(&device->capture_mode);
}

static gp_status begin(gp_cuda_device *device, gp_error *error)
{
    GP_TRY_CUDA(device->api->ctxPushCurrent(device->context), "cuCtxPushCurrent", error);
    device->capture_mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    exchange_capture_mode(device);
    device->is_idle = false; /* a transfer may have queued something meanwhile */
    entered = device;
    gp_cuda_note_codes_at(&device->broken_by);
    return GP_OK;
}

static void end(gp_cuda_device *device)
{
    CUcontext popped;
    entered = NULL;
    gp_cuda_note_codes_at(NULL);
    exchange_capture_mode(device);
    (void)device->api->ctxPopCurrent(&popped);
}

static gp_status enter_locked(gp_cuda_device *device, const gp_cuda_api *api, gp_error *error)
{
    if (device->is_ready && gp_cuda_state_is_reset(device))
        GP_TRY(gp_cuda_state_forget(device, error));
    if (!device->is_ready)
        GP_TRY(gp_cuda_state_make(device, api, error));
    GP_TRY(begin(device, error));
    gp_status status = check_unbroken(device, error);
    if (status != GP_OK)
        end(device);
    return status;
}

gp_status gp_cuda_enter(int ordinal, gp_cuda_device **out, gp_error *error)
{
    const gp_cuda_api *api;
    gp_cuda_device *device = NULL;
    GP_TRY(gp_cuda_load(&api, error));
    if (entered != NULL)
        return gp_fail(error, GP_ERR_DEVICE, "internal: device %d was entered inside work on device %d", ordinal,
                       entered->ordinal);
    GP_TRY(gp_cuda_find_or_add(api, ordinal, &device, error));
    pthread_mutex_lock(&device->mutex);
    gp_status status = enter_locked(device, api, error);
    if (status != GP_OK) {
        pthread_mutex_unlock(&device->mutex);
        return status;
    }
    gp_cuda_scratch_begin(device);
    *out = device;
    return GP_OK;
}

void gp_cuda_leave(gp_cuda_device *device)
{
    gp_cuda_cells_trim(device, GP_KEPT_BYTES);
    end(device);
    pthread_mutex_unlock(&device->mutex);
    gp_cuda_tidy(device);
}

/* Cells freed while a thread was inside may exceed the limit; the last thread that leaves trims them. */
void gp_cuda_tidy(gp_cuda_device *device)
{
    gp_error unused;
    while (entered == NULL && gp_cuda_cells_is_full(device) && pthread_mutex_trylock(&device->mutex) == 0) {
        bool is_entered = device->is_ready && begin(device, &unused) == GP_OK;
        if (is_entered) {
            gp_cuda_cells_trim(device, GP_KEPT_BYTES);
            end(device);
        }
        pthread_mutex_unlock(&device->mutex);
        if (!is_entered)
            return;
    }
}

gp_status gp_cuda_finish(gp_cuda_device *device, gp_status status, gp_error *error)
{
    gp_error later = {0};
    gp_status waited = gp_cuda_wait(device, &later);
    gp_cuda_leave(device);
    if (status == GP_OK && waited != GP_OK)
        *error = later;
    return status != GP_OK ? status : waited;
}

gp_status gp_cuda_finish_queued(gp_cuda_device *device, gp_status status, gp_error *error)
{
    if (status != GP_OK)
        return gp_cuda_finish(device, status, error);
    gp_cuda_leave(device);
    return GP_OK;
}

/* ---- transfers ------------------------------------------------------------------------------------------------------- */

static _Thread_local int n_transfers_here; /* transfers that this thread is in: their callbacks must not wait for them */

void gp_cuda_transfer_begin(gp_cuda_device *device)
{
    device->n_transfers++;
    n_transfers_here++;
}

void gp_cuda_transfer_end(gp_cuda_device *device, CUresult code)
{
    pthread_mutex_lock(&device->mutex);
    if (gp_cuda_is_sticky(code))
        device->broken_by = code;
    device->n_transfers--;
    n_transfers_here--;
    pthread_cond_broadcast(&device->transfers_done);
    pthread_mutex_unlock(&device->mutex);
    gp_cuda_tidy(device);
}

/* The calling thread's transfers: their callbacks must not wait for them. */
bool gp_cuda_is_in_transfer(void) { return n_transfers_here > 0; }
