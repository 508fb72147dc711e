/* Pinned host memory, for results that the copy engine writes directly and for chunks of transfers; one pool for all devices. */
#ifndef GP_CUDA_PINNED_H
#define GP_CUDA_PINNED_H

#include "handle.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Memory of at least n_bytes > 0 that stays readable until gp_cuda_pinned_free, also after gp_cuda_close. *out is NULL, and the
 * status GP_OK, if there is none: pinned results are switched off, the budget is spent, or the system has no more. Freed blocks
 * are reused, for any device; of these the driver is asked only whether a reset has ended them. The calling thread is not inside gp_cuda_enter.
 *
 * Results, in use and kept, are at most 256 MB together, or GPUPLOT_PINNED_MB (0: no pinned results). The chunks of one transfer,
 * 32 MB, may be kept in addition, so that transfers of large tensors do not pin memory each time.
 */
gp_status gp_cuda_pinned_alloc(int ordinal, size_t n_bytes, void **out, gp_error *error) GP_MUST_CHECK;

/*
 * Any thread may call it at any time, also finalizers: it does not call the driver, takes no lock of a device and keeps the block
 * for reuse. It does nothing for NULL, and in a forked child.
 */
void gp_cuda_pinned_free(void *pointer);

/* The most bytes of pinned results, by the environment. */
size_t gp_cuda_pinned_budget(void);

/* Bytes of all devices together: in use, and kept for reuse. */
typedef struct gp_cuda_pinned_counts {
    int64_t live_bytes, kept_bytes;
} gp_cuda_pinned_counts;
gp_cuda_pinned_counts gp_cuda_pinned_count(void);

/* ---- for the files that manage a device ---------------------------------------------------------------------------- */

/* Pinned memory for the chunks of a transfer, whatever the budget for results; the device is entered. Freed by
 * gp_cuda_pinned_free, and by gp_cuda_pinned_trim if more is kept than allowed. */
gp_status gp_cuda_pinned_take(gp_cuda_device *device, size_t n_bytes, void **out, gp_error *error) GP_MUST_CHECK;
void gp_cuda_pinned_trim(void);
#define GP_CHUNKS_BYTES ((size_t)32 << 20)

/* Frees all blocks that are kept but not in use. */
void gp_cuda_pinned_close(void);

#endif
