/* Partial results: of the columns of one thread, of a cell, and what they come to in the end. */
#ifndef GP_REDUCE_STATES_CUH
#define GP_REDUCE_STATES_CUH

#include "elements.cuh"
#include "extremes.cuh"
#include "reduce_args.h"
#include "short_sums.cuh"

/* The class of a value that is not finite. */
template <class T> GP_DEVICE uint32_t gp_bad_class(T x)
{
    if (!gp_elems::is_typed)
        return gp_class_of((double)x);
    return x != x ? (uint32_t)GP_HAS_NAN : x > 0 ? (uint32_t)GP_HAS_POS_INF : (uint32_t)GP_HAS_NEG_INF;
}

/* ---- states of cells ------------------------------------------------------------------------------------------------ */

/* For template parameters, which may be integers alone. */
GP_DEVICE gp_cell_state gp_no_state(int kind) { return gp_cell_state_none((gp_state_kind)kind); }

template <int KIND> GP_DEVICE void gp_state_join(gp_cell_state &to, const gp_cell_state &from)
{
    gp_cell_state_join((gp_state_kind)KIND, &to, &from);
}

/* One element of this weight. Extremes have no weights: their elements are all taken by columns. */
template <int KIND> GP_DEVICE void gp_state_add(gp_cell_state &to, gp_value value, bool had_nan, double weight)
{
    double x = (double)value;
    to.has |= gp_elems::has_stages && had_nan ? (uint64_t)GP_HAS_NAN : 0u;
    gp_state_join<KIND>(to, gp_cell_state_one((gp_state_kind)KIND, x, gp_order_of_f64(x), weight));
}

/* The state of lane + distance. */
GP_DEVICE gp_cell_state gp_state_from_lane(const gp_cell_state &state, int distance)
{
    gp_cell_state other;
    other.a = __shfl_down_sync(GP_FULL_WARP, state.a, (unsigned)distance);
    other.b = __shfl_down_sync(GP_FULL_WARP, state.b, (unsigned)distance);
    other.c = __shfl_down_sync(GP_FULL_WARP, state.c, (unsigned)distance);
    other.has = __shfl_down_sync(GP_FULL_WARP, (unsigned)state.has, (unsigned)distance);
    return other;
}

/* Joins the states of neighboring lanes, a power of two of them, to the first; all lanes of a warp take part. */
template <int KIND> GP_DEVICE void gp_state_join_lanes(gp_cell_state &state, int n_lanes)
{
    for (int distance = n_lanes / 2; distance > 0; distance /= 2)
        gp_state_join<KIND>(state, gp_state_from_lane(state, distance));
}

/* Joins the states of the first lanes of a block's warps to that of thread 0; all threads take part. */
template <int KIND, int THREADS> GP_DEVICE void gp_state_join_warps(gp_cell_state &state, gp_cell_state *pool)
{
    if (threadIdx.x % GP_WARP == 0)
        pool[threadIdx.x / GP_WARP] = state;
    __syncthreads();
    for (int warp = 1; threadIdx.x == 0 && warp < THREADS / GP_WARP; warp++)
        gp_state_join<KIND>(state, pool[warp]);
}

/* A value to every row of the output, or of the second one, that shows it. */
GP_DEVICE void gp_write_value(const gp_reduce_args &args, double *out, int64_t q, int64_t p, double value)
{
    for (int64_t row = args.out_rows[q]; row < args.out_rows[q + 1]; row++)
        out[row * args.out_row_stride + p * args.out_col_stride] = gp_axis_multiply(args.row_factors, row, args.col_factors, p,
                                                                                    value);
}

GP_DEVICE double gp_finish_cell(const gp_reduce_args &args, int nan, const gp_cell_state &state)
{
    return gp_cell_state_finish((gp_agg)args.agg, (gp_nan)nan, (gp_order_type)args.order, &state);
}

/* Whether sums of this class's elements, or of their squares, may leave the range of float64. */
enum { GP_MAY_LEAVE_RANGE = gp_elems::is_float && sizeof(gp_value) == sizeof(double) };

