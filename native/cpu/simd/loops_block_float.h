/* Summaries of floats: a part of loops_block_dtype.h. */

/* One lane for each of LANES successive elements. Counts have the type BITS, so that results of comparisons are added directly. */
typedef struct FN(lanes) {
    T lo[LANES], hi[LANES];
    double sum[LANES];
    BITS n_neg[LANES], n_zero[LANES], n_small[LANES], odd[LANES], n_nan[LANES], n_pos_inf[LANES], n_neg_inf[LANES];
} FN(lanes);

ALWAYS_INLINE BITS FN(bits)(T x)
{
    BITS bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

ALWAYS_INLINE T FN(from_bits)(BITS bits)
{
    T x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

ALWAYS_INLINE BITS FN(magnitude)(T x) { return FN(bits)(x) & (BITS)~SIGN_BIT; }

/* Adds element x to a lane. has_odd: some elements may not be finite; each is counted as a zero too. */
ALWAYS_INLINE void FN(look_one)(T x, int j, BITS smallest_normal, bool has_odd, FN(lanes) *lanes)
{
    BITS bits = FN(bits)(x), magnitude = FN(magnitude)(x), finite = (BITS) - (magnitude < INF_BITS);
    T low = x, high = x;
    if (has_odd) {
        lanes->n_nan[j] += magnitude > INF_BITS;
        lanes->n_pos_inf[j] += bits == INF_BITS;
        lanes->n_neg_inf[j] += bits == (INF_BITS | SIGN_BIT);
        low = FN(from_bits)((bits & finite) | (INF_BITS & ~finite));
        high = FN(from_bits)((bits & finite) | ((INF_BITS | SIGN_BIT) & ~finite));
        x = FN(from_bits)(bits & finite), magnitude &= finite;
    }
    lanes->odd[j] |= ~finite;
    lanes->lo[j] = low < lanes->lo[j] ? low : lanes->lo[j];
    lanes->hi[j] = high > lanes->hi[j] ? high : lanes->hi[j];
    lanes->sum[j] += (double)x;
    lanes->n_neg[j] += bits < 0 && magnitude > 0;
    lanes->n_zero[j] += magnitude == 0;
    lanes->n_small[j] += magnitude < smallest_normal;
}

ALWAYS_INLINE bool FN(look)(const T *restrict elems, int n, BITS smallest_normal, bool has_odd, FN(lanes) *out)
{
    FN(lanes) lanes = {0};
    BITS odd = 0;
    int i = 0;
    for (int j = 0; j < LANES; j++)
        lanes.lo[j] = (T)INFINITY, lanes.hi[j] = -(T)INFINITY;
    for (; i + LANES <= n; i += LANES)
        for (int j = 0; j < LANES; j++)
            FN(look_one)(elems[i + j], j, smallest_normal, has_odd, &lanes);
    for (int j = 0; i + j < n; j++)
        FN(look_one)(elems[i + j], j, smallest_normal, has_odd, &lanes);
    for (int j = 0; j < LANES; j++)
        odd |= lanes.odd[j];
    *out = lanes;
    return odd == 0;
}

ALWAYS_INLINE gp_moments FN(moments)(const T *restrict elems, int n, double weight, double mean, bool has_odd)
{
    double first[LANES] = {0}, second[LANES] = {0};
    for (int i = 0; i < n; i += LANES)
        for (int j = 0; j < (n - i < LANES ? n - i : LANES); j++) {
            T x = elems[i + j];
            double away = has_odd && FN(magnitude)(x) >= INF_BITS ? 0.0 : (double)x - mean;
            first[j] += away;
            second[j] += away * away;
        }
    return moments_from(weight, mean, first, second);
}

static void FN(summarize)(const void *elems, int n, double smallest_normal, gp_summary_state *state)
{
    FN(lanes) lanes;
    gp_summary_state here = gp_summary_state_none();
    T lo = (T)INFINITY, hi = -(T)INFINITY;
    bool has_odd = !FN(look)(elems, n, FN(bits)((T)smallest_normal), false, &lanes);
    if (has_odd)
        FN(look)(elems, n, FN(bits)((T)smallest_normal), true, &lanes);
    for (int j = 0; j < LANES; j++) {
        here.n_neg += lanes.n_neg[j], here.n_zero += lanes.n_zero[j], here.n_subnormal += lanes.n_small[j] - lanes.n_zero[j];
        here.n_nan += lanes.n_nan[j], here.n_pos_inf += lanes.n_pos_inf[j], here.n_neg_inf += lanes.n_neg_inf[j];
        lo = lanes.lo[j] < lo ? lanes.lo[j] : lo, hi = lanes.hi[j] > hi ? lanes.hi[j] : hi;
    }
    int64_t n_odd = here.n_nan + here.n_pos_inf + here.n_neg_inf, n_finite = n - n_odd;
    here.n_zero -= n_odd;
    if (smallest_normal == 0)
        here.n_subnormal = 0;
    if (n_finite > 0) {
        double weight = (double)n_finite, mean = sum_of_lanes(lanes.sum) / weight;
        here.lowest = gp_order_of_f64((double)lo), here.highest = gp_order_of_f64((double)hi);
        if (lo == hi)
            here.moments = (gp_moments){weight, (double)lo, 0.0};
        else
            here.moments = has_odd ? FN(moments)(elems, n, weight, mean, true) : FN(moments)(elems, n, weight, mean, false);
    }
    gp_summary_state_join(state, &here);
}
