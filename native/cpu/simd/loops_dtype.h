/* The column loops of one dtype; loops_columns.c includes this file for each, by each_dtype.h. */

/*
 * Every loop runs over blocks of 64 elements, an inner loop of known length that compilers turn into whole vectors, with
 * a prefetch in each row where that suits the processor.
 */

ALWAYS_INLINE void FN(prefetch)(const T *x)
{
    for (size_t line = 0; line < sizeof(T); line++)
        __builtin_prefetch((const char *)x + GP_PREFETCH_BYTES + 64 * line);
}

/* The same of k rows, from column i on. */
ALWAYS_INLINE void FN(prefetch_rows)(const T *const *x, int k, int64_t i)
{
    if (k > 1 && gp_rows_are_followed)
        return;
    for (int r = 0; r < k; r++)
        FN(prefetch)(x[r] + i);
}

ALWAYS_INLINE double FN(value)(T x) { return (double)ELEM(x); }

static void FN(values)(const void *row, int64_t n, double *restrict out)
{
    const T *x = row;
    for (int64_t block = 0; block < n; block += BLOCK) {
        int64_t end = block + BLOCK < n ? block + BLOCK : n;
        FN(prefetch)(x + block);
        for (int64_t i = block; i < end; i++)
            out[i] = FN(value)(x[i]);
    }
}

/* ---- sums ----------------------------------------------------------------------------------------------------------- */

/* Elements i of k rows. */
ALWAYS_INLINE PART FN(part)(const T *const *x, int k, int64_t i)
{
    PART sum = (PART)PART_ELEM(x[0][i]);
    for (int r = 1; r < k; r++)
        sum = (PART)(sum + PART_ELEM(x[r][i]));
    return sum;
}

ALWAYS_INLINE EXTREME FN(smallest)(const T *const *x, int k, int64_t i, EXTREME m)
{
    for (int r = 0; r < k; r++)
        m = EXACT(x[r][i]) < m ? EXACT(x[r][i]) : m; /* a NaN is never smaller: it drops out */
    return m;
}

ALWAYS_INLINE EXTREME FN(largest)(const T *const *x, int k, int64_t i, EXTREME m)
{
    for (int r = 0; r < k; r++)
        m = EXACT(x[r][i]) > m ? EXACT(x[r][i]) : m;
    return m;
}

/* Extremes in lanes to a range. */
ALWAYS_INLINE void FN(join_lanes)(const EXTREME *lo, const EXTREME *hi, gp_range *range)
{
    for (int j = 0; j < BLOCK; j++) {
        range->lo = (double)lo[j] < range->lo ? (double)lo[j] : range->lo;
        range->hi = (double)hi[j] > range->hi ? (double)hi[j] : range->hi;
    }
}

#ifdef WIDEN
/* n elements as float32. */
ALWAYS_INLINE void FN(widen)(const T *x, int64_t n, float *restrict wide)
{
    for (int64_t i = WIDEN(x, n, wide); i < n; i++)
        wide[i] = ELEM(x[i]);
}
#endif

#if HAS_VECTORS
#include "loops_dtype_vectors.h"
#define BY_VECTORS(name, ...) FN(name##_vectors)(__VA_ARGS__)
#else
#define BY_VECTORS(...) 0
#endif
#if HAS_VECTORS && FLOAT_BITS == 16
#define EXTREMES_BY_VECTORS(...) FN(extremes_vectors)(__VA_ARGS__)
#else
#define EXTREMES_BY_VECTORS(...) 0
#endif

/* Sums of k rows over n columns from i on, and their extremes in lanes where lo is not NULL. */
ALWAYS_INLINE void FN(sum_columns)(const T *const *x, int k, int64_t i, int64_t n, double *restrict sums, bool is_first,
                                   EXTREME *restrict lo, EXTREME *restrict hi)
{
    for (int64_t j = BY_VECTORS(sum, x, k, i, n, sums, is_first, lo, hi); j < n; j++) {
        double sum = (double)FN(part)(x, k, i + j);
        sums[i + j] = is_first ? sum : sums[i + j] + sum;
        if (lo != NULL)
            lo[j] = FN(smallest)(x, k, i + j, lo[j]), hi[j] = FN(largest)(x, k, i + j, hi[j]);
    }
}