/* Notes that a cell is not right without scaled elements; few ever are. */
GP_DEVICE void gp_note_needs(const gp_reduce_args &args, const gp_cell_state &state)
{
    unsigned needs = gp_cell_state_needs(gp_agg_kind((gp_agg)args.agg), &state);
    if (needs & GP_NEEDS_DOWN)
        args.needs[0] = 1;
    if (needs & GP_NEEDS_UP)
        args.needs[1] = 1;
}

/* What scaled elements come to, where the cell is not right without. */
GP_DEVICE void gp_write_scaled(const gp_reduce_args &args, double *out, int64_t q, int64_t p, double value)
{
    double scale = args.plane.scale, back = gp_scaled_back((gp_agg)args.agg, value, scale);
    if (gp_class_of(value) != GP_HAS_FINITE)
        return;
    for (int64_t row = args.out_rows[q]; row < args.out_rows[q + 1]; row++) {
        double *at = &out[row * args.out_row_stride + p * args.out_col_stride];
        if (gp_takes_scaled((gp_agg)args.agg, *at, back, scale))
            *at = gp_axis_multiply(args.row_factors, row, args.col_factors, p, back);
    }
}

GP_DEVICE void gp_write_cell(const gp_reduce_args &args, int64_t q, int64_t p, const gp_cell_state &state)
{
    if (args.out_states != nullptr) {
        args.out_states[q * args.n_cell_cols + p] = state;
        return;
    }
    double value = gp_finish_cell(args, args.nan, state);
    if (gp_elems::has_stages && args.plane.scale != 0) {
        gp_write_scaled(args, args.out, q, p, value);
        if (args.without_nan != nullptr && gp_is_nan_cell(value))
            gp_write_scaled(args, args.without_nan, q, p, gp_finish_cell(args, GP_NAN_INFINITE, state));
        return;
    }
    if (GP_MAY_LEAVE_RANGE && args.needs != nullptr)
        gp_note_needs(args, state);
    gp_write_value(args, args.out, q, p, value);
    if (args.without_nan != nullptr && gp_is_nan_cell(value))
        gp_write_value(args, args.without_nan, q, p, gp_finish_cell(args, GP_NAN_INFINITE, state));
}

GP_DEVICE void gp_put_cell(const gp_reduce_args &args, int64_t q, int64_t p, int part, int n_parts, const gp_cell_state &state)
{
    if (args.states != nullptr)
        args.states[((q - args.first_state_row) * n_parts + part) * args.n_cell_cols + p] = state;
    else
        gp_write_cell(args, q, p, state);
}

/* ---- the columns of one thread -------------------------------------------------------------------------------------- */

/*
 * GP_RUN_ELEMS accumulators that a thread keeps in registers, one for each element of its runs.
 *   is_plain   whether an element may be in a run for `add`; all those are finite
 *   add        a run whose elements are all plain and wanted; `exact` are the same elements for extremes, of no use to others
 *   settle     to be called after at most MOST_RUNS runs for `add`, and before `column` and `total`
 *   add_some   element by element: only those in the mask, and finite ones apart from others
 *   column     the state of accumulator k; where accumulators are shared, only all of them together are right (`total`)
 * `has` holds four bits for each accumulator of a float class, of which there are at most 8.
 */
template <int KIND> struct gp_columns;

/* How many elements each accumulator left out, GP_REDUCE_MAX_STEPS at most: two in a register. */
struct gp_bad_counts {
    uint32_t pairs[(GP_RUN_ELEMS + 1) / 2];

    GP_DEVICE void start(gp_bad_counts &c)
    {
        GP_UNROLL
        for (int i = 0; i < (GP_RUN_ELEMS + 1) / 2; i++)
            c.pairs[i] = 0;
    }
    GP_DEVICE void add(gp_bad_counts &c, int k, bool is_bad) { c.pairs[k / 2] += (uint32_t)is_bad << (k % 2 * 16); }
    GP_DEVICE int of(const gp_bad_counts &c, int k) { return (int)(c.pairs[k / 2] >> (k % 2 * 16) & 0xffffu); }
};

