/* Kernels: a module is loaded when one of its kernels is first launched, from an image of the build or by compiling. */
#include "module.h"

#include "../../core/base/alloc.h"
#include "image_pack.h"
#include "nvrtc.h"
#include "state.h"
#include "stream.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* The origin of the last loaded module; 0: none yet. */
enum { KIND_NONE, KIND_BUILT, KIND_NVRTC };
static atomic_int loaded_kind;

const char *gp_cuda_kernels_kind(void)
{
    int kind = atomic_load(&loaded_kind);
    if (gp_cuda_images[0].module == NULL)
        return "none";
    if (kind == KIND_NONE)
        kind = gp_cuda_pack_of(&gp_cuda_images[0]) != NULL ? KIND_BUILT : KIND_NVRTC;
    return kind == KIND_BUILT ? "built" : "nvrtc";
}

void gp_cuda_images_built(char *archs, size_t n_bytes, int *nvrtc_version)
{
    const gp_cuda_pack_head *pack = gp_cuda_pack_of(&gp_cuda_images[0]);
    size_t n_used = 0;
    archs[0] = '\0';
    *nvrtc_version = pack != NULL ? (int)pack->nvrtc_version : 0;
    for (uint32_t i = 0; pack != NULL && i < pack->n_images && n_used + 1 < n_bytes; i++) {
        const gp_cuda_pack_entry *entry = &gp_cuda_pack_entries(pack)[i];
        int n = snprintf(archs + n_used, n_bytes - n_used, "%s%s%u", i > 0 ? " " : "", entry->is_ptx ? "compute_" : "sm_",
                         (unsigned)entry->capability);
        n_used += n > 0 ? (size_t)n : 0;
    }
}

void gp_cuda_image_for(int capability, int driver_version, char *out, size_t n_bytes)
{
    const gp_cuda_pack_head *pack = gp_cuda_pack_of(&gp_cuda_images[0]);
    int chosen[2];
    out[0] = '\0';
    if (pack != NULL && gp_cuda_pack_choose(pack, capability, driver_version, chosen) > 0) {
        const gp_cuda_pack_entry *entry = &gp_cuda_pack_entries(pack)[chosen[0]];
        snprintf(out, n_bytes, "%s_%u", entry->is_ptx ? "compute" : "sm", (unsigned)entry->capability);
    }
}

static int n_images(void)
{
    int n = 0;
    while (gp_cuda_images[n].module != NULL)
        n++;
    return n;
}

/* ---- loading ------------------------------------------------------------------------------------------------------- */

/* The error codes of images that do not fit this GPU or this driver. */
static bool is_unfit(CUresult code)
{
    return code == CUDA_ERROR_INVALID_IMAGE || code == CUDA_ERROR_NO_BINARY_FOR_GPU || code == CUDA_ERROR_INVALID_PTX ||
           code == CUDA_ERROR_JIT_COMPILER_NOT_FOUND || code == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
           code == CUDA_ERROR_JIT_COMPILATION_DISABLED || code == CUDA_ERROR_INVALID_SOURCE;
}

/* Compiles by NVRTC, or takes a cached binary; if the driver refuses that, it is compiled again. */
static gp_status load_compiled(gp_cuda_device *device, const gp_cuda_image *image, CUmodule *out, gp_error *error)
{
    gp_cuda_binary binary = {0};
    CUresult code = CUDA_SUCCESS;
    for (int attempt = 0; attempt < 2; attempt++) {
        GP_TRY(gp_cuda_compile(image, device->capability, device->api->version, attempt == 0, &binary, error));
        code = device->api->moduleLoadData(out, binary.data);
        bool is_retried = is_unfit(code) && binary.is_from_disk;
        gp_cuda_binary_free(&binary);
        if (!is_retried)
            break;
    }
    if (code == CUDA_SUCCESS)
        atomic_store(&loaded_kind, KIND_NVRTC);
    return gp_cuda_check(code, "cuModuleLoadData", error);
}

/* Tries the build's images that may fit, best first, until the driver accepts one; *code is the last result. */
static gp_status load_built(gp_cuda_device *device, const gp_cuda_image *image, CUmodule *out, CUresult *code, gp_error *error)
{
    const gp_cuda_pack_head *pack = gp_cuda_pack_of(image);
    int chosen[2], n = pack != NULL ? gp_cuda_pack_choose(pack, device->capability, device->api->version, chosen) : 0;
    *code = CUDA_ERROR_NO_BINARY_FOR_GPU;
    for (int i = 0; i < n && is_unfit(*code); i++) {
        gp_cuda_binary binary = {0};
        GP_TRY(gp_cuda_pack_take(pack, chosen[i], &binary, error));
        *code = device->api->moduleLoadData(out, binary.data);
        gp_cuda_binary_free(&binary);
    }
    return GP_OK;
}

