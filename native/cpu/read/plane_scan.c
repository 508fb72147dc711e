/* Plans reading all of a plane once: along memory, in boxes of one size, in blocks that stay in the nearest cache. */
#include "plane_scan.h"

#include "../../core/base/alloc.h"
#include "../../core/base/threads.h"

#include "../../core/tensor/plane_layout.h"

enum { PIECE_ELEMS = 1 << 17, SHORT_ROW = 256, MOST_ITEM_BYTES = 8 };

static bool is_linear(const gp_plane *plane, const uint8_t *mask)
{
    return plane->n_cols > 1 && plane->row_stride_bytes == plane->n_cols * plane->col_stride_bytes &&
           (mask == NULL || plane->mask_row_stride_bytes == plane->n_cols * plane->mask_col_stride_bytes);
}

static void cut_boxes(gp_plane_scan *scan)
{
    int64_t n_rows = scan->plane.n_rows, n_cols = scan->plane.n_cols;
    int64_t n_elems = PIECE_ELEMS / scan->n_reads > 64 ? PIECE_ELEMS / scan->n_reads : 64;
    scan->box_cols = n_cols < n_elems ? n_cols : n_elems;
    scan->box_rows = n_elems / scan->box_cols < n_rows ? n_elems / scan->box_cols : n_rows;
    scan->n_col_boxes = (n_cols + scan->box_cols - 1) / scan->box_cols;
    scan->n_pieces = (n_rows + scan->box_rows - 1) / scan->box_rows * scan->n_col_boxes;
}

static size_t rounded_up(size_t n_bytes) { return (n_bytes + 127) / 64 * 64; }

gp_status gp_plane_scan_init(const gp_plane *plane, gp_plane_scan *out, gp_error *error)
{
    gp_plane_scan scan = {.n_elems = plane->n_rows * plane->n_cols, .n_reads = gp_plane_reads_per_elem(plane), .n_threads = 1};
    scan.is_turned = gp_plane_is_turned(plane);
    scan.plane = scan.is_turned ? gp_plane_transpose(plane) : *plane;
    if (plane->n_stages == 0 && plane->component != GP_COMPONENT_CHANNEL)
        scan.mask = scan.plane.mask, scan.plane.mask = NULL;
    scan.is_linear = is_linear(&scan.plane, scan.mask != NULL ? scan.mask : scan.plane.mask);
    gp_row_reader_init(&scan.plane, scan.plane.hidden_nan, &scan.rows);
    if (scan.n_elems > 0) {
        cut_boxes(&scan);
        bool is_beyond = scan.n_elems > INT64_MAX / scan.n_reads;
        scan.n_threads = gp_threads_for(is_beyond ? INT64_MAX : scan.n_elems * scan.n_reads);
        scan.n_threads = scan.n_pieces < scan.n_threads ? (int)scan.n_pieces : scan.n_threads;
    }
    scan.packed_bytes = rounded_up((size_t)GP_BLOCK_ELEMS * MOST_ITEM_BYTES);
    scan.worker_bytes = 2 * scan.packed_bytes + rounded_up(gp_row_reader_scratch_bytes(&scan.rows, GP_BLOCK_ELEMS));
    gp_status status = gp_alloc(scan.worker_bytes * (size_t)scan.n_threads, &scan.memory, error);
    *out = scan;
    return status;
}

void gp_plane_scan_free(gp_plane_scan *scan)
{
    free(scan->memory);
    scan->memory = NULL;
}

gp_scan_box gp_plane_scan_box(const gp_plane_scan *scan, int64_t piece)
{
    int64_t row0 = piece / scan->n_col_boxes * scan->box_rows, col0 = piece % scan->n_col_boxes * scan->box_cols;
    int64_t n_rows = scan->plane.n_rows - row0, n_cols = scan->plane.n_cols - col0;
    return (gp_scan_box){row0, row0 + (n_rows < scan->box_rows ? n_rows : scan->box_rows), col0,
                         col0 + (n_cols < scan->box_cols ? n_cols : scan->box_cols)};
}

const void *gp_plane_scan_get(const gp_plane_scan *scan, int worker, int64_t row, int64_t col, int64_t n)
{
    char *packed = scan->memory + (size_t)worker * scan->worker_bytes;
    return gp_row_reader_get(&scan->rows, row, col, n, packed, packed + 2 * scan->packed_bytes);
}

