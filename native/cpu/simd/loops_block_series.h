/* The extremes of samples of a series, and whether they rise or fall: a part of loops_block_dtype.h. */

/* As many lanes, of three values each, as the 16 registers of AVX2 hold. */
#define N_LANES (128 / (int)sizeof(T))

/* Blocks are short and follow each other: two cache lines ahead of the loop are prefetched. */
#define PREFETCH(x) (__builtin_prefetch((const char *)(x) + 3072), __builtin_prefetch((const char *)(x) + 3072 + 64))

#if FLOAT_BITS == 16

static void FN(extremes)(const void *elems, int n, gp_block_extremes *out)
{
    float values[GP_BLOCK_ELEMS];
    for (int i = 0; i < n; i++)
        values[i] = ELEM(((const T *)elems)[i]);
    extremes_F32(values, n, out);
}

#elif FLOAT_BITS

/* Extremes, including infinities; comparisons leave NaN out. Returns the number of NaN. */
ALWAYS_INLINE int64_t FN(compare)(const T *restrict x, int n, T *lowest, T *highest)
{
    T lo[N_LANES], hi[N_LANES], n_nan[N_LANES] = {0};
    int i = 0;
    for (int j = 0; j < N_LANES; j++)
        lo[j] = (T)INFINITY, hi[j] = -(T)INFINITY;
    for (; i + N_LANES <= n; i += N_LANES) {
        PREFETCH(x + i);
        for (int j = 0; j < N_LANES; j++) {
            T value = x[i + j];
            lo[j] = value < lo[j] ? value : lo[j];
            hi[j] = value > hi[j] ? value : hi[j];
            n_nan[j] += value != value ? (T)1 : (T)0;
        }
    }
    for (int half = N_LANES / 2; half > 0; half /= 2) /* one lane after the other would wait for each comparison */
        for (int j = 0; j < half; j++) {
            lo[j] = lo[j + half] < lo[j] ? lo[j + half] : lo[j], hi[j] = hi[j + half] > hi[j] ? hi[j + half] : hi[j];
            n_nan[j] += n_nan[j + half];
        }
    for (; i < n; i++) {
        lo[0] = x[i] < lo[0] ? x[i] : lo[0], hi[0] = x[i] > hi[0] ? x[i] : hi[0];
        n_nan[0] += x[i] != x[i] ? (T)1 : (T)0;
    }
    *lowest = lo[0], *highest = hi[0];
    return (int64_t)n_nan[0];
}

/* Extremes without infinities. Returns the number of elements that are not finite. */
static int64_t FN(compare_finite)(const T *x, int n, T *lowest, T *highest)
{
    int64_t n_odd = 0;
    *lowest = (T)INFINITY, *highest = -(T)INFINITY;
    for (int i = 0; i < n; i++) {
        bool is_finite = x[i] - x[i] == 0;
        n_odd += !is_finite;
        *lowest = is_finite && x[i] < *lowest ? x[i] : *lowest;
        *highest = is_finite && x[i] > *highest ? x[i] : *highest;
    }
    return n_odd;
}

static void FN(extremes)(const void *elems, int n, gp_block_extremes *out)
{
    T lowest, highest;
    int64_t n_odd = FN(compare)(elems, n, &lowest, &highest);
    out->has = n_odd > 0 ? GP_HAS_NAN : 0;
    if (highest == (T)INFINITY || lowest == -(T)INFINITY) {
        out->has |= (highest == (T)INFINITY ? GP_HAS_POS_INF : 0u) | (lowest == -(T)INFINITY ? GP_HAS_NEG_INF : 0u);
        n_odd = FN(compare_finite)(elems, n, &lowest, &highest);
    }
    out->n_finite = n - n_odd;
    out->has |= out->n_finite > 0 ? GP_HAS_FINITE : 0;
    out->lowest = gp_order_of_f64((double)lowest), out->highest = gp_order_of_f64((double)highest);
}

#else

static void FN(extremes)(const void *elems, int n, gp_block_extremes *out)
{
    const T *restrict x = elems;
    T lo[N_LANES], hi[N_LANES];
    int i = 0;
    *out = (gp_block_extremes){n, GP_ORDER_LAST, GP_ORDER_FIRST, n > 0 ? GP_HAS_FINITE : 0};
    if (n == 0)
        return;
    for (int j = 0; j < N_LANES; j++)
        lo[j] = hi[j] = x[0];
    for (; i + N_LANES <= n; i += N_LANES) {
        PREFETCH(x + i);
        for (int j = 0; j < N_LANES; j++) {
            lo[j] = x[i + j] < lo[j] ? x[i + j] : lo[j];
            hi[j] = x[i + j] > hi[j] ? x[i + j] : hi[j];
        }
    }
    for (; i < n; i++)
        lo[0] = x[i] < lo[0] ? x[i] : lo[0], hi[0] = x[i] > hi[0] ? x[i] : hi[0];
    for (int j = 1; j < N_LANES; j++)
        lo[0] = lo[j] < lo[0] ? lo[j] : lo[0], hi[0] = hi[j] > hi[0] ? hi[j] : hi[0];
    out->lowest = ORDER(lo[0]), out->highest = ORDER(hi[0]);
}

#endif

/* Flags as wide as what is compared, so that a loop over all pairs becomes vector instructions. */
#if FLOAT_BITS == 64
#define FLAG int64_t
#elif FLOAT_BITS
#define FLAG int32_t
#else
#define FLAG T
#endif

/* With a NaN neither bit is set. */
static unsigned FN(ways)(const void *elems, int n)
{
    const T *restrict x = elems;
    FLAG is_up_broken = EXACT(x[0]) != EXACT(x[0]), is_down_broken = is_up_broken;
    for (int i = 0; i + 1 < n; i++) {
        is_up_broken |= (FLAG) !(EXACT(x[i]) <= EXACT(x[i + 1]));
        is_down_broken |= (FLAG) !(EXACT(x[i]) >= EXACT(x[i + 1]));
    }
    return (is_up_broken ? 0u : GP_RISES) | (is_down_broken ? 0u : GP_FALLS);
}

#undef FLAG
#undef N_LANES
#undef PREFETCH
