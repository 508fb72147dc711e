/* Kernels: a module is loaded when one of its kernels is first launched. */
#ifndef GP_CUDA_MODULE_H
#define GP_CUDA_MODULE_H

#include "handle.h"

#include <stdbool.h>

/*
 * Queues one kernel on the device's stream. `module` is a name of cmake/cuda_kernels.cmake's table ("shade",
 * "reduce_F32"), loaded at its first use; `kernel` is the name given to GP_KERNEL. args is copied before the call returns.
 */
gp_status gp_cuda_launch(gp_cuda_device *device, const char *module, const char *kernel, int64_t grid_x, int64_t grid_y,
                         int64_t grid_z, int n_threads, const void *args, gp_error *error) GP_MUST_CHECK;

void gp_cuda_modules_free(gp_cuda_device *device, bool is_context_gone);

/* ---- for show_config and tests ------------------------------------------------------------------------------------- */

/* How kernels are compiled: "built" (with the build), "nvrtc" (at first use), "none". */
const char *gp_cuda_kernels_kind(void);

/* The architectures that the build compiled kernels for, such as "sm_80 sm_90 compute_75", and the version of its NVRTC (1000
 * major + 10 minor); empty and 0 if it compiled none. */
void gp_cuda_images_built(char *archs, size_t n_bytes, int *nvrtc_version);

/* The image of the build that a GPU of this compute capability runs with a driver of this version, such as "sm_80"; empty
 * if there is none, so that kernels are compiled at first use. */
void gp_cuda_image_for(int capability, int driver_version, char *out, size_t n_bytes);

#endif
