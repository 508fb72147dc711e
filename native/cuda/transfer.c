/* Large conversions to the host: at the same time a chunk is made on the device's stream, another copied on a second one, another unloaded. */
#include "transfer.h"

#include "conversion_box.h"
#include "runtime/cells.h"
#include "runtime/cells_memory.h"
#include "runtime/device.h"
#include "runtime/interop.h"
#include "runtime/pinned.h"
#include "runtime/state.h"
#include "runtime/stream.h"
#include "runtime/visit.h"
#include "unpack.h"

/*
 * Chunk i is made by a kernel in device memory (unless the tensor has it already as it is wanted), is copied to a pinned slot (or to the
 * target, if that is pinned), and is unloaded by the host's threads, while chunks i + 1 and i + 2 are made and copied. The device is
 * entered only to queue a chunk. All waiting is done on the host, not on the device's stream: another thread's picture waits for
 * the kernel of one chunk at most.
 */
enum { N_CHUNKS = 2, N_SLOTS = 4 };
#define MOST_CHUNK_BYTES ((size_t)8 << 20)
#define USUAL_CHUNK_BYTES ((size_t)512 << 10) /* smaller chunks take less time than queuing them */
#define LEAST_CHUNK_BYTES ((size_t)64 << 10)

typedef struct transfer {
    const gp_conversion *plan;
    const gp_progress *progress;
    gp_cuda_device *device;
    const gp_cuda_api *api;
    CUcontext context;
    CUstream stream, copy_stream;
    bool is_straight; /* no kernel: chunks are copied from the tensor */
    bool is_direct; /* no slots: chunks are copied to the target */
    bool is_streamed; /* slots are unloaded past the caches */
    size_t item_bytes, chunk_bytes;
    CUdeviceptr chunks[N_CHUNKS];
    uint8_t *slots; /* a single block of pinned memory */
    CUevent made[N_CHUNKS], arrived[N_SLOTS];
    gp_cuda_box boxes[N_SLOTS]; /* of the chunks in flight, by chunk number modulo N_SLOTS */
    int64_t n_queued, n_arrived; /* chunks */
    int64_t begin; /* the first item that isn't queued */
    int64_t n_done; /* items in the target */
    double asked_at; /* when progress was last reported */
} transfer;

/* ---- opening ---------------------------------------------------------------------------------------------------------------- */

static size_t total_bytes(const transfer *t) { return (size_t)t->plan->n_elems * t->item_bytes; }

/* The size of a chunk, a power of two so that memory can be reused: about a quarter of the transfer, at most 8 MB. */
static size_t wanted_chunk_bytes(const transfer *t)
{
    size_t n_bytes = LEAST_CHUNK_BYTES;
    while (n_bytes < MOST_CHUNK_BYTES && n_bytes < total_bytes(t) &&
           (n_bytes < USUAL_CHUNK_BYTES || 4 * n_bytes < total_bytes(t)))
        n_bytes *= 2;
    return n_bytes;
}

static void free_memory(transfer *t)
{
    for (int i = 0; i < N_CHUNKS; i++) {
        gp_cuda_cells_free(t->device->ordinal, t->chunks[i]);
        t->chunks[i] = 0;
    }
    gp_cuda_pinned_free(t->slots);
    t->slots = NULL;
}

static gp_status allocate(transfer *t, gp_error *error)
{
    gp_status status = GP_OK;
    void *slots = NULL;
    for (int i = 0; i < N_CHUNKS && !t->is_straight && status == GP_OK; i++)
        status = gp_cuda_cells_alloc(t->device, t->chunk_bytes, &t->chunks[i], error);
    if (status == GP_OK && !t->is_direct)
        status = gp_cuda_pinned_take(t->device, N_SLOTS * t->chunk_bytes, &slots, error);
    t->slots = slots;
    return status;
}

/* Allocates memory for chunks, smaller ones if there is little. */
static gp_status allocate_what_there_is(transfer *t, gp_error *error)
{
    t->chunk_bytes = wanted_chunk_bytes(t);
    for (;;) {
        gp_status status = allocate(t, error);
        if (status == GP_OK || !gp_cuda_is_out_of_memory(error) || t->chunk_bytes <= LEAST_CHUNK_BYTES)
            return status;
        free_memory(t);
        t->chunk_bytes /= 2;
    }
}

