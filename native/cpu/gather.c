/* Copies a plane's elements as they are to a contiguous array: tiled for any strides, threaded, in native byte order. */
#include "cpu.h"

#include "threads.h"

#include <stdlib.h>

/* Rows of a band, and columns of a tile inside it. A turned source is read in runs of so many rows: long enough that
 * each visit to a page of memory is worth its while. */
#define BAND_ROWS 256
#define TILE_COLS 64
#define MAX_TILE_ITEM_BYTES 8

/* Planes without gaps are cut into runs of so many elements. */
#define RUN_ELEMS ((int64_t)1 << 18)

typedef struct gather_job {
    gp_plane plane;
    const char *origin;
    char *out;
    int item_bytes, part_bytes; /* bytes are turned round within parts */
    int64_t band_rows;
    char *tiles; /* one per thread, where the source is turned */
} gather_job;

static bool is_swapped(const gather_job *job) { return job->plane.is_byteswapped && job->item_bytes > 1; }

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* One element of any size. */
static void copy_item(const gather_job *job, const char *from, char *to)
{
    if (!is_swapped(job)) {
        memcpy(to, from, (size_t)job->item_bytes);
        return;
    }
    for (int part = 0; part < job->item_bytes; part += job->part_bytes)
        for (int i = 0; i < job->part_bytes; i++)
            to[part + i] = from[part + job->part_bytes - 1 - i];
}

#define COPY_STRIDED(bits)                                                                                             \
    static void copy_strided_##bits(const char *from, int64_t stride, int64_t n, char *to)                             \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++)                                                                                \
            memcpy(to + i * (bits / 8), from + i * stride, bits / 8);                                                  \
    }
COPY_STRIDED(8)
COPY_STRIDED(16)
COPY_STRIDED(32)
COPY_STRIDED(64)
#undef COPY_STRIDED

/* n items that lie `stride` bytes apart, side by side. */
static void copy_strided(const gather_job *job, const char *from, int64_t stride, int64_t n, char *to)
{
    if (!is_swapped(job) && stride == job->item_bytes) {
        memcpy(to, from, (size_t)n * (size_t)job->item_bytes);
        return;
    }
    switch (is_swapped(job) ? 0 : job->item_bytes) {
    case 1: copy_strided_8(from, stride, n, to); break;
    case 2: copy_strided_16(from, stride, n, to); break;
    case 4: copy_strided_32(from, stride, n, to); break;
    case 8: copy_strided_64(from, stride, n, to); break;
    default:
        for (int64_t i = 0; i < n; i++)
            copy_item(job, from + i * stride, to + i * job->item_bytes);
    }
}

static void copy_rows(const gather_job *job, int64_t row0, int64_t row1)
{
    const gp_plane *plane = &job->plane;
    for (int64_t row = row0; row < row1; row++)
        copy_strided(job, job->origin + row * plane->row_stride_bytes, plane->col_stride_bytes, plane->n_cols,
                     job->out + row * plane->n_cols * job->item_bytes);
}

/* Columns of the source, which are dense, into the rows of a tile; then its columns to rows of the output. */
static void copy_turned(const gather_job *job, char *tile, int64_t row0, int64_t row1)
{
    const gp_plane *plane = &job->plane;
    int64_t tile_stride = (row1 - row0) * job->item_bytes;
    for (int64_t col0 = 0; col0 < plane->n_cols; col0 += TILE_COLS) {
        int64_t n_cols = smaller(TILE_COLS, plane->n_cols - col0);
        const char *from = job->origin + row0 * plane->row_stride_bytes + col0 * plane->col_stride_bytes;
        for (int64_t i = 0; i < n_cols; i++)
            copy_strided(job, from + i * plane->col_stride_bytes, plane->row_stride_bytes, row1 - row0,
                         tile + i * tile_stride);
        gather_job inside = *job; /* what is in the tile has native byte order already */
        inside.plane.is_byteswapped = false;
        for (int64_t row = row0; row < row1; row++)
            copy_strided(&inside, tile + (row - row0) * job->item_bytes, tile_stride, n_cols,
                         job->out + (row * plane->n_cols + col0) * job->item_bytes);
    }
}

static gp_status gather_band(void *context, int64_t piece, int worker, gp_error *error)
{
    const gather_job *job = context;
    int64_t row0 = piece * job->band_rows, row1 = smaller(row0 + job->band_rows, job->plane.n_rows);
    (void)error;
    if (job->tiles != NULL)
        copy_turned(job, job->tiles + (int64_t)worker * BAND_ROWS * TILE_COLS * MAX_TILE_ITEM_BYTES, row0, row1);
    else
        copy_rows(job, row0, row1);
    return GP_OK;
}

static int64_t magnitude(int64_t n) { return n < 0 ? -n : n; }

static bool is_turned(const gather_job *job)
{
    return job->plane.n_rows > 1 && job->plane.n_cols > 1 && job->item_bytes <= MAX_TILE_ITEM_BYTES &&
           magnitude(job->plane.row_stride_bytes) < magnitude(job->plane.col_stride_bytes);
}

/* A plane without gaps as rows of RUN_ELEMS and what is left over after them. */
static void gather_runs(gather_job *job, int64_t *n_left)
{
    gp_plane *plane = &job->plane;
    int64_t n = plane->n_rows * plane->n_cols;
    *n_left = 0;
    if (plane->col_stride_bytes != job->item_bytes ||
        (plane->n_rows > 1 && plane->row_stride_bytes != plane->n_cols * job->item_bytes))
        return;
    *n_left = n % RUN_ELEMS;
    plane->n_rows = n / RUN_ELEMS, plane->n_cols = RUN_ELEMS;
    plane->row_stride_bytes = RUN_ELEMS * job->item_bytes;
}

gp_status gp_cpu_gather(const gp_plane *plane, void *out, gp_error *error)
{
    int64_t n_left, n_elems = plane->n_rows * plane->n_cols;
    int item_bytes = gp_dtype_size_bytes(plane->dtype), n_threads = gp_threads_for(n_elems);
    gather_job job = {.plane = *plane, .origin = plane->data, .out = out, .item_bytes = item_bytes,
                      .part_bytes = gp_dtype_is_complex(plane->dtype) ? item_bytes / 2 : item_bytes};
    if (n_elems == 0)
        return GP_OK;
    if (plane->component == GP_COMPONENT_CHANNEL)
        job.origin += plane->channel * plane->channel_stride_bytes;
    gather_runs(&job, &n_left);
    if (is_turned(&job)) {
        job.tiles = gp_cpu_alloc((size_t)n_threads * BAND_ROWS * TILE_COLS * MAX_TILE_ITEM_BYTES);
        if (job.tiles == NULL)
            return gp_fail_memory(error, (double)n_threads * BAND_ROWS * TILE_COLS * MAX_TILE_ITEM_BYTES);
    }
    int64_t rows_wanted = job.plane.n_cols > 0 ? RUN_ELEMS / job.plane.n_cols : 1;
    job.band_rows = job.tiles != NULL || rows_wanted > BAND_ROWS ? BAND_ROWS : rows_wanted > 1 ? rows_wanted : 1;
    int64_t n_done = job.plane.n_rows * job.plane.n_cols;
    gp_status status = gp_threads_run((job.plane.n_rows + job.band_rows - 1) / job.band_rows, n_threads, gather_band, &job,
                                      error);
    if (status == GP_OK && n_left > 0)
        copy_strided(&job, job.origin + n_done * item_bytes, item_bytes, n_left, job.out + n_done * item_bytes);
    free(job.tiles);
    return status;
}
