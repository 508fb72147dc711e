/* The loops of one dtype of floats that tell finite elements from others: a part of loops_dtype.h, which includes it once per dtype. */

/* As many rows at a time as gain by it, then four, then one. */
#if FLOAT_BITS == 32 || HAS_VECTORS
#define FINITE_ROWS 10
#else
#define FINITE_ROWS 4
#endif
#define BY_ROWS(k, ...)                                                                                                          \
    for (; n_rows >= (k); rows += (k), n_rows -= (k))                                                                            \
    __VA_ARGS__

ALWAYS_INLINE bool FN(is_e_finite)(E x) { return x - x == 0; }

/* The sum and the weight of the finite elements, of n columns from i on. */
ALWAYS_INLINE void FN(sum_finite_columns)(const T *const *x, int k, int64_t i, int64_t n, double weight, double *restrict sums,
                                          double *restrict weights)
{
    for (int64_t j = i + BY_VECTORS(sum_finite, x, k, i, n, weight, sums, weights); j < i + n; j++) {
        E count = 0;
        double sum = 0;
        for (int r = 0; r < k; r++) {
            E value = ELEM(x[r][j]), zero = value - value; /* NaN where not finite */
            sum += (double)(zero == 0 ? value : (E)0);
            count += zero == 0 ? (E)1 : (E)0;
        }
        sums[j] += weight * sum;
        weights[j] += weight * (double)count;
    }
}

ALWAYS_INLINE void FN(sum_finite_k)(const void *const *rows, int k, double weight, int64_t n, double *restrict sums,
                                    double *restrict weights)
{
    const T *x[GP_MAX_PASS_ROWS];
    int64_t i = 0;
    for (int r = 0; r < k; r++)
        x[r] = rows[r];
    for (; i + BLOCK <= n; i += BLOCK) {
        FN(prefetch_rows)(x, k, i);
        FN(sum_finite_columns)(x, k, i, BLOCK, weight, sums, weights);
    }
    FN(sum_finite_columns)(x, k, i, n - i, weight, sums, weights);
}

static void FN(sum_finite)(const void *const *rows, int n_rows, double weight, int64_t n, double *sums, double *weights)
{
    BY_ROWS(FINITE_ROWS, FN(sum_finite_k)(rows, FINITE_ROWS, weight, n, sums, weights));
    BY_ROWS(4, FN(sum_finite_k)(rows, 4, weight, n, sums, weights));
    BY_ROWS(1, FN(sum_finite_k)(rows, 1, weight, n, sums, weights));
}

/* Their moments about a shift per column. */
ALWAYS_INLINE void FN(moments_finite_k)(const void *const *rows, int k, double weight, int64_t n, const double *restrict shift,
                                        double *restrict first, double *restrict second)
{
    const T *x[GP_MAX_PASS_ROWS];
    for (int r = 0; r < k; r++)
        x[r] = rows[r];
    for (int64_t i = BY_VECTORS(moments_finite, x, k, 0, n, weight, shift, first, second); i < n; i++) {
        double sum = 0, squares = 0;
        for (int r = 0; r < k; r++) {
            double value = FN(value)(x[r][i]), d = value - value == 0 ? value - shift[i] : 0.0;
            sum += d, squares += d * d;
        }
        first[i] += weight * sum;
        second[i] += weight * squares;
    }
}

static void FN(moments_finite)(const void *const *rows, int n_rows, double weight, int64_t n, const double *shift, double *first,
                               double *second)
{
    BY_ROWS(FINITE_ROWS, FN(moments_finite_k)(rows, FINITE_ROWS, weight, n, shift, first, second));
    BY_ROWS(4, FN(moments_finite_k)(rows, 4, weight, n, shift, first, second));
    BY_ROWS(1, FN(moments_finite_k)(rows, 1, weight, n, shift, first, second));
}

