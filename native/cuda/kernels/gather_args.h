/* Arguments of the kernels of gather.cu. */
#ifndef GP_GATHER_ARGS_H
#define GP_GATHER_ARGS_H

#include "../../core/portable.h"

/*
 * A box of elements, side by side in row-major order to `out`. Fewer than 2^31 elements. Items that are not of 1, 2, 4, 8
 * or 16 bytes, lie across their natural alignment or have their bytes swapped go by the kernel that copies bytes; bytes
 * are turned round within parts (of complex numbers).
 */
typedef struct gp_gather_args {
    const char *from; /* element (0, 0) of the box */
    char *out;
    int64_t row_stride_bytes, col_stride_bytes;
    uint32_t n_rows, n_cols;
    int item_bytes, part_bytes;
    bool is_swapped;
} gp_gather_args;

/* Elements along either side of a tile in shared memory. */
#define GP_GATHER_TILE 32

#endif
