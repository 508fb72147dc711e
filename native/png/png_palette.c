/* Finds the distinct colors of a picture, giving up beyond 256, and orders them by similarity. */
#include "png_palette.h"

#include "../core/base/threads.h"
#include "../core/base/alloc.h"

/* What one piece of work saw; joined afterwards in the order of the pieces, so threads never change the result. */
typedef struct band_colors {
    bool has_too_many;
    uint8_t alpha_and;
    gp_palette palette;
} band_colors;

typedef struct color_search {
    const gp_png_picture *picture;
    int64_t n_rows_per_band;
    band_colors *bands;
} color_search;

static uint32_t slot_of(uint32_t color)
{
    return (color * 0x9E3779B1u) >> 20; /* Fibonacci hashing: the top 12 bits of the product */
}

static uint32_t pixel_at(const uint8_t *rgba)
{
    uint32_t color;
    memcpy(&color, rgba, sizeof color);
    return color;
}

/* False where the color would be the 257th. */
static bool palette_add(gp_palette *palette, uint32_t color)
{
    uint32_t at = slot_of(color);
    while (palette->slots[at].index_plus_1 != 0) {
        if (palette->slots[at].color == color)
            return true;
        at = (at + 1) % GP_PALETTE_SLOTS;
    }
    if (palette->n_colors == GP_PALETTE_MAX)
        return false;
    palette->colors[palette->n_colors++] = color;
    palette->slots[at] = (gp_palette_slot){.color = color, .index_plus_1 = (int16_t)palette->n_colors};
    return true;
}

static bool palette_add_row(gp_palette *palette, const uint8_t *rgba, int64_t n_pixels)
{
    bool is_added = true;
    for (int64_t i = 0; i < n_pixels && is_added; i++)
        is_added = palette_add(palette, pixel_at(rgba + 4 * i));
    return is_added;
}

static uint8_t alpha_and_of_row(const uint8_t *rgba, int64_t n_pixels)
{
    uint8_t all = 255;
    for (int64_t i = 0; i < n_pixels; i++)
        all &= rgba[4 * i + 3];
    return all;
}

static gp_status search_band(void *context, int64_t piece, int worker, gp_error *error)
{
    (void)worker;
    (void)error;
    const color_search *search = context;
    const gp_png_picture *picture = search->picture;
    band_colors *band = &search->bands[piece];
    int64_t begin = piece * search->n_rows_per_band, end = begin + search->n_rows_per_band;
    if (end > picture->n_rows)
        end = picture->n_rows;
    band->alpha_and = 255;
    for (int64_t row = begin; row < end; row++) {
        const uint8_t *rgba = gp_png_picture_row(picture, row);
        if (row > begin && gp_png_row_repeats(picture, row))
            continue;
        if (!band->has_too_many)
            band->has_too_many = !palette_add_row(&band->palette, rgba, picture->n_cols);
        band->alpha_and &= alpha_and_of_row(rgba, picture->n_cols);
        if (band->has_too_many && band->alpha_and != 255) /* it is RGBA: nothing more to learn */
            break;
    }
    return GP_OK;
}

static void join_bands(const band_colors *bands, int64_t n_bands, gp_png_colors *out)
{
    for (int64_t i = 0; i < n_bands; i++) {
        out->is_opaque = out->is_opaque && bands[i].alpha_and == 255;
        if (bands[i].has_too_many)
            out->has_palette = false;
        for (int k = 0; out->has_palette && k < bands[i].palette.n_colors; k++)
            out->has_palette = palette_add(&out->palette, bands[i].palette.colors[k]);
    }
}

static int color_distance(uint32_t one, uint32_t other)
{
    uint8_t a[4], b[4];
    memcpy(a, &one, sizeof a);
    memcpy(b, &other, sizeof b);
    int sum = 0;
    for (int k = 0; k < 4; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

/* A chain of nearest neighbors that starts at the color nearest to transparent black. It finds the order of a colormap
 * again, one that folds in brightness (a diverging one) included. */
static void palette_order(gp_palette *palette)
{
    uint32_t last = 0;
    for (int i = 0; i < palette->n_colors; i++) {
        int nearest = i, nearest_distance = color_distance(last, palette->colors[i]);
        for (int k = i + 1; k < palette->n_colors && nearest_distance > 0; k++) {
            int distance = color_distance(last, palette->colors[k]);
            if (distance < nearest_distance) {
                nearest = k;
                nearest_distance = distance;
            }
        }
        last = palette->colors[nearest];
        palette->colors[nearest] = palette->colors[i];
        palette->colors[i] = last;
    }
    memset(palette->slots, 0, sizeof palette->slots);
    int n_colors = palette->n_colors;
    palette->n_colors = 0;
    for (int i = 0; i < n_colors; i++)
        (void)palette_add(palette, palette->colors[i]);
}

gp_status gp_png_colors_find(const gp_png_picture *picture, int n_threads, gp_png_colors *out, gp_error *error)
{
    /* One band per thread: each more costs one more table of 33 KB, and cutting finer gains little in a pass this short. */
    int64_t n_bands = n_threads < picture->n_rows ? n_threads : picture->n_rows;
    int64_t n_rows_per_band = (picture->n_rows + n_bands - 1) / n_bands;
    n_bands = (picture->n_rows + n_rows_per_band - 1) / n_rows_per_band;
    color_search search = {.picture = picture, .n_rows_per_band = n_rows_per_band};
    GP_FREED band_colors *bands = NULL;
    GP_TRY(gp_alloc_zeroed((size_t)n_bands * sizeof *bands, &bands, error));
    search.bands = bands;
    GP_TRY(gp_threads_run(n_bands, n_threads, search_band, &search, error));
    memset(out, 0, sizeof *out);
    out->has_palette = out->is_opaque = true;
    join_bands(bands, n_bands, out);
    if (out->has_palette)
        palette_order(&out->palette);
    return GP_OK;
}

static uint8_t palette_index(const gp_palette *palette, uint32_t color)
{
    uint32_t at = slot_of(color);
    while (palette->slots[at].color != color) {
        if (palette->slots[at].index_plus_1 == 0)
            return 0;
        at = (at + 1) % GP_PALETTE_SLOTS;
    }
    int index_plus_1 = palette->slots[at].index_plus_1;
    return (uint8_t)(index_plus_1 > 0 ? index_plus_1 - 1 : 0); /* an empty slot looks like transparent black */
}

void gp_palette_indices(const gp_palette *palette, const uint8_t *rgba, int64_t n_pixels, uint8_t *indices)
{
    for (int64_t i = 0; i < n_pixels; i++)
        indices[i] = palette_index(palette, pixel_at(rgba + 4 * i));
}
