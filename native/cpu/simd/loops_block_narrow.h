/* Summaries of integers of 8 and 16 bits: a part of loops_block_dtype.h. */

#define N_WIDE (512 / INT_BITS)

/* N_WIDE lanes of 64 bytes; their counts do not overflow for GP_BLOCK_ELEMS elements. */
ALWAYS_INLINE void FN(look)(const T *restrict x, int n, T *lowest, T *highest, gp_summary_state *state)
{
    T lo[N_WIDE], hi[N_WIDE], n_neg[N_WIDE] = {0}, n_zero[N_WIDE] = {0};
    for (int j = 0; j < N_WIDE; j++)
        lo[j] = hi[j] = x[0];
    int i = 0;
    for (; i + N_WIDE <= n; i += N_WIDE)
        for (int j = 0; j < N_WIDE; j++) {
            T value = x[i + j];
            lo[j] = value < lo[j] ? value : lo[j];
            hi[j] = value > hi[j] ? value : hi[j];
            n_neg[j] = (T)(n_neg[j] + IS_NEG(value));
            n_zero[j] = (T)(n_zero[j] + (value == 0));
        }
    *lowest = *highest = x[0];
    for (; i < n; i++) {
        *lowest = x[i] < *lowest ? x[i] : *lowest, *highest = x[i] > *highest ? x[i] : *highest;
        state->n_neg += IS_NEG(x[i]), state->n_zero += x[i] == 0;
    }
    for (int j = 0; j < N_WIDE; j++) {
        *lowest = lo[j] < *lowest ? lo[j] : *lowest, *highest = hi[j] > *highest ? hi[j] : *highest;
        state->n_neg += n_neg[j], state->n_zero += n_zero[j];
    }
}

/* Sums are exact: the two halves of 32-bit squares are added up separately. */
ALWAYS_INLINE gp_moments FN(moments)(const T *restrict x, int n)
{
    int32_t sums[LANES] = {0};
    uint32_t low[LANES] = {0}, high[LANES] = {0};
    for (int i = 0; i < n; i += LANES)
        for (int j = 0; j < (n - i < LANES ? n - i : LANES); j++) {
            int32_t value = x[i + j];
            uint32_t square = (uint32_t)value * (uint32_t)value;
            sums[j] += value;
            low[j] += sizeof(T) == 1 ? square : square & 0xffffu;
            high[j] += sizeof(T) == 1 ? 0 : square >> 16;
        }
    int64_t sum = 0, squares = 0;
    for (int j = 0; j < LANES; j++)
        sum += sums[j], squares += low[j] + ((int64_t)high[j] << 16);
    return (gp_moments){n, (double)sum / n, (double)(n * squares - sum * sum) / n};
}

static void FN(summarize)(const void *elems, int n, double smallest_normal, gp_summary_state *state)
{
    gp_summary_state here = gp_summary_state_none();
    T lowest, highest;
    (void)smallest_normal;
    if (n == 0)
        return;
    FN(look)(elems, n, &lowest, &highest, &here);
    here.lowest = (int64_t)lowest, here.highest = (int64_t)highest;
    here.moments = FN(moments)(elems, n);
    gp_summary_state_join(state, &here);
}

#undef N_WIDE
