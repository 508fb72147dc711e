/* Calls of the driver outside of the work that gp_cuda_enter begins. */
#ifndef GP_CUDA_VISIT_H
#define GP_CUDA_VISIT_H

#include "driver.h"

/* For calls of the driver outside of enter and leave: makes the context current, and keeps this thread's allocations, frees and waits
 * from invalidating a graph that is being captured. end undoes it, also after a begin that failed. */
typedef struct gp_cuda_visit {
    const gp_cuda_api *api;
    bool is_begun;
    int capture_mode; /* of the thread, before that */
} gp_cuda_visit;
gp_status gp_cuda_visit_begin(const gp_cuda_api *api, CUcontext context, gp_cuda_visit *out, gp_error *error) GP_MUST_CHECK;
void gp_cuda_visit_end(gp_cuda_visit *visit);

/* The driver's number of a context; false if the driver has none. After a reset of the device another context may have the same handle,
 * but never the same number. */
bool gp_cuda_context_id(const gp_cuda_api *api, CUcontext context, unsigned long long *out);

/* Whether a reset of the device has ended the context with this number, and what was allocated in it. */
bool gp_cuda_context_is_gone(const gp_cuda_api *api, CUcontext context, unsigned long long id);

#endif
