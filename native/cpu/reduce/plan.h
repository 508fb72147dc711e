/* How a reduction is cut into pieces: groups of cell rows, blocks of tensor rows inside one, groups of columns. */
#ifndef GP_PLAN_H
#define GP_PLAN_H

#include "../../core/grids/grid.h"

/* Columns col0..col1 and the cells that they touch. */
typedef struct gp_col_group {
    int64_t col0, col1, cell0, cell1;
    int64_t first_state; /* the index of its first state among those of one block of rows */
} gp_col_group;

/*
 * The plan depends on the geometry alone, not on the number of threads, so that results always have the same bits. Cells of
 * a single piece are finished at once; if pieces cut cells (is_partial), each leaves states, which are joined in the order
 * of blocks and groups.
 */
typedef struct gp_plan {
    int64_t row_cell0, row_cell1, col_cell0, col_cell1; /* the cells that touch elements */
    int64_t cell_rows_per_piece, n_row_groups, n_row_blocks;
    gp_col_group *groups; /* owned */
    int64_t n_groups, n_states; /* n_states: of one block of rows */
    bool is_partial;
    int64_t n_elems; /* touched elements */
} gp_plan;

/* n_reads: the number of the tensor's elements that are read for one of the plane. */
gp_status gp_plan_make(const gp_axis *rows, const gp_axis *cols, int64_t n_reads, gp_plan *out, gp_error *error) GP_MUST_CHECK;
void gp_plan_free(gp_plan *plan);

/* Rows of block `block` in a span of n rows, as offsets. */
static inline int64_t gp_plan_block_begin(const gp_plan *plan, int64_t n_rows, int64_t block)
{
    return n_rows / plan->n_row_blocks * block + n_rows % plan->n_row_blocks * block / plan->n_row_blocks;
}

#endif
