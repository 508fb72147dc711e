/* Facts about every element of a plane: smallest, largest, smallest positive, and how many are not finite. */
#include "cpu.h"

#include "facts.h"
#include "rows.h"
#include "threads.h"

#include <stdlib.h>

#define CHUNK 2048
#define PIECE_ELEMS ((int64_t)1 << 19)

typedef struct limits_job {
    gp_rows rows;
    const gp_loops *loops;
    unsigned want;
    int64_t n_row_bands, n_col_bands, band_cols, chunk_elems;
    gp_facts *facts; /* one per thread */
    char **buffers;  /* one per thread: a packed row, then scratch */
} limits_job;

gp_facts gp_facts_none(void) { return (gp_facts){.range = {(double)INFINITY, -(double)INFINITY}, .positive = (double)INFINITY}; }

void gp_facts_join(gp_facts *to, const gp_facts *from)
{
    to->range.lo = from->range.lo < to->range.lo ? from->range.lo : to->range.lo;
    to->range.hi = from->range.hi > to->range.hi ? from->range.hi : to->range.hi;
    to->positive = from->positive < to->positive ? from->positive : to->positive;
    to->n_finite += from->n_finite, to->n_nan += from->n_nan;
    to->n_pos_inf += from->n_pos_inf, to->n_neg_inf += from->n_neg_inf, to->n_masked += from->n_masked;
}

void gp_facts_add(const gp_rows *rows, const gp_loops *loops, const void *elems, int64_t n, gp_facts *facts)
{
    loops->facts(elems, n, facts);
    int64_t n_masked = rows->plane.mask != NULL ? gp_count_masked(elems, n) : 0;
    facts->n_nan -= n_masked, facts->n_masked += n_masked;
}

static double or_nan(bool is_there, double value) { return is_there ? value + 0.0 : gp_mark_value(GP_HAS_NAN); }

void gp_facts_to_limits(const gp_facts *f, gp_limits *out)
{
    *out = (gp_limits){.min = or_nan(f->n_finite > 0, f->range.lo),
                       .max = or_nan(f->n_finite > 0, f->range.hi),
                       .min_positive = or_nan(f->positive < (double)INFINITY, f->positive),
                       .n_finite = f->n_finite,
                       .n_nan = f->n_nan,
                       .n_pos_inf = f->n_pos_inf,
                       .n_neg_inf = f->n_neg_inf,
                       .n_masked = f->n_masked};
    out->has = (f->n_finite > 0 ? GP_HAS_FINITE : 0u) | (f->n_nan > 0 ? GP_HAS_NAN : 0u) |
               (f->n_pos_inf > 0 ? GP_HAS_POS_INF : 0u) | (f->n_neg_inf > 0 ? GP_HAS_NEG_INF : 0u) |
               (f->n_masked > 0 ? GP_HAS_MASKED : 0u);
}

static int64_t part_begin(int64_t n, int64_t n_parts, int64_t part) { return n / n_parts * part + n % n_parts * part / n_parts; }

static gp_status limits_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const limits_job *job = context;
    const gp_plane *plane = &job->rows.plane;
    int64_t band = piece / job->n_col_bands, col0 = piece % job->n_col_bands * job->band_cols;
    int64_t row0 = part_begin(plane->n_rows, job->n_row_bands, band);
    int64_t row1 = part_begin(plane->n_rows, job->n_row_bands, band + 1);
    int64_t col_end = col0 + job->band_cols < plane->n_cols ? col0 + job->band_cols : plane->n_cols;
    char *packed = job->buffers[worker],
         *scratch = packed + (job->rows.source == GP_ROWS_IN_PLACE ? 0 : job->chunk_elems * (int64_t)sizeof(double));
    gp_facts facts = gp_facts_none();
    (void)error;
    for (int64_t row = row0; row < row1; row++)
        for (int64_t col = col0; col < col_end; col += job->chunk_elems) {
            int64_t n = col + job->chunk_elems < col_end ? job->chunk_elems : col_end - col;
            const void *elems = gp_rows_get(&job->rows, row, col, n, packed, scratch);
            gp_facts_add(&job->rows, job->loops, elems, n, &facts);
            if (job->want & GP_WANT_POSITIVE)
                job->loops->positive(elems, n, &facts.positive);
        }
    gp_facts_join(&job->facts[worker], &facts);
    return GP_OK;
}

