/* Counts elements into bins: every thread has counts of its own, which are added up at the end. */
#include "cpu.h"

#include "bins.h"
#include "sweep.h"
#include "tally.h"

typedef struct histogram_job {
    const gp_sweep *sweep;
    gp_bins bins;
    const gp_look_loops *loops;
    int64_t *tables; /* n_bins + 1 of each worker */
    int32_t bin_of_code[GP_N_CODES];
} histogram_job;

typedef struct worker_counts {
    const histogram_job *job;
    gp_tally tally;
} worker_counts;

static void count_block(void *context, const void *elems, int n, int n_masked)
{
    worker_counts *mine = context;
    (void)n_masked;
    mine->job->loops->count(elems, n, &mine->job->bins, &mine->tally);
}

static gp_status count_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const histogram_job *job = context;
    worker_counts mine = {.job = job};
    gp_box box = gp_sweep_box(job->sweep, piece);
    int64_t n_elems = (box.row1 - box.row0) * (box.col1 - box.col0);
    (void)error;
    gp_tally_begin(&mine.tally, job->bins.n_bins, job->tables + worker * (job->bins.n_bins + 1), n_elems);
    gp_sweep_each(job->sweep, worker, &box, count_block, &mine);
    gp_tally_end(&mine.tally);
    return GP_OK;
}

gp_status gp_cpu_histogram(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                           int64_t *counts, gp_error *error)
{
    GP_OWNED_SWEEP sweep = {0};
    GP_TRY(gp_histogram_check(plane, edges, n_bins, range, error));
    GP_TRY(gp_sweep_init(plane, &sweep, error));
    histogram_job job = {.sweep = &sweep, .loops = gp_look_loops_for(sweep.rows.dtype), .bins = gp_bins_of(edges, n_bins)};
    if (range != NULL)
        gp_bins_set_range(&job.bins, sweep.rows.dtype, range);
    if (sweep.rows.item_bytes == 1)
        gp_bins_set_codes(&job.bins, sweep.rows.dtype, job.bin_of_code);
    gp_status status = gp_bins_add_table(&job.bins, sweep.n_elems, error);
    if (status == GP_OK)
        status = gp_tally_run(sweep.n_pieces, sweep.n_threads, count_piece, &job, &job.tables, n_bins + 1, n_bins, counts, error);
    gp_bins_free(&job.bins);
    return status;
}
