/* How a reduction is cut into blocks of a device: tiles of narrow cells, wide cells, parts where cells are few. */
#ifndef GP_CUDA_REDUCE_PLAN_H
#define GP_CUDA_REDUCE_PLAN_H

#include "element_class.h"
#include "kernels/reduce_args.h"

#include "../backend.h"

/* Owned: tiles. `narrow` come first in it, then `wide` ones of one cell each. */
typedef struct gp_reduce_plan {
    gp_state_kind kind;
    int run_elems, layout;
    int n_threads, log2_tx; /* of narrow kernels */
    int64_t most_cols;      /* of a tile */
    int64_t narrow_most;    /* columns of a narrow cell */
    gp_reduce_tile *tiles;
    int n_narrow, n_wide;
    int n_parts; /* n_row_parts * n_col_parts; narrow kernels take them all as parts of rows */
    int n_row_parts, n_col_parts;
    int least_parts;                       /* fewer would let sums of integers overflow */
} gp_reduce_plan;

/* agg is none of 'nearest'. wanted_blocks keep the device busy. */
gp_status gp_reduce_plan_make(const gp_cuda_elements *elements, const gp_axis *rows, const gp_axis *cols, gp_agg agg,
                              int64_t wanted_blocks, gp_reduce_plan *out, gp_error *error) GP_MUST_CHECK;
void gp_reduce_plan_free(gp_reduce_plan *plan);

/* Cuts cells into no more parts than must be: the plan for devices without memory for their states. */
void gp_reduce_plan_join_parts(gp_reduce_plan *plan);

#endif
