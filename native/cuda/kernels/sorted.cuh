/* Series: whether one rises or falls, by comparing each sample with the next; binary search in one that rises; single samples. */
#ifndef GP_SORTED_CUH
#define GP_SORTED_CUH

#include "elements.cuh"
#include "series_args.h"
#include "../../core/reductions.h"

/* Neighbors are compared as float64, in which neither order of two samples is turned round. */
struct gp_comparing {
    const gp_plane &plane;
    unsigned broken;

    GP_DEVICE void pair(gp_comparing &c, double x, double next)
    {
        c.broken |= (x <= next ? 0u : (unsigned)GP_RISES) | (x >= next ? 0u : (unsigned)GP_FALLS);
    }
    /* Sample k of the run against the one that follows it, `step` samples apart from the next of the run; the last against itself. */
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

/* Notes which ways are broken; blocks stop when neither is left. */
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

/* A thread has a value. */
GP_DEVICE void gp_search_values(const gp_search_args &args)
{
    for (int64_t i = (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x; i < args.n_values; i += (int64_t)gridDim.x * GP_BLOCK) {
        int64_t low = 0, high = args.plane.n_cols; /* all before low are below, none from high on is */
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            bool is_below = !((double)gp_value_at(args.plane, 0, middle) >= args.values[i]);
            low = is_below ? middle + 1 : low;
            high = is_below ? high : middle;
        }
        args.positions[i] = low;
    }
}

/* A thread has a position. */
GP_DEVICE void gp_take_values(const gp_take_args &args)
{
    for (int64_t i = (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x; i < args.n_positions; i += (int64_t)gridDim.x * GP_BLOCK)
        args.values[i] = (double)gp_value_at(args.plane, 0, args.positions[i]);
}

#endif
