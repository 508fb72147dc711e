/* Limits of elements on a device: their states are initialized before kernels run, and fetched after them. */
#ifndef GP_CUDA_LIMITS_H
#define GP_CUDA_LIMITS_H

#include "../core/color/limits_search.h"
#include "cuda.h"
#include "kernels/reduce_args.h"

/* The states that kernels of one piece of work update: of all elements; of elements with reduced hidden axes that NaN marks, without
 * NaN; and of cells. */
enum { GP_LIMITS_ALL, GP_LIMITS_MARKED, GP_LIMITS_CELLS, GP_N_LIMITS };

/* What comes to the host together. */
typedef struct gp_limits_found {
    gp_limits_state states[GP_N_LIMITS];
    gp_ends colors; /* by `shade_limits`, where it runs */
} gp_limits_found;

/* Memory on the device, its states initialized for no elements. */
gp_status gp_cuda_limits_begin(gp_cuda_device *device, gp_limits_found **out, gp_error *error) GP_MUST_CHECK;

/* Queues a pass over all elements of a plane that has any. */
gp_status gp_cuda_limits_look(gp_cuda_device *device, const gp_plane *plane, gp_limits_state *to, gp_error *error) GP_MUST_CHECK;
void gp_cuda_limits_settle(const gp_plane *plane, gp_limits_state *found);

/* Queues a copy to the host, and waits until it is there. */
gp_status gp_cuda_limits_send(gp_cuda_device *device, const gp_limits_found *at, const gp_limits_found **sent,
                              gp_error *error) GP_MUST_CHECK;
gp_status gp_cuda_limits_end(gp_cuda_device *device, const gp_limits_found *sent, gp_limits_found *out,
                             gp_error *error) GP_MUST_CHECK;

/* These functions together, for one plane. */
gp_status gp_cuda_limits_find(gp_cuda_device *device, const gp_plane *plane, gp_limits_state *out, gp_error *error) GP_MUST_CHECK;

#endif
