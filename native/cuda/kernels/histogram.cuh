/* The bin of an element: an estimate by arithmetic and, if that is near an edge, a comparison with edges. */
#ifndef GP_HISTOGRAM_CUH
#define GP_HISTOGRAM_CUH

#include "counting.cuh"
#include "extremes.cuh"
#include "summary_args.h"
#include "../../core/statistics/bins.h"

/* ---- limits --------------------------------------------------------------------------------------------------------- */

GP_DEVICE bool gp_is_between(const gp_histogram_args &args, float x) { return x >= args.low_single && x <= args.high_single; }
GP_DEVICE bool gp_is_between(const gp_histogram_args &args, double x) { return x >= args.low && x <= args.high; }
/* float32 holds all integers of 24 bits. */
GP_DEVICE bool gp_is_between(const gp_histogram_args &args, int x) { return gp_is_between(args, (float)x); }
GP_DEVICE bool gp_is_between(const gp_histogram_args &args, int64_t x) { return gp_is_between(args, (double)x); }

/* ---- bins ----------------------------------------------------------------------------------------------------------- */

/* The bin at `place`, in bins from the first edge; if it is within the error of an edge, the edges decide. */
template <class T> GP_DEVICE int gp_bin_at(const gp_histogram_args &args, T place, T margin, double x)
{
    int bin = place < (T)0 ? 0 : place >= (T)args.n_bins ? args.n_bins - 1 : (int)place;
    T within = place - (T)bin;
    return within > margin && within < (T)1 - margin ? bin : gp_bin_correct(args.edges, args.n_bins, x, bin);
}

GP_DEVICE int gp_bin_of(const gp_histogram_args &args, double x)
{
    if (args.finder == GP_BIN_BY_SEARCH)
        return gp_bin_search(args.edges, args.n_bins, x);
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

/* ---- one thread ------------------------------------------------------------------------------------------------------ */

/* The counter of a bin, or of a code, that this thread uses: neighboring threads have counters of their own. */
GP_DEVICE unsigned gp_slot_of(unsigned bin, int log2_slots)
{
    return bin << log2_slots | (threadIdx.x & ((1u << log2_slots) - 1));
}

/* Whether float32 holds the values exactly, so that bins may be found in it. */
template <class T> struct gp_is_single {
    static const bool value = false;
};
template <> struct gp_is_single<float> {
    static const bool value = true;
};
template <> struct gp_is_single<int> {
    static const bool value = true;
};

template <class COUNTER> struct gp_binning {
    const gp_histogram_args &args;
    COUNTER counter;

    GP_DEVICE void count(gp_binning &b, int bin) { COUNTER::add(b.counter, gp_slot_of((unsigned)bin, b.args.log2_slots)); }
    /* Finds all bins of a run in float32 before counting any; false if an element is too close to an edge. */
    GP_DEVICE bool whole(gp_binning &b, const gp_run &run, int64_t row, int64_t col, int64_t step)
    {
        if (!gp_is_single<gp_value>::value) {
            some(b, run, (uint32_t)GP_ALL_ELEMS, row, col, step);
            return true;
        }
        gp_value x[GP_RUN_ELEMS];
        int bins[GP_RUN_ELEMS];
        bool are_sure = b.args.finder == GP_BIN_BY_SINGLE;
        gp_run_values(run.words, (int)b.args.plane.dtype, x);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            bool is_inside = gp_is_between(b.args, x[k]);
            float place = is_inside ? ((float)x[k] - b.args.first_single) * b.args.scale_single : 0.5f;
            bins[k] = (int)place;
            float within = place - (float)bins[k];
            are_sure = are_sure && bins[k] < b.args.n_bins; /* a range of integers may extend beyond the edges */
            are_sure = are_sure && within > b.args.margin_single && within < 1.0f - b.args.margin_single;
            bins[k] = is_inside ? bins[k] : -1;
        }
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            if (are_sure && bins[k] >= 0)
                count(b, bins[k]);
        return are_sure;
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
                count(b, gp_bin_of(b.args, x[k]));
    }
};

/* Counts the 256 codes of 1-byte elements; each code's count is added to its bin at the end. */
struct gp_code_counting {
    const gp_histogram_args &args;
    gp_plain_counter counter;

    GP_DEVICE bool whole(gp_code_counting &c, const gp_run &run, int64_t row, int64_t col, int64_t step)
    {
        some(c, run, (uint32_t)GP_ALL_ELEMS, row, col, step);
        return true;
    }
    GP_DEVICE void some(gp_code_counting &c, const gp_run &run, uint32_t mask, int64_t, int64_t, int64_t)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            gp_stored code;
            gp_pick(run.words, k, &code);
            if (mask >> k & 1)
                gp_plain_counter::add(c.counter, gp_slot_of((unsigned)code, c.args.log2_slots));
        }
    }
};

template <class Visit> GP_DEVICE void gp_histogram_visit(const gp_plane &plane, Visit visit)
{
    gp_visit_plan plan = gp_visit_plan_of(plane);
    for (int64_t job = blockIdx.x; job < plan.n_jobs; job += gridDim.x)
        gp_visit_job(plane, plan, job, visit);
    visit.counter.flush(visit.counter);
}

/* ---- a block --------------------------------------------------------------------------------------------------------- */

template <bool IS_BYTE> struct gp_block_counts {
    GP_DEVICE int n_bins(const gp_histogram_args &args) { return args.n_bins; }
    GP_DEVICE void visit(const gp_histogram_args &args, unsigned *counters)
    {
        gp_histogram_visit(args.plane, gp_binning<gp_plain_counter>{args, {counters}});
    }
    /* The bin of counter `i`, or less than 0. */
    GP_DEVICE int bin_of(const gp_histogram_args &, int i) { return i; }
};

template <> struct gp_block_counts<true> {
    GP_DEVICE int n_bins(const gp_histogram_args &) { return 256; }
    GP_DEVICE void visit(const gp_histogram_args &args, unsigned *counters)
    {
        gp_histogram_visit(args.plane, gp_code_counting{args, {counters}});
    }
    GP_DEVICE int bin_of(const gp_histogram_args &args, int code)
    {
        gp_value x = gp_elems::value_of((gp_stored)code, gp_elems::codec_of((int)args.plane.dtype));
        return gp_is_between(args, x) ? gp_bin_of(args, x) : -1;
    }
};

/* Counts in shared memory, then adds these counts to those of all blocks. */
GP_DEVICE void gp_histogram_shared(const gp_histogram_args &args, unsigned *counters)
{
    typedef gp_block_counts<sizeof(gp_stored) == 1> counts;
    int n_bins = counts::n_bins(args), n_slots = 1 << args.log2_slots;
    for (int i = (int)threadIdx.x; i < n_bins << args.log2_slots; i += GP_BLOCK)
        counters[i] = 0;
    __syncthreads();
    counts::visit(args, counters);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < n_bins; i += GP_BLOCK) {
        unsigned long long sum = 0;
        for (int slot = 0; slot < n_slots; slot++)
            sum += counters[i << args.log2_slots | slot];
        int bin = sum != 0 ? counts::bin_of(args, i) : -1;
        if (bin >= 0)
            atomicAdd((unsigned long long *)&args.counts[bin], sum);
    }
}

#endif
