/* Arguments of the kernel of points.cu. */
#ifndef GP_POINTS_ARGS_H
#define GP_POINTS_ARGS_H

#include "../../core/base/portable.h"

/* Elements at any addresses, one after the other to `out`; byte by byte, because nothing says how they are aligned. */
typedef struct gp_points_args {
    const uint64_t *addresses;
    char *out;
    uint32_t n_points;
    int item_bytes;
} gp_points_args;

#endif
