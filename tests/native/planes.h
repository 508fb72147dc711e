/* Planes over arrays in host memory. */
#ifndef GP_PLANES_H
#define GP_PLANES_H

#include "../../native/core/tensor/view.h"

/* Rows without gaps, one behind the other; of complex numbers their magnitudes. */
static inline gp_plane plane_of(const void *data, gp_dtype dtype, int64_t n_rows, int64_t n_cols)
{
    int size = gp_dtype_size_bytes(dtype);
    return (gp_plane){.data = data,
                      .dtype = dtype,
                      .device = {GP_DL_CPU, 0},
                      .n_rows = n_rows,
                      .n_cols = n_cols,
                      .n_repeats = 1,
                      .row_stride_bytes = n_cols * size,
                      .col_stride_bytes = size,
                      .component = gp_dtype_is_complex(dtype) ? GP_COMPONENT_ABS : GP_COMPONENT_VALUE};
}

#endif
