/* Indexes, packs and filters rows, one at a time. */
#include "png_rows.h"
#include "../core/base/alloc.h"

enum { FILTER_UP = 2, FILTER_PAETH = 4, PADDING_BYTES = 4 }; /* the filters by PNG's numbers */

gp_png_layout gp_png_layout_from(const gp_png_colors *colors)
{
    if (!colors->has_palette)
        return (gp_png_layout){.n_bits_per_pixel = colors->is_opaque ? 24 : 32};
    int n = colors->palette.n_colors;
    return (gp_png_layout){.palette = &colors->palette, .n_bits_per_pixel = n <= 2 ? 1 : n <= 4 ? 2 : n <= 16 ? 4 : 8};
}

size_t gp_png_layout_row_bytes(const gp_png_layout *layout, int64_t n_cols)
{
    return ((size_t)n_cols * (size_t)layout->n_bits_per_pixel + 7) / 8 + 1;
}

gp_status gp_png_rows_init(gp_png_rows *rows, const gp_png_picture *picture, const gp_png_layout *layout, gp_error *error)
{
    *rows = (gp_png_rows){.picture = picture, .layout = *layout};
    rows->n_bytes = gp_png_layout_row_bytes(layout, picture->n_cols) - 1;
    size_t n_padded = PADDING_BYTES + rows->n_bytes;
    size_t n_indices = layout->n_bits_per_pixel < 8 ? (size_t)picture->n_cols : 0;
    GP_TRY(gp_alloc_zeroed(2 * n_padded + 1 + rows->n_bytes + n_indices, &rows->memory, error));
    rows->above = rows->memory + PADDING_BYTES;
    rows->row = rows->above + n_padded;
    rows->filtered = rows->row + rows->n_bytes;
    rows->indices = rows->filtered + 1 + rows->n_bytes;
    return GP_OK;
}

void gp_png_rows_free(gp_png_rows *rows)
{
    free(rows->memory);
    *rows = (gp_png_rows){0};
}

static void pack_bits(const uint8_t *indices, int64_t n_pixels, int n_bits, uint8_t *packed)
{
    int n_per_byte = 8 / n_bits;
    for (int64_t i = 0; i < n_pixels; i += n_per_byte) {
        unsigned byte = 0;
        for (int k = 0; k < n_per_byte; k++) /* the leftmost pixel is in the highest bits */
            byte = byte << n_bits | (i + k < n_pixels ? indices[i + k] : 0u);
        *packed++ = (uint8_t)byte;
    }
}

static void drop_alpha(const uint8_t *rgba, int64_t n_pixels, uint8_t *rgb)
{
    for (int64_t i = 0; i < n_pixels; i++) {
        rgb[3 * i] = rgba[4 * i];
        rgb[3 * i + 1] = rgba[4 * i + 1];
        rgb[3 * i + 2] = rgba[4 * i + 2];
    }
}

/* Row number `at` in the form in which it is stored, before filtering. */
static void load_row(const gp_png_rows *rows, int64_t at, uint8_t *row)
{
    const uint8_t *rgba = gp_png_picture_row(rows->picture, at);
    int64_t n_cols = rows->picture->n_cols;
    int n_bits = rows->layout.n_bits_per_pixel;
    if (n_bits == 32) {
        memcpy(row, rgba, rows->n_bytes);
    } else if (n_bits == 24) {
        drop_alpha(rgba, n_cols, row);
    } else if (n_bits == 8) {
        gp_palette_indices(rows->layout.palette, rgba, n_cols, row);
    } else {
        gp_palette_indices(rows->layout.palette, rgba, n_cols, rows->indices);
        pack_bits(rows->indices, n_cols, n_bits, row);
    }
}

static void filter_up(const uint8_t *restrict row, const uint8_t *restrict above, size_t n_bytes, uint8_t *restrict out)
{
    for (size_t i = 0; i < n_bytes; i++)
        out[i] = (uint8_t)(row[i] - above[i]);
}

/* Which of left, above and above left is nearest to left + above - above_left; in 16 bits and without branches, so that
 * compilers vectorize it. row and above must be readable n_pixel_bytes before their start. */
static void filter_paeth(const uint8_t *restrict row, const uint8_t *restrict above, size_t n_bytes, size_t n_pixel_bytes,
                         uint8_t *restrict out)
{
    const uint8_t *left = row - n_pixel_bytes, *above_left = above - n_pixel_bytes;
    for (size_t i = 0; i < n_bytes; i++) {
        int16_t a = left[i], b = above[i], c = above_left[i];
        int16_t to_a = (int16_t)(b - c), to_b = (int16_t)(a - c), to_c = (int16_t)(to_a + to_b);
        to_a = (int16_t)(to_a < 0 ? -to_a : to_a);
        to_b = (int16_t)(to_b < 0 ? -to_b : to_b);
        to_c = (int16_t)(to_c < 0 ? -to_c : to_c);
        int16_t b_or_c = to_b <= to_c ? b : c;
        int16_t smaller = to_b <= to_c ? to_b : to_c;
        int16_t nearest = to_a <= smaller ? a : b_or_c;
        out[i] = (uint8_t)(row[i] - nearest);
    }
}

void gp_png_rows_seek(gp_png_rows *rows, int64_t at)
{
    if (at > 0)
        load_row(rows, at - 1, rows->above);
    else
        memset(rows->above, 0, rows->n_bytes); /* what the decoder takes for the row above the first */
}

const uint8_t *gp_png_rows_filter(gp_png_rows *rows, int64_t at)
{
    uint8_t *filtered = rows->filtered + 1, *row = rows->row;
    bool is_indexed = rows->layout.palette != NULL;
    rows->filtered[0] = is_indexed ? FILTER_UP : FILTER_PAETH;
    if (at > 0 && gp_png_row_repeats(rows->picture, at)) { /* both filters then give zeros */
        memset(filtered, 0, rows->n_bytes);
        return rows->filtered;
    }
    load_row(rows, at, row);
    if (is_indexed)
        filter_up(row, rows->above, rows->n_bytes, filtered);
    else
        filter_paeth(row, rows->above, rows->n_bytes, (size_t)rows->layout.n_bits_per_pixel / 8, filtered);
    rows->row = rows->above;
    rows->above = row;
    return rows->filtered;
}
