/* Checks before cells are colored, and the bytes of colors, for every device. */
#ifndef GP_SHADING_H
#define GP_SHADING_H

#include "../tensor/cells.h"
#include "style.h"

/* Fails if cells and pixels differ in size, or the style is not valid. Shading code relies on this check. */
gp_status gp_shade_check(const gp_cells *cells, const gp_style *style, const gp_pixels *out, gp_error *error) GP_MUST_CHECK;

/* The same for 3 or 4 grids of channels. */
gp_status gp_shade_rgb_check(const gp_cells *channels, int n_channels, const gp_pixels *out, gp_error *error) GP_MUST_CHECK;

/* Rows after those of the style's table, for cells that have none there. */
typedef enum gp_mark_row {
    GP_MARK_NAN,
    GP_MARK_POS_INF,
    GP_MARK_NEG_INF,
    GP_MARK_EMPTY,
    GP_MARK_MASKED,
    GP_N_MARK_ROWS
} gp_mark_row;

/* The four bytes of a color as one word, with its alpha byte multiplied by a factor. */
uint32_t gp_color_word(const uint8_t rgba[4], float alpha);

/* The word of each kind of mark; empty cells are transparent for any factor. */
void gp_mark_words(const gp_style *style, float alpha, uint32_t words[GP_N_MARK_ROWS]);

#endif
