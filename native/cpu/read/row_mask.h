/* The mask of a plane: whether it hides elements, and what stands in place of those that it hides. */
#ifndef GP_ROW_MASK_H
#define GP_ROW_MASK_H

#include "../../core/states/reductions.h"
#include "../../core/tensor/view.h"

/* The mask byte of an element, of the first of its channels; NULL: the plane has no mask. */
static inline const uint8_t *gp_plane_mask_at(const gp_plane *plane, int64_t row, int64_t col)
{
    return plane->mask != NULL ? plane->mask + row * plane->mask_row_stride_bytes + col * plane->mask_col_stride_bytes : NULL;
}

/* Whether the mask of a plane hides an element of rows row0..row1 and columns col0..col1: of colors, any channel of it. */
bool gp_plane_hides(const gp_plane *plane, int64_t row0, int64_t row1, int64_t col0, int64_t col1);

/* gp_masked_value in place of those of n elements that are masked; `mask` is that of the first one. */
void gp_hide_masked(const gp_plane *plane, const uint8_t *mask, int64_t n, double *elems);

/* The number of masked elements among n float64 elements, which rows of a plane with a mask deliver. */
static inline int64_t gp_count_masked(const double *elems, int64_t n)
{
    int64_t n_masked = 0;
    for (int64_t i = 0; i < n; i++)
        n_masked += gp_is_masked_value(elems[i]);
    return n_masked;
}

#endif
