/* Copies the items of a pinned chunk to their places in host memory, by several threads, with stores past the cache. */
#ifndef GP_CUDA_UNLOAD_H
#define GP_CUDA_UNLOAD_H

#include "conversion_box.h"

/* The box's items lie side by side in `from`, with the target's dtype. is_streamed: stores past the caches. Checks for interrupts, as
 * gp_threads_run does. */
gp_status gp_cuda_unload_box(const gp_conversion *plan, const gp_cuda_box *box, const void *from, bool is_streamed,
                             gp_error *error) GP_MUST_CHECK;

/* Whether a target should be written past the caches: not if the system still has to make its pages. */
bool gp_cuda_is_streamed(const gp_conversion *plan);

#endif
