/* The keys that the workers of a pass keep: in one memory, and all of them or a random sample. */
#ifndef GP_KEPT_KEYS_H
#define GP_KEPT_KEYS_H

#include "../../core/base/status.h"
#include "simd/select_loops.h"

/* Memory for keys. Workers take it by chunks, as some of them find many more keys than others. */
typedef struct gp_kept_keys {
    uint64_t *keys;
    int64_t *lengths; /* keys in each chunk */
    int64_t n_chunks;
    _Atomic int64_t n_taken; /* may exceed n_chunks */
} gp_kept_keys;

/* What a worker found, whose kept keys are in its last chunk, and its place among the keys of which one in `stride` is kept. */
typedef struct gp_worker_tally {
    gp_key_tally tally;
    int64_t chunk; /* -1: none yet */
    int64_t n_seen, picked;
    uint64_t random;
} gp_worker_tally;

/* Memory for at least `most` keys, whatever the share of each worker; out->keys is the caller's to free. */
gp_status gp_kept_keys_make(int64_t most, int n_workers, gp_kept_keys *out, gp_error *error) GP_MUST_CHECK;

void gp_worker_tally_begin(gp_worker_tally *worker, int i);

/* Counts a block of elements. */
void gp_worker_tally_add(gp_worker_tally *worker, gp_kept_keys *kept, const gp_select_loops *loops, gp_dtype dtype,
                         const void *elems, int n, const gp_brackets *brackets, int64_t stride);

/* Moves all keys to the front of the memory; their number. */
int64_t gp_kept_keys_join(gp_kept_keys *kept, const gp_worker_tally *workers, int n_workers);

/* The next of a series of random numbers of 24 bits. */
static inline int64_t gp_next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(*state >> 40);
}

#endif
