/* What one thread sees of a plane, and how that is joined: counts of each kind, extremes and where they are, moments. */
#ifndef GP_SUMMARIZE_CUH
#define GP_SUMMARIZE_CUH

#include "extremes.cuh"
#include "summary_args.h"
#include "../../core/states/reductions.h"

/* ---- kinds ---------------------------------------------------------------------------------------------------------- */

/* How many finite elements are of which kind; what is neither below zero nor zero is above. Some elements are counted apart first, in a
 * `tally`: whether they are finite is known afterwards. */
template <class T> struct gp_kinds {
    struct tally {
        uint32_t n_neg, n_zero;
    };
    uint32_t n_neg, n_zero;

    GP_DEVICE void start(gp_kinds &kinds, double) { kinds.n_neg = kinds.n_zero = 0; }
    GP_DEVICE void add(gp_kinds &kinds, T x) { kinds.n_neg += x < 0, kinds.n_zero += x == 0; }
    GP_DEVICE tally no_tally() { return {0, 0}; }
    GP_DEVICE void count(tally &t, T x) { t.n_neg += x < 0, t.n_zero += x == 0; }
    GP_DEVICE void take(gp_kinds &kinds, const tally &t) { kinds.n_neg += t.n_neg, kinds.n_zero += t.n_zero; }
    GP_DEVICE bool has_small(const gp_kinds &, const tally &) { return false; }
    GP_DEVICE void add_small(gp_kinds &, const T *) {}
    GP_DEVICE uint32_t n_subnormal(const gp_kinds &) { return 0; }
};

/* Magnitudes are compared as bits: arithmetic may take subnormals for zeros. tiny: twice the bits of the smallest normal number, and
 * never less than 1, so that zeros are always below. */
template <class T, class BITS> struct gp_kinds_of_floats {
    struct tally {
        uint32_t n_sign; /* signs, those of negative zeros among them */
        BITS least;
    };
    uint32_t n_neg, n_zero, n_tiny;
    BITS tiny;

    GP_DEVICE BITS bits_of(T x)
    {
        BITS bits;
        memcpy(&bits, &x, sizeof bits);
        return bits;
    }
    GP_DEVICE void start(gp_kinds_of_floats &kinds, double smallest_normal)
    {
        BITS bits = bits_of((T)smallest_normal);
        kinds.n_neg = kinds.n_zero = kinds.n_tiny = 0;
        kinds.tiny = bits > 0 ? bits << 1 : 1;
    }
    GP_DEVICE void add(gp_kinds_of_floats &kinds, T x)
    {
        BITS bits = bits_of(x), magnitude = bits << 1;
        kinds.n_zero += magnitude == 0, kinds.n_tiny += magnitude < kinds.tiny;
        kinds.n_neg += bits > (BITS)1 << (8 * sizeof(BITS) - 1);
    }
    GP_DEVICE tally no_tally() { return {0, (BITS) ~(BITS)0}; }
    GP_DEVICE void count(tally &t, T x)
    {
        BITS bits = bits_of(x), magnitude = bits << 1;
        t.n_sign += (uint32_t)(bits >> (8 * sizeof(BITS) - 1));
        t.least = magnitude < t.least ? magnitude : t.least;
    }
    GP_DEVICE void take(gp_kinds_of_floats &kinds, const tally &t) { kinds.n_neg += t.n_sign; }
    /* Whether there is a zero or a subnormal among them: then add_small is to see each of their runs. */
    GP_DEVICE bool has_small(const gp_kinds_of_floats &kinds, const tally &t) { return t.least < kinds.tiny; }
    GP_DEVICE void add_small(gp_kinds_of_floats &kinds, const T *x)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            BITS bits = bits_of(x[k]), magnitude = bits << 1;
            kinds.n_zero += magnitude == 0, kinds.n_tiny += magnitude < kinds.tiny;
            kinds.n_neg -= magnitude == 0 && bits != 0;
        }
    }
    GP_DEVICE uint32_t n_subnormal(const gp_kinds_of_floats &kinds) { return kinds.n_tiny - kinds.n_zero; }
};
template <> struct gp_kinds<float> : gp_kinds_of_floats<float, uint32_t> {};
template <> struct gp_kinds<double> : gp_kinds_of_floats<double, uint64_t> {};

