/* Summarizes many slices: places are looked up while a block is near, and parts of long slices joined in order. */
#include "cpu.h"

#include "../core/base/alloc.h"
#include "../core/base/arithmetic.h"
#include "../core/base/threads.h"
#include "read/block_summary.h"
#include "read/slice_scan.h"

typedef struct summary_job {
    gp_slice_scan scan;
    const gp_block_loops *loops;
    double smallest_normal;
    gp_summary_state *parts; /* n_parts x n_slices; NULL where each slice is one part */
    gp_summary *out;
} summary_job;

typedef struct worker_slots {
    const summary_job *job;
    gp_summary_state slots[GP_SCAN_SLICES];
} worker_slots;

/* ---- a block --------------------------------------------------------------------------------------------------------- */

static void start(void *context, int slot, int64_t slice)
{
    worker_slots *mine = context;
    (void)slice;
    mine->slots[slot] = gp_summary_state_none();
}

/* Where the first element of an order is, if that may be before `known`. */
static int64_t place_of(const summary_job *job, const void *elems, int n, gp_block block, int64_t order, int64_t known)
{
    if (known <= gp_slice_scan_position(&job->scan, block, 0) && job->scan.slices->is_in_order)
        return known;
    return gp_smaller(known, gp_slice_scan_position(&job->scan, block, job->loops->find_order(elems, n, order)));
}

static void take(void *context, int slot, const void *elems, int n, gp_block block)
{
    worker_slots *mine = context;
    const summary_job *job = mine->job;
    gp_summary_state *slice = &mine->slots[slot];
    gp_summary_state here = gp_summary_state_none();
    gp_block_summarize(&job->scan.rows, job->loops, elems, n, job->smallest_normal, &here);
    if (here.n_nan > 0 && (slice->first_nan == GP_NOWHERE || !job->scan.slices->is_in_order))
        here.first_nan = gp_slice_scan_position(&job->scan, block, gp_first_nan(&job->scan.rows, job->loops, elems, n));
    if (here.moments.weight > 0 && here.lowest <= slice->lowest)
        here.argmin = place_of(job, elems, n, block, here.lowest, here.lowest < slice->lowest ? GP_NOWHERE : slice->argmin);
    if (here.moments.weight > 0 && here.highest >= slice->highest)
        here.argmax = place_of(job, elems, n, block, here.highest, here.highest > slice->highest ? GP_NOWHERE : slice->argmax);
    gp_summary_state_join(slice, &here);
}

static void finish(void *context, int slot, int64_t slice, int64_t part)
{
    const worker_slots *mine = context;
    const summary_job *job = mine->job;
    if (job->parts != NULL)
        job->parts[part * job->scan.slices->n_slices + slice] = mine->slots[slot];
    else
        job->out[slice] = gp_summary_state_finish(&mine->slots[slot], gp_block_order(job->scan.rows.dtype));
}

/* ---- all slices -------------------------------------------------------------------------------------------------------- */

static gp_status look_at_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const summary_job *job = context;
    worker_slots mine; /* of its slots only those that are started are written and read */
    gp_slice_visit visit = {&mine, worker, start, take, finish};
    (void)error;
    mine.job = job;
    gp_slice_scan_visit(&job->scan, piece, &visit);
    return GP_OK;
}

static gp_status look_at_all(summary_job *job, gp_error *error)
{
    int64_t n_slices = job->scan.slices->n_slices, n_parts = job->scan.n_parts;
    if (n_parts > 1)
        GP_TRY(gp_alloc((size_t)(n_parts * n_slices) * sizeof *job->parts, &job->parts, error));
    GP_TRY(gp_threads_run(job->scan.n_pieces, job->scan.n_threads, look_at_piece, job, error));
    for (int64_t slice = 0; n_parts > 1 && slice < n_slices; slice++) {
        for (int64_t part = 1; part < n_parts; part++)
            gp_summary_state_join(&job->parts[slice], &job->parts[part * n_slices + slice]);
        job->out[slice] = gp_summary_state_finish(&job->parts[slice], gp_block_order(job->scan.rows.dtype));
    }
    return GP_OK;
}

gp_status gp_cpu_summarize_slices(const gp_slices *slices, gp_summary *out, gp_error *error)
{
    summary_job job = {.smallest_normal = gp_smallest_normal(slices->plane.dtype), .out = out};
    if (slices->n_elems == 0)
        for (int64_t i = 0; i < slices->n_slices; i++)
            out[i] = gp_summary_none();
    if (slices->n_elems == 0 || slices->n_slices == 0)
        return GP_OK;
    gp_status status = gp_slice_scan_init(slices, GP_BLOCK_ELEMS, 0, &job.scan, error);
    job.loops = gp_block_loops_for(job.scan.rows.dtype);
    if (status == GP_OK)
        status = look_at_all(&job, error);
    free(job.parts);
    gp_slice_scan_free(&job.scan);
    return status;
}
