/* gp_row_reader: the elements of any plane as contiguous rows of a plain dtype, without a copy if their layout allows it. */
#ifndef GP_ROW_READER_H
#define GP_ROW_READER_H

#include "row_mask.h"
#include "row_stored.h"

/* hidden_nan: the policy of reductions of hidden axes. */
void gp_row_reader_init(const gp_plane *plane, gp_nan hidden_nan, gp_row_reader *out);

/* Bytes of working memory for rows of at most n elements, in addition to the buffer that receives them. */
size_t gp_row_reader_scratch_bytes(const gp_row_reader *rows, int64_t n);

/* Elements col..col+n of a row. buffer: n * item_bytes, aligned to 64, not used in place. The result lives until the
 * buffer is used again. */
const void *gp_row_reader_get(const gp_row_reader *rows, int64_t row, int64_t col, int64_t n, void *buffer, void *scratch);

/* For a plane with hidden axes: elements under its policy and under GP_NAN_INFINITE, by one pass. False if they are the same, as NaN
 * marks none of them: `shown` is then not written. */
bool gp_row_reader_get_both(const gp_row_reader *rows, int64_t row, int64_t col, int64_t n, double *shown, double *without_nan,
                            void *scratch);

#endif
