/* Pinned memory in equal pieces, through which copies between host and device go in turn. */
#ifndef GP_CUDA_RING_H
#define GP_CUDA_RING_H

#include "state.h"

/* Behind the slots: a note (gp_cuda_download_note), and flags (gp_cuda_flags). */
enum { GP_NOTE_BYTES = 960, GP_N_FLAGS = 16 };

/* The sizes of a slot: the first holds the pixels of a picture; if there is little pinned memory, slots are smaller. */
#define GP_RING_SLOT_BYTES ((size_t)3 << 20)

/* Allocates the ring if there is none yet. */
gp_status gp_cuda_ring_make(gp_cuda_device *device, gp_error *error) GP_MUST_CHECK;
void gp_cuda_ring_free(gp_cuda_device *device);

/* The next slot, free to be used. */
gp_status gp_cuda_ring_take(gp_cuda_device *device, int *slot, uint8_t **memory, gp_error *error) GP_MUST_CHECK;

/* Records the slot's event after the copy that was queued last, so that others can wait for it. */
gp_status gp_cuda_ring_mark(gp_cuda_device *device, int slot, gp_error *error) GP_MUST_CHECK;

/* Waits until the copy that used a slot last is done; or for everything on the stream. */
gp_status gp_cuda_ring_wait(gp_cuda_device *device, int slot, gp_error *error) GP_MUST_CHECK;
gp_status gp_cuda_ring_wait_all(gp_cuda_device *device, gp_error *error) GP_MUST_CHECK;

#endif
