/* Summaries of integers of 32 and 64 bits: a part of loops_block_dtype.h. */

#if INT_BITS == 32
#define SUM int64_t
#else
#define SUM double
#endif

/* SUM holds the sum of GP_BLOCK_ELEMS elements, exactly if it is an integer type. */
ALWAYS_INLINE double FN(look)(const T *restrict x, int n, T *lowest, T *highest, gp_summary_state *state)
{
    T lo[LANES], hi[LANES], n_neg[LANES] = {0}, n_zero[LANES] = {0};
    SUM sums[LANES] = {0};
    double parts[LANES];
    for (int j = 0; j < LANES; j++)
        lo[j] = hi[j] = x[0];
    for (int i = 0; i < n; i += LANES)
        for (int j = 0; j < (n - i < LANES ? n - i : LANES); j++) {
            T value = x[i + j];
            lo[j] = value < lo[j] ? value : lo[j];
            hi[j] = value > hi[j] ? value : hi[j];
            n_neg[j] += IS_NEG(value);
            n_zero[j] += value == 0;
            sums[j] += INT_BITS == 32 ? (SUM)value : (SUM)VALUE(value);
        }
    *lowest = *highest = x[0];
    for (int j = 0; j < LANES; j++) {
        *lowest = lo[j] < *lowest ? lo[j] : *lowest, *highest = hi[j] > *highest ? hi[j] : *highest;
        state->n_neg += (int64_t)n_neg[j], state->n_zero += (int64_t)n_zero[j];
        parts[j] = (double)sums[j];
    }
    return sum_of_lanes(parts);
}

ALWAYS_INLINE gp_moments FN(moments)(const T *restrict x, int n, double mean)
{
    double first[LANES] = {0}, second[LANES] = {0};
    for (int i = 0; i < n; i += LANES)
        for (int j = 0; j < (n - i < LANES ? n - i : LANES); j++) {
            double away = VALUE(x[i + j]) - mean;
            first[j] += away;
            second[j] += away * away;
        }
    return moments_from(n, mean, first, second);
}

static void FN(summarize)(const void *elems, int n, double smallest_normal, gp_summary_state *state)
{
    gp_summary_state here = gp_summary_state_none();
    T lowest, highest;
    (void)smallest_normal;
    if (n == 0)
        return;
    double sum = FN(look)(elems, n, &lowest, &highest, &here);
    here.lowest = ORDER(lowest), here.highest = ORDER(highest);
    here.moments = lowest == highest ? (gp_moments){n, VALUE(lowest), 0.0} : FN(moments)(elems, n, sum / n);
    gp_summary_state_join(state, &here);
}

#undef SUM
