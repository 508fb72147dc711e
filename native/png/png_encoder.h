/* Pixels to a PNG file in memory: palette where at most 256 colors occur, else RGB or RGBA. */
#ifndef GP_PNG_ENCODER_H
#define GP_PNG_ENCODER_H

#include "bytes.h"

#include "../core/base/status.h"

/* One text chunk; both strings are UTF-8. */
typedef struct gp_png_text {
    const char *key, *value;
} gp_png_text;

typedef struct gp_png_options {
    double dots_per_inch; /* 0: not written */
    const gp_png_text *texts;
    int n_texts;
    int n_threads; /* 0: as many as suit the size of the picture */
} gp_png_options;

/* n_rows x n_cols RGBA pixels, straight alpha, rows of row_stride_bytes (may be negative). Lossless, including the color of
 * pixels with alpha 0. */
gp_status gp_png_encode(const uint8_t *rgba, int64_t n_rows, int64_t n_cols, int64_t row_stride_bytes,
                        const gp_png_options *options, gp_bytes *out, gp_error *error) GP_MUST_CHECK;

#endif