/* Extremes of the finite elements, joined to lo and hi. */
ALWAYS_INLINE void FN(extremes_finite_k)(const void *const *rows, int k, int64_t n, E *restrict lo, E *restrict hi)
{
    const T *x[GP_MAX_PASS_ROWS];
    for (int r = 0; r < k; r++)
        x[r] = rows[r];
    for (int64_t i = 0; i < n; i++) {
        E low = lo[i], high = hi[i];
        for (int r = 0; r < k; r++) {
            E value = ELEM(x[r][i]), kept = value + (value - value); /* NaN where not finite: it drops out below */
            low = kept < low ? kept : low;
            high = kept > high ? kept : high;
        }
        lo[i] = low, hi[i] = high;
    }
}

static void FN(extremes_finite)(const void *const *rows, int n_rows, int64_t n, void *lo, void *hi)
{
    BY_ROWS(FINITE_ROWS, FN(extremes_finite_k)(rows, FINITE_ROWS, n, lo, hi));
    BY_ROWS(4, FN(extremes_finite_k)(rows, 4, n, lo, hi));
    BY_ROWS(1, FN(extremes_finite_k)(rows, 1, n, lo, hi));
}

/* The largest magnitude of each column as bits: integers, in which NaN is above Inf and Inf above all numbers. */
ALWAYS_INLINE void FN(worst_k)(const void *const *rows, int k, int64_t n, BITS *restrict worst)
{
    const BITS *x[GP_MAX_PASS_ROWS];
    for (int r = 0; r < k; r++)
        x[r] = rows[r];
    for (int64_t i = 0; i < n; i++) {
        BITS largest = worst[i];
        for (int r = 0; r < k; r++) {
            BITS magnitude = (BITS)(x[r][i] & (BITS)~SIGN_BIT);
            largest = magnitude > largest ? magnitude : largest;
        }
        worst[i] = largest;
    }
}

static void FN(worst)(const void *const *rows, int n_rows, int64_t n, void *worst)
{
    BY_ROWS(FINITE_ROWS, FN(worst_k)(rows, FINITE_ROWS, n, worst));
    BY_ROWS(4, FN(worst_k)(rows, 4, n, worst));
    BY_ROWS(1, FN(worst_k)(rows, 1, n, worst));
}

static void FN(fold_worst)(const gp_fold *fold, const void *columns, uint8_t *out)
{
    const BITS *worst = columns;
    for (int64_t p = 0; p < fold->n_cells; p++) {
        int64_t begin, end;
        BITS largest = 0;
        clip_span(fold, p, &begin, &end);
        for (int64_t i = begin; i < end; i++)
            largest = worst[i] > largest ? worst[i] : largest;
        out[p] = largest > INF_BITS ? GP_HAS_NAN : largest == INF_BITS ? GP_HAS_POS_INF : GP_HAS_FINITE;
    }
}

/* Whether there is an infinity, a float64 so large (2^900) that sums may be beyond float64, or an element whose bits say that it is
 * masked. */
static bool FN(has_far)(const void *row, int64_t n)
{
    const BITS far_bits = sizeof(BITS) == sizeof(double) ? (BITS)0x7830000000000000u : (BITS)INF_BITS;
    const BITS *x = row;
    BITS found = 0;
    for (int64_t i = 0; i < n; i++) {
        bool is_masked = sizeof(BITS) == sizeof(double) && x[i] == (BITS)GP_MASKED_BITS;
        BITS magnitude = (BITS)(x[i] & (BITS)~SIGN_BIT);
        found = (BITS)(found | (magnitude >= far_bits && magnitude <= (BITS)INF_BITS) | is_masked);
    }
    return found != 0;
}

/* Only float64 can be a masked element: no other NaN has its bits as a float64. */
ALWAYS_INLINE unsigned FN(kind)(E value)
{
    if (value - value == 0)
        return GP_HAS_FINITE;
    if (value != value)
        return gp_is_masked_value((double)value) ? GP_HAS_MASKED : GP_HAS_NAN;
    return value > 0 ? GP_HAS_POS_INF : GP_HAS_NEG_INF;
}