static gp_status load_image(gp_cuda_device *device, const gp_cuda_image *image, CUmodule *out, gp_error *error)
{
    CUresult code;
    GP_TRY(load_built(device, image, out, &code, error));
    if (is_unfit(code))
        return load_compiled(device, image, out, error);
    if (code == CUDA_SUCCESS)
        atomic_store(&loaded_kind, KIND_BUILT);
    return gp_cuda_check(code, "cuModuleLoadData", error);
}

static gp_status find_module(gp_cuda_device *device, const char *name, gp_cuda_module **out, gp_error *error)
{
    int at = 0;
    while (gp_cuda_images[at].module != NULL && strcmp(gp_cuda_images[at].module, name) != 0)
        at++;
    if (gp_cuda_images[at].module == NULL)
        return gp_fail(error, GP_ERR_DEVICE, "internal: there is no kernel module %.60s", name);
    if (device->modules == NULL)
        GP_TRY(gp_alloc_zeroed((size_t)n_images() * sizeof *device->modules, &device->modules, error));
    *out = &device->modules[at];
    if ((*out)->module == NULL) {
        CUmodule module = NULL;
        GP_TRY(load_image(device, &gp_cuda_images[at], &module, error));
        (*out)->module = module;
    }
    return GP_OK;
}

static gp_status add_kernel(gp_cuda_device *device, gp_cuda_module *module, const char *name, CUfunction *out, gp_error *error)
{
    gp_cuda_kernel kernel = {0};
    if (strlen(name) >= sizeof kernel.name)
        return gp_fail(error, GP_ERR_DEVICE, "internal: the kernel name %.60s... is too long", name);
    strcpy(kernel.name, name);
    CUresult code = device->api->moduleGetFunction(&kernel.function, module->module, name);
    if (code == CUDA_ERROR_NOT_FOUND)
        return gp_fail(error, GP_ERR_DEVICE, "internal: there is no kernel %s", name);
    GP_TRY_CUDA(code, "cuModuleGetFunction", error);
    gp_cuda_kernel *kernels = realloc(module->kernels, (size_t)(module->n_kernels + 1) * sizeof *kernels);
    if (kernels == NULL)
        return gp_fail_memory(error, (double)(module->n_kernels + 1) * (double)sizeof *kernels);
    module->kernels = kernels;
    kernels[module->n_kernels++] = kernel;
    *out = kernel.function;
    return GP_OK;
}

static gp_status find_kernel(gp_cuda_device *device, gp_cuda_module *module, const char *name, CUfunction *out, gp_error *error)
{
    for (int i = 0; i < module->n_kernels; i++) {
        if (strcmp(module->kernels[i].name, name) == 0) {
            *out = module->kernels[i].function;
            return GP_OK;
        }
    }
    return add_kernel(device, module, name, out, error);
}

void gp_cuda_modules_free(gp_cuda_device *device, bool is_context_gone)
{
    for (int i = 0; device->modules != NULL && i < n_images(); i++) {
        if (device->modules[i].module != NULL && !is_context_gone)
            (void)device->api->moduleUnload(device->modules[i].module);
        free(device->modules[i].kernels);
    }
    free(device->modules);
    device->modules = NULL;
}

/* ---- launching ----------------------------------------------------------------------------------------------------- */

/* Limits of a launch that hold on every supported device. */
static gp_status check_grid(const char *kernel, int64_t x, int64_t y, int64_t z, int n_threads, gp_error *error)
{
    if (x >= 1 && x <= INT32_MAX && y >= 1 && y <= 65535 && z >= 1 && z <= 65535 && n_threads >= 1 && n_threads <= 1024)
        return GP_OK;
    return gp_fail(error, GP_ERR_DEVICE, "internal: %s cannot be launched as %lld x %lld x %lld blocks of %d threads", kernel,
                   (long long)x, (long long)y, (long long)z, n_threads);
}

gp_status gp_cuda_launch(gp_cuda_device *device, const char *module, const char *kernel, int64_t grid_x, int64_t grid_y,
                         int64_t grid_z, int n_threads, const void *args, gp_error *error)
{
    gp_cuda_module *loaded = NULL;
    CUfunction function = NULL;
    void *parameters[1];
    memcpy(parameters, &args, sizeof args); /* a pointer without const, as the call wants it; the driver only reads */
    GP_TRY(check_grid(kernel, grid_x, grid_y, grid_z, n_threads, error));
    GP_TRY(find_module(device, module, &loaded, error));
    GP_TRY(find_kernel(device, loaded, kernel, &function, error));
    CUresult code = device->api->launchKernel(function, (unsigned)grid_x, (unsigned)grid_y, (unsigned)grid_z, (unsigned)n_threads,
                                              1, 1, 0, gp_cuda_stream(device), parameters, NULL);
    if (code == CUDA_SUCCESS) {
        device->counts.n_launches++;
        return GP_OK;
    }
    gp_status status = gp_cuda_check(code, "cuLaunchKernel", error);
    size_t n_used = strlen(error->message);
    snprintf(error->message + n_used, sizeof error->message - n_used, " (kernel %s)", kernel);
    return status;
}
