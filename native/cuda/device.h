/* gp_cuda_device: the state of a GPU - primary context, a stream, kernels, scratch and pinned memory. */
#ifndef GP_CUDA_DEVICE_H
#define GP_CUDA_DEVICE_H

#include "../core/cells.h"
#include "driver.h"

#include <stdbool.h>

typedef struct gp_cuda_device gp_cuda_device;

/*
 * Begins a piece of work on a device: loads the driver and makes the device's state if this is the first time, locks the
 * state (one thread at a time uses it) and makes the primary context current. Ends with gp_cuda_leave, which restores the
 * context that was current before. On failure nothing is locked and no context was pushed.
 */
gp_status gp_cuda_enter(int ordinal, gp_cuda_device **out, gp_error *error) GP_MUST_CHECK;
void gp_cuda_leave(gp_cuda_device *device);

/* The same for work that reads cells: fails if a reset of the device has freed their memory. */
gp_status gp_cuda_enter_cells(const gp_cells *cells, gp_cuda_device **out, gp_error *error) GP_MUST_CHECK;

/* Notes an error code after which the entered device cannot be used; only gp_cuda_check calls it. */
void gp_cuda_note_code(int code);

/* ---- between enter and leave ------------------------------------------------------------------------------------- */

const gp_cuda_api *gp_cuda_api_of(const gp_cuda_device *device);
CUstream gp_cuda_stream(gp_cuda_device *device); /* private, non-blocking; the caller will queue something on it */
int gp_cuda_n_processors(const gp_cuda_device *device); /* streaming multiprocessors, for the size of grids */

/* Enough blocks to keep the device busy: 8 for each multiprocessor. */
int64_t gp_cuda_wanted_blocks(const gp_cuda_device *device);

/*
 * Queues one kernel on the device's stream. `module` is a name of cmake/cuda_kernels.cmake's table ("shade",
 * "reduce_F32"), loaded at its first use; `kernel` is the name given to GP_KERNEL. args is copied before the call returns.
 */
gp_status gp_cuda_launch(gp_cuda_device *device, const char *module, const char *kernel, int64_t grid_x, int64_t grid_y,
                         int64_t grid_z, int n_threads, const void *args, gp_error *error) GP_MUST_CHECK;

/* Waits until everything queued on the device's stream is done, and reports errors of it. Does not call the driver if nothing was
 * queued since the last wait of this piece of work. */
gp_status gp_cuda_wait(gp_cuda_device *device, gp_error *error) GP_MUST_CHECK;

/*
 * Scratch memory on the device: one piece for each slot, which only grows; valid until the same slot is asked for with more
 * bytes, or gp_cuda_leave. It is not cleared. If the device has no pools, growing waits. At most GP_SCRATCH_BYTES in all: ask
 * for less, or work in pieces. Frees cached cells before it fails. out: a CUdeviceptr, or a pointer of any type, as kernels
 * take it.
 */
typedef enum gp_cuda_slot {
    GP_SLOT_AXES,     /* spans of the two axes; edges of bins, those of a second axis in the next slot */
    GP_SLOT_STATES,   /* partial results of cells */
    GP_SLOT_FACTS,    /* partial results about elements */
    GP_SLOT_SELECT,   /* histograms */
    GP_SLOT_STYLE,    /* color table, boundaries, opacities */
    GP_SLOT_PIXELS,
    GP_SLOT_GATHER,   /* chunks on their way to the host */
    GP_N_SLOTS
} gp_cuda_slot;
#define GP_SCRATCH_BYTES ((size_t)64 << 20)
gp_status gp_cuda_scratch(gp_cuda_device *device, gp_cuda_slot slot, size_t n_bytes, void *out, gp_error *error) GP_MUST_CHECK;

/* The same with every byte set to a value, or with a copy of host bytes. */
gp_status gp_cuda_scratch_filled(gp_cuda_device *device, gp_cuda_slot slot, size_t n_bytes, unsigned char byte, void *out,
                                 gp_error *error) GP_MUST_CHECK;
gp_status gp_cuda_scratch_copy(gp_cuda_device *device, gp_cuda_slot slot, const void *from, size_t n_bytes, void *out,
                               gp_error *error) GP_MUST_CHECK;

/* Host bytes to device memory, in the order of the stream. `from` may be reused at once, as the bytes are copied to pinned memory. */
gp_status gp_cuda_upload(gp_cuda_device *device, CUdeviceptr to, const void *from, size_t n_bytes, gp_error *error) GP_MUST_CHECK;

/* A pointer of a kernel's arguments as a CUdeviceptr. */
static inline CUdeviceptr gp_cuda_address(const void *pointer) { return (CUdeviceptr)(uintptr_t)pointer; }

/* Device memory to host bytes: through pinned chunks, two in flight, copied out while the next one arrives; or directly if `to` is a
 * megabyte or more of pinned memory. Returns when `to` is complete and the stream is idle. */
gp_status gp_cuda_download(gp_cuda_device *device, void *to, CUdeviceptr from, size_t n_bytes, gp_error *error) GP_MUST_CHECK;

/* Queues the same for at most GP_NOTE_BYTES, without waiting: `out` is set to pinned memory, which has the bytes after the next wait,
 * until the next note. */
enum { GP_NOTE_BYTES = 960, GP_N_FLAGS = 16 };
gp_status gp_cuda_download_note(gp_cuda_device *device, CUdeviceptr from, size_t n_bytes, const void **out,
                                gp_error *error) GP_MUST_CHECK;

