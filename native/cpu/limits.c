/* Limits of every element of a plane: smallest, largest, smallest positive, and how many are not finite. */
#include "reduce.h"
#include "threads.h"

#include <stdlib.h>

#define CHUNK 2048
#define PIECE_ELEMS ((int64_t)1 << 19)

typedef struct limits_job {
    gp_rows rows;
    const gp_loops *loops;
    unsigned want;
    int64_t n_row_bands, n_col_bands, band_cols, chunk_elems;
    gp_limits_state *states; /* one per thread */
    char **buffers;  /* one per thread: a packed row, then scratch */
} limits_job;

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
    gp_limits_state state = gp_limits_state_none();
    double positive = (double)INFINITY;
    (void)error;
    for (int64_t row = row0; row < row1; row++)
        for (int64_t col = col0; col < col_end; col += job->chunk_elems) {
            int64_t n = col + job->chunk_elems < col_end ? job->chunk_elems : col_end - col;
            const void *elems = gp_rows_get(&job->rows, row, col, n, packed, scratch);
            gp_rows_add_limits(&job->rows, job->loops, elems, n, &state);
            if (job->want & GP_WANT_POSITIVE)
                job->loops->positive(elems, n, &positive);
        }
    gp_limits_state_add_positive(&state, positive);
    gp_limits_state_join(&job->states[worker], &state);
    return GP_OK;
}

static gp_status run(limits_job *job, int n_threads, gp_limits_state *out, gp_error *error)
{
    bool is_in_place = job->rows.source == GP_ROWS_IN_PLACE;
    size_t n_bytes = is_in_place
                         ? 0
                         : (size_t)job->chunk_elems * sizeof(double) + gp_rows_scratch_bytes(&job->rows, job->chunk_elems);
    for (int i = 0; i < n_threads; i++) {
        job->states[i] = gp_limits_state_none();
        job->buffers[i] = gp_cpu_alloc(n_bytes);
        if (job->buffers[i] == NULL)
            return gp_fail_memory(error, (double)n_bytes);
    }
    GP_TRY(gp_threads_run(job->n_row_bands * job->n_col_bands, n_threads, limits_piece, job, error));
    for (int i = 1; i < n_threads; i++)
        gp_limits_state_join(&job->states[0], &job->states[i]);
    *out = job->states[0];
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

gp_status gp_cpu_limits(const gp_plane *plane, unsigned want, gp_limits_state *out, gp_error *error)
{
    limits_job job = {.want = want};
    gp_plane turned = upright(plane);
    turned = flattened(&turned);
    int64_t n_elems = plane->n_rows * plane->n_cols;
    if (n_elems == 0) {
        *out = gp_limits_state_none();
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
    job.states = gp_cpu_alloc((size_t)n_threads * sizeof *job.states);
    job.buffers = calloc((size_t)n_threads, sizeof *job.buffers);
    gp_status status = job.states == NULL || job.buffers == NULL ? gp_fail_memory(error, (double)n_threads * 64)
                                                                 : run(&job, n_threads, out, error);
    for (int i = 0; job.buffers != NULL && i < n_threads; i++)
        free(job.buffers[i]);
    free(job.buffers);
    free(job.states);
    return status;
}
