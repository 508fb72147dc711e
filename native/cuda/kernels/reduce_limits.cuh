/* Limits on the way: the range of finite elements, the smallest above zero, and which kinds there are. */
#ifndef GP_REDUCE_LIMITS_CUH
#define GP_REDUCE_LIMITS_CUH

#include "reduce_states.cuh"

/* The order of positive numbers is that of their bits; less one, zero and negative numbers come after all of them. */
GP_DEVICE uint32_t gp_positive_key(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits - 1;
}
GP_DEVICE uint64_t gp_positive_key(double x) { return gp_bits_from_f64(x) - 1; }
GP_DEVICE uint32_t gp_positive_key(int x) { return (uint32_t)x - 1; }
GP_DEVICE uint64_t gp_positive_key(int64_t x) { return (uint64_t)x - 1; }

GP_DEVICE bool gp_positive_from_key(uint32_t key, float *x)
{
    *x = gp_f32_from_bits(key + 1);
    return key < 0x7f7fffffu;
}
GP_DEVICE bool gp_positive_from_key(uint64_t key, double *x)
{
    *x = gp_f64_from_bits(key + 1);
    return key < 0x7fefffffffffffffu;
}
GP_DEVICE bool gp_positive_from_key(uint32_t key, int *x)
{
    *x = (int)(key + 1);
    return key < 0x7fffffffu;
}
GP_DEVICE bool gp_positive_from_key(uint64_t key, int64_t *x)
{
    *x = (int64_t)(key + 1);
    return key < 0x7fffffffffffffffu;
}

typedef decltype(gp_positive_key(gp_value())) gp_positive;

/* Some elements that one thread has seen; nothing at all, and at no cost, where WANT is false. */
template <bool WANT> struct gp_seen_elements {
    gp_value lo, hi;
    gp_positive positive;
    unsigned has;

    GP_DEVICE void start(gp_seen_elements &seen)
    {
        gp_start_extremes(&seen.lo, &seen.hi);
        seen.positive = ~(gp_positive)0, seen.has = 0;
    }
    /* A finite element. */
    GP_DEVICE void add(gp_seen_elements &seen, gp_value x)
    {
        gp_positive key = gp_positive_key(x);
        seen.lo = gp_smaller(seen.lo, x), seen.hi = gp_larger(seen.hi, x);
        seen.positive = key < seen.positive ? key : seen.positive;
    }
    GP_DEVICE void add_any(gp_seen_elements &seen, gp_value x)
    {
        if (gp_is_finite(x))
            add(seen, x);
        else
            seen.has |= gp_class_of((double)x);
    }
    GP_DEVICE void add_nan(gp_seen_elements &seen) { seen.has |= GP_HAS_NAN; }
};

template <> struct gp_seen_elements<false> {
    GP_DEVICE void start(gp_seen_elements &) {}
    GP_DEVICE void add(gp_seen_elements &, gp_value) {}
    GP_DEVICE void add_any(gp_seen_elements &, gp_value) {}
    GP_DEVICE void add_nan(gp_seen_elements &) {}
};

/* All elements as they are shown; and of hidden axes, where NaN marks them, what they are without it. */
template <bool WANT> struct gp_seen {
    typedef gp_seen_elements<WANT> elements;
    typedef gp_seen_elements<WANT && gp_elems::has_stages> marked;
    elements shown;
    marked without_nan;

    GP_DEVICE void start(gp_seen &seen) { elements::start(seen.shown), marked::start(seen.without_nan); }
    GP_DEVICE void add(gp_seen &seen, gp_value x) { elements::add(seen.shown, x); }
    GP_DEVICE void add_any(gp_seen &seen, gp_value x, bool had_nan)
    {
        if (gp_elems::has_stages && had_nan)
            elements::add_nan(seen.shown), marked::add_any(seen.without_nan, x);
        else
            elements::add_any(seen.shown, x);
    }
};

GP_DEVICE gp_order gp_lane_min(gp_order order)
{
    for (int distance = GP_WARP / 2; distance > 0; distance /= 2) {
        gp_order other = (gp_order)__shfl_xor_sync(GP_FULL_WARP, (unsigned long long)order, distance);
        order = other < order ? other : order;
    }
    return order;
}