static gp_status run(limits_job *job, int n_threads, gp_limits *out, gp_error *error)
{
    bool is_in_place = job->rows.source == GP_ROWS_IN_PLACE;
    size_t n_bytes = is_in_place
                         ? 0
                         : (size_t)job->chunk_elems * sizeof(double) + gp_rows_scratch_bytes(&job->rows, job->chunk_elems);
    for (int i = 0; i < n_threads; i++) {
        job->facts[i] = gp_facts_none();
        job->buffers[i] = gp_cpu_alloc(n_bytes);
        if (job->buffers[i] == NULL)
            return gp_fail_memory(error, (double)n_bytes);
    }
    GP_TRY(gp_threads_run(job->n_row_bands * job->n_col_bands, n_threads, limits_piece, job, error));
    for (int i = 1; i < n_threads; i++)
        gp_facts_join(&job->facts[0], &job->facts[i]);
    gp_facts_to_limits(&job->facts[0], out);
    return GP_OK;
}

/* The direction in which elements lie densely. */
static gp_plane upright(const gp_plane *plane)
{
    int64_t row_stride = plane->row_stride_bytes, col_stride = plane->col_stride_bytes;
    bool is_turned = plane->n_cols <= 1 ||
                     (row_stride < 0 ? -row_stride : row_stride) < (col_stride < 0 ? -col_stride : col_stride);
    return plane->n_rows > 1 && is_turned ? gp_plane_transpose(plane) : *plane;
}

/* Rows without gaps are one long row. */
static gp_plane flattened(const gp_plane *plane)
{
    gp_plane flat = *plane;
    if (gp_plane_is_direct(plane) && plane->col_stride_bytes == gp_dtype_size_bytes(plane->dtype) &&
        plane->row_stride_bytes == plane->n_cols * plane->col_stride_bytes)
        flat.n_rows = 1, flat.n_cols = plane->n_rows * plane->n_cols;
    return flat;
}

gp_status gp_cpu_limits(const gp_plane *plane, unsigned want, gp_limits *out, gp_error *error)
{
    limits_job job = {.want = want};
    gp_plane turned = upright(plane);
    turned = flattened(&turned);
    int64_t n_elems = plane->n_rows * plane->n_cols;
    if (n_elems == 0) {
        gp_facts none = gp_facts_none();
        gp_facts_to_limits(&none, out);
        return GP_OK;
    }
    gp_rows_init(&turned, turned.hidden_nan, &job.rows);
    job.loops = gp_loops_for(job.rows.dtype);
    job.band_cols = turned.n_cols < PIECE_ELEMS ? turned.n_cols : PIECE_ELEMS;
    job.chunk_elems = job.rows.source == GP_ROWS_IN_PLACE ? PIECE_ELEMS : CHUNK;
    if (job.chunk_elems > job.band_cols)
        job.chunk_elems = job.band_cols;
    job.n_col_bands = (turned.n_cols + job.band_cols - 1) / job.band_cols;
    int64_t n_reads = gp_plane_reads_per_elem(plane), band_rows = PIECE_ELEMS / n_reads / job.band_cols;
    int64_t n_bands = turned.n_rows / (band_rows > 0 ? band_rows : 1);
    job.n_row_bands = n_bands < 1 ? 1 : n_bands;
    int n_threads = gp_threads_for(n_elems > INT64_MAX / n_reads ? INT64_MAX : n_elems * n_reads);
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
