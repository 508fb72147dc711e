/* Searches and bins of floats: a part of loops_block_dtype.h. */

ALWAYS_INLINE BITS FN(bits_at)(const T *x, int64_t i)
{
    BITS bits;
    memcpy(&bits, x + i, sizeof bits);
    return bits;
}

/* Not zero if the element's kind is wanted; nan, pos_inf, ... are all ones if that kind is wanted, else zero. */
ALWAYS_INLINE BITS FN(is_wanted)(BITS bits, BITS nan, BITS pos_inf, BITS neg_inf, BITS finite)
{
    BITS magnitude = bits & (BITS)~SIGN_BIT, is_inf = (BITS) - (magnitude == INF_BITS), is_neg = (BITS) - (bits < 0);
    return (BITS)(((BITS) - (magnitude > INF_BITS) & nan) | ((BITS) - (magnitude < INF_BITS) & finite) |
                  (is_inf & ((is_neg & neg_inf) | (~is_neg & pos_inf))));
}

/* Searches in stretches, from the end if is_backwards; only a stretch that has a wanted element is searched one by one. */
static int64_t FN(find_kinds)(const void *elems, int64_t n, unsigned kinds, bool is_backwards)
{
    BITS nan = (BITS) - ((kinds & GP_HAS_NAN) != 0), pos_inf = (BITS) - ((kinds & GP_HAS_POS_INF) != 0);
    BITS neg_inf = (BITS) - ((kinds & GP_HAS_NEG_INF) != 0), finite = (BITS) - ((kinds & GP_HAS_FINITE) != 0);
    for (int64_t done = 0; done < n; done += STRETCH) {
        int64_t n_here = n - done < STRETCH ? n - done : STRETCH, begin = is_backwards ? n - done - n_here : done;
        BITS any = 0;
        for (int64_t i = 0; i < n_here; i++)
            any |= FN(is_wanted)(FN(bits_at)(elems, begin + i), nan, pos_inf, neg_inf, finite);
        for (int64_t i = 0; i < n_here && any != 0; i++) {
            int64_t at = is_backwards ? begin + n_here - 1 - i : begin + i;
            if (FN(is_wanted)(FN(bits_at)(elems, at), nan, pos_inf, neg_inf, finite))
                return at;
        }
    }
    return -1;
}

static int64_t FN(find_order)(const void *elems, int64_t n, int64_t order)
{
    const T *x = elems;
    double wanted = gp_f64_of_order(order);
    for (int64_t begin = 0; begin < n; begin += STRETCH) {
        int64_t end = n - begin < STRETCH ? n : begin + STRETCH;
        int any = 0;
        for (int64_t i = begin; i < end; i++)
            any |= VALUE(x[i]) == wanted;
        for (int64_t i = begin; i < end && any; i++)
            if (VALUE(x[i]) == wanted)
                return i;
    }
    return -1;
}

/* Elements as numbers that bins are found for. */
ALWAYS_INLINE void FN(numbers_single)(const T *restrict x, int n, const gp_bins *bins, float *restrict numbers)
{
    int i = 0;
    (void)bins;
#if defined(WIDEN)
    i = (int)WIDEN(x, n, numbers);
#endif
    for (; i < n; i++)
        numbers[i] = (float)ELEM(x[i]);
}

ALWAYS_INLINE void FN(numbers_double)(const T *restrict x, int n, const gp_bins *bins, double *restrict numbers)
{
    (void)bins;
    for (int i = 0; i < n; i++)
        numbers[i] = VALUE(x[i]);
}
