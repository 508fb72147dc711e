/* Entering and leaving a device, one thread at a time; transfers, waiting, counts, and closing all devices. */
#include "pinned.h"
#include "state.h"

static _Thread_local gp_cuda_device *entered;

void gp_cuda_note_code(int code)
{
    if (entered != NULL && gp_cuda_is_sticky(code))
        entered->broken_by = code;
}

gp_status gp_cuda_visit_begin(const gp_cuda_api *api, CUcontext context, gp_cuda_visit *out, gp_error *error)
{
    *out = (gp_cuda_visit){.api = api, .capture_mode = CU_STREAM_CAPTURE_MODE_RELAXED};
    GP_TRY_CUDA(api->ctxPushCurrent(context), "cuCtxPushCurrent", error);
    out->is_begun = true;
    if (api->threadExchangeStreamCaptureMode != NULL)
        (void)api->threadExchangeStreamCaptureMode(&out->capture_mode);
    return GP_OK;
}

void gp_cuda_visit_end(gp_cuda_visit *visit)
{
    CUcontext popped;
    if (!visit->is_begun)
        return;
    if (visit->api->threadExchangeStreamCaptureMode != NULL)
        (void)visit->api->threadExchangeStreamCaptureMode(&visit->capture_mode);
    (void)visit->api->ctxPopCurrent(&popped);
    visit->is_begun = false;
}

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
    return GP_OK;
}

static void end(gp_cuda_device *device)
{
    CUcontext popped;
    entered = NULL;
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
    gp_cuda_cells_trim(device, GP_CELLS_KEPT_BYTES);
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
            gp_cuda_cells_trim(device, GP_CELLS_KEPT_BYTES);
            end(device);
        }
        pthread_mutex_unlock(&device->mutex);
        if (!is_entered)
            return;
    }
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

void gp_cuda_close(void)
{
    if (gp_cuda_is_forked() || n_transfers_here > 0)
        return;
    for (int i = 0; i < GP_MAX_DEVICES; i++) {
        gp_cuda_device *device = gp_cuda_find_device(i);
        if (device == NULL)
            continue;
        pthread_mutex_lock(&device->mutex);
        while (device->n_transfers > 0)
            pthread_cond_wait(&device->transfers_done, &device->mutex);
        if (device->is_ready)
            gp_cuda_state_unmake(device);
        pthread_mutex_unlock(&device->mutex);
    }
    gp_cuda_pinned_close();
    gp_cuda_unload();
}

/* ---- between enter and leave --------------------------------------------------------------------------------------- */

const gp_cuda_api *gp_cuda_api_of(const gp_cuda_device *device) { return device->api; }

CUstream gp_cuda_stream(gp_cuda_device *device)
{
    device->is_idle = false;
    return device->stream;
}

int gp_cuda_n_processors(const gp_cuda_device *device) { return device->n_processors; }

int64_t gp_cuda_wanted_blocks(const gp_cuda_device *device) { return 8 * (int64_t)device->n_processors; }

gp_status gp_cuda_wait(gp_cuda_device *device, gp_error *error)
{
    if (device->is_idle)
        return GP_OK;
    GP_TRY_CUDA(device->api->streamSynchronize(device->stream), "cuStreamSynchronize", error);
    device->is_idle = true;
    for (int i = 0; i < GP_RING_SLOTS; i++)
        device->ring.is_busy[i] = false; /* the stream is idle, so their events are not queried */
    return GP_OK;
}

gp_status gp_cuda_count(int ordinal, gp_cuda_counts *out, gp_error *error)
{
    gp_cuda_device *device = NULL;
    GP_TRY(gp_cuda_enter(ordinal, &device, error));
    *out = device->counts;
    for (int i = 0; i < GP_N_SLOTS; i++)
        out->scratch_bytes += (int64_t)device->slots[i].block.n_bytes;
    pthread_mutex_lock(&device->cells.mutex);
    out->cached_cells_bytes = (int64_t)device->cells.free_bytes;
    pthread_mutex_unlock(&device->cells.mutex);
    gp_cuda_leave(device);
    gp_cuda_pinned_counts pinned = gp_cuda_pinned_count();
    out->pinned_live_bytes = pinned.live_bytes, out->pinned_kept_bytes = pinned.kept_bytes;
    return GP_OK;
}
