/* The pool of pinned memory: blocks of a few sizes, kept when they are freed, within a budget for all devices. */
#include "pinned.h"

#include "device.h"
#include "pool.h"
#include "visit.h"

#include <errno.h>
#include <stdlib.h>

enum { DEFAULT_BUDGET_MB = 256 };

/*
 * Pinned memory ends with the context that allocated it, and arrays outlive gp_cuda_close: so each block retains the primary context and is
 * freed in it. Blocks are allocated as PORTABLE: every device may use them.
 */
typedef struct pinned_block {
    void *pointer;
    size_t n_bytes;
    const gp_cuda_api *api;
    CUdevice device;
    CUcontext context;
    bool has_context_id;
    unsigned long long context_id; /* a reset of the device frees the block, whose address is then forgotten */
    bool is_free;
    uint64_t freed_at; /* counts frees; the smallest is the oldest */
} pinned_block;

/* Guarded by a mutex under which the driver is not called: blocks are first removed from the list. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pinned_block *blocks;
static int n_blocks, capacity;
static size_t live_bytes, kept_bytes;
static uint64_t n_frees;

/* ---- sizes ---------------------------------------------------------------------------------------------------------- */

/* Rounds to one of four sizes for each power of two, so that freed blocks fit later results of nearly their size. */
static size_t size_class(size_t n_bytes)
{
    size_t step = gp_cuda_round_bytes(1);
    while (step < SIZE_MAX / 16 && 8 * step <= n_bytes)
        step *= 2;
    return (n_bytes + step - 1) / step * step;
}

size_t gp_cuda_pinned_budget(void)
{
    const char *text = getenv("GPUPLOT_PINNED_MB");
    char *end = NULL;
    errno = 0;
    long long megabytes = text != NULL && *text != '\0' ? strtoll(text, &end, 10) : DEFAULT_BUDGET_MB;
    if (errno != 0 || megabytes > (1LL << 30) || (end != NULL && (end == text || *end != '\0')))
        megabytes = DEFAULT_BUDGET_MB;
    return megabytes > 0 ? (size_t)megabytes << 20 : 0;
}

/* The chunks of one transfer may be kept in addition to results that fill the budget, since every transfer needs them. */
static size_t chunks_budget_bytes(void) { return gp_cuda_pinned_budget() + GP_CHUNKS_BYTES; }

/* ---- the list; under the mutex ---------------------------------------------------------------------------------------- */

static bool grow_list(void)
{
    if (n_blocks < capacity)
        return true;
    int wanted = capacity > 0 ? 2 * capacity : 16;
    pinned_block *grown = realloc(blocks, (size_t)wanted * sizeof *blocks);
    if (grown == NULL)
        return false;
    blocks = grown, capacity = wanted;
    return true;
}

/* The smallest kept block that is large enough, not much larger, and within the budget; false if there is none. */
static bool take_kept(size_t n_bytes, size_t budget, pinned_block *out)
{
    int best = -1;
    for (int i = 0; i < n_blocks; i++) {
        size_t size = blocks[i].n_bytes;
        bool is_fitting = size >= n_bytes && size / 2 <= n_bytes && live_bytes <= budget && size <= budget - live_bytes;
        if (blocks[i].is_free && is_fitting && (best < 0 || size < blocks[best].n_bytes))
            best = i;
    }
    if (best < 0)
        return false;
    blocks[best].is_free = false;
    kept_bytes -= blocks[best].n_bytes;
    live_bytes += blocks[best].n_bytes;
    *out = blocks[best];
    return true;
}

/* Removes a block in use from the list; another one may have its address, since it was lost. */
static void remove_live(const pinned_block *block)
{
    for (int i = 0; i < n_blocks; i++) {
        if (blocks[i].pointer == block->pointer && blocks[i].context_id == block->context_id && !blocks[i].is_free) {
            live_bytes -= blocks[i].n_bytes;
            blocks[i] = blocks[--n_blocks];
            return;
        }
    }
}

