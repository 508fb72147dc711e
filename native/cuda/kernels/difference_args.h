/* Arguments of the kernels of difference.cu: two planes of stored numbers, and where results go. */
#ifndef GP_DIFFERENCE_ARGS_H
#define GP_DIFFERENCE_ARGS_H

#include "stored_elems.h"
#include "../../core/statistics/difference.h"

/* a and b are of both parts of complex elements, [0] the real one; the imaginary part of a real element has no data and is 0. */
typedef struct gp_difference_args {
    gp_stored_elems a[2], b[2];
    int32_t n_parts;
    bool is_exact; /* integers, subtracted as such: one of the two is of 64 bits */
    int64_t n_elems, n_cols;
    double *out; /* n_elems, of subtract */
    double rtol, atol;
    gp_comparison *blocks; /* of compare: one of each block; of compare_join n_blocks of them, which the first becomes */
    int64_t n_blocks;
} gp_difference_args;

#endif