/* Atomics only where they change something, which is soon seldom; a stale look costs one that changes nothing. */
GP_DEVICE void gp_join_min(int64_t *to, int64_t value)
{
    if (value < *(volatile int64_t *)to)
        atomicMin((long long *)to, (long long)value);
}

GP_DEVICE void gp_join_max(int64_t *to, int64_t value)
{
    if (value > *(volatile int64_t *)to)
        atomicMax((long long *)to, (long long)value);
}

/* What one thread has seen, without counts. */
GP_DEVICE gp_limits_state gp_seen_state(const gp_seen_elements<true> &seen)
{
    gp_limits_state state = gp_limits_state_none();
    gp_value smallest = 0;
    gp_limits_state_add_range(&state, (double)seen.lo, (double)seen.hi);
    if (gp_positive_from_key(seen.positive, &smallest))
        gp_limits_state_add_positive(&state, (double)smallest);
    return state;
}

/* Joins what the threads of a warp have seen to the limits of the launch; all lanes take part. */
GP_DEVICE void gp_seen_flush(const gp_seen_elements<false> &, gp_limits_state *) {}
GP_DEVICE void gp_seen_flush(const gp_seen_elements<true> &seen, gp_limits_state *limits)
{
    gp_limits_state state = gp_seen_state(seen);
    gp_order lowest = gp_lane_min(state.lowest), highest = ~gp_lane_min(~state.highest);
    gp_order positive = gp_lane_min(state.smallest_positive);
    int has_nan = __any_sync(GP_FULL_WARP, seen.has & GP_HAS_NAN);
    int has_pos_inf = __any_sync(GP_FULL_WARP, seen.has & GP_HAS_POS_INF);
    int has_neg_inf = __any_sync(GP_FULL_WARP, seen.has & GP_HAS_NEG_INF);
    int has_masked = __any_sync(GP_FULL_WARP, seen.has & GP_HAS_MASKED);
    if (threadIdx.x % GP_WARP != 0)
        return;
    gp_join_min(&limits->lowest, lowest);
    gp_join_max(&limits->highest, highest);
    gp_join_min(&limits->smallest_positive, positive);
    gp_join_max(&limits->n_finite, lowest <= highest);
    gp_join_max(&limits->n_nan, has_nan != 0);
    gp_join_max(&limits->n_pos_inf, has_pos_inf != 0);
    gp_join_max(&limits->n_neg_inf, has_neg_inf != 0);
    gp_join_max(&limits->n_masked, has_masked != 0);
}

/* Both to the limits of the launch, of which those of marked elements come second. */
template <bool WANT> GP_DEVICE void gp_seen_flush(const gp_seen<WANT> &seen, gp_limits_state *limits)
{
    gp_seen_flush(seen.shown, limits);
    if (WANT)
        gp_seen_flush(seen.without_nan, limits + 1);
}

/* Values to the accumulators, those in the mask alone and each looked at. */
template <int KIND, bool WANT>
GP_DEVICE void gp_take_some(gp_columns<KIND> &columns, gp_seen<WANT> &seen, const gp_value *x, const gp_extreme *exact,
                            uint32_t mask, uint32_t had_nan)
{
    gp_columns<KIND>::add_some(columns, x, exact, mask);
    gp_columns_add_nan<KIND>(columns, had_nan);
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++)
        if (WANT && (mask >> k & 1))
            gp_seen<WANT>::add_any(seen, x[k], had_nan >> k & 1);
}

/* The elements of a run for extremes of cells; other kinds have no use for them. */
template <int KIND> GP_DEVICE void gp_run_extremes(const gp_run &run, const gp_value *x, int dtype, gp_extreme *out)
{
    GP_UNROLL
    for (int k = 0; KIND == GP_STATE_EXTREMES && k < GP_RUN_ELEMS; k++) {
        gp_stored stored;
        gp_pick(run.words, k, &stored);
        out[k] = gp_extreme_from(stored, x[k], dtype);
    }
}