/* ---- moments -------------------------------------------------------------------------------------------------------- */

/*
 * Sums of deviations from a number near the elements. After a stretch of elements they are merged into what came before, and
 * the mean so far is the number of the next stretch: a first element far from all others does harm to a few sums only.
 */
template <bool IS_EXACT> struct gp_spread {
    static const bool has_stretches = true;
    double shift, sum, sum2;
    uint32_t n; /* of this stretch */
    bool is_set;

    GP_DEVICE void start(gp_spread &s) { s.shift = s.sum = s.sum2 = 0, s.n = 0, s.is_set = false; }
    GP_DEVICE void set(gp_spread &s, gp_value x)
    {
        if (!s.is_set)
            s.shift = (double)x, s.is_set = true;
    }
    GP_DEVICE void add(gp_spread &s, gp_value x)
    {
        double d = (double)x - s.shift;
        s.sum += d, s.sum2 = fma(d, d, s.sum2), s.n++;
    }
    GP_DEVICE void add_run(gp_spread &s, const gp_value *x)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            add(s, x[k]);
    }
    /* before: the moments of the stretches so far. */
    GP_DEVICE void merge(gp_spread &s, gp_moments &before)
    {
        if (s.n == 0)
            return;
        double mean = s.sum / (double)s.n, m2 = s.sum2 - s.sum * mean;
        gp_moments stretch = {(double)s.n, s.shift + mean, m2 < 0 ? 0.0 : m2};
        if (m2 != m2) /* squares beyond float64 */
            stretch.m2 = gp_mark_value(GP_HAS_POS_INF);
        before = before.weight > 0 ? gp_moments_join(before, stretch) : stretch;
        s.shift = before.mean, s.sum = s.sum2 = 0, s.n = 0;
    }
};

/* 8- and 16-bit integers are added up exactly, about a first one that keeps the sums small, in one stretch. */
template <> struct gp_spread<true> {
    static const bool has_stretches = false;
    int shift;
    int64_t sum;
    uint64_t sum2;
    uint32_t n;
    bool is_set;

    GP_DEVICE void start(gp_spread &s) { s.shift = 0, s.sum = 0, s.sum2 = 0, s.n = 0, s.is_set = false; }
    GP_DEVICE void set(gp_spread &s, gp_value x)
    {
        if (!s.is_set)
            s.shift = (int)x, s.is_set = true;
    }
    GP_DEVICE void add(gp_spread &s, gp_value x)
    {
        int d = (int)x - s.shift;
        s.sum += d, s.sum2 += (uint32_t)d * (uint32_t)d, s.n++; /* below 2^32, whatever the sign */
    }
    /* What a run comes to has 32 bits, but for squares of 16 bits. */
    GP_DEVICE void add_run(gp_spread &s, const gp_value *x)
    {
        int sum = 0;
        uint32_t sum2 = 0;
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            int d = (int)x[k] - s.shift;
            uint32_t square = (uint32_t)d * (uint32_t)d;
            sum += d;
            if (sizeof(gp_stored) == 1)
                sum2 += square;
            else
                s.sum2 += square;
        }
        s.sum += sum, s.sum2 += sum2, s.n += GP_RUN_ELEMS;
    }
    GP_DEVICE void merge(gp_spread &s, gp_moments &before)
    {
        if (s.n == 0)
            return;
        double mean = (double)s.sum / (double)s.n, m2 = (double)s.sum2 - (double)s.sum * mean;
        gp_moments all = {(double)s.n, (double)s.shift + mean, m2 < 0 ? 0.0 : m2};
        before = all;
    }
};

typedef gp_spread<!gp_elems::is_float && sizeof(gp_stored) <= 2> gp_spread_of_class;

