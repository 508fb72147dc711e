/* The denser direction of a plane, and whether its elements are stored numbers. */
#include "plane_layout.h"

#include "../base/arithmetic.h"

bool gp_plane_is_turned(const gp_plane *plane)
{
    if (plane->n_rows <= 1)
        return false;
    return plane->n_cols <= 1 || gp_absolute(plane->row_stride_bytes) < gp_absolute(plane->col_stride_bytes);
}

bool gp_plane_is_stored(const gp_plane *plane, gp_dtype *dtype, int64_t *offset_bytes)
{
    *dtype = plane->dtype;
    *offset_bytes = 0;
    if (plane->mask != NULL || plane->n_stages > 0 || plane->scale != 0)
        return false;
    if (plane->component == GP_COMPONENT_CHANNEL) {
        *offset_bytes = plane->channel * plane->channel_stride_bytes;
        return !plane->is_alpha_weighted && !gp_dtype_is_float(plane->dtype) && !gp_dtype_is_complex(plane->dtype);
    }
    if (!gp_dtype_is_complex(plane->dtype))
        return plane->component == GP_COMPONENT_VALUE;
    if (plane->component != GP_COMPONENT_RE && plane->component != GP_COMPONENT_IM)
        return false;
    *dtype = gp_dtype_of_part(plane->dtype);
    *offset_bytes = plane->component == GP_COMPONENT_IM ? gp_dtype_size_bytes(*dtype) : 0;
    return true;
}
