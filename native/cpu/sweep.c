/* Plans reading all of a plane once: along memory, in boxes of one size, in blocks that stay in the nearest cache. */
#include "sweep.h"

#include "alloc.h"
#include "cpu.h"
#include "threads.h"

#include "../core/plane_layout.h"

enum { PIECE_ELEMS = 1 << 17, SHORT_ROW = 256, MOST_ITEM_BYTES = 8 };

static bool is_linear(const gp_plane *plane, const uint8_t *mask)
{
    return plane->n_cols > 1 && plane->row_stride_bytes == plane->n_cols * plane->col_stride_bytes &&
           (mask == NULL || plane->mask_row_stride_bytes == plane->n_cols * plane->mask_col_stride_bytes);
}

static void cut_boxes(gp_sweep *sweep)
{
    int64_t n_rows = sweep->plane.n_rows, n_cols = sweep->plane.n_cols;
    int64_t n_elems = PIECE_ELEMS / sweep->n_reads > 64 ? PIECE_ELEMS / sweep->n_reads : 64;
    sweep->box_cols = n_cols < n_elems ? n_cols : n_elems;
    sweep->box_rows = n_elems / sweep->box_cols < n_rows ? n_elems / sweep->box_cols : n_rows;
    sweep->n_col_boxes = (n_cols + sweep->box_cols - 1) / sweep->box_cols;
    sweep->n_pieces = (n_rows + sweep->box_rows - 1) / sweep->box_rows * sweep->n_col_boxes;
}

static size_t rounded_up(size_t n_bytes) { return (n_bytes + 127) / 64 * 64; }

gp_status gp_sweep_init(const gp_plane *plane, gp_sweep *out, gp_error *error)
{
    gp_sweep sweep = {.n_elems = plane->n_rows * plane->n_cols, .n_reads = gp_plane_reads_per_elem(plane), .n_threads = 1};
    sweep.is_turned = gp_plane_is_turned(plane);
    sweep.plane = sweep.is_turned ? gp_plane_transpose(plane) : *plane;
    if (plane->n_stages == 0 && plane->component != GP_COMPONENT_CHANNEL)
        sweep.mask = sweep.plane.mask, sweep.plane.mask = NULL;
    sweep.is_linear = is_linear(&sweep.plane, sweep.mask != NULL ? sweep.mask : sweep.plane.mask);
    gp_rows_init(&sweep.plane, sweep.plane.hidden_nan, &sweep.rows);
    if (sweep.n_elems > 0) {
        cut_boxes(&sweep);
        bool is_beyond = sweep.n_elems > INT64_MAX / sweep.n_reads;
        sweep.n_threads = gp_threads_for(is_beyond ? INT64_MAX : sweep.n_elems * sweep.n_reads);
        sweep.n_threads = sweep.n_pieces < sweep.n_threads ? (int)sweep.n_pieces : sweep.n_threads;
    }
    sweep.packed_bytes = rounded_up((size_t)GP_LOOK_ELEMS * MOST_ITEM_BYTES);
    sweep.worker_bytes = 2 * sweep.packed_bytes + rounded_up(gp_rows_scratch_bytes(&sweep.rows, GP_LOOK_ELEMS));
    gp_status status = gp_alloc(sweep.worker_bytes * (size_t)sweep.n_threads, &sweep.memory, error);
    *out = sweep;
    return status;
}

void gp_sweep_free(gp_sweep *sweep)
{
    free(sweep->memory);
    sweep->memory = NULL;
}

gp_box gp_sweep_box(const gp_sweep *sweep, int64_t piece)
{
    int64_t row0 = piece / sweep->n_col_boxes * sweep->box_rows, col0 = piece % sweep->n_col_boxes * sweep->box_cols;
    int64_t n_rows = sweep->plane.n_rows - row0, n_cols = sweep->plane.n_cols - col0;
    return (gp_box){row0, row0 + (n_rows < sweep->box_rows ? n_rows : sweep->box_rows), col0,
                    col0 + (n_cols < sweep->box_cols ? n_cols : sweep->box_cols)};
}