/* ---- one thread ----------------------------------------------------------------------------------------------------- */

/* Memory is read again behind it: what was read or written before needs no registers. */
GP_DEVICE void gp_forget_memory(void)
{
#if !defined(GP_EMULATED)
    asm volatile("" ::: "memory");
#endif
}

/* The thread's number, of which the compiler does not know that it is threadIdx.x: what follows from it is worked out anew. */
GP_DEVICE unsigned gp_thread_again(void)
{
#if defined(GP_EMULATED)
    return threadIdx.x;
#else
    unsigned thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
#endif
}

/* What changes with every element is in registers. All else that there is to know is in the thread's own state in shared memory: where
 * extremes are, elements that are not finite, and the moments of earlier stretches. */
struct gp_summary_seen {
    const gp_summarize_args *args;
    gp_summary_state *state;
    gp_exact lo, hi;
    gp_exact known_lo, known_hi; /* of elements that some thread of the block has: others need not be noted */
    gp_kinds<gp_value> kinds;
    gp_spread_of_class spread;

    /* args: of a plane, or NULL where elements are handed over as values. state: the thread's own. */
    GP_DEVICE void start(gp_summary_seen &s, const gp_summarize_args *args, double smallest_normal, gp_summary_state *state)
    {
        s.args = args, s.state = state;
        *state = gp_summary_state_none();
        gp_start_extremes(&s.lo, &s.hi);
        gp_start_extremes(&s.known_lo, &s.known_hi);
        gp_kinds<gp_value>::start(s.kinds, smallest_normal);
        gp_spread_of_class::start(s.spread);
        gp_forget_memory();
    }

    /* Begins a new stretch. */
    GP_DEVICE void merge(gp_summary_seen &s)
    {
        gp_forget_memory();
        gp_spread_of_class::merge(s.spread, s.state->moments);
        gp_forget_memory();
    }

    GP_DEVICE int64_t position(const gp_summary_seen &s, int64_t row, int64_t col)
    {
        const gp_positions &p = s.args->positions;
        return p.origin + row * p.row_step + col * p.col_step;
    }

    /* Whether elements with these extremes, which are at positions from `first` to `last` or the other way round, may change those of
     * the thread. */
    GP_DEVICE bool has_news(const gp_summary_seen &s, gp_exact lo, gp_exact hi, int64_t first, int64_t last)
    {
        int64_t nearest = last < first ? last : first;
        return (lo <= s.known_lo && (lo < s.lo || (lo == s.lo && nearest < s.state->argmin))) ||
               (hi >= s.known_hi && (hi > s.hi || (hi == s.hi && nearest < s.state->argmax)));
    }

    /* The first of some elements of a run, in the order of positions. */
    GP_DEVICE int first_of(uint32_t mask, int64_t step) { return step < 0 ? 31 - __clz((int)mask) : __ffs((int)mask) - 1; }

