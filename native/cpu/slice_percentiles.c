/* Exact percentiles of many slices, each small enough to be sorted in a near cache. */
#include "cpu.h"

#include "../core/base/alloc.h"
#include "simd/keys.h"
#include "../core/statistics/percentiles.h"
#include "../core/base/sort.h"
#include "../core/base/threads.h"
#include "read/slice_scan.h"

enum { FEW_KEYS = 48, MOST_BUCKETS = 2048, MOST_AT_ONCE = 64 };

typedef struct percentiles_job {
    gp_slice_scan scan;
    gp_key_range valid;
    const double *percents;
    int n_percents;
    double *out;
    uint64_t *keys; /* of a slice, for each worker */
} percentiles_job;

typedef struct worker_keys {
    const percentiles_job *job;
    uint64_t *keys;
    int64_t slices[GP_SCAN_SLICES];
} worker_keys;

/* ---- keys -------------------------------------------------------------------------------------------------------------- */

/* The keys of what is finite, counted from the first one; how many. */
#define FINITE_KEYS(bits)                                                                                                        \
    static int64_t finite_keys_##bits(const void *elems, int64_t n, gp_key_kind kind, gp_key_range valid, uint64_t *out)         \
    {                                                                                                                            \
        const int##bits##_t *from = elems;                                                                                       \
        int64_t n_keys = 0;                                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                                                        \
            int64_t key = gp_key_##bits(from[i], kind);                                                                          \
            out[n_keys] = (uint64_t)key - (uint64_t)valid.first;                                                                 \
            n_keys += key >= valid.first && key <= valid.last;                                                                   \
        }                                                                                                                        \
        return n_keys;                                                                                                           \
    }
static int8_t gp_key_8(int8_t bits, gp_key_kind kind) { return kind == GP_KEY_SIGNED ? bits : (int8_t)(bits ^ INT8_MIN); }
FINITE_KEYS(8)
FINITE_KEYS(16)
FINITE_KEYS(32)
FINITE_KEYS(64)
#undef FINITE_KEYS

static int64_t finite_keys(const percentiles_job *job, const void *elems, int64_t n, uint64_t *out)
{
    gp_dtype dtype = job->scan.rows.dtype;
    gp_key_kind kind = gp_key_kind_of(dtype);
    switch (gp_dtype_size_bytes(dtype)) {
    case 1: return finite_keys_8(elems, n, kind, job->valid, out);
    case 2: return finite_keys_16(elems, n, kind, job->valid, out);
    case 4: return finite_keys_32(elems, n, kind, job->valid, out);
    default: return finite_keys_64(elems, n, kind, job->valid, out);
    }
}

/* ---- ranks ------------------------------------------------------------------------------------------------------------- */

/* A wanted rank and, once it is known, its key. */
typedef struct wanted {
    int64_t rank;
    uint64_t key;
} wanted;

/* Equal parts of the range of n keys: where it begins, and how many bits of each key are of no matter. */
static int64_t buckets_of(const uint64_t *keys, int64_t n, uint64_t *low, int *shift)
{
    uint64_t least = keys[0], most = keys[0];
    int64_t n_buckets = 64;
    for (int64_t i = 1; i < n; i++) {
        least = keys[i] < least ? keys[i] : least;
        most = keys[i] > most ? keys[i] : most;
    }
    while (n_buckets < MOST_BUCKETS && n_buckets < n)
        n_buckets *= 2;
    *low = least;
    for (*shift = 0; (most - least) >> *shift >= (uint64_t)n_buckets;)
        ++*shift;
    return n_buckets;
}

/* Keys of a bucket go to the front; how many. Without a branch, as nothing could guess it. */
static int64_t to_front(uint64_t *keys, int64_t n, uint64_t low, int shift, uint64_t bucket)
{
    int64_t n_inside = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = keys[i];
        keys[i] = keys[n_inside], keys[n_inside] = key;
        n_inside += (key - low) >> shift == bucket;
    }
    return n_inside;
}

/* Finds the keys of some ranks, which do not fall, among n keys above `below` others; these change places. */
static void find_ranks(uint64_t *keys, int64_t n, int64_t below, wanted *ranks, int n_ranks)
{
    int64_t counts[MOST_BUCKETS], bucket = 0;
    uint64_t low;
    int shift, n_here;
    if (n <= FEW_KEYS) {
        const uint64_t *sorted = gp_sort_keys(keys, NULL, n); /* so few are sorted in place */
        for (int i = 0; i < n_ranks; i++)
            ranks[i].key = sorted[ranks[i].rank - below];
        return;
    }
    memset(counts, 0, (size_t)buckets_of(keys, n, &low, &shift) * sizeof counts[0]);
    for (int64_t i = 0; i < n; i++)
        counts[(keys[i] - low) >> shift]++;
    for (int i = 0; i < n_ranks; i += n_here) {
        while (ranks[i].rank >= below + counts[bucket])
            below += counts[bucket++];
        for (n_here = 1; i + n_here < n_ranks && ranks[i + n_here].rank < below + counts[bucket];)
            n_here++;
        for (int j = i; j < i + n_here && shift == 0; j++)
            ranks[j].key = low + (uint64_t)bucket;
        if (shift > 0)
            find_ranks(keys, to_front(keys, n, low, shift, (uint64_t)bucket), below, ranks + i, n_here);
    }
}

