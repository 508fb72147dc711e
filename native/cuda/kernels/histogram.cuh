/* Which bin an element falls into: an estimate by arithmetic and, where that is near an edge, the edges themselves. */
#ifndef GP_HISTOGRAM_CUH
#define GP_HISTOGRAM_CUH

#include "counting.cuh"
#include "extremes.cuh"
#include "summary_args.h"

/* ---- limits --------------------------------------------------------------------------------------------------------- */

GP_DEVICE bool gp_is_between(const gp_histogram_args &args, float x) { return x >= args.low_single && x <= args.high_single; }
GP_DEVICE bool gp_is_between(const gp_histogram_args &args, double x) { return x >= args.low && x <= args.high; }
/* Integers are exact there. */
GP_DEVICE bool gp_is_between(const gp_histogram_args &args, int x) { return gp_is_between(args, (float)x); }
GP_DEVICE bool gp_is_between(const gp_histogram_args &args, int64_t x) { return gp_is_between(args, (double)x); }

/* ---- bins ----------------------------------------------------------------------------------------------------------- */

/* The last bin that begins at x or below it; what is below all of them belongs to the first. */
GP_DEVICE int gp_search_bin(const gp_histogram_args &args, double x)
{
    int low = 0, high = args.n_bins;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (args.edges[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The same, from a bin that is nearly right. */
GP_DEVICE int gp_correct_bin(const gp_histogram_args &args, double x, int bin)
{
    while (bin > 0 && x < args.edges[bin])
        bin--;
    while (bin < args.n_bins - 1 && x >= args.edges[bin + 1])
        bin++;
    return bin;
}

/* The bin at `place`, counted in bins from the first edge; where it is too near an edge to tell, the edges decide. */
template <class T> GP_DEVICE int gp_bin_at(const gp_histogram_args &args, T place, T margin, double x)
{
    int bin = place < (T)0 ? 0 : place >= (T)args.n_bins ? args.n_bins - 1 : (int)place;
    T within = place - (T)bin;
    return within > margin && within < (T)1 - margin ? bin : gp_correct_bin(args, x, bin);
}

GP_DEVICE int gp_bin_of(const gp_histogram_args &args, double x)
{
    if (args.finder == GP_BIN_BY_SEARCH)
        return gp_search_bin(args, x);
    return gp_bin_at(args, (x - args.first) * args.scale, args.margin, x);
}
GP_DEVICE int gp_bin_of(const gp_histogram_args &args, float x)
{
    if (args.finder == GP_BIN_BY_SINGLE)
        return gp_bin_at(args, (x - args.first_single) * args.scale_single, args.margin_single, (double)x);
    return gp_bin_of(args, (double)x);
}
GP_DEVICE int gp_bin_of(const gp_histogram_args &args, int x) { return gp_bin_of(args, (float)x); }
GP_DEVICE int gp_bin_of(const gp_histogram_args &args, int64_t x) { return gp_bin_of(args, (double)x); }

/* ---- a block -------------------------------------------------------------------------------------------------------- */

/* One thread's counting. */
template <class COUNT> struct gp_binning {
    const gp_histogram_args &args;
    gp_counter<COUNT> counter;

    GP_DEVICE void count(gp_binning &b, gp_value x)
    {
        unsigned slot = threadIdx.x & ((1u << b.args.log2_slots) - 1);
        gp_counter<COUNT>::add(b.counter, (unsigned)gp_bin_of(b.args, x) << b.args.log2_slots | slot);
    }
    GP_DEVICE bool whole(gp_binning &b, const gp_run &run, int64_t row, int64_t col, int64_t step)
    {
        some(b, run, (uint32_t)GP_ALL_ELEMS, row, col, step);
        return true;
    }
    GP_DEVICE void some(gp_binning &b, const gp_run &run, uint32_t mask, int64_t row, int64_t col, int64_t)
    {
        gp_value x[GP_RUN_ELEMS];
        gp_run_values(run.words, (int)b.args.plane.dtype, x);
        if (sizeof(gp_stored) == 8 && b.args.has_exact) {
            gp_exact exact[GP_RUN_ELEMS];
            gp_run_exact(b.args.plane, run, x, row, col, exact);
            GP_UNROLL
            for (int k = 0; k < GP_RUN_ELEMS; k++)
                if ((int64_t)exact[k] < b.args.low_exact || (int64_t)exact[k] > b.args.high_exact)
                    mask &= ~(1u << k);
        }
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            if ((mask >> k & 1) && gp_is_between(b.args, x[k]))
                count(b, x[k]);
    }
};

template <class COUNT> GP_DEVICE void gp_histogram_visit(const gp_histogram_args &args, COUNT *counters)
{
    gp_visit_plan plan = gp_visit_plan_of(args.plane);
    gp_binning<COUNT> binning = {args, {counters, 0, 0}};
    for (int64_t job = blockIdx.x; job < plan.n_jobs; job += gridDim.x)
        gp_visit_job(args.plane, plan, job, binning);
    gp_counter<COUNT>::flush(binning.counter);
}

/* Counts in shared memory, where neighbouring threads have counters of their own, and adds these to those of all blocks. */
GP_DEVICE void gp_histogram_shared(const gp_histogram_args &args, unsigned *counters)
{
    int n_slots = 1 << args.log2_slots;
    for (int i = (int)threadIdx.x; i < args.n_bins << args.log2_slots; i += GP_BLOCK)
        counters[i] = 0;
    __syncthreads();
    gp_histogram_visit(args, counters);
    __syncthreads();
    for (int bin = (int)threadIdx.x; bin < args.n_bins; bin += GP_BLOCK) {
        unsigned long long sum = 0;
        for (int slot = 0; slot < n_slots; slot++)
            sum += counters[bin << args.log2_slots | slot];
        if (sum != 0)
            atomicAdd((unsigned long long *)&args.counts[bin], sum);
    }
}

#endif