    /* The extremes of a run, some of which are news. */
    GP_DEVICE void note(gp_summary_seen &s, const gp_exact *exact, gp_exact lo, gp_exact hi, int64_t at, int64_t step)
    {
        uint32_t are_lo = 0, are_hi = 0;
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            are_lo |= exact[k] == lo ? 1u << k : 0u;
            are_hi |= exact[k] == hi ? 1u << k : 0u;
        }
        int64_t lo_at = at + first_of(are_lo, step) * step, hi_at = at + first_of(are_hi, step) * step;
        if (lo < s.lo || (lo == s.lo && lo_at < s.state->argmin))
            s.lo = lo, s.state->argmin = lo_at;
        if (hi > s.hi || (hi == s.hi && hi_at < s.state->argmax))
            s.hi = hi, s.state->argmax = hi_at;
    }

    /* The extremes of a run of finite elements. */
    GP_DEVICE void extremes(gp_summary_seen &s, const gp_exact *exact, int64_t at, int64_t step)
    {
        gp_exact lo = exact[0], hi = exact[0];
        GP_UNROLL
        for (int k = 1; k < GP_RUN_ELEMS; k++)
            lo = gp_smaller(lo, exact[k]), hi = gp_larger(hi, exact[k]);
        if ((lo <= s.known_lo || hi >= s.known_hi) && has_news(s, lo, hi, at, at + (GP_RUN_ELEMS - 1) * step))
            note(s, exact, lo, hi, at, step);
    }

    /* A run of elements that are all finite; element k of them is at `at` + k * step. */
    GP_DEVICE void whole_values(gp_summary_seen &s, const gp_value *x, const gp_exact *exact, int64_t at, int64_t step)
    {
        gp_kinds<gp_value>::tally tally = gp_kinds<gp_value>::no_tally();
        extremes(s, exact, at, step);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            gp_kinds<gp_value>::count(tally, x[k]);
        gp_kinds<gp_value>::take(s.kinds, tally);
        if (gp_kinds<gp_value>::has_small(s.kinds, tally))
            gp_kinds<gp_value>::add_small(s.kinds, x);
        gp_spread_of_class::add_run(s.spread, x);
    }

    GP_DEVICE bool is_plain(const gp_summary_seen &s, const gp_value *x)
    {
        bool is_plain = s.spread.is_set;
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            is_plain = is_plain && (!gp_elems::is_float || gp_is_finite(x[k]));
        return is_plain;
    }

    GP_DEVICE bool whole(gp_summary_seen &s, const gp_run &run, int64_t row, int64_t col, int64_t step)
    {
        gp_value x[GP_RUN_ELEMS];
        gp_exact exact[GP_RUN_ELEMS];
        gp_run_values(run.words, (int)s.args->plane.dtype, x);
        if (!is_plain(s, x))
            return false;
        gp_run_exact(s.args->plane, run, x, row, col, exact);
        whole_values(s, x, exact, position(s, row, col), step * s.args->positions.col_step);
        return true;
    }

    /* Whole runs, added up without a question: what they come to together tells whether all were finite; false, and nothing done, where
     * one was not. */
    GP_DEVICE bool together(gp_summary_seen &s, const gp_run *runs, const gp_runs_at &at)
    {
        const gp_plane &plane = s.args->plane;
        gp_spread_of_class tried = s.spread;
        gp_kinds<gp_value>::tally tally = gp_kinds<gp_value>::no_tally();
        gp_exact lo, hi;
        gp_start_extremes(&lo, &hi);
        GP_UNROLL
        for (int i = 0; i < GP_VISIT_AT_ONCE; i++) {
            gp_value x[GP_RUN_ELEMS];
            gp_exact exact[GP_RUN_ELEMS];
            gp_run_values(runs[i].words, (int)plane.dtype, x);
            gp_run_exact(plane, runs[i], x, at.row + i * at.step_rows, at.col + i * at.step_cols, exact);
            GP_UNROLL
            for (int k = 0; k < GP_RUN_ELEMS; k++) {
                lo = gp_smaller_or_nan(lo, exact[k]), hi = gp_larger_or_nan(hi, exact[k]);
                gp_kinds<gp_value>::count(tally, x[k]);
            }
            gp_spread_of_class::add_run(tried, x);
        }
        if (!s.spread.is_set || (gp_elems::is_float && !(gp_is_finite(lo) && gp_is_finite(hi))))
            return false;
        s.spread = tried;
        gp_kinds<gp_value>::take(s.kinds, tally);
        bool has_small = gp_kinds<gp_value>::has_small(s.kinds, tally);
        if (has_small || lo <= s.known_lo || hi >= s.known_hi)
            look_again(s, has_small, lo, hi, at);
        return true;
    }

    /* The same runs, whose extremes are `lo` and `hi`, where one of these may be news or an element is small: each is loaded once more,
     * so that this code is there once. */
    GP_DEVICE void look_again(gp_summary_seen &s, bool has_small, gp_exact lo, gp_exact hi, const gp_runs_at &at)
    {
        const gp_plane &plane = s.args->plane;
        const gp_positions &p = s.args->positions;
        int64_t first = position(s, at.row, at.col), step = at.step_rows * p.row_step + at.step_cols * p.col_step;
        int64_t run_end = (GP_RUN_ELEMS - 1) * p.col_step, last = first + (GP_VISIT_AT_ONCE - 1) * step;
        bool is_news = has_news(s, lo, hi, first, last) || has_news(s, lo, hi, first + run_end, last + run_end);
        if (!has_small && !is_news)
            return;
        GP_NO_UNROLL
        for (int i = 0; i < GP_VISIT_AT_ONCE; i++) {
            int64_t row = at.row + i * at.step_rows, col = at.col + i * at.step_cols;
            gp_run run;
            gp_value x[GP_RUN_ELEMS];
            gp_exact exact[GP_RUN_ELEMS];
            gp_run_load_aligned(gp_address(plane, row, col), run);
            gp_run_values(run.words, (int)plane.dtype, x);
            gp_run_exact(plane, run, x, row, col, exact);
            if (is_news)
                extremes(s, exact, first + i * step, p.col_step);
            if (has_small)
                gp_kinds<gp_value>::add_small(s.kinds, x);
        }
    }

    GP_DEVICE void bad(gp_summary_seen &s, gp_value x, int64_t at)
    {
        unsigned kind = gp_class_of((double)x);
        gp_summary_state &to = *s.state;
        to.n_nan += kind == GP_HAS_NAN, to.n_neg_inf += kind == GP_HAS_NEG_INF, to.n_pos_inf += kind == GP_HAS_POS_INF;
        to.n_masked += kind == GP_HAS_MASKED;
        to.first_nan = kind == GP_HAS_NAN && at < to.first_nan ? at : to.first_nan;
    }

    /* Those in the mask. */
    GP_DEVICE void some_values(gp_summary_seen &s, const gp_value *x, const gp_exact *exact, uint32_t mask, int64_t at,
                               int64_t step)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++, at += step) {
            if (!(mask >> k & 1))
                continue;
            if (gp_elems::is_float && !gp_is_finite(x[k])) {
                bad(s, x[k], at);
                continue;
            }
            gp_kinds<gp_value>::add(s.kinds, x[k]);
            gp_spread_of_class::set(s.spread, x[k]);
            gp_spread_of_class::add(s.spread, x[k]);
            if (exact[k] < s.lo || (exact[k] == s.lo && at < s.state->argmin))
                s.lo = exact[k], s.state->argmin = at;
            if (exact[k] > s.hi || (exact[k] == s.hi && at < s.state->argmax))
                s.hi = exact[k], s.state->argmax = at;
        }
    }

    GP_DEVICE void some(gp_summary_seen &s, const gp_run &run, uint32_t mask, int64_t row, int64_t col, int64_t step)
    {
        gp_value x[GP_RUN_ELEMS];
        gp_exact exact[GP_RUN_ELEMS];
        gp_run_values(run.words, (int)s.args->plane.dtype, x);
        gp_run_exact(s.args->plane, run, x, row, col, exact);
        some_values(s, x, exact, mask, position(s, row, col), step * s.args->positions.col_step);
    }

    /* Completes the state. */
    GP_DEVICE void end(gp_summary_seen &s)
    {
        gp_summary_state &to = *s.state;
        merge(s);
        to.n_finite = (int64_t)to.moments.weight;
        to.n_neg = s.kinds.n_neg, to.n_zero = s.kinds.n_zero, to.n_subnormal = gp_kinds<gp_value>::n_subnormal(s.kinds);
        to.lowest = gp_exact_order(s.lo), to.highest = gp_exact_order(s.hi);
    }
};

