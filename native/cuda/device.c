/* The state of each device: made at first use, entered by one thread at a time, kept until the process ends. */
#include "pinned.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

/* States are made once and never freed, so that a finalizer may look one up at any time. */
enum { MAX_DEVICES = 64 };
static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static gp_cuda_device *states[MAX_DEVICES];
static _Thread_local gp_cuda_device *entered;

gp_cuda_device *gp_cuda_find_device(int ordinal)
{
    pthread_mutex_lock(&registry);
    gp_cuda_device *device = ordinal >= 0 && ordinal < MAX_DEVICES ? states[ordinal] : NULL;
    pthread_mutex_unlock(&registry);
    return device;
}

void gp_cuda_note_code(int code)
{
    if (entered != NULL && gp_cuda_is_sticky(code))
        entered->broken_by = code;
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

static gp_status find_or_add(const gp_cuda_api *api, int ordinal, gp_cuda_device **out, gp_error *error)
{
    if (ordinal < 0 || ordinal >= api->n_devices || ordinal >= MAX_DEVICES)
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

static gp_status make_state(gp_cuda_device *device, const gp_cuda_api *api, gp_error *error)
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
    device->has_context_id = api->ctxGetId != NULL && api->ctxGetId(device->context, &device->context_id) == CUDA_SUCCESS;
    device->counts = (gp_cuda_counts){0};
    device->broken_by = CUDA_SUCCESS;
    device->is_ready = true;
    return GP_OK;
}

static void unmake_state(gp_cuda_device *device)
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

/* Whether the device was reset (cudaDeviceReset, numba.cuda.close), which ends all handles and frees all memory, even if the new context
 * has the old handle. Drivers before CUDA 12 cannot tell; there the first failing call shows it. */
static bool is_context_gone(gp_cuda_device *device)
{
    CUresult code = CUDA_SUCCESS;
    if (!device->has_context_id)
        return false;
    for (int attempt = 0; attempt < 2;
         attempt++) { /* forgetting the state cannot be undone: a failure is confirmed by a second call */
        unsigned long long id = device->context_id;
        code = device->api->ctxGetId(device->context, &id);
        if (code == CUDA_SUCCESS)
            return id != device->context_id;
    }
    return code == CUDA_ERROR_INVALID_CONTEXT || code == CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* Forgets handles that a reset has ended, without passing them to the driver. A reset keeps the retain count of the context, which is
 * therefore released. */
static gp_status forget_state(gp_cuda_device *device, gp_error *error)
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
    if (device->is_ready && is_context_gone(device))
        GP_TRY(forget_state(device, error));
    if (!device->is_ready)
        GP_TRY(make_state(device, api, error));
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
    GP_TRY(find_or_add(api, ordinal, &device, error));
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
    for (int i = 0; i < MAX_DEVICES; i++) {
        gp_cuda_device *device = gp_cuda_find_device(i);
        if (device == NULL)
            continue;
        pthread_mutex_lock(&device->mutex);
        while (device->n_transfers > 0)
            pthread_cond_wait(&device->transfers_done, &device->mutex);
        if (device->is_ready)
            unmake_state(device);
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
