/* Limits of elements between device and host: their state before the first kernel, and after the last one. */
#ifndef GP_CUDA_LIMITS_H
#define GP_CUDA_LIMITS_H

#include "cuda.h"
#include "kernels/reduce_args.h"

/* Where kernels join what they see: two states, of no elements yet. */
gp_status gp_cuda_limits_begin(gp_cuda_device *device, gp_limits_state **out, gp_error *error) GP_MUST_CHECK;

/* Fetches both. */
gp_status gp_cuda_limits_end(gp_cuda_device *device, const gp_limits_state *at, gp_limits_state out[2],
                             gp_error *error) GP_MUST_CHECK;

#endif