template <> struct gp_visit_together<gp_summary_seen> {
    static const bool is_there = gp_elems::is_typed; /* no others are in runs */
    GP_DEVICE bool together(gp_summary_seen &seen, const gp_run *runs, const gp_runs_at &at)
    {
        return gp_summary_seen::together(seen, runs, at);
    }
};

/* ---- joining -------------------------------------------------------------------------------------------------------- */

/* Joins the states of so many neighboring threads, a power of 2 within a warp, to that of the first one, always in the same order.
 * states: of all threads of the block, in shared memory; all threads of the warp take part. */
GP_DEVICE void gp_summary_join_lanes(gp_summary_state *states, int n_lanes)
{
    int thread = (int)gp_thread_again(), lane = thread & (n_lanes - 1);
    for (int distance = n_lanes / 2; distance > 0; distance /= 2) {
        __syncwarp(GP_FULL_WARP);
        if (lane < distance)
            gp_summary_state_join(&states[thread], &states[thread + distance]);
    }
}

/* The same for all threads of a block. */
GP_DEVICE void gp_summary_join_block(gp_summary_state *states)
{
    gp_summary_join_lanes(states, GP_WARP);
    __syncthreads();
    for (int warp = 1; threadIdx.x == 0 && warp < GP_BLOCK / GP_WARP; warp++)
        gp_summary_state_join(&states[0], &states[warp * GP_WARP]);
}

