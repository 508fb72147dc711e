/* Resampling of finite cells: loops over rows and columns that compilers turn into vectors, and picks by permutation where there are. */
#include "filter_loops.h"
#include "loops_integers.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

extern const gp_filter_loops GP_LEVELED(gp_filter_loops);

static bool are_finite(const double *x, int64_t n)
{
    uint64_t seen = 0; /* the sign bit is set by a full exponent */
    for (int64_t i = 0; i < n; i++)
        seen |= (gp_bits_from_f64(x[i]) & 0x7fffffffffffffffu) + 0x0010000000000000u;
    return seen >> 63 == 0;
}

/* ---- rows ----------------------------------------------------------------------------------------------------------- */

/* The compiler knows k. */
ALWAYS_INLINE void add_k_rows(const double *const *rows, const double *weights, int k, int64_t n, double *restrict sums,
                              double *restrict lows, double *restrict highs)
{
    for (int64_t j = 0; j < n; j++) {
        double x = rows[0][j], sum = weights[0] * x, low = x, high = x;
        for (int i = 1; i < k; i++) {
            x = rows[i][j];
            sum += weights[i] * x;
            low = x < low ? x : low, high = x > high ? x : high;
        }
        sums[j] = sum, lows[j] = low, highs[j] = high;
    }
}

ALWAYS_INLINE double least(double a, double b) { return b < a ? b : a; }
ALWAYS_INLINE double most(double a, double b) { return b > a ? b : a; }

static void find_runs(const double *restrict lows, const double *restrict highs, int64_t n, double *restrict run_lows,
                      double *restrict run_highs)
{
    for (int64_t j = 0; j + GP_FILTER_RUN <= n; j++) {
        run_lows[j] = least(least(lows[j], lows[j + 1]), least(lows[j + 2], lows[j + 3]));
        run_highs[j] = most(most(highs[j], highs[j + 1]), most(highs[j + 2], highs[j + 3]));
    }
}

static void add_rows(const double *const *rows, const double *weights, int n_rows, int64_t n, const gp_filter_columns *out)
{
    switch (n_rows) {
    case 1: add_k_rows(rows, weights, 1, n, out->sums, out->lows, out->highs); break;
    case 2: add_k_rows(rows, weights, 2, n, out->sums, out->lows, out->highs); break;
    case 3: add_k_rows(rows, weights, 3, n, out->sums, out->lows, out->highs); break;
    case 4: add_k_rows(rows, weights, 4, n, out->sums, out->lows, out->highs); break;
    case 5: add_k_rows(rows, weights, 5, n, out->sums, out->lows, out->highs); break;
    case 6: add_k_rows(rows, weights, 6, n, out->sums, out->lows, out->highs); break;
    case 7: add_k_rows(rows, weights, 7, n, out->sums, out->lows, out->highs); break;
    default: add_k_rows(rows, weights, GP_MOST_TAPS, n, out->sums, out->lows, out->highs); break;
    }
    find_runs(out->lows, out->highs, n, out->run_lows, out->run_highs);
}

/* ---- columns -------------------------------------------------------------------------------------------------------- */

ALWAYS_INLINE double cell_of(const gp_filter_table *table, const gp_filter_columns *columns, int k, int64_t p)
{
    const double *x = columns->sums + table->first[p], *weights = table->weights + p;
    int32_t near = table->near[p], far = table->far[p];
    double sum = weights[0] * x[0];
    for (int i = 1; i < k; i++)
        sum += weights[i * table->n_cells] * x[i];
    double low = least(columns->run_lows[near], columns->run_lows[far]);
    double high = most(columns->run_highs[near], columns->run_highs[far]);
    return gp_filter_held(sum, low, high) + 0.0;
}

#if defined(__AVX512F__)
/* Lane i is value at[i] of 16 from x on. */
ALWAYS_INLINE __m512d pick(const double *x, __m512i at)
{
    return _mm512_permutex2var_pd(_mm512_loadu_pd(x), at, _mm512_loadu_pd(x + 8));
}

ALWAYS_INLINE __m512i places(const int32_t *columns, int32_t first)
{
    __m256i here = _mm256_loadu_si256((const __m256i *)(const void *)columns);
    return _mm512_cvtepi32_epi64(_mm256_sub_epi32(here, _mm256_set1_epi32(first)));
}

/* Cells p to p + 7, whose columns are 16 at most. */
ALWAYS_INLINE void eight_cells(const gp_filter_table *table, const gp_filter_columns *columns, int k, int64_t p, double *out)
{
    int32_t window = table->window[p / 8];
    __m512i at = places(table->first + p, window), near = places(table->near + p, window), far = places(table->far + p, window);
    __m512d x0 = _mm512_loadu_pd(columns->sums + window), x1 = _mm512_loadu_pd(columns->sums + window + 8);
    __m512d sum = _mm512_mul_pd(_mm512_loadu_pd(table->weights + p), _mm512_permutex2var_pd(x0, at, x1));
    for (int i = 1; i < k; i++) {
        __m512d x = _mm512_permutex2var_pd(x0, _mm512_add_epi64(at, _mm512_set1_epi64(i)), x1);
        sum = _mm512_add_pd(sum, _mm512_mul_pd(_mm512_loadu_pd(table->weights + i * table->n_cells + p), x));
    }
    const double *lows = columns->run_lows + window, *highs = columns->run_highs + window;
    __m512d low = _mm512_min_pd(pick(lows, near), pick(lows, far)), high = _mm512_max_pd(pick(highs, near), pick(highs, far));
    sum = _mm512_min_pd(high, _mm512_max_pd(low, sum)); /* of a NaN they make a NaN, as gp_filter_held */
    _mm512_storeu_pd(out + p, _mm512_add_pd(sum, _mm512_setzero_pd()));
}
#endif

ALWAYS_INLINE void add_k_columns(const gp_filter_table *table, const gp_filter_columns *columns, int k, double *out)
{
    int64_t p = 0;
#if defined(__AVX512F__)
    for (; p + 8 <= table->n_cells; p += 8) {
        if (table->window[p / 8] >= 0)
            eight_cells(table, columns, k, p, out);
        else
            for (int64_t i = p; i < p + 8; i++)
                out[i] = cell_of(table, columns, k, i);
    }
#endif
    for (; p < table->n_cells; p++)
        out[p] = cell_of(table, columns, k, p);
}

static void add_columns(const gp_filter_table *table, const gp_filter_columns *columns, double *out)
{
    switch (table->n_taps) {
    case 6: add_k_columns(table, columns, 6, out); break;
    default: add_k_columns(table, columns, table->n_taps, out); break;
    }
}

const gp_filter_loops GP_LEVELED(gp_filter_loops) = {are_finite, add_rows, add_columns};
