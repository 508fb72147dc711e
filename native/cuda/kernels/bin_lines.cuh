/* Lines to cells: kernels that read elements, which find the places of samples along one axis. */
#ifndef GP_BIN_LINES_CUH
#define GP_BIN_LINES_CUH

#include "bin_lines_args.h"
#include "bin_points.cuh"

struct gp_placing_lines {
    GP_DEVICE void take(const gp_place_lines_args &args, double v, int64_t position)
    {
        args.places[position] = gp_line_place(&args.axis, v);
    }
};

#endif