/* ---- a block -------------------------------------------------------------------------------------------------------- */

/* Jobs of a stretch: some hundred elements of each thread. */
enum { GP_SUMMARY_STRETCH = 16 };

/* Tells all threads of a block the extremes that one of them has. Without that nearly every step brings some thread of a warp an extreme
 * of its own, and all others wait until it has noted where. states: as below. */
GP_DEVICE void gp_summary_share_extremes(gp_summary_seen &seen, gp_summary_state *states)
{
    gp_order lowest = gp_exact_order(seen.lo), highest = gp_exact_order(seen.hi);
    for (int distance = GP_WARP / 2; distance > 0; distance /= 2) {
        gp_order low = (gp_order)__shfl_xor_sync(GP_FULL_WARP, (unsigned long long)lowest, distance);
        gp_order high = (gp_order)__shfl_xor_sync(GP_FULL_WARP, (unsigned long long)highest, distance);
        lowest = low < lowest ? low : lowest, highest = high > highest ? high : highest;
    }
    if (threadIdx.x % GP_WARP == 0)
        states[threadIdx.x].lowest = lowest, states[threadIdx.x].highest = highest;
    __syncthreads();
    for (int warp = 0; warp < GP_BLOCK / GP_WARP; warp++) {
        gp_order low = states[warp * GP_WARP].lowest, high = states[warp * GP_WARP].highest;
        lowest = low < lowest ? low : lowest, highest = high > highest ? high : highest;
    }
    gp_exact_from_order(lowest, &seen.known_lo), gp_exact_from_order(highest, &seen.known_hi);
    __syncthreads(); /* before they are written once more */
}

/* After 1, 2, 4, 8 jobs and every 8th from then on: an element is an extreme the more seldom, the more there were. */
GP_DEVICE bool gp_shares_after(int n_jobs) { return (n_jobs & (n_jobs - 1)) == 0 || n_jobs % 8 == 0; }

/* All jobs of a block, those of its number and every gridDim-th after it, to states[0]; states: of the block's threads, in shared
 * memory. */
GP_DEVICE void gp_summarize_block(const gp_summarize_args &args, const gp_visit_plan &plan, gp_summary_state *states)
{
    gp_summary_seen seen;
    int n_jobs = 0;
    gp_summary_seen::start(seen, &args, args.smallest_normal, &states[threadIdx.x]);
    for (int64_t job = blockIdx.x; job < plan.n_jobs; job += gridDim.x) {
        gp_visit_job(args.plane, plan, job, seen);
        gp_forget_memory(); /* the plan needs no registers */
        n_jobs++;
        if (gp_spread_of_class::has_stretches && n_jobs % GP_SUMMARY_STRETCH == 0)
            gp_summary_seen::merge(seen);
        if (gp_shares_after(n_jobs))
            gp_summary_share_extremes(seen, states);
    }
    gp_summary_seen::end(seen);
    gp_summary_join_block(states);
}

#endif
