/* From a pinned chunk to where its items belong in host memory: several threads, stores past the cache. */
#ifndef GP_CUDA_UNLOAD_H
#define GP_CUDA_UNLOAD_H

#include "convert.h"

/* The box's items lie side by side in `from`, with the target's dtype. is_streamed: past the caches. Asks about interrupts as
 * gp_threads_run does. */
gp_status gp_cuda_unload_box(const gp_conversion *plan, const gp_cuda_box *box, const void *from, bool is_streamed,
                             gp_error *error) GP_MUST_CHECK;

/* Whether a target is better written past the caches: not one of pages that are made only now. */
bool gp_cuda_is_streamed(const gp_conversion *plan);

#endif