/* ---- percentiles ------------------------------------------------------------------------------------------------------- */

/* Inserts a rank where ranks do not fall; those that are there already come to be twice. */
static void add_rank(wanted *ranks, int *n, int64_t rank)
{
    int at = (*n)++;
    for (; at > 0 && ranks[at - 1].rank > rank; at--)
        ranks[at] = ranks[at - 1];
    ranks[at].rank = rank;
}

static double value_of_rank(const percentiles_job *job, const wanted *ranks, int n, int64_t rank)
{
    gp_dtype dtype = job->scan.rows.dtype;
    int low = 0;
    for (int high = n - 1; low < high;) {
        int middle = (low + high) / 2;
        if (ranks[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return gp_value_of_key(dtype, (int64_t)(ranks[low].key + (uint64_t)job->valid.first));
}

static void find_percentiles(const percentiles_job *job, uint64_t *keys, int64_t n, double *out)
{
    wanted ranks[2 * MOST_AT_ONCE];
    int64_t n_repeats = gp_plane_repeats(&job->scan.slices->plane);
    for (int done = 0, n_here; done < job->n_percents; done += n_here) {
        int n_ranks = 0;
        n_here = job->n_percents - done < MOST_AT_ONCE ? job->n_percents - done : MOST_AT_ONCE;
        for (int i = 0; i < n_here; i++) {
            gp_percent_place place = gp_percent_place_of(job->percents[done + i], n, n_repeats);
            add_rank(ranks, &n_ranks, place.low);
            add_rank(ranks, &n_ranks, place.high);
        }
        find_ranks(keys, n, 0, ranks, n_ranks);
        for (int i = 0; i < n_here; i++) {
            gp_percent_place place = gp_percent_place_of(job->percents[done + i], n, n_repeats);
            double low = value_of_rank(job, ranks, n_ranks, place.low), high = value_of_rank(job, ranks, n_ranks, place.high);
            out[done + i] = gp_percent_between(low, high, place.fraction);
        }
    }
}

static void start(void *context, int slot, int64_t slice) { ((worker_keys *)context)->slices[slot] = slice; }

/* A block is a whole slice. */
static void take(void *context, int slot, const void *elems, int n, gp_block block)
{
    const worker_keys *mine = context;
    const percentiles_job *job = mine->job;
    double *out = job->out + mine->slices[slot] * job->n_percents;
    int64_t n_keys = finite_keys(job, elems, n, mine->keys);
    (void)block;
    for (int i = 0; i < job->n_percents && n_keys == 0; i++)
        out[i] = gp_mark_value(GP_HAS_NAN);
    if (n_keys > 0)
        find_percentiles(job, mine->keys, n_keys, out);
}

static void finish(void *context, int slot, int64_t slice, int64_t part) { (void)context, (void)slot, (void)slice, (void)part; }

static gp_status select_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const percentiles_job *job = context;
    worker_keys mine;
    mine.job = job;
    mine.keys = job->keys + (int64_t)worker * (job->scan.slices->n_elems + 1);
    gp_slice_visit visit = {&mine, worker, start, take, finish};
    (void)error;
    gp_slice_scan_visit(&job->scan, piece, &visit);
    return GP_OK;
}

static gp_status select_all(percentiles_job *job, gp_error *error)
{
    size_t n_keys = (size_t)job->scan.n_threads * (size_t)(job->scan.slices->n_elems + 1); /* one is written in vain */
    job->valid = gp_keys_of(job->scan.rows.dtype, false);
    GP_TRY(gp_alloc(n_keys * sizeof *job->keys, &job->keys, error));
    return gp_threads_run(job->scan.n_pieces, job->scan.n_threads, select_piece, job, error);
}

gp_status gp_cpu_percentiles_slices(const gp_slices *slices, const double *percents, int n_percents, double *out, gp_error *error)
{
    percentiles_job job = {.percents = percents, .n_percents = n_percents, .out = out};
    GP_TRY(gp_slices_percentiles_check(slices, percents, n_percents, error));
    for (int64_t i = 0; i < slices->n_slices * n_percents && slices->n_elems == 0; i++)
        out[i] = gp_mark_value(GP_HAS_NAN);
    if (slices->n_elems == 0 || slices->n_slices == 0)
        return GP_OK;
    gp_status status = gp_slice_scan_init(slices, GP_MOST_SLICE_ELEMS, 0, &job.scan, error);
    if (status == GP_OK)
        status = select_all(&job, error);
    free(job.keys);
    gp_slice_scan_free(&job.scan);
    return status;
}
