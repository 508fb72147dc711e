/* The colors of a picture: which pixel format holds them without loss, and the palette where at most 256 occur. */
#ifndef GP_PNG_PALETTE_H
#define GP_PNG_PALETTE_H

#include "../core/base/portable.h"
#include "../core/base/status.h"

#define GP_PALETTE_MAX 256
#define GP_PALETTE_SLOTS 4096 /* a power of two; at most a sixteenth is filled, so that collisions are rare */

/* RGBA pixels in rows with any stride. */
typedef struct gp_png_picture {
    const uint8_t *rgba;
    int64_t n_rows, n_cols, row_stride_bytes;
} gp_png_picture;

static inline const uint8_t *gp_png_picture_row(const gp_png_picture *picture, int64_t row)
{
    return picture->rgba + row * picture->row_stride_bytes;
}

/* Whether a row equals the one above it, as in enlarged tensors and empty parts of figures. Fast if it does not. */
static inline bool gp_png_row_repeats(const gp_png_picture *picture, int64_t row)
{
    const uint8_t *rgba = gp_png_picture_row(picture, row);
    return memcmp(rgba, rgba - picture->row_stride_bytes, (size_t)picture->n_cols * 4) == 0;
}

typedef struct gp_palette_slot {
    uint32_t color; /* the four bytes of a pixel, in their order in memory */
    int16_t index_plus_1; /* 0: empty */
} gp_palette_slot;

/* A set of colors with their positions. */
typedef struct gp_palette {
    int n_colors;
    uint32_t colors[GP_PALETTE_MAX];
    gp_palette_slot slots[GP_PALETTE_SLOTS];
} gp_palette;

typedef struct gp_png_colors {
    bool has_palette; /* at most 256 colors: palette is filled */
    bool is_opaque;   /* alpha is 255 everywhere */
    gp_palette palette;
} gp_png_colors;

/* Reads the whole picture once. The palette is ordered so that similar colors are neighbors: small differences of indices
 * compress better. */
gp_status gp_png_colors_find(const gp_png_picture *picture, int n_threads, gp_png_colors *out, gp_error *error) GP_MUST_CHECK;

/* One index per pixel. A color that is not in the palette (if the pixels change at the same time) gets index 0. */
void gp_palette_indices(const gp_palette *palette, const uint8_t *rgba, int64_t n_pixels, uint8_t *indices);

#endif