/* A run of wanted elements where all are plain, which is nearly always; false, and nothing done, where they are not. */
template <int KIND, bool WANT>
GP_DEVICE bool gp_take_plain(gp_columns<KIND> &columns, gp_seen<WANT> &seen, const gp_run &run, int dtype)
{
    gp_value x[GP_RUN_ELEMS];
    gp_run_values(run.words, dtype, x);
    bool is_plain = gp_columns<KIND>::is_ready(columns);
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++)
        is_plain = is_plain && (!gp_elems::is_float || gp_columns<KIND>::is_plain(x[k]));
    if (!is_plain)
        return false;
    gp_extreme exact[GP_RUN_ELEMS] = {};
    gp_run_extremes<KIND>(run, x, dtype, exact);
    gp_columns<KIND>::add(columns, x, exact);
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++)
        if (WANT)
            gp_seen<WANT>::add(seen, x[k]);
    return true;
}

/* Any run of wanted elements. Runs that are not plain are loaded once more for this, so that its code is there once for
 * all runs that are under way together. */
template <int KIND, bool WANT>
GP_DEVICE void gp_take_odd(gp_columns<KIND> &columns, gp_seen<WANT> &seen, const gp_run &run, int dtype)
{
    gp_value x[GP_RUN_ELEMS];
    gp_extreme exact[GP_RUN_ELEMS] = {};
    gp_run_values(run.words, dtype, x);
    gp_run_extremes<KIND>(run, x, dtype, exact);
    gp_take_some<KIND, WANT>(columns, seen, x, exact, (uint32_t)GP_ALL_ELEMS, 0u);
}

/* Elements of one row, col_step apart, loaded one by one. */
template <int KIND, bool WANT>
GP_DEVICE void gp_take_elements(const gp_plane &plane, int64_t row, int64_t col, int col_step, uint32_t mask,
                                gp_columns<KIND> &columns, gp_seen<WANT> &seen)
{
    gp_value x[GP_RUN_ELEMS] = {};
    gp_extreme exact[GP_RUN_ELEMS] = {};
    uint32_t marked = 0;
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        bool had_nan = false;
        if (!(mask >> k & 1))
            continue;
        x[k] = gp_value_at(plane, row, col + k * col_step, had_nan);
        marked |= (uint32_t)had_nan << k;
        if (KIND == GP_STATE_EXTREMES)
            exact[k] = gp_extreme_at(plane, row, col + k * col_step, x[k]);
    }
    gp_take_some<KIND, WANT>(columns, seen, x, exact, mask, marked);
}

/* ---- rows of a cell -------------------------------------------------------------------------------------------------- */

/* Elements begin..end along one axis of one cell, of which inner_begin..inner_end have weight 1. */
struct gp_part {
    int64_t begin, end, inner_begin, inner_end;
};

GP_DEVICE gp_part gp_part_of(const gp_span &span, int part, int n_parts, bool is_weighted)
{
    gp_part p = {span.touched_begin, span.touched_end, 0, 0};
    if (n_parts > 1) { /* divisions of 64 bits take a hundred instructions each */
        int64_t n = p.end - p.begin, n_each = n / n_parts, n_more = n % n_parts;
        p.end = p.begin + n_each * (part + 1) + n_more * (part + 1) / n_parts;
        p.begin += n_each * part + n_more * part / n_parts;
    }
    p.inner_begin = p.begin, p.inner_end = p.end;
    if (!is_weighted || p.begin >= p.end)
        return p;
    if (p.begin == span.touched_begin && span.w_first != 1.0)
        p.inner_begin++;
    if (p.end == span.touched_end && p.inner_end > p.inner_begin && span.w_last != 1.0)
        p.inner_end--;
    return p;
}

GP_DEVICE double gp_weight_at(const gp_span &span, int64_t i)
{
    return i == span.touched_begin ? span.w_first : i == span.touched_end - 1 ? span.w_last : 1.0;
}

/* The sum of the weights of a part. */
GP_DEVICE double gp_weight_of(const gp_span &span, const gp_part &part)
{
    double weight = (double)(part.inner_end - part.inner_begin);
    if (part.begin < part.inner_begin)
        weight += gp_weight_at(span, part.begin);
    if (part.inner_end < part.end)
        weight += gp_weight_at(span, part.end - 1);
    return weight;
}

#endif
