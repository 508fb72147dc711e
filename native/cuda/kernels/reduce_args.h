/* What the kernels of reduce.cu are given: the plane, the geometry of cells, where results go. */
#ifndef GP_REDUCE_ARGS_H
#define GP_REDUCE_ARGS_H

#include "../../core/states/cell_state.h"
#include "../../core/grids/grid.h"
#include "../../core/states/limits_state.h"
#include "../../core/states/scaled.h"
#include "../../core/tensor/view.h"

/* How a thread's run of elements lies in memory. */
enum {
    GP_LAYOUT_ALIGNED, /* side by side, and runs begin at multiples of their size in every row */
    GP_LAYOUT_DENSE,   /* side by side */
    GP_LAYOUT_SPREAD   /* anything else: element by element, neighbors by neighboring threads */
};

/* A kind of kernel adds so many elements to one accumulator at most: 16-bit integers are then exact in 32 bits. */
#define GP_REDUCE_MAX_STEPS 32767

/* The most rows of cells that a block of a narrow kernel takes, one after the other. */
#define GP_REDUCE_MOST_ROWS 32

/* Threads that a multiprocessor has room for at once in narrow kernels. Sums and limits of long runs take more registers, and those of
 * 8-bit floats, whose runs are of 4 bytes. */
#define GP_REDUCE_RESIDENT_THREADS(is_large, run_elems, run_bytes)                                                               \
    ((is_large) && ((run_elems) > 4 || (run_bytes) == 4) ? 768 : 1024)

/* Columns of a thread's run of so many elements have room in the shared memory of a block of so many threads. */
#define GP_REDUCE_NARROW_THREADS(run_elems) ((run_elems) > 4 ? 1024 / (run_elems) : 256)

/* Whole cells side by side, and the columns that they touch. */
typedef struct gp_reduce_tile {
    int64_t col0, col1;
    int32_t cell0, cell1;
} gp_reduce_tile;

typedef struct gp_reduce_args {
    gp_plane plane;
    const gp_span *rows, *cols;  /* for agg 'count' with weights 0 and 1: whether the cell owns its border elements */
    const gp_reduce_tile *tiles; /* wide kernels: of one cell each */
    const int32_t
        *out_rows;     /* cell row q is rows out_rows[q] to out_rows[q + 1] of the output: magnified rows are reduced once */
    const double *row_factors, *col_factors; /* NULL, or of each row and column of the output, as gp_axis has them */
    double *out;                 /* cell (0, 0) */
    double *without_nan;         /* NULL, or the same of a second grid, for cells that NaN marks: what they are without it */
    gp_cell_state *out_states;   /* NULL, or in place of `out` partial results: [cell row][cell column] */
    int64_t out_row_stride, out_col_stride;
    gp_cell_state *states;       /* NULL: cells are finished at once; else [cell row][part][cell column] */
    gp_limits_state *limits; /* NULL, or two to which atomics join elements on the way, without counts: all; those of hidden axes
                                  * that NaN marks, without it */
    int64_t n_cell_rows, n_cell_cols;
    int64_t first_cell_row, first_state_row; /* of this launch, and the one whose states come first */
    int64_t end_cell_row; /* narrow: of this launch */
    int32_t rows_per_block; /* narrow: 1 to GP_REDUCE_MOST_ROWS; 1 of moments, and where rows have parts */
    int32_t n_tiles, n_row_parts, n_col_parts;
    int32_t log2_tx; /* narrow: threads along a row */
    int32_t log2_lanes; /* finish: threads that join the parts of a cell: 1 to 32, or 256 */
    int32_t layout, agg, nan;
    int32_t order; /* gp_order_type of extremes */
    uint32_t *needs; /* NULL, or [2]: set to 1 where a cell needs its elements scaled down, and up (core/states/scaled.h) */
} gp_reduce_args;

typedef struct gp_limits_args {
    gp_plane plane;
    gp_limits_state *limits;
} gp_limits_args;

#endif