const uint8_t *gp_plane_scan_mask(const gp_plane_scan *scan, int64_t row, int64_t col)
{
    if (scan->mask == NULL)
        return NULL;
    return scan->mask + row * scan->plane.mask_row_stride_bytes + col * scan->plane.mask_col_stride_bytes;
}

/* ---- blocks ---------------------------------------------------------------------------------------------------------- */

#define KEEP(bits)                                                                                                               \
    static int keep_##bits(const gp_plane_scan *scan, const void *elems, const uint8_t *mask, int n, void *kept)                 \
    {                                                                                                                            \
        const uint##bits##_t *from = elems;                                                                                      \
        uint##bits##_t *to = kept;                                                                                               \
        int n_kept = 0;                                                                                                          \
        for (int i = 0; i < n; i++) {                                                                                            \
            to[n_kept] = from[i];                                                                                                \
            n_kept += !gp_plane_scan_is_masked(scan, mask[i * scan->plane.mask_col_stride_bytes]);                               \
        }                                                                                                                        \
        return n_kept;                                                                                                           \
    }
KEEP(8)
KEEP(16)
KEEP(32)
KEEP(64)
#undef KEEP

/* Copies the elements that are not masked; how many. kept has room for all n. */
static int keep(const gp_plane_scan *scan, const void *elems, const uint8_t *mask, int n, char *kept)
{
    if (mask == NULL) {
        memcpy(kept, elems, (size_t)n * (size_t)scan->rows.item_bytes);
        return n;
    }
    switch (scan->rows.item_bytes) {
    case 1: return keep_8(scan, elems, mask, n, kept);
    case 2: return keep_16(scan, elems, mask, n, kept);
    case 4: return keep_32(scan, elems, mask, n, kept);
    default: return keep_64(scan, elems, mask, n, kept);
    }
}

/* Short rows, and what is left of masked ones, are collected until a block is full. */
static void collect(const gp_plane_scan *scan, int worker, const gp_scan_box *box, gp_take take, void *context)
{
    char *kept = scan->memory + (size_t)worker * scan->worker_bytes + scan->packed_bytes;
    int n_kept = 0, n_masked = 0;
    for (int64_t row = box->row0; row < box->row1; row++)
        for (int64_t col = box->col0, n = 0; col < box->col1; col += n) {
            n = box->col1 - col < GP_BLOCK_ELEMS - n_kept ? box->col1 - col : GP_BLOCK_ELEMS - n_kept;
            const void *elems = gp_plane_scan_get(scan, worker, row, col, n);
            int n_here = keep(scan, elems, gp_plane_scan_mask(scan, row, col), (int)n,
                              kept + (size_t)n_kept * (size_t)scan->rows.item_bytes);
            n_kept += n_here, n_masked += (int)n - n_here;
            if (n_kept == GP_BLOCK_ELEMS || n_masked >= GP_BLOCK_ELEMS) {
                take(context, kept, n_kept, n_masked);
                n_kept = n_masked = 0;
            }
        }
    take(context, kept, n_kept, n_masked);
}

void gp_plane_scan_each(const gp_plane_scan *scan, int worker, const gp_scan_box *box, gp_take take, void *context)
{
    gp_scan_box lines = *box;
    if (scan->is_linear && box->col0 == 0 && box->col1 == scan->plane.n_cols) /* one long row, which begins in row0 */
        lines.row1 = box->row0 + 1, lines.col1 = (box->row1 - box->row0) * scan->plane.n_cols;
    if (scan->mask != NULL || lines.col1 - lines.col0 < SHORT_ROW) {
        collect(scan, worker, &lines, take, context);
        return;
    }
    for (int64_t row = lines.row0; row < lines.row1; row++)
        for (int64_t col = lines.col0; col < lines.col1; col += GP_BLOCK_ELEMS) {
            int64_t n = lines.col1 - col < GP_BLOCK_ELEMS ? lines.col1 - col : GP_BLOCK_ELEMS;
            take(context, gp_plane_scan_get(scan, worker, row, col, n), (int)n, 0);
        }
}
