/* The members of struct gp_cuda_device, for the files that manage a device. */
#ifndef GP_CUDA_STATE_H
#define GP_CUDA_STATE_H

#include "handle.h"

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

#endif