template <> struct gp_columns<GP_STATE_SUM> {
    enum {
        COLUMNS = gp_joint_sums::COLUMNS,
        MOST_RUNS = gp_joint_sums::OF_VALUES ? gp_joint_sums::MOST_ROWS : GP_REDUCE_MAX_STEPS
    };
    gp_elems::sum sum[GP_RUN_ELEMS]; /* of as many columns each; the others are 0 */
    gp_joint_sums few; /* runs that are not yet in `sum` */
    int n, n_out; /* runs; elements outside the mask */
    gp_bad_counts bad; /* elements that were not added */
    uint32_t has;

    GP_DEVICE void start(gp_columns &c)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            c.sum[k] = 0;
        gp_joint_sums::start(c.few, 0);
        gp_bad_counts::start(c.bad);
        c.n = 0, c.n_out = 0, c.has = 0;
    }
    GP_DEVICE bool is_ready(const gp_columns &) { return true; }
    GP_DEVICE bool is_plain(gp_value x) { return gp_joint_sums::is_plain(x); }
    GP_DEVICE void settle(gp_columns &c) { gp_joint_sums::settle(c.few, c.sum); }
    GP_DEVICE void add(gp_columns &c, const gp_value *x, const gp_extreme *)
    {
        gp_joint_sums::add_values(c.few, x);
        GP_UNROLL
        for (int k = 0; !gp_joint_sums::OF_VALUES && k < GP_RUN_ELEMS; k++)
            c.sum[k] += (gp_elems::sum)x[k];
        c.n++;
    }
    GP_DEVICE void add_some(gp_columns &c, const gp_value *x, const gp_extreme *, uint32_t mask)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            bool is_wanted = mask >> k & 1, is_good = is_wanted && gp_is_finite(x[k]);
            c.sum[k / COLUMNS * COLUMNS] += is_good ? (gp_elems::sum)x[k] : (gp_elems::sum)0;
            if (gp_elems::is_float)
                gp_bad_counts::add(c.bad, k, !is_good), c.has |= is_wanted && !is_good ? gp_bad_class(x[k]) << (4 * k % 32) : 0u;
            else
                c.n_out += !is_good;
        }
        c.n++;
    }
    GP_DEVICE gp_cell_state column(const gp_columns &c, int k)
    {
        int n_good = c.n - (gp_elems::is_float ? gp_bad_counts::of(c.bad, k) : 0);
        uint64_t has = gp_elems::is_float ? c.has >> (4 * k % 32) & (unsigned)GP_HAS_BAD : 0u;
        gp_cell_state state = {(double)c.sum[k], (double)n_good, 0, has | (n_good > 0 ? (uint64_t)GP_HAS_FINITE : 0u)};
        return state;
    }
    /* All of them; integers know only together how many elements were left out. */
    GP_DEVICE gp_cell_state total(const gp_columns &c)
    {
        gp_cell_state state = column(c, 0);
        for (int k = 1; k < GP_RUN_ELEMS; k++)
            gp_state_join<GP_STATE_SUM>(state, column(c, k));
        state.b -= c.n_out;
        if (state.b == 0)
            state.has &= (unsigned)GP_HAS_BAD;
        return state;
    }
};

