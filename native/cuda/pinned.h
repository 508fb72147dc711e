/* Pinned host memory: results that the copy engine writes at once, and the chunks of transfers; one pool for all devices. */
#ifndef GP_CUDA_PINNED_H
#define GP_CUDA_PINNED_H

#include "../core/status.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Memory of at least n_bytes > 0 that stays readable until gp_cuda_pinned_free, also after gp_cuda_close. *out is NULL, and the
 * status GP_OK, where ordinary memory has to do: pinned results are switched off, the budget is spent, or the system has no more
 * to give. Blocks that were freed are used again, for any device; only a new one asks the driver. The calling thread is not
 * inside gp_cuda_enter.
 *
 * Results, live and kept, are at most 256 MB together, or what GPUPLOT_PINNED_MB says (0: no pinned results). The chunks of one
 * transfer, 32 MB, may be kept beside them, so that tensors that no longer fit do not pin memory anew each time.
 */
gp_status gp_cuda_pinned_alloc(int ordinal, size_t n_bytes, void **out, gp_error *error) GP_MUST_CHECK;

/*
 * Any thread may call it at any time, finalizers too: it calls no driver, takes no lock of a device and keeps the block for the
 * next one. NULL, and in a forked child anything, is let be.
 */
void gp_cuda_pinned_free(void *pointer);

/* The most bytes of pinned results, as the environment says it now. */
size_t gp_cuda_pinned_budget(void);

/* Bytes of all devices together: in use, and kept for the next ones. */
typedef struct gp_cuda_pinned_counts {
    int64_t live_bytes, kept_bytes;
} gp_cuda_pinned_counts;
gp_cuda_pinned_counts gp_cuda_pinned_count(void);

#endif
