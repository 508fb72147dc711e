/* Column loops of short floats by vectors of eight columns: a part of loops_dtype.h, for levels that vectors.h knows. */

/* Each works out as many of n columns from i on as there are whole vectors of, and returns how many; k rows at a time. */
#define FLOATS(x) FN_JOIN(gp_floats, NAME)(x)
#define DOUBLES(x) FN_JOIN(gp_doubles, NAME)(x)
/* Where elements of two bytes are converted, the units that add are busier than those that multiply. */
#define PLUS(x, y) (FLOAT_BITS == 16 ? gp_doubles_fused_plus(x, y) : gp_doubles_plus(x, y))

ALWAYS_INLINE gp_doubles FN(sum_vector)(const T *const *x, int k, int64_t i)
{
    gp_doubles sum = DOUBLES(x[0] + i);
#pragma GCC unroll 10
    for (int r = 1; r < k; r++)
        sum = PLUS(sum, DOUBLES(x[r] + i));
    return sum;
}

/* lo and hi may be NULL. */
ALWAYS_INLINE void FN(join_vector)(const T *const *x, int k, int64_t i, float *restrict lo, float *restrict hi)
{
    gp_floats low = lo != NULL ? gp_floats_F32(lo) : gp_floats_F32(hi), high = hi != NULL ? gp_floats_F32(hi) : low;
#pragma GCC unroll 10
    for (int r = 0; r < k; r++) {
        low = gp_floats_min(FLOATS(x[r] + i), low);
        high = gp_floats_max(FLOATS(x[r] + i), high);
    }
    if (lo != NULL)
        gp_floats_store(lo, low);
    if (hi != NULL)
        gp_floats_store(hi, high);
}

/* Extremes of float32 need no conversion: compilers make longer vectors of them. */
ALWAYS_INLINE int64_t FN(sum_vectors)(const T *const *x, int k, int64_t i, int64_t n, double *restrict sums, bool is_first,
                                      float *restrict lo, float *restrict hi)
{
    int64_t j = 0;
    for (; j + GP_LANES <= n && (lo == NULL || FLOAT_BITS == 16); j += GP_LANES) {
        gp_doubles sum = FN(sum_vector)(x, k, i + j);
        if (lo != NULL)
            FN(join_vector)(x, k, i + j, lo + j, hi + j);
        gp_doubles_store(sums + i + j, is_first ? sum : gp_doubles_plus(gp_doubles_load(sums + i + j), sum));
    }
    return j;
}

ALWAYS_INLINE int64_t FN(moments_vectors)(const T *const *x, int k, int64_t i, int64_t n, double weight,
                                          const double *restrict shift, double *restrict first, double *restrict second,
                                          bool is_first)
{
    int64_t j = 0;
    for (; j + GP_LANES <= n; j += GP_LANES) {
        gp_doubles about = gp_doubles_load(shift + i + j), d = gp_doubles_minus(DOUBLES(x[0] + i + j), about);
        gp_doubles sum = d, squares = gp_doubles_times(d, d);
#pragma GCC unroll 10
        for (int r = 1; r < k; r++) {
            d = gp_doubles_minus(DOUBLES(x[r] + i + j), about);
            sum = gp_doubles_fused_plus(sum, d), squares = gp_doubles_plus(squares, gp_doubles_times(d, d));
        }
        if (k == 1)
            sum = gp_doubles_times(sum, gp_doubles_all(weight)), squares = gp_doubles_times(squares, gp_doubles_all(weight));
        gp_doubles_store(first + i + j, is_first ? sum : gp_doubles_plus(gp_doubles_load(first + i + j), sum));
        gp_doubles_store(second + i + j, is_first ? squares : gp_doubles_plus(gp_doubles_load(second + i + j), squares));
    }
    return j;
}

#if FLOAT_BITS == 16
/* flags become NaN by an element that is not finite. */
ALWAYS_INLINE int64_t FN(extremes_vectors)(const T *const *x, int k, int64_t i, int64_t n, float *restrict lo, float *restrict hi,
                                           bool is_first, float *restrict flags)
{
    int64_t j = 0;
    for (; j + GP_LANES <= n; j += GP_LANES) {
        gp_floats flag = gp_floats_F32(flags + j);
#pragma GCC unroll 10
        for (int r = 0; r < k; r++)
            flag = gp_floats_flag(FLOATS(x[r] + i + j), flag);
        if (is_first && lo != NULL)
            gp_floats_store(lo + i + j, gp_floats_all(INFINITY));
        if (is_first && hi != NULL)
            gp_floats_store(hi + i + j, gp_floats_all(-INFINITY));
        FN(join_vector)(x, k, i + j, lo != NULL ? lo + i + j : NULL, hi != NULL ? hi + i + j : NULL);
        gp_floats_store(flags + j, flag);
    }
    return j;
}
#endif

/* ---- finite elements ------------------------------------------------------------------------------------------------ */

ALWAYS_INLINE int64_t FN(sum_finite_vectors)(const T *const *x, int k, int64_t i, int64_t n, double weight, double *restrict sums,
                                             double *restrict weights)
{
    int64_t j = 0;
    gp_doubles each = gp_doubles_all(weight);
    for (; j + GP_LANES <= n; j += GP_LANES) {
        gp_doubles sum = gp_doubles_all(0.0);
        gp_floats count = gp_floats_all(0.0f);
#pragma GCC unroll 10
        for (int r = 0; r < k; r++) {
            gp_floats elements = FLOATS(x[r] + i + j);
            sum = gp_doubles_fused_plus(sum, gp_doubles_of(gp_floats_finite(elements)));
            count = gp_floats_count_finite(elements, count);
        }
        sum = gp_doubles_times(each, sum);
        gp_doubles_store(sums + i + j, gp_doubles_plus(gp_doubles_load(sums + i + j), sum));
        sum = gp_doubles_times(each, gp_doubles_of(count));
        gp_doubles_store(weights + i + j, gp_doubles_plus(gp_doubles_load(weights + i + j), sum));
    }
    return j;
}

ALWAYS_INLINE int64_t FN(moments_finite_vectors)(const T *const *x, int k, int64_t i, int64_t n, double weight,
                                                 const double *restrict shift, double *restrict first, double *restrict second)
{
    int64_t j = 0;
    gp_doubles each = gp_doubles_all(weight);
    for (; j + GP_LANES <= n; j += GP_LANES) {
        gp_doubles sum = gp_doubles_all(0.0), squares = sum, about = gp_doubles_load(shift + i + j);
#pragma GCC unroll 10
        for (int r = 0; r < k; r++) {
            gp_doubles d = gp_doubles_finite(gp_doubles_minus(DOUBLES(x[r] + i + j), about));
            sum = gp_doubles_fused_plus(sum, d), squares = gp_doubles_plus(squares, gp_doubles_times(d, d));
        }
        sum = gp_doubles_times(each, sum), squares = gp_doubles_times(each, squares);
        gp_doubles_store(first + i + j, gp_doubles_plus(gp_doubles_load(first + i + j), sum));
        gp_doubles_store(second + i + j, gp_doubles_plus(gp_doubles_load(second + i + j), squares));
    }
    return j;
}

#undef FLOATS
#undef DOUBLES
#undef PLUS
