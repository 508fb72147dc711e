/* struct gp_cuda_device from inside: what the files of this folder that manage a device share, and nobody else sees. */
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
    bool is_asked_for; /* since gp_cuda_enter: its contents are in use */
} gp_cuda_slot_memory;

/* Pinned memory in equal pieces, used in turn by uploads and downloads. */
enum { GP_RING_SLOTS = 3 };
typedef struct gp_cuda_ring {
    uint8_t *memory; /* NULL until the first copy */
    size_t slot_bytes;
    CUevent events[GP_RING_SLOTS];
    bool is_busy[GP_RING_SLOTS]; /* a copy may still be using it: its event tells */
    bool has_unmarked;           /* some copy has no event, and only the whole stream tells when it is done */
    int next;
} gp_cuda_ring;

/* A block of cells: in use, or kept for the next cells. */
typedef struct gp_cuda_cells_block {
    gp_cuda_block block;
    bool is_free;
    uint64_t freed_at; /* counts frees; the smallest is the oldest */
} gp_cuda_cells_block;

/* Guarded by a mutex of its own, so that a finalizer never waits for a kernel. */
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

/* One loaded module and the kernels that were asked for; stands at the place of its image in gp_cuda_images. */
typedef struct gp_cuda_module {
    CUmodule module;
    gp_cuda_kernel *kernels;
    int n_kernels;
} gp_cuda_module;

struct gp_cuda_device {
    pthread_mutex_t mutex; /* held from enter to leave; guards everything below but the cells */
    bool is_ready;
    const gp_cuda_api *api;
    int ordinal;
    CUdevice handle;
    CUcontext context;
    bool has_context_id;
    unsigned long long context_id; /* another one after a reset of the device, which may give it the same handle */
    CUstream stream, copy_stream; /* copy_stream: of transfers, NULL before the first one */
    bool is_idle; /* inside enter and leave: nothing was queued on `stream` since it was waited for */
    CUevent event; /* recorded on producers' streams */
    CUmemoryPool pool; /* of the private stream's memory; NULL where the device has no pools */
    int n_transfers; /* under way: the state is not unmade before they are done */
    pthread_cond_t transfers_done;
    int n_processors, capability; /* 10 major + minor */
    int capture_mode; /* of the thread that entered, from before */
    CUresult broken_by; /* a sticky error that was seen, or CUDA_SUCCESS */
    gp_cuda_slot_memory slots[GP_N_SLOTS];
    gp_cuda_ring ring;
    gp_cuda_module *modules;
    gp_cuda_counts counts;
    gp_cuda_cells_cache cells;
};

/* ---- device.c ------------------------------------------------------------------------------------------------------ */

/* The state made for an ordinal, or NULL where there is none yet. Takes no lock of the device. */
gp_cuda_device *gp_cuda_find_device(int ordinal);

/* Trims kept cells where they are too many and nobody is inside; otherwise whoever is will do it. */
void gp_cuda_tidy(gp_cuda_device *device);

/* Calls of the driver outside of enter and leave: a context made current, and no graph that somebody captures spoilt by what this
 * thread allocates, frees or waits for. end undoes it, also after a begin that failed. */
typedef struct gp_cuda_visit {
    const gp_cuda_api *api;
    bool is_begun;
    int capture_mode; /* of the thread, from before */
} gp_cuda_visit;
gp_status gp_cuda_visit_begin(const gp_cuda_api *api, CUcontext context, gp_cuda_visit *out, gp_error *error) GP_MUST_CHECK;
void gp_cuda_visit_end(gp_cuda_visit *visit);

/* A transfer uses the device in many short pieces of work. begin is called inside the first one; end outside, with what became
 * of it: a sticky error that was met while waiting is remembered. */
void gp_cuda_transfer_begin(gp_cuda_device *device);
void gp_cuda_transfer_end(gp_cuda_device *device, CUresult code);

/* ---- memory.c: every allocation goes through these, so that it is counted ------------------------------------------ */

/* A pool of our own, of which nobody else takes; without one (old drivers, some virtual GPUs) memory is the driver's. The private
 * stream is there. */
void gp_cuda_pool_make(gp_cuda_device *device);
void gp_cuda_pool_destroy(gp_cuda_device *device);

/*
 * Memory of the pool is there, and is given back, in the order of the private stream: nobody waits, and what is queued on it may still
 * use a block that is freed. Work on another stream must come after an event of the private one, and be waited for before the
 * block is freed. Without pools freeing waits for the whole device.
 */
gp_status gp_cuda_block_alloc(gp_cuda_device *device, size_t n_bytes, gp_cuda_block *out, gp_error *error) GP_MUST_CHECK;
void gp_cuda_block_free(gp_cuda_device *device, gp_cuda_block *block);

/* Rounded up to the grain of allocations, at least one grain. */
size_t gp_cuda_round_bytes(size_t n_bytes);

/* Forgets which slots are in use: their contents ended with the piece of work before. */
void gp_cuda_scratch_begin(gp_cuda_device *device);
void gp_cuda_scratch_free(gp_cuda_device *device);

/* ---- cells.c ------------------------------------------------------------------------------------------------------- */

/* Frees kept cells, oldest first, until at most so many bytes are kept. The device is entered. */
void gp_cuda_cells_trim(gp_cuda_device *device, size_t n_bytes_kept);

/* True where more is kept than may be: the next to leave the device trims. */
bool gp_cuda_cells_is_full(gp_cuda_device *device);

/* Frees all, those in use as well; where the context is gone, so is their memory, and the list alone is freed. */
void gp_cuda_cells_close(gp_cuda_device *device, bool is_context_gone);
#define GP_CELLS_KEPT_BYTES ((size_t)64 << 20)

/* ---- pinned.c ------------------------------------------------------------------------------------------------------- */

/* Pinned memory for the chunks of a transfer, which is had whatever the budget for results is; the device is entered. Goes back
 * by gp_cuda_pinned_free, and by gp_cuda_pinned_trim where more is kept than may be. */
gp_status gp_cuda_pinned_take(gp_cuda_device *device, size_t n_bytes, void **out, gp_error *error) GP_MUST_CHECK;
void gp_cuda_pinned_trim(void);
#define GP_CHUNKS_BYTES ((size_t)32 << 20)

/* Gives back all that is only kept. */
void gp_cuda_pinned_close(void);

/* ---- staging.c, module.c -------------------------------------------------------------------------------------------- */

void gp_cuda_ring_free(gp_cuda_device *device);
void gp_cuda_modules_free(gp_cuda_device *device, bool is_context_gone);

#endif
