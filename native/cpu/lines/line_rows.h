/* The rows that each of some lines fills, column by column, for parts of lines that are joined before they are counted. */
#ifndef GP_LINE_ROWS_H
#define GP_LINE_ROWS_H

#include "../../core/grids/line_grid.h"

/* The first and the last row that a line fills of a column; last < first where it fills none. */
typedef struct gp_line_rows_of_column {
    int32_t first, last;
} gp_line_rows_of_column;

/* Columns column0..column1-1 of lines line0..line1-1, counted through all sets. */
typedef struct gp_line_box {
    int64_t line0, line1, column0, column1;
} gp_line_box;

/* Of lines in host memory that all have the order SORTED, over positions or one x each set. options->has_outside must be set: the
 * first row is what is below the grid, the last one what is above. out: (line1 - line0) x (column1 - column0). */
gp_status gp_cpu_line_rows(const gp_lines *lines, int64_t n_lines, const gp_line_options *options, gp_line_box box,
                           gp_line_rows_of_column *out, gp_error *error) GP_MUST_CHECK;

#endif
