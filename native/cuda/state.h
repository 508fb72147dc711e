/* The members of struct gp_cuda_device, and functions that only the files that manage a device share. */
#ifndef GP_CUDA_STATE_H
#define GP_CUDA_STATE_H

#include "device.h"
#include "images.h"

#include <pthread.h>

/* One piece of device memory; {0} is none. */
typedef struct gp_cuda_block {
    CUdeviceptr pointer;
    size_t n_bytes;
} gp_cuda_block;

typedef struct gp_cuda_slot_memory {
    gp_cuda_block block;
    bool is_asked_for; /* asked for since gp_cuda_enter, so that its contents are in use */
} gp_cuda_slot_memory;

/* Pinned memory in equal pieces, which uploads and downloads use in turn; a note (gp_cuda_download_note) lies behind them. */
enum { GP_RING_SLOTS = 4 }; /* a draw uses four: geometry, limits, style, pixels */
typedef struct gp_cuda_ring {
    uint8_t *memory; /* NULL until the first copy */
    CUdeviceptr flags; /* where kernels find the flags (gp_cuda_flags); 0 before the first use of these */
    size_t slot_bytes;
    CUevent events[GP_RING_SLOTS];
    bool is_busy[GP_RING_SLOTS]; /* a copy may still use it, until its event */
    bool has_unmarked;           /* some copy has no event, so that only waiting for the stream tells when it is done */
    int next;
} gp_cuda_ring;

/* A block of cells: in use, or kept for the next cells. */
typedef struct gp_cuda_cells_block {
    gp_cuda_block block;
    bool is_free;
    uint64_t freed_at; /* counts frees; the smallest is the oldest */
} gp_cuda_cells_block;

/* It has a mutex of its own, so that a finalizer never waits for a kernel. */
typedef struct gp_cuda_cells_cache {
    pthread_mutex_t mutex;
    gp_cuda_cells_block *blocks;
    int n_blocks, capacity;
    size_t free_bytes;
    uint64_t n_frees;
} gp_cuda_cells_cache;

typedef struct gp_cuda_kernel {
    char name[64];
    CUfunction function;
} gp_cuda_kernel;

/* A loaded module and those of its kernels that have been used; at the index of its image in gp_cuda_images. */
typedef struct gp_cuda_module {
    CUmodule module;
    gp_cuda_kernel *kernels;
    int n_kernels;
} gp_cuda_module;

struct gp_cuda_device {
    pthread_mutex_t mutex; /* held from enter to leave; guards everything below except the cells */
    bool is_ready;
    const gp_cuda_api *api;
    int ordinal;
    CUdevice handle;
    CUcontext context;
    bool has_context_id;
    unsigned long long context_id; /* differs after a reset of the device, whose context may have the same handle */
    CUstream stream, copy_stream; /* copy_stream: for transfers, NULL before the first one */
    bool is_idle; /* between enter and leave: nothing was queued on `stream` since the last wait */
    CUevent event; /* recorded on producers' streams */
    CUmemoryPool pool; /* memory in the order of the private stream; NULL if the device has no pools */
    int n_transfers; /* in progress: the state is kept until they are done */
    pthread_cond_t transfers_done;
    int n_processors, capability; /* 10 major + minor */
    int capture_mode; /* of the thread that entered, before that */
    CUresult broken_by; /* a sticky error that occurred, or CUDA_SUCCESS */
    gp_cuda_slot_memory slots[GP_N_SLOTS];
    gp_cuda_ring ring;
    gp_cuda_module *modules;
    gp_cuda_counts counts;
    gp_cuda_cells_cache cells;
};

/* ---- device_state.c ------------------------------------------------------------------------------------------------ */

enum { GP_MAX_DEVICES = 64 };

/* The state of the device with this ordinal, or NULL if there is none yet. Takes no lock of the device. */
gp_cuda_device *gp_cuda_find_device(int ordinal);

/* The same, added if there is none; an error without a device of this number. */
gp_status gp_cuda_find_or_add(const gp_cuda_api *api, int ordinal, gp_cuda_device **out, gp_error *error) GP_MUST_CHECK;

/* Makes the context, stream, event and memory pool of a state, and sets is_ready; unmake frees all that the device has. As the functions
 * below, these need the device's mutex. */
gp_status gp_cuda_state_make(gp_cuda_device *device, const gp_cuda_api *api, gp_error *error) GP_MUST_CHECK;
void gp_cuda_state_unmake(gp_cuda_device *device);