static gp_status make_events(transfer *t, gp_error *error)
{
    for (int i = 0; i < N_CHUNKS; i++)
        GP_TRY_CUDA(t->api->eventCreate(&t->made[i], CU_EVENT_DISABLE_TIMING), "cuEventCreate", error);
    for (int i = 0; i < N_SLOTS; i++)
        GP_TRY_CUDA(t->api->eventCreate(&t->arrived[i], CU_EVENT_DISABLE_TIMING), "cuEventCreate", error);
    return GP_OK;
}

/* Copies of a transfer without kernels must wait for the producer's work, too, as the private stream does. */
static gp_status order_copies(transfer *t, gp_error *error)
{
    GP_TRY_CUDA(t->api->eventRecord(t->made[0], t->stream), "cuEventRecord", error);
    return gp_cuda_check(t->api->streamWaitEvent(t->copy_stream, t->made[0], 0), "cuStreamWaitEvent", error);
}

static gp_status open_entered(transfer *t, gp_error *error)
{
    gp_cuda_device *device = t->device;
    if (device->copy_stream == NULL)
        GP_TRY_CUDA(t->api->streamCreate(&device->copy_stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate", error);
    t->stream = gp_cuda_stream(device), t->copy_stream = device->copy_stream;
    t->is_straight = gp_cuda_is_straight(t->plan);
    t->is_direct = t->plan->is_target_dense && gp_cuda_is_pinned(device, t->plan->to, total_bytes(t));
    GP_TRY(allocate_what_there_is(t, error));
    GP_TRY(make_events(t, error));
    return order_copies(t, error);
}

/* ---- chunks ------------------------------------------------------------------------------------------------------------------ */

static gp_status queue_entered(transfer *t, const gp_cuda_box *box, gp_error *error)
{
    int chunk = (int)(t->n_queued % N_CHUNKS), slot = (int)(t->n_queued % N_SLOTS);
    size_t n_bytes = (size_t)box->n_items * t->item_bytes;
    CUdeviceptr from = (CUdeviceptr)(uintptr_t)box->from;
    void *to = t->is_direct ? (void *)box->to : t->slots + (size_t)slot * t->chunk_bytes;
    if (!t->is_straight) {
        from = t->chunks[chunk];
        GP_TRY(gp_cuda_pack_box(t->device, t->plan, box, from, error));
        GP_TRY_CUDA(t->api->eventRecord(t->made[chunk], t->stream), "cuEventRecord", error);
        GP_TRY_CUDA(t->api->streamWaitEvent(t->copy_stream, t->made[chunk], 0), "cuStreamWaitEvent", error);
    }
    GP_TRY_CUDA(t->api->memcpyDtoHAsync(to, from, n_bytes, t->copy_stream), "cuMemcpyDtoHAsync", error);
    t->device->counts.bytes_to_host += (int64_t)n_bytes;
    return gp_cuda_check(t->api->eventRecord(t->arrived[slot], t->copy_stream), "cuEventRecord", error);
}

static gp_status queue_chunk(transfer *t, gp_error *error)
{
    gp_cuda_device *device;
    gp_cuda_box box = gp_cuda_box_at(t->plan, t->begin, (int64_t)(t->chunk_bytes / t->item_bytes));
    GP_TRY(gp_cuda_enter(t->device->ordinal, &device, error));
    gp_status status = queue_entered(t, &box, error);
    gp_cuda_leave(device);
    if (status == GP_OK) {
        t->boxes[t->n_queued++ % N_SLOTS] = box;
        t->begin += box.n_items;
    }
    return status;
}

/* Queues chunks up to the number of chunks in device memory; one more slot is being unloaded. */
static gp_status queue_chunks(transfer *t, gp_error *error)
{
    int64_t most = t->is_straight ? N_SLOTS - 1 : N_CHUNKS;
    while (t->begin < t->plan->n_elems && t->n_queued - t->n_arrived < most)
        GP_TRY(queue_chunk(t, error));
    return GP_OK;
}

static gp_status wait_for_chunk(transfer *t, gp_error *error)
{
    gp_cuda_visit visit;
    gp_status status = gp_cuda_visit_begin(t->api, t->context, &visit, error);
    if (status == GP_OK)
        status = gp_cuda_check(t->api->eventSynchronize(t->arrived[t->n_arrived % N_SLOTS]), "cuEventSynchronize", error);
    gp_cuda_visit_end(&visit);
    t->n_arrived += status == GP_OK;
    return status;
}

static gp_status run(transfer *t, gp_error *error)
{
    GP_TRY(queue_chunks(t, error));
    while (t->n_arrived < t->n_queued) {
        int slot = (int)(t->n_arrived % N_SLOTS);
        GP_TRY(wait_for_chunk(t, error));
        GP_TRY(queue_chunks(t, error));
        if (!t->is_direct)
            GP_TRY(gp_cuda_unload_box(t->plan, &t->boxes[slot], t->slots + (size_t)slot * t->chunk_bytes, t->is_streamed, error));
        t->n_done += t->boxes[slot].n_items;
        if (t->n_done < t->plan->n_elems)
            GP_TRY(gp_progress_ask(t->progress, &t->asked_at, t->n_done, t->plan->n_elems, error));
    }
    return GP_OK;
}

/* ---- closing ----------------------------------------------------------------------------------------------------------------- */

/* Waiting must not be skipped, so a failed call is tried once more. */
static CUresult wait_for_stream(const transfer *t, CUstream stream)
{
    CUresult code = stream != NULL ? t->api->streamSynchronize(stream) : CUDA_SUCCESS;
    return code == CUDA_SUCCESS || gp_cuda_is_sticky(code) ? code : t->api->streamSynchronize(stream);
}

static void destroy_events(transfer *t)
{
    for (int i = 0; i < N_CHUNKS; i++) {
        if (t->made[i] != NULL)
            (void)t->api->eventDestroy(t->made[i]);
    }
    for (int i = 0; i < N_SLOTS; i++) {
        if (t->arrived[i] != NULL)
            (void)t->api->eventDestroy(t->arrived[i]);
    }
}

/*
 * Waits until nothing of this transfer is queued any more, on success and failure, before its memory is freed for others. Returns a sticky
 * error code if one occurred.
 */
static CUresult close_transfer(transfer *t, gp_status status)
{
    gp_error unused;
    gp_cuda_visit visit;
    CUresult code = CUDA_SUCCESS;
    if (gp_cuda_visit_begin(t->api, t->context, &visit, &unused) != GP_OK)
        (void)!gp_cuda_visit_begin(t->api, t->context, &visit, &unused);
    if (status != GP_OK) {
        CUresult one = wait_for_stream(t, t->stream), other = wait_for_stream(t, t->copy_stream);
        code = one != CUDA_SUCCESS ? one : other;
    }
    destroy_events(t);
    free_memory(t);
    gp_cuda_pinned_trim();
    gp_cuda_visit_end(&visit);
    return code;
}

gp_status gp_cuda_transfer(const gp_conversion *plan, const gp_progress *progress, gp_error *error)
{
    transfer t = {.plan = plan, .progress = progress, .item_bytes = (size_t)gp_dtype_size_bytes(plan->to_dtype)};
    GP_TRY(gp_cuda_enter(plan->device.id, &t.device, error));
    t.api = t.device->api, t.context = t.device->context;
    gp_cuda_transfer_begin(t.device);
    gp_status status = open_entered(&t, error);
    gp_cuda_leave(t.device);
    t.is_streamed = !t.is_direct && gp_cuda_is_streamed(plan);
    if (status == GP_OK)
        status = run(&t, error);
    CUresult code = close_transfer(&t, status);
    gp_cuda_transfer_end(t.device, status == GP_ERR_DEVICE && gp_cuda_is_sticky(error->driver_code) ? error->driver_code : code);
    return status;
}