ALWAYS_INLINE bool FN(is_masked_bits)(BITS bits) { return sizeof(BITS) == sizeof(double) && bits == (BITS)GP_MASKED_BITS; }

/* The same from the bits, without a branch; is_plain: it is finite or masked. */
ALWAYS_INLINE BITS FN(kind_of_bits)(BITS bits, bool is_plain)
{
    BITS magnitude = (BITS)(bits & (BITS)~SIGN_BIT);
    BITS odd = magnitude > INF_BITS ? GP_HAS_NAN : bits < 0 ? GP_HAS_NEG_INF : GP_HAS_POS_INF;
    BITS kind = is_plain || magnitude < INF_BITS ? GP_HAS_FINITE : odd;
    return FN(is_masked_bits)(bits) ? GP_HAS_MASKED : kind;
}

/* Whether all elements of k rows are finite or masked. */
ALWAYS_INLINE bool FN(are_plain)(const BITS *const *x, int k, int64_t n)
{
    BITS found = 0;
    for (int64_t i = 0; i < n; i++)
        for (int r = 0; r < k; r++)
            found = (BITS)(found | (((BITS)(x[r][i] & (BITS)~SIGN_BIT) >= INF_BITS) & !FN(is_masked_bits)(x[r][i])));
    return found == 0;
}

ALWAYS_INLINE void FN(add_kinds)(const BITS *const *x, int k, int64_t n, bool are_plain, BITS *restrict has)
{
    for (int64_t i = 0; i < n; i++) {
        BITS kinds = has[i];
        for (int r = 0; r < k; r++)
            kinds = (BITS)(kinds | FN(kind_of_bits)(x[r][i], are_plain));
        has[i] = kinds;
    }
}

/* Of masked arrays most blocks have nothing but finite and masked elements, which are told apart in half of the time. */
ALWAYS_INLINE void FN(kinds_k)(const void *const *rows, int k, int64_t n, BITS *restrict has)
{
    const BITS *x[GP_MAX_PASS_ROWS];
    for (int r = 0; r < k; r++)
        x[r] = rows[r];
    if (FN(are_plain)(x, k, n))
        FN(add_kinds)(x, k, n, true, has);
    else
        FN(add_kinds)(x, k, n, false, has);
}

static void FN(kinds)(const void *const *rows, int n_rows, int64_t n, void *has)
{
    BY_ROWS(FINITE_ROWS, FN(kinds_k)(rows, FINITE_ROWS, n, has));
    BY_ROWS(4, FN(kinds_k)(rows, 4, n, has));
    BY_ROWS(1, FN(kinds_k)(rows, 1, n, has));
}

static void FN(fold_kinds)(const gp_fold *fold, const void *columns, uint8_t *out)
{
    const BITS *has = columns;
    for (int64_t p = 0; p < fold->n_cells; p++) {
        int64_t begin, end;
        BITS kinds = 0;
        clip_span(fold, p, &begin, &end);
        for (int64_t i = begin; i < end; i++)
            kinds = (BITS)(kinds | has[i]);
        out[p] = (uint8_t)kinds;
    }
}

/* The classes of a few elements; a NaN ends the search, because its mark wins. */
static unsigned FN(classes)(const void *row, int64_t n)
{
    const T *x = row;
    unsigned has = 0;
    for (int64_t i = 0; i < n && !(has & GP_HAS_NAN); i++)
        has |= FN(kind)(ELEM(x[i]));
    return has;
}

static bool FN(are_finite)(const void *row, int64_t n)
{
    const BITS *x = row;
    BITS found = 0;
    for (int64_t i = 0; i < n; i++)
        found = (BITS)(found | ((BITS)(x[i] & (BITS)~SIGN_BIT) >= (BITS)INF_BITS));
    return found == 0;
}

#undef BY_ROWS
#undef FINITE_ROWS