/* Whether the device was reset (cudaDeviceReset, numba.cuda.close), which ends all handles and frees all memory, even if the new context
 * has the old handle. Drivers before CUDA 12 cannot tell; there the first failing call shows it. */
bool gp_cuda_state_is_reset(gp_cuda_device *device);

/* Forgets handles that a reset has ended, without passing them to the driver; an error while transfers are in progress. */
gp_status gp_cuda_state_forget(gp_cuda_device *device, gp_error *error) GP_MUST_CHECK;

/* ---- device.c ------------------------------------------------------------------------------------------------------ */

/* Trims kept cells if they are too many and no thread is inside; a thread that is inside does it when it leaves. */
void gp_cuda_tidy(gp_cuda_device *device);

/* For calls of the driver outside of enter and leave: makes the context current, and keeps this thread's allocations, frees and waits
 * from invalidating a graph that is being captured. end undoes it, also after a begin that failed. */
typedef struct gp_cuda_visit {
    const gp_cuda_api *api;
    bool is_begun;
    int capture_mode; /* of the thread, before that */
} gp_cuda_visit;
gp_status gp_cuda_visit_begin(const gp_cuda_api *api, CUcontext context, gp_cuda_visit *out, gp_error *error) GP_MUST_CHECK;
void gp_cuda_visit_end(gp_cuda_visit *visit);

/* A transfer uses the device in many short pieces of work. begin is called inside the first one; end outside, with its status: a
 * sticky error that occurred while waiting is noted. */
void gp_cuda_transfer_begin(gp_cuda_device *device);
void gp_cuda_transfer_end(gp_cuda_device *device, CUresult code);

/* ---- memory.c: every allocation goes through these, so that it is counted ------------------------------------------ */

/* Makes our own memory pool; without one (old drivers, some virtual GPUs) memory is allocated by the driver. The private stream
 * exists already. */
void gp_cuda_pool_make(gp_cuda_device *device);
void gp_cuda_pool_destroy(gp_cuda_device *device);

/*
 * Memory of the pool is allocated and freed in the order of the private stream: nothing waits, and work queued before may still use a
 * block that is freed. Work on another stream must come after an event of the private one, and must be waited for before the block is
 * freed. Without pools freeing waits for the whole device.
 */
gp_status gp_cuda_block_alloc(gp_cuda_device *device, size_t n_bytes, gp_cuda_block *out, gp_error *error) GP_MUST_CHECK;
void gp_cuda_block_free(gp_cuda_device *device, gp_cuda_block *block);

/* Rounded up to the unit of allocations, at least one unit. */
size_t gp_cuda_round_bytes(size_t n_bytes);

/* Marks all slots as not in use, at the begin of a piece of work. */
void gp_cuda_scratch_begin(gp_cuda_device *device);
void gp_cuda_scratch_free(gp_cuda_device *device);

/* ---- cells.c ------------------------------------------------------------------------------------------------------- */

/* Frees kept cells, oldest first, until at most so many bytes are kept. The device is entered. */
void gp_cuda_cells_trim(gp_cuda_device *device, size_t n_bytes_kept);

/* Whether more is kept than is allowed, so that the next thread that leaves the device trims. */
bool gp_cuda_cells_is_full(gp_cuda_device *device);

/* Frees all cells, also those in use. If the context is gone, their memory is too, and only the list is freed. */
void gp_cuda_cells_close(gp_cuda_device *device, bool is_context_gone);
#define GP_CELLS_KEPT_BYTES ((size_t)64 << 20)

/* ---- pinned.c ------------------------------------------------------------------------------------------------------- */

/* Pinned memory for the chunks of a transfer, whatever the budget for results; the device is entered. Freed by
 * gp_cuda_pinned_free, and by gp_cuda_pinned_trim if more is kept than allowed. */
gp_status gp_cuda_pinned_take(gp_cuda_device *device, size_t n_bytes, void **out, gp_error *error) GP_MUST_CHECK;
void gp_cuda_pinned_trim(void);
#define GP_CHUNKS_BYTES ((size_t)32 << 20)

/* Frees all blocks that are kept but not in use. */
void gp_cuda_pinned_close(void);

/* ---- staging.c, module.c -------------------------------------------------------------------------------------------- */

void gp_cuda_ring_free(gp_cuda_device *device);
void gp_cuda_modules_free(gp_cuda_device *device, bool is_context_gone);

#endif
