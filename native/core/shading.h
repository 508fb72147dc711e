/* What every device asks before it colors cells, and the bytes of a table's color: one meaning, one wording of refusals. */
#ifndef GP_SHADING_H
#define GP_SHADING_H

#include "cells.h"
#include "style.h"

/* Fails where cells and pixels differ in size, or where the style cannot be followed. Everything later relies on it. */
gp_status gp_shade_check(const gp_cells *cells, const gp_style *style, const gp_pixels *out, gp_error *error) GP_MUST_CHECK;

/* The same for 3 or 4 grids of channels. */
gp_status gp_shade_rgb_check(const gp_cells *channels, int n_channels, const gp_pixels *out, gp_error *error) GP_MUST_CHECK;

/* Colors of cells that have no row in the style's table, in the order in which they follow it. */
typedef enum gp_mark_row {
    GP_MARK_NAN,
    GP_MARK_POS_INF,
    GP_MARK_NEG_INF,
    GP_MARK_EMPTY,
    GP_MARK_MASKED,
    GP_N_MARK_ROWS
} gp_mark_row;

/* The four bytes of a color as one word, with its alpha byte times a factor. */
uint32_t gp_color_word(const uint8_t rgba[4], float alpha);

/* That word for each kind of mark; empty cells are transparent whatever the factor. */
void gp_mark_words(const gp_style *style, float alpha, uint32_t words[GP_N_MARK_ROWS]);

#endif
