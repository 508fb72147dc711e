/* The columns of each cell of an axis as a table, for loops without branches; made once for a reduction. */
#ifndef GP_CELL_COLUMNS_H
#define GP_CELL_COLUMNS_H

#include "../core/grid.h"

/* Cells of more columns than this have no table of weights: they are few, and a loop over each is as good. */
#define GP_MAX_CELL_COLUMNS 8

/* Folds may read, but never use, so many columns beyond the last. */
#define GP_READ_BEYOND 64

typedef struct gp_cell_columns {
    int n_columns;          /* the most columns of a cell; 0: there is no table */
    int64_t span_8, span_16; /* the most columns from the first of a cell to the last of the cell 7, or 15, further */
    int64_t n_cells;
    const int32_t *first; /* of each cell its first column */
    const int32_t *last;  /* how many columns further its last one is */
    const double *last_weights; /* of that one */
    bool is_regular;      /* each cell has n_columns columns or one less */
    const double *weights; /* of the first column of all cells, then of the second; 0 behind the last */
    void *memory;          /* owned: all of the above */
} gp_cell_columns;

/* No table where cells are wide, too many or touch nothing. */
gp_status gp_cell_columns_make(const gp_axis *axis, gp_cell_columns *out, gp_error *error) GP_MUST_CHECK;
void gp_cell_columns_free(gp_cell_columns *columns);

#endif
