/* Kernels compiled by NVRTC: with the build, or when they are first used and no image of the build fits GPU and driver. */
#ifndef GP_CUDA_NVRTC_H
#define GP_CUDA_NVRTC_H

#include "images.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>

/* Machine code (or PTX) of one module, on the heap. */
typedef struct gp_cuda_binary {
    void *data;
    size_t n_bytes;
    bool is_from_disk; /* a copy that was kept; where the driver refuses it, compile anew */
} gp_cuda_binary;

void gp_cuda_binary_free(gp_cuda_binary *binary);

/*
 * Compiles a module's source for a device of this compute capability (10 major + minor), or takes what an earlier process kept
 * in $XDG_CACHE_HOME/gpuplot (~/.cache/gpuplot). driver_version: 1000 major + 10 minor; a libnvrtc that is not newer is
 * preferred. Any thread may call. Fails where no libnvrtc is found, saying what to install.
 */
gp_status gp_cuda_compile(const gp_cuda_image *image, int capability, int driver_version, bool use_disk, gp_cuda_binary *out,
                          gp_error *error) GP_MUST_CHECK;

/* Folders, separated by colons, in which a libnvrtc may lie besides the loader's own; copied, NULL: none. They are set before a
 * device is entered, because whoever is inside when kernels have to be compiled may wait for nobody. Never waits for a compiler. */
void gp_cuda_set_nvrtc_folders(const char *folders);

/* Version of the libnvrtc in use as 1000 major + 10 minor, 0 where none was needed yet. Never waits for a compiler. */
int gp_cuda_nvrtc_version(void);

/* ---- for the build (tools/make_images.c) ------------------------------------------------------------------------------ */

/* Whether the compiler makes code for this compute capability; finds the library where that was not done yet. */
gp_status gp_cuda_nvrtc_knows(int capability, bool *out, gp_error *error) GP_MUST_CHECK;

/* As gp_cuda_compile, for one architecture: "sm_80" is machine code, "compute_80" PTX. */
gp_status gp_cuda_compile_for(const gp_cuda_image *image, const char *arch, gp_cuda_binary *out, gp_error *error) GP_MUST_CHECK;

/* ---- between nvrtc.c and kernel_cache.c ------------------------------------------------------------------------------ */

/* What a kept binary depends on. */
typedef struct gp_cuda_binary_key {
    const gp_cuda_image *image;
    const char *arch; /* "sm_90" or "compute_90" */
    int nvrtc_version;
} gp_cuda_binary_key;

/* False where nothing usable is kept. */
bool gp_cuda_binary_read(const gp_cuda_binary_key *key, gp_cuda_binary *out);

/* The file's path if the binary was kept (for a message), else an empty string: a read-only home is not an error. */
void gp_cuda_binary_write(const gp_cuda_binary_key *key, const gp_cuda_binary *binary, char *path, size_t n_path_bytes);

#endif
