/* Kernels compiled by NVRTC: with the build, or at first use if no image of the build fits GPU and driver. */
#ifndef GP_CUDA_NVRTC_H
#define GP_CUDA_NVRTC_H

#include "images.h"
#include "../../core/base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Machine code (or PTX) of one module, on the heap. */
typedef struct gp_cuda_binary {
    void *data;
    size_t n_bytes;
    bool is_from_disk; /* a kept copy; if the driver refuses it, compile again */
} gp_cuda_binary;

void gp_cuda_binary_free(gp_cuda_binary *binary);

/*
 * Compiles a module's source for a device of this compute capability (10 major + minor), or reads the result that an earlier process
 * kept in $XDG_CACHE_HOME/gpuplot (~/.cache/gpuplot). driver_version: 1000 major + 10 minor; a libnvrtc that is not newer is
 * preferred. Any thread may call. If no libnvrtc is found, the error says what to install.
 */
gp_status gp_cuda_compile(const gp_cuda_image *image, int capability, int driver_version, bool use_disk, gp_cuda_binary *out,
                          gp_error *error) GP_MUST_CHECK;

/* Sets folders, separated by colons, that are searched for a libnvrtc in addition to the loader's; copied, NULL: none. Called before a
 * device is entered, as a thread inside that compiles kernels must not wait for the GIL. Never waits for a compiler. */
void gp_cuda_set_nvrtc_folders(const char *folders);

/* Version of the libnvrtc in use as 1000 major + 10 minor, 0 if none was needed yet. Never waits for a compiler. */
int gp_cuda_nvrtc_version(void);

/* ---- for the build (tools/make_images.c) ------------------------------------------------------------------------------ */

/* Whether the compiler supports this compute capability; loads the library first, if necessary. */
gp_status gp_cuda_nvrtc_knows(int capability, bool *out, gp_error *error) GP_MUST_CHECK;

/* As gp_cuda_compile, for one architecture: "sm_80" is machine code, "compute_80" PTX. */
gp_status gp_cuda_compile_for(const gp_cuda_image *image, const char *arch, gp_cuda_binary *out, gp_error *error) GP_MUST_CHECK;

/* ---- between nvrtc.c and kernel_cache.c ------------------------------------------------------------------------------ */

/* The key of a kept binary. */
typedef struct gp_cuda_binary_key {
    const gp_cuda_image *image;
    const char *arch; /* "sm_90" or "compute_90" */
    int nvrtc_version;
} gp_cuda_binary_key;

/* False if no valid binary is kept. */
bool gp_cuda_binary_read(const gp_cuda_binary_key *key, gp_cuda_binary *out);

/* Keeps a binary. path, for messages: its file, or an empty string if it could not be written, which is not an error. */
void gp_cuda_binary_write(const gp_cuda_binary_key *key, const gp_cuda_binary *binary, char *path, size_t n_path_bytes);

#endif
