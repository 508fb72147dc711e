/* gp_plane_scan: all elements of a plane of any layout, dtype and mask, in pieces for threads and blocks for loops. */
#ifndef GP_PLANE_SCAN_H
#define GP_PLANE_SCAN_H

#include "row_reader.h"
#include "../../core/base/status.h"
#include "simd/block_loops.h"

/* A half-open box of rows and columns of the scan's plane. */
typedef struct gp_scan_box {
    int64_t row0, row1, col0, col1;
} gp_scan_box;

/*
 * Rows of the scan's plane run along memory: is_turned says that they are columns of the original plane. The mask is kept
 * apart, so that elements keep their dtype, except for reduced hidden axes and channels, where masked elements are NaN.
 */
typedef struct gp_plane_scan {
    gp_plane plane;
    gp_row_reader rows;
    bool is_turned;
    bool is_linear; /* each row begins where the one above ends, in the mask too */
    const uint8_t *mask;
    int64_t n_elems, n_reads; /* n_reads: the number of the tensor's elements that are read for one of the plane */
    int64_t box_rows, box_cols, n_col_boxes, n_pieces;
    int n_threads;
    char *memory; /* for each worker: a packed block, a block of elements that are not masked, and scratch of the rows */
    size_t packed_bytes, worker_bytes;
} gp_plane_scan;

/* Pieces depend on the geometry alone. gp_plane_scan_free is also for failed ones. */
gp_status gp_plane_scan_init(const gp_plane *plane, gp_plane_scan *out, gp_error *error) GP_MUST_CHECK;
void gp_plane_scan_free(gp_plane_scan *scan);

/* A scan whose memory is freed at the end of its scope. */
#define GP_OWNED_PLANE_SCAN __attribute__((cleanup(gp_plane_scan_free))) gp_plane_scan

gp_scan_box gp_plane_scan_box(const gp_plane_scan *scan, int64_t piece);

/* n <= GP_BLOCK_ELEMS contiguous elements; n_masked of their neighbors were left out. */
typedef void (*gp_take)(void *context, const void *elems, int n, int n_masked);

/* Calls `take` with every element of a box, in blocks that depend on the geometry alone. */
void gp_plane_scan_each(const gp_plane_scan *scan, int worker, const gp_scan_box *box, gp_take take, void *context);

/* n <= GP_BLOCK_ELEMS elements of a row, and their mask bytes (NULL: none), scan->plane.mask_col_stride_bytes apart. */
const void *gp_plane_scan_get(const gp_plane_scan *scan, int worker, int64_t row, int64_t col, int64_t n);
const uint8_t *gp_plane_scan_mask(const gp_plane_scan *scan, int64_t row, int64_t col);

/* Whether a byte of the plane's mask says that its element is masked. */
static inline bool gp_plane_scan_is_masked(const gp_plane_scan *scan, uint8_t byte)
{
    return (byte != 0) != scan->plane.is_mask_inverted;
}

#endif