/* Removes the block that was freed first from the list. */
static bool take_oldest(pinned_block *out)
{
    int oldest = -1;
    for (int i = 0; i < n_blocks; i++) {
        if (blocks[i].is_free && (oldest < 0 || blocks[i].freed_at < blocks[oldest].freed_at))
            oldest = i;
    }
    if (oldest < 0)
        return false;
    *out = blocks[oldest];
    kept_bytes -= out->n_bytes;
    blocks[oldest] = blocks[--n_blocks];
    return true;
}

/* ---- giving back ------------------------------------------------------------------------------------------------------- */

static bool is_gone(const pinned_block *block)
{
    return block->has_context_id && gp_cuda_context_is_gone(block->api, block->context, block->context_id);
}

/* Frees a block in the context that allocated it, unless a reset of the device has done so: its address may then be of other memory.
 * Failures are ignored. */
static void end_block(const pinned_block *block)
{
    gp_cuda_visit visit = {0};
    gp_error unused;
    if (!is_gone(block) && gp_cuda_visit_begin(block->api, block->context, &visit, &unused) == GP_OK)
        (void)block->api->memFreeHost(block->pointer);
    gp_cuda_visit_end(&visit);
    (void)block->api->primaryCtxRelease(block->device);
}

/* Reserves `wanted` bytes of the budget, removing kept blocks, oldest first; false if the budget is exceeded. */
static bool reserve(size_t wanted, size_t budget)
{
    for (;;) {
        pinned_block oldest;
        pthread_mutex_lock(&mutex);
        bool is_enough = live_bytes + kept_bytes <= budget - wanted;
        bool is_found = !is_enough && live_bytes <= budget - wanted && take_oldest(&oldest);
        live_bytes += is_enough ? wanted : 0;
        pthread_mutex_unlock(&mutex);
        if (!is_found)
            return is_enough;
        end_block(&oldest);
    }
}

static void reserve_beyond(size_t wanted)
{
    pthread_mutex_lock(&mutex);
    live_bytes += wanted;
    pthread_mutex_unlock(&mutex);
}

static void unreserve(size_t n_bytes)
{
    pthread_mutex_lock(&mutex);
    live_bytes -= n_bytes;
    pthread_mutex_unlock(&mutex);
}

void gp_cuda_pinned_trim(void)
{
    size_t budget = chunks_budget_bytes();
    pinned_block oldest;
    for (;;) {
        pthread_mutex_lock(&mutex);
        bool is_found = live_bytes + kept_bytes > budget && take_oldest(&oldest);
        pthread_mutex_unlock(&mutex);
        if (!is_found)
            return;
        end_block(&oldest);
    }
}

void gp_cuda_pinned_close(void)
{
    pinned_block oldest;
    for (;;) {
        pthread_mutex_lock(&mutex);
        bool is_found = take_oldest(&oldest);
        pthread_mutex_unlock(&mutex);
        if (!is_found)
            return;
        end_block(&oldest);
    }
}

/* ---- new blocks --------------------------------------------------------------------------------------------------------- */

/* A forked child must neither free nor use its parent's blocks, so it forgets them. */
static void forget_all(void)
{
    pthread_mutex_init(&mutex, NULL);
    blocks = NULL;
    n_blocks = capacity = 0;
    live_bytes = kept_bytes = 0;
}

static void watch_forks(void) { (void)pthread_atfork(NULL, NULL, forget_all); }

/* Allocates pinned memory; if there is no more, kept blocks are freed and it tries again. */
static CUresult ask_driver(gp_cuda_device *device, size_t n_bytes, void **out)
{
    unsigned flags = CU_MEMHOSTALLOC_PORTABLE;
    CUresult code = device->api->memHostAlloc(out, n_bytes, flags);
    if (code != CUDA_ERROR_OUT_OF_MEMORY)
        return code;
    gp_cuda_pinned_close();
    return device->api->memHostAlloc(out, n_bytes, flags);
}