const void *gp_sweep_get(const gp_sweep *sweep, int worker, int64_t row, int64_t col, int64_t n)
{
    char *packed = sweep->memory + (size_t)worker * sweep->worker_bytes;
    return gp_rows_get(&sweep->rows, row, col, n, packed, packed + 2 * sweep->packed_bytes);
}

const uint8_t *gp_sweep_mask(const gp_sweep *sweep, int64_t row, int64_t col)
{
    if (sweep->mask == NULL)
        return NULL;
    return sweep->mask + row * sweep->plane.mask_row_stride_bytes + col * sweep->plane.mask_col_stride_bytes;
}

/* ---- blocks ---------------------------------------------------------------------------------------------------------- */

#define KEEP(bits)                                                                                                               \
    static int keep_##bits(const gp_sweep *sweep, const void *elems, const uint8_t *mask, int n, void *kept)                     \
    {                                                                                                                            \
        const uint##bits##_t *from = elems;                                                                                      \
        uint##bits##_t *to = kept;                                                                                               \
        int n_kept = 0;                                                                                                          \
        for (int i = 0; i < n; i++) {                                                                                            \
            to[n_kept] = from[i];                                                                                                \
            n_kept += !gp_sweep_is_masked(sweep, mask[i * sweep->plane.mask_col_stride_bytes]);                                  \
        }                                                                                                                        \
        return n_kept;                                                                                                           \
    }
KEEP(8)
KEEP(16)
KEEP(32)
KEEP(64)
#undef KEEP

/* Copies the elements that are not masked; how many. kept has room for all n. */
static int keep(const gp_sweep *sweep, const void *elems, const uint8_t *mask, int n, char *kept)
{
    if (mask == NULL) {
        memcpy(kept, elems, (size_t)n * (size_t)sweep->rows.item_bytes);
        return n;
    }
    switch (sweep->rows.item_bytes) {
    case 1: return keep_8(sweep, elems, mask, n, kept);
    case 2: return keep_16(sweep, elems, mask, n, kept);
    case 4: return keep_32(sweep, elems, mask, n, kept);
    default: return keep_64(sweep, elems, mask, n, kept);
    }
}

/* Short rows, and what is left of masked ones, are collected until a block is full. */
static void collect(const gp_sweep *sweep, int worker, const gp_box *box, gp_take take, void *context)
{
    char *kept = sweep->memory + (size_t)worker * sweep->worker_bytes + sweep->packed_bytes;
    int n_kept = 0, n_masked = 0;
    for (int64_t row = box->row0; row < box->row1; row++)
        for (int64_t col = box->col0, n = 0; col < box->col1; col += n) {
            n = box->col1 - col < GP_LOOK_ELEMS - n_kept ? box->col1 - col : GP_LOOK_ELEMS - n_kept;
            const void *elems = gp_sweep_get(sweep, worker, row, col, n);
            int n_here = keep(sweep, elems, gp_sweep_mask(sweep, row, col), (int)n,
                              kept + (size_t)n_kept * (size_t)sweep->rows.item_bytes);
            n_kept += n_here, n_masked += (int)n - n_here;
            if (n_kept == GP_LOOK_ELEMS || n_masked >= GP_LOOK_ELEMS) {
                take(context, kept, n_kept, n_masked);
                n_kept = n_masked = 0;
            }
        }
    take(context, kept, n_kept, n_masked);
}

void gp_sweep_each(const gp_sweep *sweep, int worker, const gp_box *box, gp_take take, void *context)
{
    gp_box lines = *box;
    if (sweep->is_linear && box->col0 == 0 && box->col1 == sweep->plane.n_cols) /* one long row, which begins in row0 */
        lines.row1 = box->row0 + 1, lines.col1 = (box->row1 - box->row0) * sweep->plane.n_cols;
    if (sweep->mask != NULL || lines.col1 - lines.col0 < SHORT_ROW) {
        collect(sweep, worker, &lines, take, context);
        return;
    }
    for (int64_t row = lines.row0; row < lines.row1; row++)
        for (int64_t col = lines.col0; col < lines.col1; col += GP_LOOK_ELEMS) {
            int64_t n = lines.col1 - col < GP_LOOK_ELEMS ? lines.col1 - col : GP_LOOK_ELEMS;
            take(context, gp_sweep_get(sweep, worker, row, col, n), (int)n, 0);
        }
}
