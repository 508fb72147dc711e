/* Counts elements into bins: every thread has counts of its own, which are added up at the end. */
#include "cpu.h"

#include "bins.h"
#include "read/plane_scan.h"
#include "simd/tally.h"

typedef struct histogram_job {
    const gp_plane_scan *scan;
    gp_bins bins;
    const gp_block_loops *loops;
    int64_t n_slots; /* that are counted: bins, or codes of bytes; and one more that is of no bin */
    int64_t *tables; /* n_slots + 1 of each worker */
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
    gp_scan_box box = gp_plane_scan_box(job->scan, piece);
    int64_t n_elems = (box.row1 - box.row0) * (box.col1 - box.col0);
    (void)error;
    gp_tally_begin(&mine.tally, job->n_slots, job->tables + worker * (job->n_slots + 1), n_elems);
    gp_plane_scan_each(job->scan, worker, &box, count_block, &mine);
    gp_tally_end(&mine.tally);
    return GP_OK;
}

static gp_status count_all(histogram_job *job, int64_t n_slots, int64_t *counts, gp_error *error)
{
    job->n_slots = n_slots;
    return gp_tally_run(job->scan->n_pieces, job->scan->n_threads, count_piece, job, &job->tables, n_slots + 1, n_slots, counts,
                        error);
}

/* Bytes are counted by their codes, of which bins are found once. */
static gp_status count_bytes(histogram_job *job, int64_t *counts, gp_error *error)
{
    int32_t bin_of_code[GP_N_CODES];
    int64_t of_codes[GP_N_CODES];
    gp_bins_set_codes(&job->bins, job->scan->rows.dtype, bin_of_code);
    GP_TRY(count_all(job, GP_N_CODES, of_codes, error));
    memset(counts, 0, (size_t)job->bins.n_bins * sizeof *counts);
    for (int code = 0; code < GP_N_CODES; code++)
        if (bin_of_code[code] < job->bins.n_bins)
            counts[bin_of_code[code]] += of_codes[code];
    return GP_OK;
}

gp_status gp_cpu_histogram(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                           int64_t *counts, gp_error *error)
{
    GP_OWNED_PLANE_SCAN scan = {0};
    GP_TRY(gp_histogram_check(plane, edges, n_bins, range, error));
    GP_TRY(gp_plane_scan_init(plane, &scan, error));
    histogram_job job = {.scan = &scan, .loops = gp_block_loops_for(scan.rows.dtype)};
    job.bins = gp_bins_of(scan.rows.dtype, edges, n_bins);
    if (range != NULL)
        gp_bins_set_range(&job.bins, scan.rows.dtype, range);
    if (scan.rows.item_bytes == 1)
        return count_bytes(&job, counts, error);
    gp_status status = gp_bins_add_table(&job.bins, scan.n_elems, error);
    if (status == GP_OK)
        status = count_all(&job, n_bins, counts, error);
    gp_bins_free(&job.bins);
    return status;
}
