/* Elements as they are stored: the types of a reader of rows, and its rows of one index of each hidden axis, without their mask. */
#ifndef GP_ROW_STORED_H
#define GP_ROW_STORED_H

#include "../../core/states/reductions.h"
#include "../../core/tensor/view.h"

typedef enum gp_row_way {
    GP_ROWS_IN_PLACE, /* pointers into the tensor */
    GP_ROWS_PACKED, /* same dtype, copied because of strides, alignment or byte order */
    GP_ROWS_BOOL, /* to uint8 0 or 1 */
    GP_ROWS_TABLE, /* 8-bit floats to float32, exact */
    GP_ROWS_VALUES /* anything to float64: masks, complex, channels, long double, hidden axes */
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
    gp_stored_rows
        part; /* how one channel or part of a complex number is read, where an element is made of several; of the first */
    bool has_pixels_in_place; /* channels lie side by side, as the loops take them */
    gp_nan hidden_nan;
    const char *origin; /* first byte of element (0, 0) as it is read: the channel's, or the complex part's */
    float table[256];
} gp_row_reader;

/* n elements as they are stored, from the address of the first; `stored` is the reader's own for elements or channels, and its way is not
 * GP_ROWS_VALUES. buffer: as for gp_row_reader_get. */
const void *gp_row_reader_load_stored(const gp_row_reader *rows, const gp_stored_rows *stored, const char *data, int64_t n,
                                      void *buffer);

#endif
