/* The hidden axes of one stage where all elements are finite. */
#ifndef GP_ROW_HIDDEN_FINITE_H
#define GP_ROW_HIDDEN_FINITE_H

#include "row_stored.h"

/*
 * The result of stage 0 for n elements of a row, if they can be read as they are stored and all of them are finite: then of the same
 * bits as element by element. False if something else is there, or the operation has no such way: `out` is then not valid.
 * scratch: GP_HIDDEN_VALUES_PER_STAGE * n values.
 */
bool gp_row_reader_load_finite(const gp_row_reader *rows, const char *data, const uint8_t *mask, int64_t n, double *out,
                               double *scratch);

#endif
