/* What one thread sees of a plane, and how that is joined: counts of each kind, extremes and where they are, moments. */
#ifndef GP_SUMMARIZE_CUH
#define GP_SUMMARIZE_CUH

#include "extremes.cuh"
#include "summary_args.h"
#include "../../core/reductions.h"

/* ---- kinds ---------------------------------------------------------------------------------------------------------- */

/* How many finite elements are of which kind; what is neither below zero nor zero is above. Magnitudes are compared as bits:
 * arithmetic may take subnormals for zeros. */
template <class T> struct gp_kinds {
    uint32_t n_neg, n_zero;

    GP_DEVICE void start(gp_kinds &kinds, double) { kinds.n_neg = kinds.n_zero = 0; }
    GP_DEVICE void add(gp_kinds &kinds, T x) { kinds.n_neg += x < 0, kinds.n_zero += x == 0; }
    GP_DEVICE void add_run(gp_kinds &kinds, const T *x)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            add(kinds, x[k]);
    }
    GP_DEVICE uint32_t n_subnormal(const gp_kinds &) { return 0; }
};

/* tiny: twice the bits of the smallest normal number, and never less than 1, so that zeros are always below. */
template <class T, class BITS> struct gp_kinds_of_floats {
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
    /* Signs are added up as they are; only a run with a zero or a subnormal is looked at once more, for negative zeros, too. */
    GP_DEVICE void add_run(gp_kinds_of_floats &kinds, const T *x)
    {
        const int sign = 8 * sizeof(BITS) - 1;
        BITS least = ~(BITS)0;
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            BITS bits = bits_of(x[k]), magnitude = bits << 1;
            kinds.n_neg += (uint32_t)(bits >> sign);
            least = magnitude < least ? magnitude : least;
        }
        if (least >= kinds.tiny)
            return;
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
    gp_moments before;

    GP_DEVICE void start(gp_spread &s)
    {
        s.shift = s.sum = s.sum2 = 0, s.n = 0, s.is_set = false;
        s.before.weight = s.before.mean = s.before.m2 = 0;
    }
    GP_DEVICE void set(gp_spread &s, gp_value x)
    {
        if (!s.is_set)
            s.shift = (double)x, s.is_set = true;
    }
    GP_DEVICE void add(gp_spread &s, gp_value x)
    {
        double d = (double)x - s.shift;
        s.sum += d, s.sum2 += d * d, s.n++;
    }
    GP_DEVICE void add_run(gp_spread &s, const gp_value *x)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            add(s, x[k]);
    }
    GP_DEVICE void merge(gp_spread &s)
    {
        if (s.n == 0)
            return;
        double mean = s.sum / (double)s.n, m2 = s.sum2 - s.sum * mean;
        gp_moments stretch = {(double)s.n, s.shift + mean, m2 < 0 ? 0.0 : m2};
        if (m2 != m2) /* squares beyond float64 */
            stretch.m2 = gp_mark_value(GP_HAS_POS_INF);
        s.before = s.before.weight > 0 ? gp_moments_join(s.before, stretch) : stretch;
        s.shift = s.before.mean, s.sum = s.sum2 = 0, s.n = 0;
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
    gp_moments before;

    GP_DEVICE void start(gp_spread &s)
    {
        s.shift = 0, s.sum = 0, s.sum2 = 0, s.n = 0, s.is_set = false;
        s.before.weight = s.before.mean = s.before.m2 = 0;
    }
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
    GP_DEVICE void merge(gp_spread &s)
    {
        if (s.n == 0)
            return;
        double mean = (double)s.sum / (double)s.n, m2 = (double)s.sum2 - (double)s.sum * mean;
        gp_moments all = {(double)s.n, (double)s.shift + mean, m2 < 0 ? 0.0 : m2};
        s.before = all;
    }
};

typedef gp_spread<!gp_elems::is_float && sizeof(gp_stored) <= 2> gp_spread_of_class;

/* ---- one thread ----------------------------------------------------------------------------------------------------- */

struct gp_summary_seen {
    const gp_summarize_args *args;
    gp_exact lo, hi;
    int64_t lo_at, hi_at, nan_at;
    uint32_t n_nan, n_neg_inf, n_pos_inf, n_masked;
    gp_kinds<gp_value> kinds;
    gp_spread_of_class spread;

    /* args: of a plane, or NULL where elements are handed over as values. */
    GP_DEVICE void start(gp_summary_seen &s, const gp_summarize_args *args, double smallest_normal)
    {
        s.args = args;
        gp_start_extremes(&s.lo, &s.hi);
        s.lo_at = s.hi_at = s.nan_at = GP_NOWHERE;
        s.n_nan = s.n_neg_inf = s.n_pos_inf = s.n_masked = 0;
        gp_kinds<gp_value>::start(s.kinds, smallest_normal);
        gp_spread_of_class::start(s.spread);
    }

    GP_DEVICE int64_t position(const gp_summary_seen &s, int64_t row, int64_t col)
    {
        const gp_positions &p = s.args->positions;
        return p.origin + row * p.row_step + col * p.col_step;
    }