/* GP_N_FLAGS numbers in pinned memory, now 0, and where kernels find them: for what these rarely note, known after the next wait. */
gp_status gp_cuda_flags(gp_cuda_device *device, const uint32_t **out, uint32_t **for_kernels, gp_error *error) GP_MUST_CHECK;

/*
 * Queues a kernel that writes *n_items items begin, begin + 1, ... side by side to `target`, or fewer, setting *n_items. It
 * copies nothing itself.
 */
typedef gp_status (*gp_cuda_make)(void *context, int64_t begin, int64_t *n_items, CUdeviceptr target, gp_error *error);

/*
 * Items that kernels make, to host memory, in chunks: while the host copies one out of pinned memory, the next is made and
 * copied. Kernels write to the slot's scratch memory, a few MB, which is copied as by gp_cuda_download; with
 * GPUPLOT_CUDA_MAPPED=1 in the environment they write to pinned memory themselves. Returns as gp_cuda_download does.
 */
gp_status gp_cuda_fetch(gp_cuda_device *device, void *to, int64_t n_items, size_t item_bytes, gp_cuda_slot slot,
                        gp_cuda_make make, void *context, gp_error *error) GP_MUST_CHECK;

/*
 * Memory for cells, which outlives enter and leave. Freed blocks are kept for the next cells, up to 64 MB, so that repeated
 * draws allocate nothing. gp_cuda_cells_free may be called outside enter/leave, by any thread; in a forked child and after
 * gp_cuda_close it does nothing.
 */
gp_status gp_cuda_cells_alloc(gp_cuda_device *device, size_t n_bytes, CUdeviceptr *out, gp_error *error) GP_MUST_CHECK;
void gp_cuda_cells_free(int ordinal, CUdeviceptr pointer);

/* ---- pointers and streams of other libraries (order.c) ------------------------------------------------------------ */

typedef struct gp_cuda_memory {
    CUdeviceptr pointer; /* the address for kernels */
    int ordinal;         /* of the device that owns it */
    bool is_managed, is_host; /* is_host: pinned or registered host memory */
    uint64_t low, high;       /* the allocation, half-open, if kernels use the same addresses; else both 0 */
} gp_cuda_memory;

/*
 * The driver's facts about bytes low..high (half-open, low < high) of another library. Fails if this is not memory of CUDA's,
 * was freed, belongs to a context that is not the primary one, or is smaller. Nothing is read.
 * hint: device to ask first, -1 for unknown.
 */
gp_status gp_cuda_inspect(uint64_t low, uint64_t high, int hint, gp_cuda_memory *out, gp_error *error) GP_MUST_CHECK;

/* Whether all these bytes of the host are in one piece of pinned memory, whoever pinned it. The device is entered. */
bool gp_cuda_is_pinned(const gp_cuda_device *device, const void *low, size_t n_bytes);

/*
 * Elements of `item_bytes` anywhere in memory of one device, to host memory, one after the other: a copy of the addresses to
 * the device, a kernel, and a copy back, for any number of elements. Addresses are first checked by the driver. (points.c)
 */
gp_status gp_cuda_gather_points(int ordinal, const uint64_t *addresses, int64_t n_points, int item_bytes, void *out,
                                gp_error *error) GP_MUST_CHECK;

/* Makes the device's stream wait for the work that is now queued on the producer's stream (1 legacy, 2 the calling thread's
 * default, else a handle). Fails, before anything is queued, for a stream that is capturing a graph. */
gp_status gp_cuda_order_after(int ordinal, uint64_t stream, gp_error *error) GP_MUST_CHECK;

/* Waits for everything queued on any stream of the device's primary context: for producers whose stream is unknown. */
gp_status gp_cuda_synchronize(int ordinal, gp_error *error) GP_MUST_CHECK;

/* Fails if this stream of the device is capturing a graph. */
gp_status gp_cuda_refuse_capture(int ordinal, uint64_t stream, gp_error *error) GP_MUST_CHECK;

/* The handle of the device's private stream, for DLPack's stream=. */
gp_status gp_cuda_stream_handle(int ordinal, uint64_t *out, gp_error *error) GP_MUST_CHECK;

/* ---- for show_config and tests ------------------------------------------------------------------------------------- */

/* How kernels are compiled: "built" (with the build), "nvrtc" (at first use), "none". */
const char *gp_cuda_kernels_kind(void);

/* The architectures that the build compiled kernels for, such as "sm_80 sm_90 compute_75", and the version of its NVRTC (1000
 * major + 10 minor); empty and 0 if it compiled none. */
void gp_cuda_images_built(char *archs, size_t n_bytes, int *nvrtc_version);

/* The image of the build that a GPU of this compute capability runs with a driver of this version, such as "sm_80"; empty
 * if there is none, so that kernels are compiled at first use. */
void gp_cuda_image_for(int capability, int driver_version, char *out, size_t n_bytes);

/* Counted since the state was made: driver allocations and their bytes, launches, bytes copied either way. */
typedef struct gp_cuda_counts {
    int64_t n_device_allocs, n_pinned_allocs, n_launches, device_bytes, pinned_bytes, bytes_to_host, bytes_to_device;
    int64_t scratch_bytes, cached_cells_bytes;
    int64_t pinned_live_bytes, pinned_kept_bytes; /* of all devices together: pinned.h */
} gp_cuda_counts;
gp_status gp_cuda_count(int ordinal, gp_cuda_counts *out, gp_error *error) GP_MUST_CHECK;

/* Waits for transfers, frees everything of every device, except pinned memory in use, and releases the primary contexts; the
 * next call starts anew. Not called at exit, as the driver may have ended. Does nothing inside a transfer. */
void gp_cuda_close(void);

#endif