ALWAYS_INLINE void FN(sum_k)(const void *const *rows, int k, int64_t n, double *restrict sums, bool is_first, gp_range *range)
{
    const T *x[GP_MAX_PASS_ROWS];
    EXTREME lo[BLOCK], hi[BLOCK], *lowest = range != NULL ? lo : NULL;
    /* Zen 5 follows ten rows by itself if it reads a whole cache line at a time; sums of float32 take 0.93 of the time then. */
    const bool is_followed = READS_LINES && sizeof(T) == 4 && k == 10;
    int64_t i = 0;
    for (int r = 0; r < k; r++)
        x[r] = rows[r];
    for (int j = 0; j < BLOCK && range != NULL; j++)
        lo[j] = FN_JOIN(highest, EXTREME), hi[j] = FN_JOIN(lowest, EXTREME);
    for (; i + BLOCK <= n; i += BLOCK) {
        if (!is_followed)
            FN(prefetch_rows)(x, k, i);
        FN(sum_columns)(x, k, i, BLOCK, sums, is_first, lowest, hi);
    }
    FN(sum_columns)(x, k, i, n - i, sums, is_first, lowest, hi);
    if (range != NULL)
        FN(join_lanes)(lo, hi, range);
}

ALWAYS_INLINE void FN(sum_pass)(const void *const *rows, int k, int64_t n, double *restrict sums, bool is_first, gp_range *range)
{
    if (is_first)
        FN(sum_k)(rows, k, n, sums, true, range);
    else
        FN(sum_k)(rows, k, n, sums, false, range);
}

/* Any number of rows, as many at a time as there is a loop for; of more than that, about as many in each pass. */
ALWAYS_INLINE void FN(sum_rows)(const void *const *rows, int n_rows, int64_t n, double *restrict sums, bool is_first,
                                gp_range *range)
{
    for (int k; n_rows > 0; rows += k, n_rows -= k, is_first = false) {
        k = n_rows >= 2 * PASS_ROWS ? PASS_ROWS : n_rows > PASS_ROWS ? (n_rows + 1) / 2 : n_rows;
        switch (k) {
        case 1: FN(sum_pass)(rows, 1, n, sums, is_first, range); break;
        case 2: FN(sum_pass)(rows, 2, n, sums, is_first, range); break;
        case 3: FN(sum_pass)(rows, 3, n, sums, is_first, range); break;
        case 4: FN(sum_pass)(rows, 4, n, sums, is_first, range); break;
#if PASS_ROWS == 8
        case 8: FN(sum_pass)(rows, 8, n, sums, is_first, range); break;
        default: k = 4, FN(sum_pass)(rows, 4, n, sums, is_first, range); break;
#else
#if PASS_ROWS == 10
        case 5: FN(sum_pass)(rows, 5, n, sums, is_first, range); break;
        case 6: FN(sum_pass)(rows, 6, n, sums, is_first, range); break;
        case 7: FN(sum_pass)(rows, 7, n, sums, is_first, range); break;
        case 8: FN(sum_pass)(rows, 8, n, sums, is_first, range); break;
        case 9: FN(sum_pass)(rows, 9, n, sums, is_first, range); break;
#endif
        default: FN(sum_pass)(rows, PASS_ROWS, n, sums, is_first, range); break;
#endif
        }
    }
}

static void FN(sum)(const void *const *rows, int n_rows, int64_t n, double *sums, bool is_first)
{
    FN(sum_rows)(rows, n_rows, n, sums, is_first, NULL);
}

