/* Chunks of kept keys, which go to the workers as they need them. */
#include "kept_keys.h"

#include "../../core/base/alloc.h"
#include "read/plane_scan.h"

#include <stdatomic.h>

enum { CHUNK_KEYS = 1 << 13 };

gp_status gp_kept_keys_make(int64_t most, int n_workers, gp_kept_keys *out, gp_error *error)
{
    int64_t n_full = most / (CHUNK_KEYS - GP_BLOCK_ELEMS) + 1; /* a chunk without room for a block of elements is full */
    *out = (gp_kept_keys){.n_chunks = n_full + n_workers};
    size_t n_keys = (size_t)out->n_chunks * CHUNK_KEYS;
    GP_TRY(gp_alloc(n_keys * sizeof *out->keys + (size_t)out->n_chunks * sizeof *out->lengths, &out->keys, error));
    out->lengths = (int64_t *)(out->keys + n_keys);
    memset(out->lengths, 0, (size_t)out->n_chunks * sizeof *out->lengths);
    return GP_OK;
}

void gp_worker_tally_begin(gp_worker_tally *worker, int i) { *worker = (gp_worker_tally){.chunk = -1, .random = (uint64_t)i}; }

static void leave_chunk(gp_kept_keys *kept, const gp_worker_tally *worker)
{
    if (worker->chunk >= 0)
        kept->lengths[worker->chunk] = worker->tally.n_kept;
}

/* Without a further chunk the tally will find that it is full. */
static void next_chunk(gp_kept_keys *kept, gp_worker_tally *worker)
{
    int64_t chunk = atomic_fetch_add_explicit(&kept->n_taken, 1, memory_order_relaxed);
    if (chunk >= kept->n_chunks)
        return;
    leave_chunk(kept, worker);
    worker->chunk = chunk;
    worker->tally.kept = kept->keys + chunk * CHUNK_KEYS;
    worker->tally.n_kept = 0, worker->tally.capacity = CHUNK_KEYS;
}

/* Whether the next key is the one of its stretch of `stride` keys, at a random place where no period of the data follows. */
static bool is_picked(gp_worker_tally *worker, int64_t stride)
{
    if (worker->n_seen == 0)
        worker->picked = gp_next_random(&worker->random) % stride;
    bool is_it = worker->n_seen == worker->picked;
    worker->n_seen = worker->n_seen + 1 < stride ? worker->n_seen + 1 : 0;
    return is_it;
}

/* Drops all but one in `stride` of the keys that were kept since there were n_before. */
static void thin(gp_worker_tally *worker, int64_t n_before, int64_t stride)
{
    gp_key_tally *tally = &worker->tally;
    int64_t n_picked = n_before;
    for (int64_t i = n_before; i < tally->n_kept; i++)
        if (is_picked(worker, stride))
            tally->kept[n_picked++] = tally->kept[i];
    tally->n_kept = n_picked;
}

void gp_worker_tally_add(gp_worker_tally *worker, gp_kept_keys *kept, const gp_select_loops *loops, gp_dtype dtype,
                         const void *elems, int n, const gp_brackets *brackets, int64_t stride)
{
    if (worker->tally.capacity - worker->tally.n_kept < n)
        next_chunk(kept, worker);
    int64_t n_before = worker->tally.n_kept;
    loops->tally(dtype, elems, n, brackets, &worker->tally);
    if (stride > 1)
        thin(worker, n_before, stride);
}

int64_t gp_kept_keys_join(gp_kept_keys *kept, const gp_worker_tally *workers, int n_workers)
{
    int64_t n_keys = 0;
    for (int i = 0; i < n_workers; i++)
        leave_chunk(kept, &workers[i]);
    for (int64_t chunk = 0; chunk < kept->n_chunks; chunk++) {
        memmove(kept->keys + n_keys, kept->keys + chunk * CHUNK_KEYS, (size_t)kept->lengths[chunk] * sizeof *kept->keys);
        n_keys += kept->lengths[chunk];
    }
    return n_keys;
}
