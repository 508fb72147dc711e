/* gp_cuda_device, by which work names the device that it has entered; what is counted of it, and the uses of its scratch memory. */
#ifndef GP_CUDA_HANDLE_H
#define GP_CUDA_HANDLE_H

#include "driver.h"

typedef struct gp_cuda_device gp_cuda_device;

/* The uses of scratch memory, each with a piece of its own. */
typedef enum gp_cuda_slot {
    GP_SLOT_AXES, /* spans of the two axes; edges of bins, those of a second axis in the next slot */
    GP_SLOT_STATES, /* partial results of cells */
    GP_SLOT_FACTS, /* partial results about elements */
    GP_SLOT_SELECT, /* histograms */
    GP_SLOT_STYLE, /* color table, boundaries, opacities */
    GP_SLOT_PIXELS,
    GP_SLOT_GATHER, /* chunks on their way to the host */
    GP_N_SLOTS
} gp_cuda_slot;

/* Counted since the state was made: driver allocations and their bytes, launches, bytes copied either way. */
typedef struct gp_cuda_counts {
    int64_t n_device_allocs, n_pinned_allocs, n_launches, device_bytes, pinned_bytes, bytes_to_host, bytes_to_device;
    int64_t scratch_bytes, cached_cells_bytes;
    int64_t pinned_live_bytes, pinned_kept_bytes; /* of all devices together: pinned.h */
} gp_cuda_counts;

#endif
