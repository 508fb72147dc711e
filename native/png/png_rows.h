/* Rows of a picture as PNG stores them before compression: indexed or without alpha, packed, filtered. */
#ifndef GP_PNG_ROWS_H
#define GP_PNG_ROWS_H

#include "png_palette.h"

/* How one row is stored. */
typedef struct gp_png_layout {
    const gp_palette *palette; /* NULL: RGB or RGBA */
    int n_bits_per_pixel;      /* 1, 2, 4 or 8 with a palette, else 24 or 32 */
} gp_png_layout;

gp_png_layout gp_png_layout_from(const gp_png_colors *colors);

/* Bytes of a row, including its filter byte. */
size_t gp_png_layout_row_bytes(const gp_png_layout *layout, int64_t n_cols);

/* Goes down a picture row by row. The buffers have room for a pixel of zeros left of the first one. */
typedef struct gp_png_rows {
    const gp_png_picture *picture;
    gp_png_layout layout;
    size_t n_bytes; /* of one row, without its filter byte */
    uint8_t *memory, *above, *row, *filtered, *indices;
} gp_png_rows;

/* Borrows picture and palette. */
gp_status gp_png_rows_init(gp_png_rows *rows, const gp_png_picture *picture, const gp_png_layout *layout,
                           gp_error *error) GP_MUST_CHECK;
void gp_png_rows_free(gp_png_rows *rows);

/* To be called before the first gp_png_rows_filter, and if the next row is not the one below the last. */
void gp_png_rows_seek(gp_png_rows *rows, int64_t at);

/* The filter byte and the filtered bytes of row number `at`, valid until the next call: "up" with a palette, else "Paeth". */
const uint8_t *gp_png_rows_filter(gp_png_rows *rows, int64_t at);

#endif