static void FN(sum_range)(const void *const *rows, int n_rows, int64_t n, double *sums, bool is_first, gp_range *range)
{
    gp_range found = *range;
    FN(sum_rows)(rows, n_rows, n, sums, is_first, &found);
    *range = found;
}

ALWAYS_INLINE void FN(sum_weighted_k)(const void *const *rows, const double *weights, int k, int64_t n, double *restrict sums,
                                      bool is_first)
{
    const T *x = rows[0], *y = rows[k - 1];
    double w = weights[0], v = weights[k - 1];
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        FN(prefetch)(x + i);
        if (k > 1)
            FN(prefetch)(y + i);
        for (int j = 0; j < BLOCK; j++) {
            double sum = w * FN(value)(x[i + j]) + (k > 1 ? v * FN(value)(y[i + j]) : 0.0);
            sums[i + j] = is_first ? sum : sums[i + j] + sum;
        }
    }
    for (; i < n; i++) {
        double sum = w * FN(value)(x[i]) + (k > 1 ? v * FN(value)(y[i]) : 0.0);
        sums[i] = is_first ? sum : sums[i] + sum;
    }
}

/* Border rows: one, or two in one pass. */
static void FN(sum_weighted)(const void *const *rows, const double *weights, int n_rows, int64_t n, double *sums, bool is_first)
{
    if (n_rows == 1 && is_first)
        FN(sum_weighted_k)(rows, weights, 1, n, sums, true);
    else if (n_rows == 1)
        FN(sum_weighted_k)(rows, weights, 1, n, sums, false);
    else if (is_first)
        FN(sum_weighted_k)(rows, weights, 2, n, sums, true);
    else
        FN(sum_weighted_k)(rows, weights, 2, n, sums, false);
}

/* Rows from column i on. */
ALWAYS_INLINE void FN(rows_from)(const void *const *rows, int n_rows, int64_t i, const void **from)
{
    for (int r = 0; r < n_rows; r++)
        from[r] = (const T *)rows[r] + i;
}

static void FN(sum_cell)(const gp_cell_rows *cell, int64_t n, double *sums)
{
    for (int64_t i = 0; i < n; i += STRIP) {
        int64_t n_here = n - i < STRIP ? n - i : STRIP;
        const void *rows[GP_MAX_PASS_ROWS];
        FN(rows_from)(cell->rows, cell->n_inner + cell->n_border, i, rows);
        FN(sum)(rows, cell->n_inner, n_here, sums + i, true);
        FN(sum_weighted)(rows + cell->n_inner, cell->weights, cell->n_border, n_here, sums + i, false);
    }
}

#if INT_BITS == 64
enum { FN(extremes_dtype) = FN_JOIN(GP, NAME) };
#else
enum { FN(extremes_dtype) = sizeof(EXTREME) == sizeof(float) ? GP_F32 : GP_F64 };
#endif

/* ---- extremes ------------------------------------------------------------------------------------------------------- */

/* x - x is 0 for every finite x, and NaN for the others: added up it says whether all were finite. */
ALWAYS_INLINE E FN(not_finite)(const T *const *x, int k, int64_t i)
{
    E sum = ELEM(x[0][i]) - ELEM(x[0][i]);
    for (int r = 1; r < k; r++)
        sum += ELEM(x[r][i]) - ELEM(x[r][i]);
    return sum;
}

/* Extremes of k rows over n <= BLOCK columns from i on, and flags that become NaN by an element that is not finite. */
ALWAYS_INLINE void FN(extremes_columns)(const T *const *x, int k, int64_t i, int64_t n, EXTREME *restrict lo,
                                        EXTREME *restrict hi, bool is_first, E *restrict flags)
{
    for (int64_t j = EXTREMES_BY_VECTORS(x, k, i, n, lo, hi, is_first, flags); j < n; j++) {
        if (lo != NULL)
            lo[i + j] = FN(smallest)(x, k, i + j, is_first ? FN_JOIN(highest, EXTREME) : lo[i + j]);
        if (hi != NULL)
            hi[i + j] = FN(largest)(x, k, i + j, is_first ? FN_JOIN(lowest, EXTREME) : hi[i + j]);
        if (IS_FLOAT)
            flags[j] += FN(not_finite)(x, k, i + j);
    }
}

