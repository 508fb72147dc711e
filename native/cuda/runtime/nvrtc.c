/* Finds NVIDIA's run-time compiler, which is installed with PyTorch, CuPy and JAX, and compiles embedded sources with it. */
#define _GNU_SOURCE
#include "nvrtc.h"

#include "../../core/base/progress.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As published in nvrtc.h. */
typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

#define NVRTC_CALLS(X)                                                                                                           \
    X(version, "nvrtcVersion", (int *major, int *minor))                                                                         \
    X(createProgram, "nvrtcCreateProgram",                                                                                       \
      (nvrtcProgram * program, const char *source, const char *name, int n_headers, const char *const *headers,                  \
       const char *const *include_names))                                                                                        \
    X(destroyProgram, "nvrtcDestroyProgram", (nvrtcProgram * program))                                                           \
    X(compileProgram, "nvrtcCompileProgram", (nvrtcProgram program, int n_options, const char *const *options))                  \
    X(getProgramLogSize, "nvrtcGetProgramLogSize", (nvrtcProgram program, size_t *n_bytes))                                      \
    X(getProgramLog, "nvrtcGetProgramLog", (nvrtcProgram program, char *log))                                                    \
    X(getCubinSize, "nvrtcGetCUBINSize", (nvrtcProgram program, size_t *n_bytes))                                                \
    X(getCubin, "nvrtcGetCUBIN", (nvrtcProgram program, char *cubin))                                                            \
    X(getPtxSize, "nvrtcGetPTXSize", (nvrtcProgram program, size_t *n_bytes))                                                    \
    X(getPtx, "nvrtcGetPTX", (nvrtcProgram program, char *ptx))

/* Calls of CUDA 11.2 and newer; NULL where the library has none. */
#define NVRTC_OPTIONAL_CALLS(X)                                                                                                  \
    X(getNumSupportedArchs, "nvrtcGetNumSupportedArchs", (int *n_archs))                                                         \
    X(getSupportedArchs, "nvrtcGetSupportedArchs", (int *archs))

typedef struct nvrtc_api {
#define NVRTC_FIELD(field, name, parameters) nvrtcResult(*field) parameters;
    NVRTC_CALLS(NVRTC_FIELD)
    NVRTC_OPTIONAL_CALLS(NVRTC_FIELD)
#undef NVRTC_FIELD
    int release; /* 1000 major + 10 minor */
} nvrtc_api;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* held while kernels are compiled, for seconds */
static nvrtc_api table;                                   /* guarded by the mutex; release is 0 until it is loaded */
static atomic_int release_in_use;
static pthread_mutex_t folders_mutex = PTHREAD_MUTEX_INITIALIZER;
static char *known_folders; /* guarded by the folders' mutex */

void gp_cuda_set_nvrtc_folders(const char *folders)
{
    char *copy = folders != NULL ? strdup(folders) : NULL;
    pthread_mutex_lock(&folders_mutex);
    char *before = known_folders;
    known_folders = copy;
    pthread_mutex_unlock(&folders_mutex);
    free(before);
}

/* A copy of the folders, for the caller to free; NULL if there are none. */
static char *copy_folders(void)
{
    pthread_mutex_lock(&folders_mutex);
    char *copy = known_folders != NULL ? strdup(known_folders) : NULL;
    pthread_mutex_unlock(&folders_mutex);
    return copy;
}

int gp_cuda_nvrtc_version(void) { return atomic_load(&release_in_use); }

/* ---- finding ------------------------------------------------------------------------------------------------------- */

#define NVRTC_LOAD(field, name, parameters)                                                                                      \
    do {                                                                                                                         \
        void *symbol = dlsym(library, name);                                                                                     \
        memcpy(&api.field, &symbol, sizeof symbol);                                                                              \
        is_complete = is_complete && symbol != NULL;                                                                             \
    } while (0);

/* NVRTC opens a second library (its builtins) by name, which the loader does not find in the folder of a Python package unless it is loaded
 * already, so it is loaded from beside the first. If that fails, compiling reports what is missing. */
