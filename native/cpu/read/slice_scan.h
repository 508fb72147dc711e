/* gp_slice_scan: the elements of many slices, in pieces for threads and blocks for loops, read in the order of memory. */
#ifndef GP_SLICE_SCAN_H
#define GP_SLICE_SCAN_H

#include "../../core/statistics/slices.h"
#include "simd/block_loops.h"
#include "row_reader.h"
#include "../../core/base/status.h"

/* The most slices that are read together. */
#define GP_SCAN_SLICES 256

/* The start of a block in its slice: element `at` of a line (the innermost axis). The block may continue in the next lines. */
typedef struct gp_block {
    int64_t line, at;
} gp_block;

/* Callbacks for slices. A slot is one of the slices that are read together, the same one between start and finish. If a slice is cut
 * into parts, each part is started and finished. */
typedef struct gp_slice_visit {
    void *context;
    int worker;
    void (*start)(void *context, int slot, int64_t slice);
    /* n contiguous elements of the rows' dtype: the next ones of this slot. */
    void (*take)(void *context, int slot, const void *elems, int n, gp_block block);
    void (*finish)(void *context, int slot, int64_t slice, int64_t part);
} gp_slice_visit;

/* Pieces depend on the geometry alone: each is a part (some of the blocks) of a group of slices. */
typedef struct gp_slice_scan {
    const gp_slices *slices;
    gp_slice_axis line; /* the innermost axis inside */
    gp_row_reader rows;
    bool is_together; /* blocks of all slices of a group in turns, not slice after slice */
    bool is_across;   /* rows run from slice to slice, along the last axis between them, and are transposed */
    int64_t n_row_slices, group_slices, n_groups;
    int64_t n_lines, block_elems, lines_per_block, n_blocks, part_blocks, n_parts, n_pieces;
    int n_threads;
    gp_row_reader *worker_rows;
    char *memory; /* for each worker: rows across slices, and blocks */
    size_t row_bytes, worker_bytes;
} gp_slice_scan;

/* block_elems: GP_BLOCK_ELEMS, or GP_MOST_SLICE_ELEMS for blocks that are whole slices of at most so many elements.
 * slot_elems: the time and memory to start and finish a slot, as a number of elements; parts of slices are longer.
 * gp_slice_scan_free is also for failed ones. */
gp_status gp_slice_scan_init(const gp_slices *slices, int64_t block_elems, int64_t slot_elems, gp_slice_scan *out,
                             gp_error *error) GP_MUST_CHECK;
void gp_slice_scan_free(gp_slice_scan *scan);

/* Calls the visit's functions for the elements of a piece, each slot's blocks in order. */
void gp_slice_scan_visit(const gp_slice_scan *scan, int64_t piece, const gp_slice_visit *visit);

/* The position in its slice of an element of a block. */
int64_t gp_slice_scan_position(const gp_slice_scan *scan, gp_block block, int64_t index);

#endif