ALWAYS_INLINE bool FN(extremes_k)(const void *const *rows, int k, int64_t n, EXTREME *restrict lo, EXTREME *restrict hi,
                                  bool is_first)
{
    const T *x[GP_MAX_PASS_ROWS];
    E flags[BLOCK];
    int64_t i = 0;
    for (int r = 0; r < k; r++)
        x[r] = rows[r];
    for (int j = 0; j < BLOCK; j++)
        flags[j] = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        FN(prefetch_rows)(x, k, i);
        FN(extremes_columns)(x, k, i, BLOCK, lo, hi, is_first, flags);
    }
    FN(extremes_columns)(x, k, i, n - i, lo, hi, is_first, flags);
    for (int j = 1; j < BLOCK; j++)
        flags[0] += flags[j];
    return flags[0] == 0;
}

ALWAYS_INLINE bool FN(extremes_pass)(const void *const *rows, int k, int64_t n, EXTREME *restrict lo, EXTREME *restrict hi,
                                     bool is_first)
{
    return is_first ? FN(extremes_k)(rows, k, n, lo, hi, true) : FN(extremes_k)(rows, k, n, lo, hi, false);
}

/* Any number of rows, as many at a time as there is a loop for. */
ALWAYS_INLINE bool FN(extremes_rows)(const void *const *rows, int n_rows, int64_t n, EXTREME *restrict lo, EXTREME *restrict hi,
                                     bool is_first)
{
    bool is_finite = true;
#if PASS_ROWS == 10
    enum { AT_ONCE = IS_FLOAT ? 10 : 5 }; /* compilers make no vectors of ten rows of integers */
    for (; n_rows >= 10; rows += AT_ONCE, n_rows -= AT_ONCE, is_first = false)
        is_finite &= FN(extremes_pass)(rows, AT_ONCE, n, lo, hi, is_first);
    for (; n_rows >= 5 && n_rows % 2 == 1; rows += 5, n_rows -= 5, is_first = false)
        is_finite &= FN(extremes_pass)(rows, 5, n, lo, hi, is_first);
#endif
    for (; n_rows >= 4; rows += 4, n_rows -= 4, is_first = false)
        is_finite &= FN(extremes_pass)(rows, 4, n, lo, hi, is_first);
    for (; n_rows >= 2; rows += 2, n_rows -= 2, is_first = false)
        is_finite &= FN(extremes_pass)(rows, 2, n, lo, hi, is_first);
    return n_rows == 0 ? is_finite : is_finite & FN(extremes_pass)(rows, 1, n, lo, hi, is_first);
}

static bool FN(extremes)(const void *const *rows, int n_rows, int64_t n, void *lo, void *hi, bool is_first)
{
    if (lo != NULL && hi != NULL)
        return FN(extremes_rows)(rows, n_rows, n, lo, hi, is_first);
    if (lo != NULL) /* a pointer that might be NULL would be asked for in each column, and compilers make no vectors of that */
        return FN(extremes_rows)(rows, n_rows, n, lo, NULL, is_first);
    return hi != NULL && FN(extremes_rows)(rows, n_rows, n, NULL, hi, is_first);
}

