/* Elements of a device's plane as they are to host memory: what lies without gaps is copied, all else is packed on its way. */
#include "cuda.h"

#include "kernels/gather_args.h"
#include "work.h"

#include <stdio.h>

/* Tiles pay from so many rows and columns on. */
enum { LEAST_TILE_ROWS = 8, LEAST_TILE_COLS = 16 };

typedef struct gather_job {
    gp_cuda_device *device;
    const char *from; /* element (0, 0), an address of the device */
    int64_t n_rows, n_cols, row_stride, col_stride;
    int item_bytes, part_bytes;
    bool is_swapped;
} gather_job;

static gather_job job_of(const gp_plane *plane)
{
    int item_bytes = gp_dtype_size_bytes(plane->dtype);
    gather_job job = {.from = plane->data, .n_rows = plane->n_rows, .n_cols = plane->n_cols,
                      .row_stride = plane->row_stride_bytes, .col_stride = plane->col_stride_bytes, .item_bytes = item_bytes,
                      .part_bytes = gp_dtype_is_complex(plane->dtype) ? item_bytes / 2 : item_bytes,
                      .is_swapped = plane->is_byteswapped && item_bytes > 1};
    if (plane->component == GP_COMPONENT_CHANNEL)
        job.from += plane->channel * plane->channel_stride_bytes;
    if (job.n_cols == 1) { /* one long row */
        job.n_cols = job.n_rows, job.col_stride = job.row_stride;
        job.n_rows = 1;
    } else if (job.n_rows > 1 && job.row_stride % job.n_cols == 0 && job.row_stride / job.n_cols == job.col_stride) {
        job.n_cols *= job.n_rows;
        job.n_rows = 1;
    }
    return job;
}

/* True where a kernel for items of this size may read them: natural alignment, native order. */
static bool is_typed(const gather_job *job)
{
    uint64_t places = (uint64_t)(uintptr_t)job->from | (uint64_t)job->row_stride | (uint64_t)job->col_stride;
    uint64_t size = (uint64_t)job->item_bytes;
    return !job->is_swapped && size <= 16 && (size & (size - 1)) == 0 && places % size == 0;
}

static int64_t magnitude(int64_t n) { return n < 0 ? -n : n; }

/* Queues the kernel that packs a box side by side. */
static gp_status pack_box(const gather_job *job, int64_t row, int64_t col, int64_t n_rows, int64_t n_cols, CUdeviceptr target,
                          gp_error *error)
{
    gp_gather_args args = {.from = job->from + row * job->row_stride + col * job->col_stride,
                           .out = (char *)(uintptr_t)target, .row_stride_bytes = job->row_stride,
                           .col_stride_bytes = job->col_stride, .n_rows = (uint32_t)n_rows, .n_cols = (uint32_t)n_cols,
                           .item_bytes = job->item_bytes, .part_bytes = job->part_bytes, .is_swapped = job->is_swapped};
    bool is_turned = is_typed(job) && magnitude(job->row_stride) < magnitude(job->col_stride) &&
                     n_rows >= LEAST_TILE_ROWS && n_cols >= LEAST_TILE_COLS;
    int64_t grid_x = gp_cuda_blocks_for(job->device, n_rows * n_cols), grid_y = 1;
    char kernel[32];
    if (is_turned) {
        grid_x = (n_cols + GP_GATHER_TILE - 1) / GP_GATHER_TILE;
        grid_y = (n_rows + GP_GATHER_TILE - 1) / GP_GATHER_TILE;
    }
    if (is_typed(job))
        snprintf(kernel, sizeof kernel, "gather_%s_%d", is_turned ? "tiles" : "rows", job->item_bytes);
    else
        snprintf(kernel, sizeof kernel, "gather_bytes");
    return gp_cuda_launch(job->device, "gather", kernel, grid_x, grid_y, 1, GP_BLOCK_THREADS, &args, error);
}

/* Whole rows where as many elements hold some, of tiles if possible, else a part of one row: a run of the output either way. */
static gp_status make_elements(void *context, int64_t begin, int64_t *n_items, CUdeviceptr target, gp_error *error)
{
    const gather_job *job = context;
    int64_t row = begin / job->n_cols, col = begin % job->n_cols, n_rows = *n_items / job->n_cols, n_cols = job->n_cols;
    if (col > 0 || n_rows == 0) {
        int64_t n_left = job->n_cols - col;
        n_rows = 1, n_cols = n_left < *n_items ? n_left : *n_items;
    } else if (n_rows > GP_GATHER_TILE && n_rows < job->n_rows - row) {
        n_rows -= n_rows % GP_GATHER_TILE;
    }
    *n_items = n_rows * n_cols;
    return pack_box(job, row, col, n_rows, n_cols, target, error);
}

gp_status gp_cuda_gather(const gp_plane *plane, void *out, gp_error *error)
{
    int64_t n_elems = plane->n_rows * plane->n_cols;
    if (n_elems == 0)
        return GP_OK;
    gather_job job = job_of(plane);
    GP_TRY(gp_cuda_enter(plane->device.id, &job.device, error));
    bool is_plain = !job.is_swapped && job.n_rows == 1 && (n_elems == 1 || job.col_stride == job.item_bytes);
    gp_status status = is_plain ? gp_cuda_download(job.device, out, (CUdeviceptr)(uintptr_t)job.from,
                                                   (size_t)(n_elems * job.item_bytes), error)
                                : gp_cuda_fetch(job.device, out, n_elems, (size_t)job.item_bytes, GP_SLOT_GATHER,
                                                make_elements, &job, error);
    return gp_cuda_finish(job.device, status, error);
}
