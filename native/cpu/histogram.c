/* Counts elements into bins: every thread has counts of its own, which are added up at the end. */
#include "cpu.h"

#include "bins.h"
#include "sweep.h"
#include "tally.h"
#include "threads.h"

#include <stdlib.h>

enum { MOST_COUNT_BYTES = 1 << 28 };

typedef struct histogram_job {
    gp_sweep sweep;
    gp_bins bins;
    const gp_look_loops *loops;
    int64_t *counts; /* n_bins + 1 of each worker */
    int32_t bin_of_code[GP_N_CODES];
} histogram_job;

typedef struct worker_counts {
    const histogram_job *job;
    gp_tally tally;
} worker_counts;

static void count_block(void *context, const void *elems, int n, int n_masked)
{
    worker_counts *mine = context;
    int32_t slots[GP_LOOK_ELEMS];
    (void)n_masked;
    mine->job->loops->find_slots(elems, n, &mine->job->bins, slots);
    gp_tally_add(&mine->tally, slots, n);
}

static gp_status count_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const histogram_job *job = context;
    worker_counts mine = {.job = job};
    gp_box box = gp_sweep_box(&job->sweep, piece);
    int64_t n_elems = (box.row1 - box.row0) * (box.col1 - box.col0);
    (void)error;
    gp_tally_begin(&mine.tally, job->bins.n_bins, job->counts + worker * (job->bins.n_bins + 1), n_elems);
    gp_sweep_each(&job->sweep, worker, &box, count_block, &mine);
    gp_tally_end(&mine.tally);
    return GP_OK;
}

static gp_status count_all(histogram_job *job, int64_t *counts, gp_error *error)
{
    size_t n_counts = (size_t)job->bins.n_bins + 1, most = MOST_COUNT_BYTES / (n_counts * sizeof *counts);
    int n_threads = most < 1 ? 1 : most < (size_t)job->sweep.n_threads ? (int)most : job->sweep.n_threads;
    job->counts = calloc((size_t)n_threads * n_counts, sizeof *job->counts);
    if (job->counts == NULL)
        return gp_fail_memory(error, (double)n_threads * (double)n_counts * sizeof *counts);
    gp_status status = gp_threads_run(job->sweep.n_pieces, n_threads, count_piece, job, error);
    if (status == GP_OK)
        memset(counts, 0, (n_counts - 1) * sizeof *counts);
    for (size_t worker = 0; status == GP_OK && worker < (size_t)n_threads; worker++)
        gp_counts_join(counts, job->counts + worker * n_counts, job->bins.n_bins);
    free(job->counts);
    return status;
}

gp_status gp_cpu_histogram(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                           int64_t *counts, gp_error *error)
{
    histogram_job job = {0};
    GP_TRY(gp_histogram_check(plane, edges, n_bins, range, error));
    gp_status status = gp_sweep_init(plane, &job.sweep, error);
    job.loops = gp_look_loops_for(job.sweep.rows.dtype);
    job.bins = gp_bins_of(edges, n_bins);
    if (range != NULL)
        gp_bins_set_range(&job.bins, job.sweep.rows.dtype, range);
    if (job.sweep.rows.item_bytes == 1)
        gp_bins_set_codes(&job.bins, job.sweep.rows.dtype, job.bin_of_code);
    if (status == GP_OK)
        status = gp_bins_add_table(&job.bins, job.sweep.n_elems, error);
    if (status == GP_OK && job.sweep.n_elems > 0)
        status = count_all(&job, counts, error);
    else if (status == GP_OK)
        memset(counts, 0, (size_t)n_bins * sizeof *counts);
    gp_bins_free(&job.bins);
    gp_sweep_free(&job.sweep);
    return status;
}