static void FN(fold_extremes)(const gp_fold *fold, const void *lo, const void *hi, double *out_lo, double *out_hi)
{
    EXTREME low[FOLD_BLOCK], high[FOLD_BLOCK];
    for (int64_t p = 0; p < fold->n_cells; p += FOLD_BLOCK) {
        gp_fold part = fold_part(fold, p);
        if (lo != NULL)
            FN_JOIN(fold_min, EXTREME)(&part, lo, low);
        if (hi != NULL)
            FN_JOIN(fold_max, EXTREME)(&part, hi, high);
        for (int64_t i = 0; i < part.n_cells; i++)
            out_lo[p + i] = gp_bits_of_order(lo != NULL ? FN_JOIN(order_of, EXTREME)(low[i]) : GP_ORDER_LAST);
        for (int64_t i = 0; i < part.n_cells; i++)
            out_hi[p + i] = gp_bits_of_order(hi != NULL ? FN_JOIN(order_of, EXTREME)(high[i]) : GP_ORDER_FIRST);
    }
}

/* gp_cell_state_value of extremes that are not NULL where the aggregation needs them. */
ALWAYS_INLINE void FN(extreme_values_of)(const gp_fold *fold, const void *lo, const void *hi, gp_agg agg, double *restrict out)
{
    EXTREME low[FOLD_BLOCK], high[FOLD_BLOCK];
    for (int64_t p = 0; p < fold->n_cells; p += FOLD_BLOCK) {
        gp_fold part = fold_part(fold, p);
        if (agg != GP_AGG_MAX)
            FN_JOIN(fold_min, EXTREME)(&part, lo, low);
        if (agg != GP_AGG_MIN)
            FN_JOIN(fold_max, EXTREME)(&part, hi, high);
        for (int64_t i = 0; i < part.n_cells; i++) {
            double smallest = agg != GP_AGG_MAX ? (double)low[i] : 0, largest = agg != GP_AGG_MIN ? (double)high[i] : 0;
            out[p + i] = extreme_value(agg, smallest, largest) + 0.0;
        }
    }
}

static void FN(extreme_values)(const gp_fold *fold, const void *lo, const void *hi, gp_agg agg, double *out)
{
    if (agg == GP_AGG_MAX)
        FN(extreme_values_of)(fold, lo, hi, GP_AGG_MAX, out);
    else if (agg == GP_AGG_MIN)
        FN(extreme_values_of)(fold, lo, hi, GP_AGG_MIN, out);
    else if (agg == GP_AGG_ABSMAX)
        FN(extreme_values_of)(fold, lo, hi, GP_AGG_ABSMAX, out);
    else
        FN(extreme_values_of)(fold, lo, hi, GP_AGG_RANGE, out);
}

/* ---- moments about a shift per column ------------------------------------------------------------------------------- */

/* Those of k rows over n columns from i on. */
ALWAYS_INLINE void FN(moments_columns)(const T *const *x, int k, int64_t i, int64_t n, double weight,
                                       const double *restrict shift, double *restrict first, double *restrict second,
                                       bool is_first)
{
    for (int64_t j = i + BY_VECTORS(moments, x, k, i, n, weight, shift, first, second, is_first); j < i + n; j++) {
        double d = FN(value)(x[0][j]) - shift[j], sum = d, squares = d * d;
        for (int r = 1; r < k; r++) {
            d = FN(value)(x[r][j]) - shift[j];
            sum += d, squares += d * d;
        }
        if (k == 1)
            sum *= weight, squares *= weight;
        first[j] = is_first ? sum : first[j] + sum;
        second[j] = is_first ? squares : second[j] + squares;
    }
}

ALWAYS_INLINE void FN(moments_k)(const void *const *rows, int k, double weight, int64_t n, const double *restrict shift,
                                 double *restrict first, double *restrict second, bool is_first)
{
    const T *x[GP_MAX_PASS_ROWS];
    for (int r = 0; r < k; r++)
        x[r] = rows[r];
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        FN(prefetch_rows)(x, k, i);
        FN(moments_columns)(x, k, i, BLOCK, weight, shift, first, second, is_first);
    }
    FN(moments_columns)(x, k, i, n - i, weight, shift, first, second, is_first);
}

