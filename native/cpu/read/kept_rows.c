/* Keeps the rows of a box of a plane with hidden axes, under its policy and without NaN. */
#include "kept_rows.h"

size_t gp_kept_rows_bytes(int64_t n_elems, bool splits_nan)
{
    return (size_t)n_elems * GP_KEPT_ROWS * sizeof(double) * (splits_nan ? 2 : 1);
}

static void keep_row(const gp_row_reader *rows, gp_kept_rows *kept, int64_t i, void *scratch)
{
    int64_t row = kept->row0 + i, n = kept->col1 - kept->col0;
    double *values = kept->memory + i * kept->n_elems, *shown = values + GP_KEPT_ROWS * kept->n_elems;
    kept->shown[i] = kept->without_nan[i] = values;
    if (!kept->splits_nan) {
        (void)gp_row_reader_get(rows, row, kept->col0, n, values, scratch);
    } else if (gp_row_reader_get_both(rows, row, kept->col0, n, shown, values, scratch)) {
        kept->shown[i] = shown;
        kept->has_nan = kept->had_nan = true;
    }
}

void gp_kept_rows_fill(const gp_row_reader *rows, gp_kept_rows *kept, const int64_t bounds[4], void *scratch)
{
    if (kept->row0 == bounds[0] && kept->row1 == bounds[1] && kept->col0 == bounds[2] && kept->col1 == bounds[3])
        return;
    kept->row0 = bounds[0], kept->row1 = bounds[1], kept->col0 = bounds[2], kept->col1 = bounds[3];
    kept->has_nan = false;
    for (int64_t i = 0; i < kept->row1 - kept->row0; i++)
        keep_row(rows, kept, i, scratch);
}