template <> struct gp_columns<GP_STATE_EXTREMES> {
    enum { MOST_RUNS = GP_REDUCE_MAX_STEPS };
    gp_extreme lo[GP_RUN_ELEMS], hi[GP_RUN_ELEMS];
    uint32_t has;

    GP_DEVICE void start(gp_columns &c)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            gp_start_extremes(&c.lo[k], &c.hi[k]);
        c.has = 0;
    }
    GP_DEVICE bool is_ready(const gp_columns &) { return true; }
    GP_DEVICE bool is_plain(gp_value x) { return gp_is_finite(x); }
    GP_DEVICE void settle(gp_columns &) {}
    GP_DEVICE void add_one(gp_columns &c, int k, gp_extreme x)
    {
        c.lo[k] = gp_smaller(c.lo[k], x), c.hi[k] = gp_larger(c.hi[k], x);
    }
    GP_DEVICE void add(gp_columns &c, const gp_value *, const gp_extreme *exact)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            add_one(c, k, exact[k]);
    }
    /* Elements that may be NaN, which all that follows for their column is, or an infinity. */
    GP_DEVICE void add_unseen(gp_columns &c, const gp_extreme *exact)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            c.lo[k] = gp_smaller_or_nan(c.lo[k], exact[k]), c.hi[k] = gp_larger_or_nan(c.hi[k], exact[k]);
    }
    /* Whether everything that add_unseen was given is finite; `c` has been given something. */
    GP_DEVICE bool are_finite(const gp_columns &c)
    {
        bool are_finite = true;
        GP_UNROLL
        for (int k = 0; gp_elems::is_float && k < GP_RUN_ELEMS; k++)
            are_finite = are_finite && gp_is_finite(c.lo[k]) && gp_is_finite(c.hi[k]);
        return are_finite;
    }
    GP_DEVICE void add_some(gp_columns &c, const gp_value *x, const gp_extreme *exact, uint32_t mask)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            if (!(mask >> k & 1))
                continue;
            if (gp_is_finite(x[k]))
                add_one(c, k, exact[k]);
            else
                c.has |= gp_bad_class(x[k]) << (4 * k % 32);
        }
    }
    GP_DEVICE gp_cell_state column(const gp_columns &c, int k)
    {
        gp_cell_state state = gp_no_state(GP_STATE_EXTREMES);
        state.has = gp_elems::is_float ? c.has >> (4 * k % 32) & (unsigned)GP_HAS_BAD : 0u;
        if (c.lo[k] <= c.hi[k]) {
            state.a = gp_bits_of_order(gp_order_of_extreme(c.lo[k])), state.b = gp_bits_of_order(gp_order_of_extreme(c.hi[k]));
            state.has |= GP_HAS_FINITE;
        }
        return state;
    }
    GP_DEVICE gp_cell_state total(const gp_columns &c)
    {
        gp_cell_state state = column(c, 0);
        for (int k = 1; k < GP_RUN_ELEMS; k++)
            gp_state_join<GP_STATE_EXTREMES>(state, column(c, k));
        return state;
    }
};

/* Notes that NaN was left out of an element, which only those of hidden axes tell. */
template <int KIND> GP_DEVICE void gp_columns_add_nan(gp_columns<KIND> &columns, uint32_t had_nan)
{
    GP_UNROLL
    for (int k = 0; gp_elems::has_stages && k < GP_RUN_ELEMS; k++)
        columns.has |= had_nan >> k & 1 ? (uint32_t)GP_HAS_NAN << (4 * k % 32) : 0u;
}

/* Sums of deviations from an element of the accumulator's own. That element counts among those that deviate, so that the
 * mean is never farther from it than the root of their number times the deviation to be found. 8- and 16-bit integers
 * need no shift: their sums of squares are exact. */
template <bool IS_EXACT> struct gp_moment_sums {
    gp_value shift[GP_RUN_ELEMS];
    double sum[GP_RUN_ELEMS], sum2[GP_RUN_ELEMS];
    uint32_t is_set;

    GP_DEVICE void start(gp_moment_sums &m)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            m.shift[k] = 0, m.sum[k] = 0, m.sum2[k] = 0;
        m.is_set = 0;
    }
    GP_DEVICE bool is_ready(const gp_moment_sums &m) { return m.is_set == (uint32_t)GP_ALL_ELEMS; }
    GP_DEVICE double deviation(float x, float shift) { return (double)x - (double)shift; }
    GP_DEVICE double deviation(double x, double shift) { return x - shift; }
    GP_DEVICE double deviation(int64_t x, int64_t shift) { return (double)(x - shift); }
    GP_DEVICE double deviation(int x, int shift) { return (double)(x - shift); }
    GP_DEVICE void add(gp_moment_sums &m, int k, gp_value x)
    {
        double d = deviation(x, m.shift[k]);
        m.sum[k] += d, m.sum2[k] += d * d;
    }
    GP_DEVICE void add_first(gp_moment_sums &m, int k, gp_value x)
    {
        if (!(m.is_set >> k & 1))
            m.shift[k] = x, m.is_set |= 1u << k;
        add(m, k, x);
    }
    GP_DEVICE void finish(const gp_moment_sums &m, int k, int n, gp_cell_state *state)
    {
        double mean = m.sum[k] / n, m2 = m.sum2[k] - m.sum[k] * mean;
        state->b = (double)m.shift[k] + mean, state->c = gp_held_spread(m2);
    }
};

