/* Elements of any dtype and layout, as float64. */
#ifndef GP_ROW_LOAD_H
#define GP_ROW_LOAD_H

#include "row_stored.h"

/* The given component of n elements of a row of the tensor, as float64; masked ones are gp_masked_value. */
void gp_row_reader_load_values(const gp_row_reader *rows, gp_component component, const char *data, const uint8_t *mask,
                               int64_t n, double *out);

#endif