    /* Whether a run with these extremes, whose elements are at `at`, at + step, ..., may change those of the thread. */
    GP_DEVICE bool has_news(const gp_summary_seen &s, gp_exact lo, gp_exact hi, int64_t at, int64_t step)
    {
        int64_t first = step < 0 ? at + (GP_RUN_ELEMS - 1) * step : at;
        return lo < s.lo || hi > s.hi || (lo == s.lo && first < s.lo_at) || (hi == s.hi && first < s.hi_at);
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
        if (lo < s.lo || (lo == s.lo && lo_at < s.lo_at))
            s.lo = lo, s.lo_at = lo_at;
        if (hi > s.hi || (hi == s.hi && hi_at < s.hi_at))
            s.hi = hi, s.hi_at = hi_at;
    }

    /* A run of elements that are all finite; element k of them is at `at` + k * step. */
    GP_DEVICE void whole_values(gp_summary_seen &s, const gp_value *x, const gp_exact *exact, int64_t at, int64_t step)
    {
        gp_exact lo = exact[0], hi = exact[0];
        GP_UNROLL
        for (int k = 1; k < GP_RUN_ELEMS; k++)
            lo = gp_smaller(lo, exact[k]), hi = gp_larger(hi, exact[k]);
        if ((lo <= s.lo || hi >= s.hi) && has_news(s, lo, hi, at, step))
            note(s, exact, lo, hi, at, step);
        gp_kinds<gp_value>::add_run(s.kinds, x);
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

    GP_DEVICE void bad(gp_summary_seen &s, gp_value x, int64_t at)
    {
        unsigned kind = gp_class_of((double)x);
        s.n_nan += kind == GP_HAS_NAN, s.n_neg_inf += kind == GP_HAS_NEG_INF, s.n_pos_inf += kind == GP_HAS_POS_INF;
        s.n_masked += kind == GP_HAS_MASKED;
        s.nan_at = kind == GP_HAS_NAN && at < s.nan_at ? at : s.nan_at;
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
            if (exact[k] < s.lo || (exact[k] == s.lo && at < s.lo_at))
                s.lo = exact[k], s.lo_at = at;
            if (exact[k] > s.hi || (exact[k] == s.hi && at < s.hi_at))
                s.hi = exact[k], s.hi_at = at;
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

    GP_DEVICE gp_summary_state state(gp_summary_seen &s)
    {
        gp_spread_of_class::merge(s.spread);
        gp_summary_state state = {s.n_nan,
                                  s.n_neg_inf,
                                  s.n_pos_inf,
                                  s.n_masked,
                                  (int64_t)s.spread.before.weight,
                                  s.kinds.n_neg,
                                  s.kinds.n_zero,
                                  gp_kinds<gp_value>::n_subnormal(s.kinds),
                                  gp_exact_order(s.lo),
                                  gp_exact_order(s.hi),
                                  s.lo_at,
                                  s.hi_at,
                                  s.nan_at,
                                  s.spread.before};
        return state;
    }
};

/* ---- joining -------------------------------------------------------------------------------------------------------- */

/* All numbers of a state, each of eight bytes, from another lane. */
GP_DEVICE gp_summary_state gp_summary_from_lane(const gp_summary_state &s, int distance)
{
    enum { N_WORDS = sizeof(gp_summary_state) / sizeof(unsigned long long) };
    unsigned long long words[N_WORDS];
    gp_summary_state other;
    memcpy(words, &s, sizeof s);
    GP_UNROLL
    for (int i = 0; i < N_WORDS; i++)
        words[i] = __shfl_down_sync(GP_FULL_WARP, words[i], (unsigned)distance);
    memcpy(&other, words, sizeof other);
    return other;
}

/* Joins the states of so many neighboring threads, a power of 2 within a warp, to that of the first one, always in the same order;
 * all threads of the warp take part. */
GP_DEVICE void gp_summary_join_lanes(gp_summary_state &state, int n_lanes)
{
    for (int distance = n_lanes / 2; distance > 0; distance /= 2) {
        gp_summary_state other = gp_summary_from_lane(state, distance);
        gp_summary_state_join(&state, &other);
    }
}

/* The same for all threads of a block. */
GP_DEVICE void gp_summary_join_block(gp_summary_state &state, gp_summary_state *pool)
{
    gp_summary_join_lanes(state, GP_WARP);
    if (threadIdx.x % GP_WARP == 0)
        pool[threadIdx.x / GP_WARP] = state;
    __syncthreads();
    for (int warp = 1; threadIdx.x == 0 && warp < GP_BLOCK / GP_WARP; warp++)
        gp_summary_state_join(&state, &pool[warp]);
}

/* ---- a block -------------------------------------------------------------------------------------------------------- */

/* Jobs of a stretch: some hundred elements of each thread. */
enum { GP_SUMMARY_STRETCH = 16 };

/* All jobs of a block: those of its number, and every gridDim-th after it. */
GP_DEVICE gp_summary_state gp_summarize_block(const gp_summarize_args &args, gp_summary_state *pool)
{
    gp_visit_plan plan = gp_visit_plan_of(args.plane);
    gp_summary_seen seen;
    int n_jobs = 0;
    gp_summary_seen::start(seen, &args, args.smallest_normal);
    for (int64_t job = blockIdx.x; job < plan.n_jobs; job += gridDim.x) {
        gp_visit_job(args.plane, plan, job, seen);
        if (gp_spread_of_class::has_stretches && ++n_jobs % GP_SUMMARY_STRETCH == 0)
            gp_spread_of_class::merge(seen.spread);
    }
    gp_summary_state state = gp_summary_seen::state(seen);
    gp_summary_join_block(state, pool);
    return state;
}

#endif
