/* Looks for masked elements before it marks them: most parts of most masked planes have none. */
#include "row_mask.h"

#include "../simd/convert_loops.h"

enum { AT_ONCE = 256 };

/* Whether any of n bytes, `stride` apart, is zero, or is not. */
static bool has_byte(const uint8_t *bytes, int64_t stride, int64_t n, bool is_zero)
{
    uint8_t seen = 0;
    if (stride == 1 && is_zero)
        return memchr(bytes, 0, (size_t)n) != NULL;
    for (int64_t i = 0; i < n && stride == 1; i++)
        seen |= bytes[i];
    for (int64_t i = 0; i < n && stride != 1; i++)
        seen |= (bytes[i * stride] == 0) == is_zero;
    return seen != 0;
}

/* How many masks an element has: one for each channel, unless they share it. */
static int masks_per_elem(const gp_plane *plane)
{
    bool has_several = plane->component == GP_COMPONENT_CHANNEL && plane->mask_channel_stride_bytes != 0;
    return has_several ? plane->n_channels : 1;
}

static bool hides_any(const gp_plane *plane, const uint8_t *mask, int64_t n)
{
    int n_masks = masks_per_elem(plane);
    bool is_hidden = false;
    if (n_masks > 1 && plane->mask_channel_stride_bytes == 1 && plane->mask_col_stride_bytes == n_masks)
        return has_byte(mask, 1, n * n_masks, plane->is_mask_inverted);
    for (int k = 0; k < n_masks && !is_hidden; k++)
        is_hidden = has_byte(mask + k * plane->mask_channel_stride_bytes, plane->mask_col_stride_bytes, n,
                             plane->is_mask_inverted);
    return is_hidden;
}

bool gp_plane_hides(const gp_plane *plane, int64_t row0, int64_t row1, int64_t col0, int64_t col1)
{
    bool is_hidden = false;
    for (int64_t row = row0; row < row1 && !is_hidden; row++)
        is_hidden = hides_any(plane, gp_plane_mask_at(plane, row, col0), col1 - col0);
    return is_hidden;
}

/* Bytes that lie apart are picked first, as loops over bytes side by side are several times as quick. */
static void hide(const gp_plane *plane, const uint8_t *mask, int64_t n, double *elems)
{
    const gp_layout_loops *loops = gp_layout_loops_here();
    const double masked = gp_masked_value();
    uint8_t picked[AT_ONCE];
    for (int64_t i = 0; i < n; i += AT_ONCE) {
        int64_t stride = plane->mask_col_stride_bytes, n_here = n - i < AT_ONCE ? n - i : AT_ONCE;
        const uint8_t *here = mask + i * stride;
        if (stride != 1) {
            loops->pick[gp_item_size(1)]((const char *)here, stride, n_here, (char *)picked);
            here = picked;
        }
        loops->hide[gp_item_size(sizeof masked)](here, 1, plane->is_mask_inverted, (const char *)&masked, n_here,
                                                 (char *)(elems + i));
    }
}

void gp_hide_masked(const gp_plane *plane, const uint8_t *mask, int64_t n, double *elems)
{
    int n_masks = masks_per_elem(plane);
    if (n_masks > 1 && !hides_any(plane, mask, n))
        return;
    for (int k = 0; k < n_masks; k++)
        hide(plane, mask + k * plane->mask_channel_stride_bytes, n, elems);
}
