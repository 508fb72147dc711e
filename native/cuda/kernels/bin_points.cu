/*
 * Points to cells, from their cell numbers: counts points by cell, and makes the values of cells.
 *
 * Launched by native/cuda/bin_points.c with GP_BLOCK threads and any number of blocks. Counts are joined by atomics on integers;
 * a thread keeps the count of its last cell in registers, so that many points in one cell do not wait for each other.
 */
#include "bin_points_args.h"
#include "counting.cuh"

GP_KERNEL(count_points, gp_count_points_args, GP_BLOCK)
{
    gp_counter<unsigned long long> counter = {(unsigned long long *)args.counts, 0, 0};
    int64_t step = (int64_t)gridDim.x * GP_BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x; i < args.n_points; i += step) {
        uint32_t cell = args.cells[i];
        gp_counter<unsigned long long>::add(counter, cell == GP_NO_CELL ? args.n_cells : cell);
    }
    counter.flush(counter);
}

GP_KERNEL(center_points, gp_center_points_args, GP_BLOCK)
{
    int64_t step = (int64_t)gridDim.x * GP_BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x; i < args.n_cells; i += step)
        if (args.sums[i].b > 0)
            args.sums[i].a /= args.sums[i].b;
}

/* The state of a cell from its sums, equal to that of the CPU for the same values. */
GP_DEVICE gp_cell_state gp_point_state(gp_state_kind kind, const gp_cell_state &sums)
{
    gp_cell_state state = gp_cell_state_none(kind);
    state.has = sums.has;
    if ((sums.has & GP_HAS_FINITE) == 0)
        return state;
    if (kind == GP_STATE_EXTREMES) {
        state.a = gp_bits_of_order(gp_order_of_point_key(~gp_bits_from_f64(sums.a)));
        state.b = gp_bits_of_order(gp_order_of_point_key(gp_bits_from_f64(sums.b)));
    } else if (kind == GP_STATE_MOMENTS) {
        state.a = sums.b, state.b = sums.a, state.c = sums.c;
    } else {
        state.a = sums.a, state.b = sums.b;
    }
    return state;
}

GP_KERNEL(finish_points, gp_finish_points_args, GP_BLOCK)
{
    gp_agg agg = (gp_agg)args.agg;
    int64_t step = (int64_t)gridDim.x * GP_BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x; i < args.n_cells; i += step) {
        double value = args.counts[i] != 0 ? (double)args.counts[i] : gp_empty_cell();
        if (args.sums != nullptr) {
            gp_cell_state state = gp_point_state(gp_agg_kind(agg), args.sums[i]);
            value = gp_cell_state_finish(agg, (gp_nan)args.nan, GP_ORDER_F64, &state);
        }
        args.out[i] = value;
    }
}
