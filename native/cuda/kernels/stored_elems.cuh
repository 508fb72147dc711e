/* The address of an element of a gp_stored_elems, and whether it is masked. */
#ifndef GP_STORED_ELEMS_CUH
#define GP_STORED_ELEMS_CUH

#include "device.cuh"
#include "stored_elems.h"

GP_DEVICE const char *gp_stored_address(const gp_stored_elems &elems, int64_t row, int64_t col)
{
    return (const char *)elems.data + row * elems.row_stride_bytes + col * elems.col_stride_bytes;
}

GP_DEVICE bool gp_stored_is_masked(const gp_stored_elems &elems, int64_t row, int64_t col)
{
    if (elems.mask == nullptr)
        return false;
    bool is_set = elems.mask[row * elems.mask_row_stride_bytes + col * elems.mask_col_stride_bytes] != 0;
    return is_set != elems.is_mask_inverted;
}

/* Element number i along rows; a plane in one row needs no division. */
GP_DEVICE void gp_stored_place(int64_t n_elems, int64_t n_cols, int64_t i, int64_t *row, int64_t *col)
{
    *row = n_cols == n_elems ? 0 : i / n_cols;
    *col = i - *row * n_cols;
}

#endif
