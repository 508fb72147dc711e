/* gp_row_reader: the elements of any plane as contiguous rows of a plain dtype, without a copy if their layout allows it. */
#ifndef GP_ROW_READER_H
#define GP_ROW_READER_H

#include "../../core/states/reductions.h"
#include "../../core/tensor/view.h"

typedef enum gp_row_way {
    GP_ROWS_IN_PLACE, /* pointers into the tensor */
    GP_ROWS_PACKED,   /* same dtype, copied because of strides, alignment or byte order */
    GP_ROWS_BOOL,     /* to uint8 0 or 1 */
    GP_ROWS_TABLE,    /* 8-bit floats to float32, exact */
    GP_ROWS_VALUES    /* anything to float64: masks, complex, channels, long double, hidden axes */
} gp_row_way;

/* How elements are read as they are stored, apart from a mask and a scale, at one index of each hidden axis. */
typedef struct gp_stored_rows {
    gp_row_way way; /* GP_ROWS_VALUES: they cannot */
    gp_dtype dtype; /* of the result, one that the loops read */
    int item_bytes;
    int64_t offset_bytes; /* of the part of a complex element, or of the channel, that is read */
} gp_stored_rows;

/* Rows deliver one of the dtypes that the loops read: integers, float16, bfloat16, float32 or float64. */
typedef struct gp_row_reader {
    gp_plane plane;
    gp_row_way source;
    gp_dtype dtype; /* of delivered elements */
    int item_bytes; /* of delivered elements */
    gp_stored_rows stored;
    gp_nan hidden_nan;
    const char *origin; /* first byte of element (0, 0) as it is read: the channel's, or the complex part's */
    float table[256];
} gp_row_reader;

/* hidden_nan: the policy of reductions of hidden axes. */
void gp_row_reader_init(const gp_plane *plane, gp_nan hidden_nan, gp_row_reader *out);

/* Bytes of working memory for rows of at most n elements, in addition to the buffer that receives them. */
size_t gp_row_reader_scratch_bytes(const gp_row_reader *rows, int64_t n);

/* Elements col..col+n of a row. buffer: n * item_bytes, aligned to 64, not used in place. The result lives until the
 * buffer is used again. */
const void *gp_row_reader_get(const gp_row_reader *rows, int64_t row, int64_t col, int64_t n, void *buffer, void *scratch);

/* The mask byte of an element; NULL: the plane has no mask. */
static inline const uint8_t *gp_plane_mask_at(const gp_plane *plane, int64_t row, int64_t col)
{
    return plane->mask != NULL ? plane->mask + row * plane->mask_row_stride_bytes + col * plane->mask_col_stride_bytes : NULL;
}

/* For a plane with hidden axes: elements under its policy and under GP_NAN_INFINITE, by one pass. False if they are the same, as NaN
 * marks none of them: `shown` is then not written. */
bool gp_row_reader_get_both(const gp_row_reader *rows, int64_t row, int64_t col, int64_t n, double *shown, double *without_nan,
                            void *scratch);

/* The number of masked elements among n float64 elements, which rows of a plane with a mask deliver. */
static inline int64_t gp_count_masked(const double *elems, int64_t n)
{
    int64_t n_masked = 0;
    for (int64_t i = 0; i < n; i++)
        n_masked += gp_is_masked_value(elems[i]);
    return n_masked;
}

/* ---- between row_reader.c and its loaders ---------------------------------------------------------------------------- */

/* n elements as they are stored, from the address of the first; `stored.way` is not GP_ROWS_VALUES. buffer: as for gp_row_reader_get. */
const void *gp_row_reader_load_stored(const gp_row_reader *rows, const char *data, int64_t n, void *buffer);

/* The given component of n elements of a row of the tensor, as float64; masked ones are gp_masked_value. */
void gp_row_reader_load_values(const gp_row_reader *rows, gp_component component, const char *data, const uint8_t *mask,
                               int64_t n, double *out);

/* n elements of a row with the hidden axes reduced. With had_nan, initially 0, NaN is left out (GP_NAN_INFINITE), and had_nan becomes
 * 1 where NaN would mark the element under hidden_nan. */
void gp_row_reader_load_hidden(const gp_row_reader *rows, const char *data, const uint8_t *mask, int64_t n, double *out,
                               double *had_nan, double *scratch);

/* The number of float64 values that a stage of hidden axes needs for each element of a row. */
#define GP_HIDDEN_VALUES_PER_STAGE 6

#endif