static gp_status list_block(gp_cuda_device *device, pinned_block *block, gp_error *error)
{
    pthread_mutex_lock(&mutex);
    bool is_listed = grow_list();
    if (is_listed)
        blocks[n_blocks++] = *block;
    pthread_mutex_unlock(&mutex);
    if (!is_listed) {
        end_block(block);
        return gp_fail_memory(error, (double)(2 * (size_t)capacity * sizeof *blocks));
    }
    device->counts.n_pinned_allocs++;
    device->counts.pinned_bytes += (int64_t)block->n_bytes;
    return GP_OK;
}

/* Allocates a block of bytes that have been reserved. */
static gp_status make_reserved(gp_cuda_device *device, size_t n_bytes, void **out, gp_error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pinned_block block = {.n_bytes = n_bytes, .api = device->api, .device = device->handle};
    pthread_once(&once, watch_forks);
    GP_TRY_CUDA(device->api->primaryCtxRetain(&block.context, device->handle), "cuDevicePrimaryCtxRetain", error);
    gp_status status = gp_cuda_check(ask_driver(device, n_bytes, &block.pointer), "cuMemHostAlloc", error);
    if (status != GP_OK) {
        (void)device->api->primaryCtxRelease(device->handle);
        return status;
    }
    block.has_context_id = gp_cuda_context_id(device->api, block.context, &block.context_id);
    GP_TRY(list_block(device, &block, error));
    *out = block.pointer;
    return GP_OK;
}

static gp_status make_block(gp_cuda_device *device, size_t n_bytes, void **out, gp_error *error)
{
    gp_status status = make_reserved(device, n_bytes, out, error);
    if (status != GP_OK)
        unreserve(n_bytes);
    return status;
}

/* A kept block; what resets of devices have freed is forgotten. */
static void *take(size_t n_bytes, size_t budget)
{
    for (;;) {
        pinned_block kept;
        pthread_mutex_lock(&mutex);
        bool is_found = take_kept(n_bytes, budget, &kept);
        pthread_mutex_unlock(&mutex);
        if (!is_found)
            return NULL;
        if (!is_gone(&kept))
            return kept.pointer;
        pthread_mutex_lock(&mutex);
        remove_live(&kept);
        pthread_mutex_unlock(&mutex);
        end_block(&kept);
    }
}

gp_status gp_cuda_pinned_take(gp_cuda_device *device, size_t n_bytes, void **out, gp_error *error)
{
    size_t wanted = size_class(n_bytes);
    *out = take(wanted, SIZE_MAX);
    if (*out != NULL)
        return GP_OK;
    if (!reserve(wanted, chunks_budget_bytes()))
        reserve_beyond(wanted);
    return make_block(device, wanted, out, error);
}

gp_status gp_cuda_pinned_alloc(int ordinal, size_t n_bytes, void **out, gp_error *error)
{
    const gp_cuda_api *api;
    gp_cuda_device *device = NULL;
    size_t wanted = size_class(n_bytes), budget = gp_cuda_pinned_budget();
    *out = NULL;
    GP_TRY(gp_cuda_load(&api, error));
    if (n_bytes == 0 || wanted > budget)
        return GP_OK;
    *out = take(wanted, budget);
    if (*out != NULL || !reserve(wanted, budget))
        return GP_OK;
    gp_status status = gp_cuda_enter(ordinal, &device, error);
    if (status != GP_OK) {
        unreserve(wanted);
        return status;
    }
    status = make_block(device, wanted, out, error);
    gp_cuda_leave(device);
    return status != GP_OK && gp_cuda_is_out_of_memory(error) ? GP_OK : status;
}

void gp_cuda_pinned_free(void *pointer)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < n_blocks && pointer != NULL; i++) {
        if (blocks[i].pointer == pointer && !blocks[i].is_free) {
            blocks[i].is_free = true;
            blocks[i].freed_at = ++n_frees;
            live_bytes -= blocks[i].n_bytes;
            kept_bytes += blocks[i].n_bytes;
            break;
        }
    }
    pthread_mutex_unlock(&mutex);
}

gp_cuda_pinned_counts gp_cuda_pinned_count(void)
{
    pthread_mutex_lock(&mutex);
    gp_cuda_pinned_counts counts = {(int64_t)live_bytes, (int64_t)kept_bytes};
    pthread_mutex_unlock(&mutex);
    return counts;
}
