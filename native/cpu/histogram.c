/* Counts elements into bins: every thread has counts of its own, which are added up at the end. */
#include "cpu.h"

#include "sweep.h"
#include "threads.h"

#include <stdlib.h>

enum { MOST_COUNT_BYTES = 1 << 28, N_CODES = 256 };

typedef struct histogram_job {
    gp_sweep sweep;
    gp_bins bins;
    const gp_look_loops *loops;
    int64_t *counts; /* n_bins + 1 of each worker */
    int32_t bin_of_code[N_CODES];
} histogram_job;

/* How far the guess can be off. It rises with x, so that its values at the edges tell; some more for what the loops round. */
static void learn_doubt(gp_bins *bins)
{
    double lowest = bins->edges[0];
    bins->scale = (double)bins->n_bins / (bins->edges[bins->n_bins] - lowest);
    bins->doubt = 0x1p-50;
    for (int64_t i = 0; i <= bins->n_bins && bins->doubt < 1; i++) {
        double away = fabs((bins->edges[i] - lowest) * bins->scale - (double)i);
        bins->doubt = away <= bins->doubt ? bins->doubt : away < 1 ? away : 1; /* 1 for what is not a number, too */
    }
}

/* The limits as orders, as far as the dtype is one of less than 64 bits. */
static void set_range(gp_bins *bins, gp_dtype dtype, const gp_integer_range *range)
{
    bool is_unsigned = dtype == GP_U8 || dtype == GP_U16 || dtype == GP_U32;
    bins->has_range = true;
    bins->first = range->first, bins->last = range->last;
    if (dtype == GP_U64)
        bins->first = gp_order_of_u64((uint64_t)range->first), bins->last = gp_order_of_u64((uint64_t)range->last);
    if (is_unsigned && bins->first < 0) /* their bits are those of huge numbers */
        bins->first = INT64_MAX;
    if (is_unsigned && bins->last < 0)
        bins->last = INT64_MAX;
}

/* Of 8-bit integers each code has its bin. */
static void fill_codes(histogram_job *job)
{
    const gp_bins *bins = &job->bins;
    for (int code = 0; code < N_CODES; code++) {
        int64_t order = job->sweep.rows.dtype == GP_I8 ? (int8_t)code : code;
        double x = (double)order, lowest = bins->edges[0], highest = bins->edges[bins->n_bins];
        bool is_inside = !bins->has_range || (order >= bins->first && order <= bins->last);
        if (bins->has_range)
            x = x < lowest ? lowest : x > highest ? highest : x;
        job->bin_of_code[code] = (int32_t)(is_inside ? gp_bin_of(bins, x) : bins->n_bins);
    }
}

typedef struct worker_counts {
    const histogram_job *job;
    int64_t *counts;
} worker_counts;

static void count_block(void *context, const void *elems, int n, int n_masked)
{
    const worker_counts *mine = context;
    (void)n_masked;
    mine->job->loops->count(elems, n, &mine->job->bins, mine->counts);
}

static gp_status count_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const histogram_job *job = context;
    worker_counts mine = {job, job->counts + worker * (job->bins.n_bins + 1)};
    gp_box box = gp_sweep_box(&job->sweep, piece);
    (void)error;
    gp_sweep_each(&job->sweep, worker, &box, count_block, &mine);
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
    for (size_t bin = 0; status == GP_OK && bin + 1 < n_counts; bin++) {
        counts[bin] = 0;
        for (size_t worker = 0; worker < (size_t)n_threads; worker++)
            counts[bin] += job->counts[worker * n_counts + bin];
    }
    free(job->counts);
    return status;
}

gp_status gp_cpu_histogram(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                           int64_t *counts, gp_error *error)
{
    histogram_job job = {.bins = {.edges = edges, .n_bins = n_bins}};
    GP_TRY(gp_histogram_check(plane, edges, n_bins, range, error));
    gp_status status = gp_sweep_init(plane, &job.sweep, error);
    job.loops = gp_look_loops_for(job.sweep.rows.dtype);
    learn_doubt(&job.bins);
    if (range != NULL)
        set_range(&job.bins, job.sweep.rows.dtype, range);
    if (job.sweep.rows.item_bytes == 1)
        fill_codes(&job), job.bins.bin_of_code = job.bin_of_code;
    if (status == GP_OK && job.sweep.n_elems > 0)
        status = count_all(&job, counts, error);
    else if (status == GP_OK)
        memset(counts, 0, (size_t)n_bins * sizeof *counts);
    gp_sweep_free(&job.sweep);
    return status;
}
