/* The columns of each cell of an axis as a table, for loops without branches; made once for a reduction. */
#ifndef GP_CELL_COLUMNS_H
#define GP_CELL_COLUMNS_H

#include "../../core/grids/grid.h"

/* Cells with more columns have no table of weights, as a loop over each cell is as fast. */
#define GP_MAX_CELL_COLUMNS 8

/* Folds may read so many columns beyond the last, but do not use them. */
#define GP_READ_BEYOND 64

typedef struct gp_cell_columns {
    int n_columns;          /* the most columns of a cell; 0: there is no table */
    int64_t span_8, span_16; /* the most columns from the first of a cell to the last of the cell 7, or 15, further */
    int64_t n_cells;
    const int32_t *first; /* the first column of each cell */
    const int32_t *last;  /* its last column minus the first */
    const double *last_weights; /* the weight of the last column */
    bool is_regular;      /* each cell has n_columns columns or one less */
    const double *weights; /* those of the first column of all cells, then those of the second, ...; 0 after the last */
    void *memory;          /* owned: all of the above */
} gp_cell_columns;

/* Makes no table if cells are wide, too many or touch nothing. */
gp_status gp_cell_columns_make(const gp_axis *axis, gp_cell_columns *out, gp_error *error) GP_MUST_CHECK;
void gp_cell_columns_free(gp_cell_columns *columns);

#endif
