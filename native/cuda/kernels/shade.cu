/*
 * Cells to pixels, by a norm and a table of colors, or as the channels of RGB(A); the angles of hues; and resampling of
 * cells.
 *
 * A thread takes one cell at a time and writes one 32-bit word, so that a warp reads and writes whole lines. All threads
 * have the same norm. Memory traffic is proportional to the output.
 */
#include "device.cuh"

#include "shade_args.h"

/* ---- a norm and a table ------------------------------------------------------------------------------------------ */

/* The row of a mark behind the table; the order is that of gp_mark_row in core/color/shading.h. */
GP_DEVICE int mark_row(const gp_scale *scale, double cell, unsigned class_bit)
{
    int first = scale->n_colors + 3;
    if (class_bit == GP_HAS_MASKED)
        return first + 4;
    if (class_bit == GP_HAS_NAN)
        return gp_is_empty_cell(cell) ? first + 3 : first;
    return class_bit == GP_HAS_POS_INF ? first + 1 : first + 2;
}

GP_KERNEL(shade_cells, gp_shade_args, GP_BLOCK)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    gp_scale scale = args.scale;
    if (args.limits != 0)
        gp_scale_set_limits(&scale, args.limits->low, args.limits->high);
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < args.n_cells; i += stride) {
        double cell = args.cells[i];
        unsigned class_bit = gp_class_of(cell);
        int row = class_bit == GP_HAS_FINITE ? gp_scale_row(&scale, cell) : mark_row(&scale, cell, class_bit);
        uint32_t color = args.colors[row];
        if (args.alpha_cells != 0)
            color = (color & 0xffffffu) | (uint32_t)gp_alpha_byte((uint8_t)(color >> 24), args.alpha_cells[i]) << 24;
        args.pixels[i] = color;
    }
}

/* One thread, after the kernels that find the ranges and before those that shade. */
GP_KERNEL(shade_limits, gp_search_args, 1)
{
    *args.out = gp_limits_search_run(&args.search, &args.scale, gp_limits_state_ends(args.elements),
                                     gp_limits_state_ends(args.cells));
}

/* ---- ranks of cells ---------------------------------------------------------------------------------------------- */

/* The number of ascending pivots that are <= bits. */
GP_DEVICE int count_pivots(const uint64_t *pivots, int n_pivots, uint64_t bits)
{
    int begin = 0, end = n_pivots;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (bits >= pivots[middle])
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

GP_DEVICE bool is_ranked(const gp_rank_args &args, double cell)
{
    return cell >= args.vmin && cell <= args.vmax && gp_class_of(cell) == GP_HAS_FINITE;
}

/* Adds the counts of a block to those of all; integer additions give the same result in any order. */
GP_KERNEL(shade_ranks, gp_rank_args, GP_BLOCK)
{
    GP_SHARED(unsigned, bins, GP_RANK_MOST_PIVOTS + 1);
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int i = (int)threadIdx.x; i <= args.n_pivots; i += (int)blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < args.n_cells; i += stride) {
        double cell = args.cells[i];
        if (is_ranked(args, cell))
            atomicAdd(&bins[count_pivots(args.pivots, args.n_pivots, gp_ordered_f64(cell))], 1u);
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i <= args.n_pivots; i += (int)blockDim.x)
        if (bins[i] != 0)
            atomicAdd(&args.counts[i], bins[i]);
}

/* Collects the keys of the few cells between the two pivots of a pair, in any order. */
GP_KERNEL(shade_keys, gp_rank_args, GP_BLOCK)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < args.n_cells; i += stride) {
        double cell = args.cells[i];
        uint64_t key = gp_ordered_f64(cell);
        int n_below = is_ranked(args, cell) ? count_pivots(args.pivots, args.n_pivots, key) : 0;
        if (n_below % 2 == 1)
            args.keys[atomicAdd(&args.counts[n_below / 2], 1u)] = key;
    }
}

/* ---- channels ---------------------------------------------------------------------------------------------------- */

GP_DEVICE uint64_t smaller_key(uint64_t a, uint64_t b) { return a < b ? a : b; }
GP_DEVICE uint64_t larger_key(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Minimum and maximum do not depend on the order, so atomics give the same bits on every run. */
GP_KERNEL(shade_channels, gp_shade_rgb_args, GP_BLOCK)
{
    GP_SHARED(unsigned long long, lows, GP_BLOCK / GP_WARP);
    GP_SHARED(unsigned long long, highs, GP_BLOCK / GP_WARP);
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    double range[2] = {gp_mark_value(GP_HAS_POS_INF), gp_mark_value(GP_HAS_NEG_INF)};
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < args.n_cells; i += stride) {
        uint8_t rgba[4];
        gp_channel_paint(&args.plan, i, rgba, range);
        args.pixels[i] = rgba[0] | (uint32_t)rgba[1] << 8 | (uint32_t)rgba[2] << 16 | (uint32_t)rgba[3] << 24;
    }
    unsigned long long low = gp_ordered_f64(range[0]), high = gp_ordered_f64(range[1]);
    for (int lanes = GP_WARP / 2; lanes > 0; lanes /= 2) {
        low = smaller_key(low, __shfl_xor_sync(GP_FULL_WARP, low, lanes));
        high = larger_key(high, __shfl_xor_sync(GP_FULL_WARP, high, lanes));
    }
    if (threadIdx.x % GP_WARP == 0)
        lows[threadIdx.x / GP_WARP] = low, highs[threadIdx.x / GP_WARP] = high;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (unsigned i = 1; i < blockDim.x / GP_WARP; i++)
        low = smaller_key(low, lows[i]), high = larger_key(high, highs[i]);
    atomicMin((unsigned long long *)&args.range[0], low);
    atomicMax((unsigned long long *)&args.range[1], high);
}

/* ---- angles ------------------------------------------------------------------------------------------------------ */

/* A zero cell is +0.0, so the angle of a negative number is +pi; cells that are not finite keep the mark of their real part. */
GP_KERNEL(shade_angles, gp_angle_args, GP_BLOCK)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < args.n_cells; i += stride) {
        double real = args.real[i];
        args.out[i] = gp_class_of(real) == GP_HAS_FINITE ? atan2(args.imaginary[i], real) + 0.0 : real;
    }
}

/* ---- cells without NaN --------------------------------------------------------------------------------------------- */

GP_KERNEL(shade_without_nan, gp_without_nan_args, GP_BLOCK)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < args.n_cells; i += stride)
        if (!gp_is_nan_cell(args.cells[i]))
            args.without_nan[i] = args.cells[i];
}

/* ---- cells resampled --------------------------------------------------------------------------------------------- */

/* Neighboring threads compute neighboring cells, and read mostly from the cache. */
GP_KERNEL(filter_cells, gp_filter_args, GP_BLOCK)
{
    int64_t stride = (int64_t)gridDim.x * blockDim.x, n_cols = args.cols.n_cells;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < args.rows.n_cells * n_cols; i += stride)
        args.out[i] = gp_filter_cell(args.from, args.n_cols, &args.rows, i / n_cols, &args.cols, i % n_cols, args.nan);
}
