/*
 * Joint histograms: elements at the same place of several planes, counted, or their weights added up, by the bins of one or two planes.
 *
 * joint_count counts in shared memory; joint_count_wide, for too many bins, by atomics in the device's cache. Both add only integers.
 * joint_sum adds float64 without atomics: a warp is a team with its own table; it goes through its elements in order, and of each 32
 * every lane adds those of its own bins, one after the other. joint_join adds the tables of all teams in order. So sums have the same
 * bits on every run. Elements of any dtype and layout are read one at a time.
 *
 * Launched by native/cuda/joint.c with GP_BLOCK threads a block: joint_sum with a warp for each team, the others with any number.
 */
#include "counting.cuh"
#include "element_value.cuh"
#include "joint_args.h"
#include "stored_elems.cuh"
#include "../../core/statistics/bins.h"
#include "../../core/base/ordered.h"

/* ---- one element ----------------------------------------------------------------------------------------------------- */

/* The last bin that begins at x or below it. */
GP_DEVICE int gp_joint_bin(const gp_joint_bins_of &side, double x)
{
    double place = (x - side.first) * side.scale;
    if (!side.is_even)
        return gp_bin_search(side.edges, side.n_bins, x);
    return gp_bin_correct(side.edges, side.n_bins, x, place < 0 ? 0 : place >= side.n_bins ? side.n_bins - 1 : (int)place);
}

GP_DEVICE bool gp_joint_is_within(const gp_joint_bins_of &side, const char *at)
{
    uint64_t stored = gp_read_stored<uint64_t>(at, side.elems.is_byteswapped);
    int64_t exact = side.elems.dtype == GP_U64 ? gp_order_of_u64(stored) : (int64_t)stored;
    return exact >= side.low_exact && exact <= side.high_exact;
}

/* The bin of an element, less than 0 if it is in none. */
GP_DEVICE int gp_joint_bin_at(const gp_joint_bins_of &side, int64_t row, int64_t col)
{
    const char *at = gp_stored_address(side.elems, row, col);
    if (gp_stored_is_masked(side.elems, row, col) || (side.has_exact && !gp_joint_is_within(side, at)))
        return -1;
    double x = gp_read_value(side.elems.dtype, at, side.elems.is_byteswapped);
    return x >= side.low && x <= side.high ? gp_joint_bin(side, x) : -1;
}

/* The bin of all sides together. */
GP_DEVICE int gp_joint_slot(const gp_joint_args &args, int64_t row, int64_t col)
{
    int slot = gp_joint_bin_at(args.sides[0], row, col);
    if (slot < 0 || args.n_sides == 1)
        return slot;
    int inner = gp_joint_bin_at(args.sides[1], row, col);
    return inner < 0 ? -1 : slot * args.sides[1].n_bins + inner;
}

/* ---- counts ---------------------------------------------------------------------------------------------------------- */

/* log2_slots: log2 of the number of counters of a bin, with which fewer threads wait for one atomic. */
template <class COUNT> GP_DEVICE void gp_joint_count(const gp_joint_args &args, COUNT *counters, int log2_slots)
{
    gp_counter<COUNT> counter = {counters, 0, 0};
    int64_t step = (int64_t)gridDim.x * GP_BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x; i < args.n_elems; i += step) {
        int64_t row, col;
        gp_stored_place(args.n_elems, args.n_cols, i, &row, &col);
        int slot = gp_joint_slot(args, row, col);
        if (slot >= 0)
            gp_counter<COUNT>::add(counter, (unsigned)slot << log2_slots | (threadIdx.x & ((1u << log2_slots) - 1)));
    }
    gp_counter<COUNT>::flush(counter);
}

GP_KERNEL(joint_count, gp_joint_args, GP_BLOCK)
{
    GP_SHARED(unsigned, counters, GP_JOINT_COUNTERS);
    int n_bins = (int)args.n_bins, n_slots = 1 << args.log2_slots;
    for (int i = (int)threadIdx.x; i < n_bins << args.log2_slots; i += GP_BLOCK)
        counters[i] = 0;
    __syncthreads();
    gp_joint_count(args, counters, args.log2_slots);
    __syncthreads();
    for (int bin = (int)threadIdx.x; bin < n_bins; bin += GP_BLOCK) {
        unsigned long long sum = 0;
        for (int slot = 0; slot < n_slots; slot++)
            sum += counters[bin << args.log2_slots | slot];
        if (sum > 0)
            atomicAdd((unsigned long long *)&args.counts[bin], sum);
    }
}

GP_KERNEL(joint_count_wide, gp_joint_args, GP_BLOCK) { gp_joint_count(args, (unsigned long long *)args.counts, 0); }

/* ---- sums ------------------------------------------------------------------------------------------------------------ */

/* The bin and the weight of an element; a bin less than 0 if it is in none. */
GP_DEVICE int gp_joint_weigh(const gp_joint_args &args, int64_t i, double *weight)
{
    int64_t row, col;
    gp_stored_place(args.n_elems, args.n_cols, i, &row, &col);
    if (gp_stored_is_masked(args.weights, row, col))
        return -1;
    double w = gp_read_value(args.weights.dtype, gp_stored_address(args.weights, row, col), args.weights.is_byteswapped);
    *weight = gp_moment_of(&args.moment, w);
    return gp_joint_slot(args, row, col);
}

GP_KERNEL(joint_sum, gp_joint_args, GP_BLOCK)
{
    GP_SHARED(int, slots, GP_BLOCK);
    GP_SHARED(double, weights, GP_BLOCK);
    int lane = (int)threadIdx.x % GP_WARP, first = (int)threadIdx.x - lane;
    int64_t team = ((int64_t)blockIdx.x * GP_BLOCK + threadIdx.x) / GP_WARP;
    int64_t n_rounds = (args.n_elems + GP_WARP - 1) / GP_WARP;
    int64_t begin = team < args.n_teams ? team * n_rounds / args.n_teams : 0;
    int64_t end = team < args.n_teams ? (team + 1) * n_rounds / args.n_teams : 0;
    double *table = args.tables + team * args.n_bins;
    unsigned long long n_counted = 0;
    for (int64_t round = begin; round < end; round++) {
        int64_t i = round * GP_WARP + lane;
        double weight = 0;
        int slot = i < args.n_elems ? gp_joint_weigh(args, i, &weight) : -1;
        n_counted += slot >= 0;
        slots[threadIdx.x] = slot, weights[threadIdx.x] = weight;
        __syncwarp(GP_FULL_WARP);
        for (int k = 0; k < GP_WARP; k++)
            if (slots[first + k] >= 0 && slots[first + k] % GP_WARP == lane)
                table[slots[first + k]] += weights[first + k];
        __syncwarp(GP_FULL_WARP);
    }
    if (n_counted > 0)
        atomicAdd((unsigned long long *)args.counts, n_counted);
}

/* Adds the tables of all teams to that of the first one. */
GP_KERNEL(joint_join, gp_joint_args, GP_BLOCK)
{
    int64_t step = (int64_t)gridDim.x * GP_BLOCK;
    for (int64_t bin = (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x; bin < args.n_bins; bin += step) {
        double sum = args.tables[bin];
        for (int64_t team = 1; team < args.n_teams; team++)
            sum += args.tables[team * args.n_bins + bin];
        args.tables[bin] = sum;
    }
}