template <int N_BYTES> struct gp_square {
    typedef uint64_t type;
};
template <> struct gp_square<1> {
    typedef uint32_t type;
};

template <> struct gp_moment_sums<true> {
    int sum[GP_RUN_ELEMS];
    gp_square<sizeof(gp_stored)>::type sum2[GP_RUN_ELEMS];

    GP_DEVICE void start(gp_moment_sums &m)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            m.sum[k] = 0, m.sum2[k] = 0;
    }
    GP_DEVICE bool is_ready(const gp_moment_sums &) { return true; }
    GP_DEVICE void add(gp_moment_sums &m, int k, gp_value value)
    {
        int x = (int)value;
        m.sum[k] += x, m.sum2[k] += (uint32_t)x * (uint32_t)x; /* below 2^32, whatever the sign */
    }
    GP_DEVICE void add_first(gp_moment_sums &m, int k, gp_value x) { add(m, k, x); }
    GP_DEVICE void finish(const gp_moment_sums &m, int k, int n, gp_cell_state *state)
    {
        int64_t scaled = (int64_t)((uint64_t)m.sum2[k] * (uint64_t)n) - (int64_t)m.sum[k] * m.sum[k]; /* below 2^62, exact */
        state->b = (double)m.sum[k] / n, state->c = (double)scaled / n;
    }
};

template <> struct gp_columns<GP_STATE_MOMENTS> {
    enum { MOST_RUNS = GP_REDUCE_MAX_STEPS };
    typedef gp_moment_sums<!gp_elems::is_float && sizeof(gp_stored) <= 2> sums;
    sums m;
    int n;
    gp_bad_counts bad;
    uint32_t has;

    GP_DEVICE void start(gp_columns &c)
    {
        sums::start(c.m);
        gp_bad_counts::start(c.bad);
        c.n = 0, c.has = 0;
    }
    GP_DEVICE bool is_ready(const gp_columns &c) { return sums::is_ready(c.m); }
    GP_DEVICE bool is_plain(gp_value x) { return gp_is_finite(x); }
    GP_DEVICE void settle(gp_columns &) {}
    GP_DEVICE void add(gp_columns &c, const gp_value *x, const gp_extreme *)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            sums::add(c.m, k, x[k]);
        c.n++;
    }
    GP_DEVICE void add_some(gp_columns &c, const gp_value *x, const gp_extreme *, uint32_t mask)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            bool is_wanted = mask >> k & 1;
            if (is_wanted && gp_is_finite(x[k]))
                sums::add_first(c.m, k, x[k]);
            else
                gp_bad_counts::add(c.bad, k, true), c.has |= is_wanted ? gp_bad_class(x[k]) << (4 * k % 32) : 0u;
        }
        c.n++;
    }
    GP_DEVICE gp_cell_state column(const gp_columns &c, int k)
    {
        int n_good = c.n - gp_bad_counts::of(c.bad, k);
        gp_cell_state state = {(double)n_good, 0, 0, gp_elems::is_float ? c.has >> (4 * k % 32) & (unsigned)GP_HAS_BAD : 0u};
        if (n_good > 0) {
            sums::finish(c.m, k, n_good, &state);
            state.has |= GP_HAS_FINITE;
        }
        return state;
    }
    GP_DEVICE gp_cell_state total(const gp_columns &c)
    {
        gp_cell_state state = column(c, 0);
        for (int k = 1; k < GP_RUN_ELEMS; k++)
            gp_state_join<GP_STATE_MOMENTS>(state, column(c, k));
        return state;
    }
};

#endif
