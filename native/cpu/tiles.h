/* gp_tiles: the elements of many slices, in pieces for threads and blocks for loops, read in the order of memory. */
#ifndef GP_TILES_H
#define GP_TILES_H

#include "../core/slices.h"
#include "look.h"
#include "rows.h"
#include "status.h"

/* The most slices that are read together. */
#define GP_TILE_SLICES 256

/* The start of a block in its slice: element `at` of a line (the innermost axis). The block may continue in the next lines. */
typedef struct gp_block {
    int64_t line, at;
} gp_block;

/* Callbacks for slices. A slot is one of the slices that are read together, the same one between start and finish. If a slice is cut
 * into parts, each part is started and finished. */
typedef struct gp_tile_visit {
    void *context;
    int worker;
    void (*start)(void *context, int slot, int64_t slice);
    /* n contiguous elements of the rows' dtype: the next ones of this slot. */
    void (*take)(void *context, int slot, const void *elems, int n, gp_block block);
    void (*finish)(void *context, int slot, int64_t slice, int64_t part);
} gp_tile_visit;

/* Pieces depend on the geometry alone: each is a part (some of the blocks) of a group of slices. */
typedef struct gp_tiles {
    const gp_slices *slices;
    gp_slice_axis line; /* the innermost axis inside */
    gp_rows rows;
    bool is_together; /* blocks of all slices of a group in turns, not slice after slice */
    bool is_across;   /* rows run from slice to slice, along the last axis between them, and are transposed */
    int64_t n_row_slices, group_slices, n_groups;
    int64_t n_lines, block_elems, lines_per_block, n_blocks, part_blocks, n_parts, n_pieces;
    int n_threads;
    gp_rows *worker_rows;
    char *memory; /* for each worker: rows across slices, and blocks */
    size_t row_bytes, worker_bytes;
} gp_tiles;

/* block_elems: GP_LOOK_ELEMS, or GP_MOST_SLICE_ELEMS for blocks that are whole slices of at most so many elements.
 * slot_elems: the time and memory to start and finish a slot, as a number of elements; parts of slices are longer.
 * gp_tiles_free is also for failed ones. */
gp_status gp_tiles_init(const gp_slices *slices, int64_t block_elems, int64_t slot_elems, gp_tiles *out,
                        gp_error *error) GP_MUST_CHECK;
void gp_tiles_free(gp_tiles *tiles);

/* Calls the visit's functions for the elements of a piece, each slot's blocks in order. */
void gp_tiles_visit(const gp_tiles *tiles, int64_t piece, const gp_tile_visit *visit);

/* The position in its slice of an element of a block. */
int64_t gp_tiles_position(const gp_tiles *tiles, gp_block block, int64_t index);

#endif
