/* Loads the CUDA driver, checks that there is a device, and turns the driver's codes into errors. */
#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A published table is never changed or freed: a thread inside a device goes on with its table while other threads close the device and
 * load the driver again. */
typedef struct loaded_table {
    gp_cuda_api api;
    struct loaded_table *previous;
} loaded_table;

typedef CUresult (*error_text)(CUresult code, const char **text);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* held while the driver is loaded */
static _Atomic(loaded_table *) the_table;
static atomic_bool is_loaded;
static _Atomic(error_text) error_name, error_string; /* set before the rest of the table; NULL: no driver yet */
static atomic_int initialized_by; /* the process that called cuInit or is about to, 0: none */

bool gp_cuda_is_forked(void)
{
    int pid = atomic_load(&initialized_by);
    return pid != 0 && pid != (int)getpid();
}

static gp_status fail_forked(gp_error *error)
{
    return gp_fail(error, GP_ERR_DEVICE,
                   "CUDA was used before this process was forked, and a forked child cannot use it: start "
                   "workers with the 'spawn' method, or use the GPU in the children only");
}

/* ---- codes --------------------------------------------------------------------------------------------------------- */

bool gp_cuda_is_sticky(CUresult code)
{
    return code == CUDA_ERROR_ECC_UNCORRECTABLE || code == CUDA_ERROR_ILLEGAL_ADDRESS || code == CUDA_ERROR_LAUNCH_TIMEOUT ||
           code == CUDA_ERROR_ASSERT || (code >= CUDA_ERROR_HARDWARE_STACK_ERROR && code <= CUDA_ERROR_LAUNCH_FAILED);
}

