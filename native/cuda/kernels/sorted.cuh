/* Series: whether one rises or falls, by comparing each sample with the next; binary search in one that rises; single samples. */
#ifndef GP_SORTED_CUH
#define GP_SORTED_CUH

#include "elements.cuh"
#include "series_args.h"
#include "../../core/states/reductions.h"

/* Neighbors are compared as float64, whose rounding never reverses the order of two samples. */
struct gp_comparing {
    const gp_plane &plane;
    unsigned broken;

    GP_DEVICE void pair(gp_comparing &c, double x, double next)
    {
        c.broken |= (x <= next ? 0u : (unsigned)GP_RISES) | (x >= next ? 0u : (unsigned)GP_FALLS);
    }
    /* Compares each sample with the next one of the series; the last one with itself. Samples of a run are `step` positions apart. */
    GP_DEVICE void some(gp_comparing &c, const gp_run &run, uint32_t mask, int64_t row, int64_t col, int64_t step)
    {
        gp_value x[GP_RUN_ELEMS];
        gp_run_values(run.words, (int)c.plane.dtype, x);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            int64_t next = col + k * step + 1;
            bool is_near = step == 1 && k + 1 < GP_RUN_ELEMS && (mask >> (k + 1) & 1);
            if (!(mask >> k & 1))
                continue;
            double after = is_near                 ? (double)x[k + 1 < GP_RUN_ELEMS ? k + 1 : k]
                           : next < c.plane.n_cols ? (double)gp_value_at(c.plane, row, next)
                                                   : (double)x[k];
            pair(c, (double)x[k], after);
        }
    }
    GP_DEVICE bool whole(gp_comparing &c, const gp_run &run, int64_t row, int64_t col, int64_t step)
    {
        some(c, run, GP_ALL_ELEMS, row, col, step);
        return true;
    }
};

/* Notes that samples do not rise, or do not fall; blocks stop if neither is possible any more. */
GP_DEVICE void gp_find_ways_block(const gp_ways_args &args)
{
    gp_visit_plan plan = gp_visit_plan_of(args.plane);
    gp_comparing comparing = {args.plane, 0};
    unsigned told = 0;
    for (int64_t job = blockIdx.x; job < plan.n_jobs; job += gridDim.x) {
        volatile uint64_t *broken = args.broken;
        if (broken[0] != 0 && broken[1] != 0)
            return;
        gp_visit_job(args.plane, plan, job, comparing);
        if (comparing.broken & ~told & GP_RISES)
            atomicMax((unsigned long long *)&args.broken[0], 1ull);
        if (comparing.broken & ~told & GP_FALLS)
            atomicMax((unsigned long long *)&args.broken[1], 1ull);
        told = comparing.broken;
    }
}

/* One thread for each value. */
GP_DEVICE void gp_search_values(const gp_search_args &args)
{
    for (int64_t i = (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x; i < args.n_values; i += (int64_t)gridDim.x * GP_BLOCK) {
        int64_t low = 0, high = args.plane.n_cols; /* samples before low are below the value, those from high on are not */
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            bool is_below = !((double)gp_value_at(args.plane, 0, middle) >= args.values[i]);
            low = is_below ? middle + 1 : low;
            high = is_below ? high : middle;
        }
        args.positions[i] = low;
    }
}

/* One thread for each position. */
GP_DEVICE void gp_take_values(const gp_take_args &args)
{
    for (int64_t i = (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x; i < args.n_positions; i += (int64_t)gridDim.x * GP_BLOCK)
        args.values[i] = (double)gp_value_at(args.plane, 0, args.positions[i]);
}

#endif