ALWAYS_INLINE void FN(moments_pass)(const void *const *rows, int k, double weight, int64_t n, const double *shift, double *first,
                                    double *second, bool is_first)
{
    if (is_first)
        FN(moments_k)(rows, k, weight, n, shift, first, second, true);
    else
        FN(moments_k)(rows, k, weight, n, shift, first, second, false);
}

/* Any number of rows, as many at a time as there is a loop for. */
static void FN(moments)(const void *const *rows, int n_rows, double weight, int64_t n, const double *shift, double *first,
                        double *second, bool is_first)
{
    for (int k; n_rows > 0; rows += k, n_rows -= k, is_first = false) {
        k = weight != 1.0 ? 1 : n_rows < MOMENT_ROWS ? n_rows : MOMENT_ROWS;
        switch (k) {
        case 1: FN(moments_pass)(rows, 1, weight, n, shift, first, second, is_first); break;
        case 2: FN(moments_pass)(rows, 2, 1.0, n, shift, first, second, is_first); break;
        case 3: FN(moments_pass)(rows, 3, 1.0, n, shift, first, second, is_first); break;
#if MOMENT_ROWS == 10
        case 4: FN(moments_pass)(rows, 4, 1.0, n, shift, first, second, is_first); break;
        case 5: FN(moments_pass)(rows, 5, 1.0, n, shift, first, second, is_first); break;
        case 6: FN(moments_pass)(rows, 6, 1.0, n, shift, first, second, is_first); break;
        case 7: FN(moments_pass)(rows, 7, 1.0, n, shift, first, second, is_first); break;
        case 8: FN(moments_pass)(rows, 8, 1.0, n, shift, first, second, is_first); break;
        case 9: FN(moments_pass)(rows, 9, 1.0, n, shift, first, second, is_first); break;
#endif
        default: FN(moments_pass)(rows, MOMENT_ROWS, 1.0, n, shift, first, second, is_first); break;
        }
    }
}

/* The first of the inner rows is the shift: as the others, the first border row comes before them and the last behind. */
static void FN(moments_of_cell)(const gp_cell_rows *cell, int64_t n, double *means, double *squares)
{
    for (int64_t i = 0; i < n; i += STRIP) {
        int64_t n_here = n - i < STRIP ? n - i : STRIP;
        const void *rows[GP_MAX_PASS_ROWS], *const *border = rows + cell->n_inner;
        double shift[STRIP], *first = means + i, *second = squares + i;
        bool is_first = !cell->begins_with_border;
        FN(rows_from)(cell->rows, cell->n_inner + cell->n_border, i, rows);
        FN(values)(rows[0], n_here, shift);
        if (cell->begins_with_border)
            FN(moments)(border, 1, cell->weights[0], n_here, shift, first, second, true);
        FN(moments)(rows + 1, cell->n_inner - 1, 1.0, n_here, shift, first, second, is_first);
        is_first &= cell->n_inner == 1;
        for (int b = cell->begins_with_border; b < cell->n_border; b++, is_first = false)
            FN(moments)(border + b, 1, cell->weights[b], n_here, shift, first, second, is_first);
        for (int64_t j = 0; j < n_here && is_first; j++)
            first[j] = second[j] = 0;
        column_moments(first, second, shift, cell->weight, n_here);
    }
}

/* The same for single columns, one per cell, each with that cell's own shift. */
static void FN(moments_at)(const void *row, double weight, const int64_t *cols, int64_t n, const double *restrict shift,
                           double *restrict first, double *restrict second)
{
    const T *x = row;
    for (int64_t i = 0; i < n; i++) {
        double d = FN(value)(x[cols[i]]) - shift[i];
        first[i] += weight * d;
        second[i] += weight * d * d;
    }
}

#include "loops_dtype_in_order.h"
#if IS_FLOAT
#include "loops_dtype_finite.h"
#endif
#include "loops_dtype_limits.h"
#undef BY_VECTORS
#undef EXTREMES_BY_VECTORS
