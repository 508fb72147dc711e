/* Facts about every element of a plane: smallest, largest, smallest positive, and how many are not finite. */
#include "cpu.h"

#include "loops.h"
#include "rows.h"
#include "threads.h"

#include <stdlib.h>

#define CHUNK 8192
#define PIECE_ELEMS ((int64_t)1 << 19)

/* All elements at once, because they are joined without order. */
typedef struct facts {
    double lo, hi, positive;
    int64_t n_finite, n_nan, n_pos_inf, n_neg_inf;
} facts;

typedef struct limits_job {
    gp_rows rows;
    const gp_loops *loops;
    int64_t n_row_bands, n_col_bands, band_cols;
    facts *facts;   /* one per thread */
    char **buffers; /* one per thread: a packed row, float64 values, scratch */
} limits_job;

static const facts no_facts = {.lo = (double)INFINITY, .hi = -(double)INFINITY, .positive = (double)INFINITY};

static void add_values(const double *values, int64_t n, facts *f)
{
    for (int64_t i = 0; i < n; i++) {
        double x = values[i];
        unsigned class = gp_class_of(x);
        f->n_finite += class == GP_HAS_FINITE;
        f->n_nan += class == GP_HAS_NAN;
        f->n_pos_inf += class == GP_HAS_POS_INF;
        f->n_neg_inf += class == GP_HAS_NEG_INF;
        if (class != GP_HAS_FINITE)
            continue;
        f->lo = x < f->lo ? x : f->lo;
        f->hi = x > f->hi ? x : f->hi;
        f->positive = x > 0 && x < f->positive ? x : f->positive;
    }
}

static void join_facts(facts *to, const facts *from)
{
    to->lo = from->lo < to->lo ? from->lo : to->lo;
    to->hi = from->hi > to->hi ? from->hi : to->hi;
    to->positive = from->positive < to->positive ? from->positive : to->positive;
    to->n_finite += from->n_finite, to->n_nan += from->n_nan;
    to->n_pos_inf += from->n_pos_inf, to->n_neg_inf += from->n_neg_inf;
}

static gp_status limits_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const limits_job *job = context;
    const gp_plane *plane = &job->rows.plane;
    int64_t band = piece / job->n_col_bands, col0 = piece % job->n_col_bands * job->band_cols;
    int64_t row0 = plane->n_rows / job->n_row_bands * band + plane->n_rows % job->n_row_bands * band / job->n_row_bands;
    int64_t row1 = plane->n_rows / job->n_row_bands * (band + 1) +
                   plane->n_rows % job->n_row_bands * (band + 1) / job->n_row_bands;
    int64_t col_end = col0 + job->band_cols < plane->n_cols ? col0 + job->band_cols : plane->n_cols;
    double *packed = (double *)job->buffers[worker], *values = packed + CHUNK, *scratch = values + CHUNK;
    (void)error;
    for (int64_t row = row0; row < row1; row++)
        for (int64_t col = col0; col < col_end; col += CHUNK) {
            int64_t n = col + CHUNK < col_end ? CHUNK : col_end - col;
            job->loops->values(gp_rows_get(&job->rows, row, col, n, packed, scratch), n, values);
            add_values(values, n, &job->facts[worker]);
        }
    return GP_OK;
}

static double or_nan(bool is_there, double value) { return is_there ? value + 0.0 : gp_mark_value(GP_HAS_NAN); }

static void fill_limits(const facts *f, gp_limits *out)
{
    *out = (gp_limits){.min = or_nan(f->n_finite > 0, f->lo), .max = or_nan(f->n_finite > 0, f->hi),
                       .min_positive = or_nan(f->positive < (double)INFINITY, f->positive),
                       .n_finite = f->n_finite, .n_nan = f->n_nan, .n_pos_inf = f->n_pos_inf, .n_neg_inf = f->n_neg_inf};
    out->has = (f->n_finite > 0 ? GP_HAS_FINITE : 0u) | (f->n_nan > 0 ? GP_HAS_NAN : 0u) |
               (f->n_pos_inf > 0 ? GP_HAS_POS_INF : 0u) | (f->n_neg_inf > 0 ? GP_HAS_NEG_INF : 0u);
}

static gp_status run(limits_job *job, int n_threads, gp_limits *out, gp_error *error)
{
    size_t n_bytes = 2 * CHUNK * sizeof(double) + gp_rows_scratch_bytes(&job->rows, CHUNK);
    for (int i = 0; i < n_threads; i++) {
        job->facts[i] = no_facts;
        job->buffers[i] = gp_cpu_alloc(n_bytes);
        if (job->buffers[i] == NULL)
            return gp_fail_memory(error, (double)n_bytes);
    }
    GP_TRY(gp_threads_run(job->n_row_bands * job->n_col_bands, n_threads, limits_piece, job, error));
    for (int i = 1; i < n_threads; i++)
        join_facts(&job->facts[0], &job->facts[i]);
    fill_limits(&job->facts[0], out);
    return GP_OK;
}

/* The direction in which elements lie densely. */
static gp_plane upright(const gp_plane *plane)
{
    int64_t row_stride = plane->row_stride_bytes, col_stride = plane->col_stride_bytes;
    bool is_turned = plane->n_cols <= 1 || (row_stride < 0 ? -row_stride : row_stride) < (col_stride < 0 ? -col_stride : col_stride);
    return plane->n_rows > 1 && is_turned ? gp_plane_transpose(plane) : *plane;
}

gp_status gp_cpu_limits(const gp_plane *plane, unsigned want, gp_limits *out, gp_error *error)
{
    limits_job job;
    gp_plane turned = upright(plane);
    int64_t n_elems = plane->n_rows * plane->n_cols;
    (void)want;
    if (n_elems == 0) {
        fill_limits(&no_facts, out);
        return GP_OK;
    }
    gp_rows_init(&turned, turned.hidden_nan, &job.rows);
    job.loops = gp_loops_for(job.rows.dtype);
    job.band_cols = turned.n_cols < PIECE_ELEMS ? turned.n_cols : PIECE_ELEMS;
    job.n_col_bands = (turned.n_cols + job.band_cols - 1) / job.band_cols;
    int64_t n_bands = turned.n_rows / (PIECE_ELEMS / job.band_cols);
    job.n_row_bands = n_bands < 1 ? 1 : n_bands;
    int n_threads = gp_threads_for(n_elems);
    job.facts = gp_cpu_alloc((size_t)n_threads * sizeof *job.facts);
    job.buffers = calloc((size_t)n_threads, sizeof *job.buffers);
    gp_status status = job.facts == NULL || job.buffers == NULL ? gp_fail_memory(error, (double)n_threads * 64)
                                                                : run(&job, n_threads, out, error);
    for (int i = 0; job.buffers != NULL && i < n_threads; i++)
        free(job.buffers[i]);
    free(job.buffers);
    free(job.facts);
    return status;
}
