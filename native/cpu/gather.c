/* Copies a plane's elements as they are to a contiguous array: blocked for any strides, threaded, in native byte order. */
#include "cpu.h"

#include "threads.h"

#define BLOCK_ROWS 64
#define BLOCK_COLS 64

typedef struct gather_job {
    gp_plane plane;
    const char *origin;
    char *out;
    int item_bytes, part_bytes; /* bytes are turned round within parts */
    bool is_dense;
} gather_job;

/* One element of any size. */
static void copy_item(const gather_job *job, const char *from, char *to)
{
    if (!job->plane.is_byteswapped) {
        memcpy(to, from, (size_t)job->item_bytes);
        return;
    }
    for (int part = 0; part < job->item_bytes; part += job->part_bytes)
        for (int i = 0; i < job->part_bytes; i++)
            to[part + i] = from[part + job->part_bytes - 1 - i];
}

#define COPY_ROW(bits)                                                                                                 \
    static void copy_row_##bits(const char *from, int64_t stride, int64_t n, char *to)                                 \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            uint##bits##_t stored;                                                                                     \
            memcpy(&stored, from + i * stride, sizeof stored);                                                         \
            memcpy(to + i * (int64_t)sizeof stored, &stored, sizeof stored);                                           \
        }                                                                                                              \
    }
COPY_ROW(8)
COPY_ROW(16)
COPY_ROW(32)
COPY_ROW(64)
#undef COPY_ROW

static void copy_row(const gather_job *job, const char *from, int64_t n, char *to)
{
    int64_t stride = job->plane.col_stride_bytes;
    int plain_bytes = job->plane.is_byteswapped && job->item_bytes > 1 ? 0 : job->item_bytes;
    switch (plain_bytes) {
    case 1: copy_row_8(from, stride, n, to); break;
    case 2: copy_row_16(from, stride, n, to); break;
    case 4: copy_row_32(from, stride, n, to); break;
    case 8: copy_row_64(from, stride, n, to); break;
    default:
        for (int64_t i = 0; i < n; i++)
            copy_item(job, from + i * stride, to + i * job->item_bytes);
    }
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* A band of rows; blocks of columns inside it, so that a transposed source is read by whole cache lines. */
static gp_status gather_band(void *context, int64_t piece, int worker, gp_error *error)
{
    const gather_job *job = context;
    const gp_plane *plane = &job->plane;
    int64_t row0 = piece * BLOCK_ROWS, row1 = smaller(row0 + BLOCK_ROWS, plane->n_rows);
    int64_t n_block = job->is_dense ? plane->n_cols : BLOCK_COLS;
    (void)worker, (void)error;
    for (int64_t col = 0; col < plane->n_cols; col += n_block) {
        int64_t n = smaller(n_block, plane->n_cols - col);
        for (int64_t row = row0; row < row1; row++) {
            const char *from = job->origin + row * plane->row_stride_bytes + col * plane->col_stride_bytes;
            char *to = job->out + (row * plane->n_cols + col) * job->item_bytes;
            if (job->is_dense)
                memcpy(to, from, (size_t)n * (size_t)job->item_bytes);
            else
                copy_row(job, from, n, to);
        }
    }
    return GP_OK;
}

gp_status gp_cpu_gather(const gp_plane *plane, void *out, gp_error *error)
{
    if (plane->n_rows == 0 || plane->n_cols == 0)
        return GP_OK;
    int item_bytes = gp_dtype_size_bytes(plane->dtype);
    gather_job job = {.plane = *plane, .origin = plane->data, .out = out, .item_bytes = item_bytes,
                      .part_bytes = gp_dtype_is_complex(plane->dtype) ? item_bytes / 2 : item_bytes};
    if (plane->component == GP_COMPONENT_CHANNEL)
        job.origin += plane->channel * plane->channel_stride_bytes;
    job.is_dense = plane->col_stride_bytes == item_bytes && !(plane->is_byteswapped && item_bytes > 1);
    int64_t n_bands = (plane->n_rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
    return gp_threads_run(n_bands, gp_threads_for(plane->n_rows * plane->n_cols), gather_band, &job, error);
}
