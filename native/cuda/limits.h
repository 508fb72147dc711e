/* Limits of elements between device and host: their states before the first kernel, and after the last one. */
#ifndef GP_CUDA_LIMITS_H
#define GP_CUDA_LIMITS_H

#include "cuda.h"
#include "kernels/reduce_args.h"

/* The states that kernels of one piece of work join what they see to: of all elements, of those of hidden axes that NaN marks, without
 * it, and of cells. */
enum { GP_LIMITS_ALL, GP_LIMITS_MARKED, GP_LIMITS_CELLS, GP_N_LIMITS };

/* Where these are on the device: of no elements yet. */
gp_status gp_cuda_limits_begin(gp_cuda_device *device, gp_limits_state **out, gp_error *error) GP_MUST_CHECK;

/* Queues a look at every element of a plane that has any; what is fetched for it is settled by the host. */
gp_status gp_cuda_limits_look(gp_cuda_device *device, const gp_plane *plane, gp_limits_state *to, gp_error *error) GP_MUST_CHECK;
void gp_cuda_limits_settle(const gp_plane *plane, gp_limits_state *found);

/* Fetches all. */
gp_status gp_cuda_limits_end(gp_cuda_device *device, const gp_limits_state *at, gp_limits_state out[GP_N_LIMITS],
                             gp_error *error) GP_MUST_CHECK;

/* The three of them for one plane. */
gp_status gp_cuda_limits_find(gp_cuda_device *device, const gp_plane *plane, gp_limits_state *out, gp_error *error) GP_MUST_CHECK;

#endif
