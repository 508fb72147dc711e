/* gp_kept_rows: rows of a plane with hidden axes, which are worked out once however often a box looks at them. */
#ifndef GP_ROWS_KEPT_H
#define GP_ROWS_KEPT_H

#include "rows.h"

/* The rows of one box at most: as many as a near cache holds of the widest ones. */
#define GP_KEPT_ROWS 32

/* Rows row0..row1 of columns col0..col1 as float64. Where NaN marks none of a row, both pointers are the same. */
typedef struct gp_kept_rows {
    int64_t row0, row1, col0, col1;
    const double *shown[GP_KEPT_ROWS];       /* as the policy of hidden axes has them */
    const double *without_nan[GP_KEPT_ROWS]; /* as GP_NAN_INFINITE has them, where that is asked */
    bool splits_nan;                         /* it is asked */
    bool has_nan, had_nan; /* and NaN marks some of these elements; or has marked some of those kept before */
    int64_t n_elems;       /* room in each row */
    double *memory;
} gp_kept_rows;

/* Bytes of `memory` for rows of so many elements. */
size_t gp_kept_rows_bytes(int64_t n_elems, bool splits_nan);

/* Works out rows row0..row1 (GP_KEPT_ROWS at most) of columns col0..col1, unless they are what is kept. */
void gp_rows_keep(const gp_rows *rows, gp_kept_rows *kept, const int64_t row_col_bounds[4], void *scratch);

/* Elements col..col+n of a row; NULL where they are not kept. */
static inline const double *gp_rows_kept(const gp_kept_rows *kept, bool leaves_out_nan, int64_t row, int64_t col, int64_t n)
{
    if (row < kept->row0 || row >= kept->row1 || col < kept->col0 || col + n > kept->col1)
        return NULL;
    return (leaves_out_nan ? kept->without_nan : kept->shown)[row - kept->row0] + (col - kept->col0);
}

#endif
