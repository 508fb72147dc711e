/* gp_kept_rows: rows of a plane with hidden axes, which are computed once for all passes over a box. */
#ifndef GP_KEPT_ROWS_H
#define GP_KEPT_ROWS_H

#include "row_reader.h"

/* The most rows of a box: as many of the widest rows as a near cache holds. */
#define GP_KEPT_ROWS 32

/* Rows row0..row1 of columns col0..col1 as float64. If NaN marks no element of a row, both pointers are the same. */
typedef struct gp_kept_rows {
    int64_t row0, row1, col0, col1;
    const double *shown[GP_KEPT_ROWS];       /* under the policy of hidden axes */
    const double *without_nan[GP_KEPT_ROWS]; /* under GP_NAN_INFINITE, if splits_nan */
    bool splits_nan;                         /* rows without NaN are wanted, too */
    bool has_nan, had_nan; /* if splits_nan: NaN marks some of these elements; or some of rows that were kept before */
    int64_t n_elems;       /* room in each row */
    double *memory;
} gp_kept_rows;

/* Bytes of `memory` for rows of so many elements. */
size_t gp_kept_rows_bytes(int64_t n_elems, bool splits_nan);

/* Computes rows row0..row1 (at most GP_KEPT_ROWS) of columns col0..col1, unless they are kept already. */
void gp_kept_rows_fill(const gp_row_reader *rows, gp_kept_rows *kept, const int64_t row_col_bounds[4], void *scratch);

/* Elements col..col+n of a row; NULL if they are not kept. */
static inline const double *gp_kept_rows_at(const gp_kept_rows *kept, bool leaves_out_nan, int64_t row, int64_t col, int64_t n)
{
    if (row < kept->row0 || row >= kept->row1 || col < kept->col0 || col + n > kept->col1)
        return NULL;
    return (leaves_out_nan ? kept->without_nan : kept->shown)[row - kept->row0] + (col - kept->col0);
}

#endif