static void open_builtins(const nvrtc_api *api, int major, int minor)
{
    char path[4096];
    void *symbol;
    Dl_info info;
    memcpy(&symbol, &api->version, sizeof symbol);
    if (dladdr(symbol, &info) == 0 || info.dli_fname == NULL || strrchr(info.dli_fname, '/') == NULL)
        return;
    int length = (int)(strrchr(info.dli_fname, '/') - info.dli_fname);
    int n = snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d", length, info.dli_fname, major, minor);
    if (n > 0 && (size_t)n < sizeof path)
        (void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Loads this file if it is a libnvrtc with every required call; it stays loaded. */
static bool open_file(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    nvrtc_api api = {0};
    bool is_complete = library != NULL;
    int major = 0, minor = 0;
    if (library != NULL) {
        NVRTC_OPTIONAL_CALLS(NVRTC_LOAD)
        is_complete = true;
        NVRTC_CALLS(NVRTC_LOAD)
    }
    is_complete = is_complete && api.version(&major, &minor) == 0 && major > 0;
    if (is_complete) {
        api.release = 1000 * major + 10 * minor;
        open_builtins(&api, major, minor);
        table = api;
        atomic_store(&release_in_use, api.release);
    } else if (library != NULL) {
        dlclose(library);
    }
    return is_complete;
}

/* Tries one name of the library in each of the folders; an empty list means the loader's search path. */
static bool open_name(const char *folders, const char *name)
{
    char path[4096];
    if (*folders == '\0')
        return open_file(name);
    while (*folders != '\0') {
        size_t length = strcspn(folders, ":");
        int n = snprintf(path, sizeof path, "%.*s/%s", (int)length, folders, name);
        if (length > 0 && n > 0 && (size_t)n < sizeof path && open_file(path))
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* A compiler newer than the driver may make code that the driver refuses, so it comes last. */
static bool open_in(const char *folders, int driver_version)
{
    if (driver_version >= 13000 && open_name(folders, "libnvrtc.so.13"))
        return true;
    return open_name(folders, "libnvrtc.so.12") || open_name(folders, "libnvrtc.so") || open_name(folders, "libnvrtc.so.13");
}

static bool open_any(int driver_version)
{
    const char *named = getenv("GPUPLOT_NVRTC");
    if (named != NULL && *named != '\0')
        return open_file(named);
    if (open_in("", driver_version))
        return true;
    char *folders = copy_folders();
    bool is_open = folders != NULL && folders[0] != '\0' && open_in(folders, driver_version);
    free(folders);
    return is_open;
}

static gp_status find(int driver_version, gp_error *error)
{
    const char *named = getenv("GPUPLOT_NVRTC");
    if (table.release != 0 || open_any(driver_version))
        return GP_OK;
    if (named != NULL && *named != '\0')
        return gp_fail(error, GP_ERR_DEVICE, "GPUPLOT_NVRTC names a library that is not libnvrtc: %.150s", named);
    return gp_fail(error, GP_ERR_DEVICE,
                   "no kernels for this GPU: this build of gpuplot has none that fit the driver (CUDA %d.%d) and "
                   "found no libnvrtc to compile them: pip install %s",
                   driver_version / 1000, driver_version % 1000 / 10,
                   driver_version >= 13000 ? "nvidia-cuda-nvrtc" : "nvidia-cuda-nvrtc-cu12");
}

/* ---- compiling ----------------------------------------------------------------------------------------------------- */

enum { MAX_ARCHS = 128 };

/* The architectures that the compiler supports, and their number; 0 if it cannot say. */
static int list_archs(int archs[MAX_ARCHS])
{
    int n_archs = 0;
    if (table.getNumSupportedArchs == NULL || table.getSupportedArchs == NULL)
        return 0;
    if (table.getNumSupportedArchs(&n_archs) != 0 || n_archs > MAX_ARCHS || table.getSupportedArchs(archs) != 0)
        return 0;
    return n_archs;
}

/* Machine code if the compiler supports the device, else PTX of the newest architecture that is not newer than the device. */
static gp_status choose_arch(int capability, char out[32], gp_error *error)
{
    int archs[MAX_ARCHS], n_archs = list_archs(archs), best = 0;
    if (table.getNumSupportedArchs == NULL || table.getSupportedArchs == NULL)
        best = capability; /* the compiler will report if it cannot */
    for (int i = 0; i < n_archs; i++) {
        if (archs[i] <= capability && archs[i] > best)
            best = archs[i];
    }
    if (best == 0)
        return gp_fail(error, GP_ERR_DEVICE,
                       "NVRTC %d.%d cannot compile for this GPU (compute capability %d.%d): use a libnvrtc "
                       "of another CUDA version",
                       table.release / 1000, table.release % 1000 / 10, capability / 10, capability % 10);
    snprintf(out, 32, "%s_%d", best == capability ? "sm" : "compute", best);
    return GP_OK;
}

static gp_status fail_compile(nvrtcProgram program, const gp_cuda_image *image, const char *arch, gp_error *error)
{
    size_t n_bytes = 0;
    char *log = NULL;
    if (program != NULL && table.getProgramLogSize(program, &n_bytes) == 0 && n_bytes > 0)
        log = calloc(n_bytes + 1, 1);
    if (log != NULL && table.getProgramLog(program, log) == 0)
        log[strcspn(log, "\n")] = '\0';
    gp_fail(error, GP_ERR_DEVICE, "NVRTC %d.%d does not compile the kernels %s for %s: %.120s", table.release / 1000,
            table.release % 1000 / 10, image->module, arch, log != NULL ? log : "it could not be started");
    free(log);
    return GP_ERR_DEVICE;
}

static bool take_output(nvrtcProgram program, bool is_ptx, gp_cuda_binary *out)
{
    size_t n_bytes = 0;
    if ((is_ptx ? table.getPtxSize(program, &n_bytes) : table.getCubinSize(program, &n_bytes)) != 0 || n_bytes == 0)
        return false;
    char *data = malloc(n_bytes);
    if (data == NULL || (is_ptx ? table.getPtx(program, data) : table.getCubin(program, data)) != 0) {
        free(data);
        return false;
    }
    *out = (gp_cuda_binary){.data = data, .n_bytes = n_bytes};
    return true;
}

/* Without contraction to fused operations, kernels round as the CPU does. */
static gp_status compile(const gp_cuda_image *image, const char *arch, gp_cuda_binary *out, gp_error *error)
{
    char arch_option[64], define[64];
    const char *options[5] = {arch_option, "-std=c++17", "--fmad=false", "--device-as-default-execution-space", define};
    nvrtcProgram program = NULL;
    snprintf(arch_option, sizeof arch_option, "--gpu-architecture=%s", arch);
    snprintf(define, sizeof define, "-D%s", image->define);
    int n_options = image->define[0] != '\0' ? 5 : 4;
    bool is_done = table.createProgram(&program, image->source, image->module, 0, NULL, NULL) == 0 &&
                   table.compileProgram(program, n_options, options) == 0 &&
                   take_output(program, strncmp(arch, "compute", 7) == 0, out);
    if (!is_done)
        fail_compile(program, image, arch, error);
    if (program != NULL)
        (void)table.destroyProgram(&program);
    return is_done ? GP_OK : GP_ERR_DEVICE;
}

/* The only line that gpuplot prints: it says why the first picture takes so long. */
static void tell_once(const gp_cuda_binary_key *key, double seconds, const char *path)
{
    static bool is_told; /* whether the line was printed; guarded by the mutex */
    if (seconds <= 1.0 || is_told)
        return;
    is_told = true;
    fprintf(stderr, "gpuplot: compiled CUDA kernels (%s, %s) in %.1f s%s%s\n", key->image->module, key->arch, seconds,
            *path ? "; kept in " : "", path);
}

/* Reads the cached binary, or compiles. The mutex is held, and the library has been found. */
static gp_status compile_arch(const gp_cuda_image *image, const char *arch, bool use_disk, gp_cuda_binary *out, gp_error *error)
{
    char path[4096];
    gp_cuda_binary_key key = {.image = image, .arch = arch, .nvrtc_version = table.release};
    if (use_disk && gp_cuda_binary_read(&key, out))
        return GP_OK;
    double start = gp_seconds_now();
    GP_TRY(compile(image, arch, out, error));
    gp_cuda_binary_write(&key, out, path, sizeof path);
    tell_once(&key, gp_seconds_now() - start, path);
    return GP_OK;
}

static gp_status compile_locked(const gp_cuda_image *image, int capability, int driver_version, bool use_disk,
                                gp_cuda_binary *out, gp_error *error)
{
    char arch[32];
    GP_TRY(find(driver_version, error));
    GP_TRY(choose_arch(capability, arch, error));
    return compile_arch(image, arch, use_disk, out, error);
}

gp_status gp_cuda_compile(const gp_cuda_image *image, int capability, int driver_version, bool use_disk, gp_cuda_binary *out,
                          gp_error *error)
{
    pthread_mutex_lock(&mutex);
    gp_status status = compile_locked(image, capability, driver_version, use_disk, out, error);
    pthread_mutex_unlock(&mutex);
    return status;
}

/* ---- for the build --------------------------------------------------------------------------------------------------- */

gp_status gp_cuda_nvrtc_knows(int capability, bool *out, gp_error *error)
{
    int archs[MAX_ARCHS], n_archs = 0;
    pthread_mutex_lock(&mutex);
    gp_status status = find(12000, error);
    n_archs = status == GP_OK ? list_archs(archs) : 0;
    pthread_mutex_unlock(&mutex);
    *out = false;
    for (int i = 0; i < n_archs; i++)
        *out = *out || archs[i] == capability;
    return status;
}

gp_status gp_cuda_compile_for(const gp_cuda_image *image, const char *arch, gp_cuda_binary *out, gp_error *error)
{
    pthread_mutex_lock(&mutex);
    gp_status status = find(12000, error);
    if (status == GP_OK)
        status = compile_arch(image, arch, true, out, error);
    pthread_mutex_unlock(&mutex);
    return status;
}

void gp_cuda_binary_free(gp_cuda_binary *binary)
{
    free(binary->data);
    *binary = (gp_cuda_binary){0};
}
