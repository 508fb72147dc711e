/* Counts the elements of many slices into bins, which each slice has of its own. */
#include "cpu.h"

#include "../core/base/alloc.h"
#include "bins.h"
#include "simd/tally.h"
#include "../core/base/threads.h"
#include "read/slice_scan.h"

#include <stdatomic.h>

typedef struct histogram_job {
    gp_slice_scan scan;
    const gp_block_loops *loops;
    const double *edges;
    int64_t n_bins, *out;
    const gp_integer_range *range;
    gp_dtype dtype; /* that is counted: bytes as integers of 16 bits, whose loops need no table of codes */
    int64_t *counts; /* n_bins + 1 of each slot of each worker */
    int n_slots;
} histogram_job;

typedef struct worker_bins {
    const histogram_job *job;
    int64_t *counts;
    gp_bins slots[GP_SCAN_SLICES];
    gp_status status; /* of the edges */
    gp_error *error;
} worker_bins;

static int64_t *counts_of(const worker_bins *mine, int slot) { return mine->counts + slot * (mine->job->n_bins + 1); }

static void start(void *context, int slot, int64_t slice)
{
    worker_bins *mine = context;
    const histogram_job *job = mine->job;
    const double *edges = job->edges + slice * (job->n_bins + 1);
    if (mine->status == GP_OK)
        mine->status = gp_histogram_check(&job->scan.slices->plane, edges, job->n_bins, job->range, mine->error);
    mine->slots[slot] = gp_bins_of(job->dtype, edges, job->n_bins);
    if (job->range != NULL)
        gp_bins_set_range(&mine->slots[slot], job->dtype, job->range);
    memset(counts_of(mine, slot), 0, (size_t)(job->n_bins + 1) * sizeof *mine->counts);
}

/* Bytes as integers of 16 bits. */
static const void *widened(const histogram_job *job, const void *elems, int n, int16_t *wide)
{
    if (job->scan.rows.item_bytes > 1)
        return elems;
    bool is_signed = job->scan.rows.dtype == GP_I8;
    for (int i = 0; i < n; i++)
        wide[i] = is_signed ? ((const int8_t *)elems)[i] : ((const uint8_t *)elems)[i];
    return wide;
}

static void take(void *context, int slot, const void *elems, int n, gp_block block)
{
    worker_bins *mine = context;
    int16_t wide[GP_BLOCK_ELEMS];
    gp_tally tally;
    (void)block;
    gp_tally_begin(&tally, mine->job->n_bins, counts_of(mine, slot), n);
    mine->job->loops->count(widened(mine->job, elems, n, wide), n, &mine->slots[slot], &tally);
    gp_tally_end(&tally);
}

static void finish(void *context, int slot, int64_t slice, int64_t part)
{
    const worker_bins *mine = context;
    const histogram_job *job = mine->job;
    const int64_t *counts = counts_of(mine, slot);
    int64_t *out = job->out + slice * job->n_bins;
    (void)part;
    if (job->scan.n_parts == 1)
        memcpy(out, counts, (size_t)job->n_bins * sizeof *out);
    else
        for (int64_t bin = 0; bin < job->n_bins; bin++)
            atomic_fetch_add_explicit((_Atomic int64_t *)&out[bin], counts[bin], memory_order_relaxed);
}

static gp_status count_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const histogram_job *job = context;
    worker_bins mine;
    gp_slice_visit visit = {&mine, worker, start, take, finish};
    mine.job = job, mine.status = GP_OK, mine.error = error;
    mine.counts = job->counts + (int64_t)worker * job->n_slots * (job->n_bins + 1);
    gp_slice_scan_visit(&job->scan, piece, &visit);
    return mine.status;
}

static gp_status count_all(histogram_job *job, gp_error *error)
{
    size_t n_counts = (size_t)job->n_slots * (size_t)(job->n_bins + 1) * (size_t)job->scan.n_threads;
    GP_TRY(gp_alloc(n_counts * sizeof *job->counts, &job->counts, error));
    return gp_threads_run(job->scan.n_pieces, job->scan.n_threads, count_piece, job, error);
}

gp_status gp_cpu_histogram_slices(const gp_slices *slices, const double *edges, int64_t n_bins, const gp_integer_range *range,
                                  int64_t *counts, gp_error *error)
{
    histogram_job job = {.edges = edges, .n_bins = n_bins, .range = range, .out = counts};
    memset(counts, 0, (size_t)(slices->n_slices * n_bins) * sizeof *counts);
    if (slices->n_elems == 0 || slices->n_slices == 0)
        return GP_OK;
    gp_status status = gp_slice_scan_init(slices, GP_BLOCK_ELEMS, 2 * n_bins, &job.scan, error);
    job.dtype = job.scan.rows.dtype == GP_U8 ? GP_U16 : job.scan.rows.dtype == GP_I8 ? GP_I16 : job.scan.rows.dtype;
    job.loops = gp_block_loops_for(job.dtype);
    job.n_slots = job.scan.is_together ? (int)job.scan.group_slices : 1;
    if (status == GP_OK)
        status = count_all(&job, error);
    free(job.counts);
    gp_slice_scan_free(&job.scan);
    return status;
}
