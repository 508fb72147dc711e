/* The elements of a plane with hidden axes, which are reduced as a row is read. */
#ifndef GP_ROW_HIDDEN_H
#define GP_ROW_HIDDEN_H

#include "row_stored.h"

/* n elements of a row with the hidden axes reduced. With had_nan, initially 0, NaN is left out (GP_NAN_INFINITE), and had_nan becomes
 * 1 where NaN would mark the element under hidden_nan. */
void gp_row_reader_load_hidden(const gp_row_reader *rows, const char *data, const uint8_t *mask, int64_t n, double *out,
                               double *had_nan, double *scratch);

/* The number of float64 values that a stage of hidden axes needs for each element of a row. */
#define GP_HIDDEN_VALUES_PER_STAGE 6

#endif