/* What to do about an error code, as the end of a sentence; empty if its name says enough. */
static const char *hint_for(const char *call, CUresult code)
{
    if (code == CUDA_ERROR_OUT_OF_MEMORY && strcmp(call, "cuMemHostAlloc") == 0)
        return "; the system has no more host memory that could be pinned: free some";
    if (gp_cuda_is_sticky(code))
        return "; the CUDA context is now broken for every library in this process: restart it";
    if (code >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && code <= CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
        return "; a CUDA graph is being captured: draw after the capture has ended";
    switch (code) {
    case CUDA_ERROR_OUT_OF_MEMORY: return "; free some GPU memory, for example torch.cuda.empty_cache()";
    case CUDA_ERROR_NOT_INITIALIZED: return "; in a forked process start workers with the 'spawn' method";
    case CUDA_ERROR_DEINITIALIZED: return "; the process is shutting down";
    case CUDA_ERROR_STUB_LIBRARY: return "; the stub libcuda.so.1 of a toolkit was found: take it off LD_LIBRARY_PATH";
    case CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION: return "; the driver is too old: install a newer one";
    case CUDA_ERROR_DEVICE_UNAVAILABLE: return "; another process holds the GPU (compute mode, see nvidia-smi -q)";
    case CUDA_ERROR_NO_DEVICE: return "; no GPU is visible: see nvidia-smi and CUDA_VISIBLE_DEVICES";
    case CUDA_ERROR_INVALID_HANDLE: return "; is the stream still there, and is it of this device?";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: return "; driver and kernel module differ: restart the machine";
    default: return "";
    }
}

static _Thread_local CUresult *noted_at;

void gp_cuda_note_codes_at(CUresult *broken_by) { noted_at = broken_by; }

gp_status gp_cuda_check(CUresult code, const char *call, gp_error *error)
{
    if (code == CUDA_SUCCESS)
        return GP_OK;
    const char *name = NULL, *text = NULL;
    error_text name_of = atomic_load(&error_name), string_of = atomic_load(&error_string);
    if (name_of == NULL || name_of(code, &name) != CUDA_SUCCESS || name == NULL)
        name = "unknown error";
    if (string_of == NULL || string_of(code, &text) != CUDA_SUCCESS || text == NULL)
        text = "";
    gp_fail(error, GP_ERR_DEVICE, "%s failed: %s (%d)%s%.80s%s", call, name, code, *text ? ", " : "", text, hint_for(call, code));
    error->driver_code = code;
    error->call = call, error->code = name;
    if (noted_at != NULL && gp_cuda_is_sticky(code))
        *noted_at = code;
    return GP_ERR_DEVICE;
}

/* ---- loading ------------------------------------------------------------------------------------------------------- */

/* Opens the library named by GPUPLOT_CUDA_DRIVER, else the system's. It is never closed, which drivers do not support. */
static gp_status open_library(void **out, gp_error *error)
{
    const char *path = getenv("GPUPLOT_CUDA_DRIVER");
    bool is_named = path != NULL && *path != '\0';
    *out = dlopen(is_named ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (*out != NULL)
        return GP_OK;
    const char *why = dlerror();
#if !defined(__linux__)
    return gp_fail(error, GP_ERR_DEVICE,
                   "this build of gpuplot has no CUDA backend, which needs Linux: copy the tensor to the "
                   "host, for example with .cpu()");
#endif
    if (is_named)
        return gp_fail(error, GP_ERR_DEVICE, "no CUDA driver: GPUPLOT_CUDA_DRIVER names a library that cannot be loaded: %.120s",
                       why != NULL ? why : path);
    return gp_fail(error, GP_ERR_DEVICE, "no CUDA driver on this machine (libcuda.so.1 was not found): install NVIDIA's driver");
}

/* C has no cast between pointers to objects and to functions, which have one size on every system with dlsym. */
static void *symbol_of(void *library, const char *name) { return dlsym(library, name); }

#define GP_LOAD(field, name, parameters)                                                                                         \
    do {                                                                                                                         \
        void *symbol = symbol_of(library, name);                                                                                 \
        memcpy(&api->field, &symbol, sizeof symbol);                                                                             \
        if (symbol == NULL && missing == NULL)                                                                                   \
            missing = name;                                                                                                      \
    } while (0);

static gp_status fill_table(void *library, gp_cuda_api *api, gp_error *error)
{
    const char *missing = NULL;
    GP_CUDA_OPTIONAL_CALLS(GP_LOAD)
    missing = NULL;
    GP_CUDA_CALLS(GP_LOAD)
    if (missing == NULL)
        return GP_OK;
    int version = 0;
    if (api->driverGetVersion != NULL && api->driverGetVersion(&version) != CUDA_SUCCESS)
        version = 0;
    return gp_fail(error, GP_ERR_DEVICE,
                   "the CUDA driver is too old: it is of CUDA %d.%d and has no %s; install a newer driver "
                   "(of CUDA 12 or later)",
                   version / 1000, version % 1000 / 10, missing);
}

static gp_status initialize(gp_cuda_api *api, bool *is_initialized, gp_error *error)
{
    int version = 0, n_devices = 0;
    GP_TRY_CUDA(api->driverGetVersion(&version), "cuDriverGetVersion", error);
    api->version = version;
    GP_TRY_CUDA(api->init(0), "cuInit", error);
    *is_initialized = true;
    GP_TRY_CUDA(api->deviceGetCount(&n_devices), "cuDeviceGetCount", error);
    if (n_devices == 0)
        return gp_fail(error, GP_ERR_DEVICE, "the CUDA driver sees no device: see nvidia-smi and CUDA_VISIBLE_DEVICES");
    api->n_devices = n_devices;
    return GP_OK;
}

/* Publishes the table. Loading the same driver again changes nothing. */
static gp_status publish(const gp_cuda_api *api, gp_error *error)
{
    loaded_table *before = atomic_load(&the_table);
    if (before == NULL || memcmp(&before->api, api, sizeof *api) != 0) {
        loaded_table *fresh = malloc(sizeof *fresh);
        if (fresh == NULL)
            return gp_fail_memory(error, (double)sizeof *fresh);
        *fresh = (loaded_table){.api = *api, .previous = before};
        atomic_store(&the_table, fresh);
    }
    atomic_store(&is_loaded, true);
    return GP_OK;
}

static gp_status open_and_initialize(gp_cuda_api *api, bool *is_initialized, gp_error *error)
{
    void *library;
    GP_TRY(open_library(&library, error));
    GP_TRY(fill_table(library, api, error));
    atomic_store(&error_name, api->getErrorName);
    atomic_store(&error_string, api->getErrorString);
    return initialize(api, is_initialized, error);
}

/* The process is noted before the driver is opened: a child that is forked meanwhile would otherwise wait for the mutex forever. */
static gp_status load_locked(gp_error *error)
{
    gp_cuda_api api = {0};
    bool is_initialized = false;
    atomic_store(&initialized_by, (int)getpid());
    gp_status status = open_and_initialize(&api, &is_initialized, error);
    if (!is_initialized)
        atomic_store(&initialized_by, 0);
    return status == GP_OK ? publish(&api, error) : status;
}

gp_status gp_cuda_load(const gp_cuda_api **out, gp_error *error)
{
    if (gp_cuda_is_forked())
        return fail_forked(error);
    if (!atomic_load(&is_loaded)) {
        pthread_mutex_lock(&mutex);
        gp_status status = atomic_load(&is_loaded) ? GP_OK : load_locked(error);
        pthread_mutex_unlock(&mutex);
        GP_TRY(status);
    }
    *out = &atomic_load(&the_table)->api;
    return GP_OK;
}

void gp_cuda_unload(void)
{
    pthread_mutex_lock(&mutex);
    atomic_store(&is_loaded, false);
    atomic_store(&initialized_by, 0);
    pthread_mutex_unlock(&mutex);
}
