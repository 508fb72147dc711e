/* gp_stored_elems: the elements of a plane that are stored numbers, as arguments of kernels that read several planes. */
#ifndef GP_STORED_ELEMS_H
#define GP_STORED_ELEMS_H

#include "../../core/tensor/view.h"

/* data: the first element, or the wanted part of a complex one; the mask or NULL. */
typedef struct gp_stored_elems {
    const void *data;
    const uint8_t *mask;
    int64_t row_stride_bytes, col_stride_bytes, mask_row_stride_bytes, mask_col_stride_bytes;
    gp_dtype dtype;
    bool is_byteswapped, is_mask_inverted;
} gp_stored_elems;

GP_FN gp_stored_elems gp_stored_elems_of(const gp_plane *plane)
{
    gp_stored_elems elems = {plane->data,
                             plane->mask,
                             plane->row_stride_bytes,
                             plane->col_stride_bytes,
                             plane->mask_row_stride_bytes,
                             plane->mask_col_stride_bytes,
                             plane->dtype,
                             plane->is_byteswapped,
                             plane->is_mask_inverted};
    return elems;
}

#endif
