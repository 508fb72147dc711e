/* Exact percentiles of many slices, each small enough to be sorted in a near cache. */
#include "cpu.h"

#include "../core/base/alloc.h"
#include "simd/keys.h"
#include "../core/statistics/percentiles.h"
#include "../core/base/ranks.h"
#include "../core/base/threads.h"
#include "read/slice_scan.h"

enum { MOST_AT_ONCE = 64 };

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

/* ---- percentiles ------------------------------------------------------------------------------------------------------- */

static double value_of_rank(const percentiles_job *job, const gp_ranked *ranks, int n, int64_t rank)
{
    return gp_value_of_key(job->scan.rows.dtype, (int64_t)(gp_ranks_key(ranks, n, rank) + (uint64_t)job->valid.first));
}

static void find_percentiles(const percentiles_job *job, uint64_t *keys, int64_t n, double *out)
{
    gp_ranked ranks[2 * MOST_AT_ONCE];
    int64_t n_repeats = gp_plane_repeats(&job->scan.slices->plane);
    for (int done = 0, n_here; done < job->n_percents; done += n_here) {
        int n_ranks = 0;
        n_here = job->n_percents - done < MOST_AT_ONCE ? job->n_percents - done : MOST_AT_ONCE;
        for (int i = 0; i < n_here; i++) {
            gp_percent_place place = gp_percent_place_of(job->percents[done + i], n, n_repeats);
            gp_ranks_insert(ranks, &n_ranks, place.low);
            gp_ranks_insert(ranks, &n_ranks, place.high);
        }
        gp_ranks_find(keys, n, ranks, n_ranks);
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
    mine.keys = job->keys + (int64_t)worker * job->scan.slices->n_elems;
    gp_slice_visit visit = {&mine, worker, start, take, finish};
    (void)error;
    gp_slice_scan_visit(&job->scan, piece, &visit);
    return GP_OK;
}

static gp_status select_all(percentiles_job *job, gp_error *error)
{
    size_t n_keys = (size_t)job->scan.n_threads * (size_t)job->scan.slices->n_elems;
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
