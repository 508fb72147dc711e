/* Sums over narrow cells, four at a time, whose columns are turned: vectors have the same column of each. For AVX2. */
#ifndef GP_LOOPS_TURNED_H
#define GP_LOOPS_TURNED_H

#include "loops.h"
#include "loops_integers.h"

#if defined(__AVX2__)
#include <immintrin.h>

#define TURNED 4

/* Two columns, from these on, of four cells. */
ALWAYS_INLINE void turn_pair(const double *const *from, const int64_t *at, __m256d *x)
{
    __m256d even = _mm256_castpd128_pd256(_mm_loadu_pd(from[0] + at[0]));
    __m256d odd = _mm256_castpd128_pd256(_mm_loadu_pd(from[1] + at[1]));
    even = _mm256_insertf128_pd(even, _mm_loadu_pd(from[2] + at[2]), 1);
    odd = _mm256_insertf128_pd(odd, _mm_loadu_pd(from[3] + at[3]), 1);
    x[0] = _mm256_unpacklo_pd(even, odd);
    x[1] = _mm256_unpackhi_pd(even, odd);
}

/*
 * Cells p to p + 3 of a regular table with at most k columns: x[0] to x[k - 3], which each has; x[k - 2], the one between these and
 * the last, which all ones in *has_between say that there is; and x[k - 1], the last.
 */
ALWAYS_INLINE void turn_cells(const gp_fold *fold, const double *cols, int k, int64_t p, __m256d *x, __m256d *has_between)
{
    const int32_t *first = fold->table->first + fold->cell0 + p, *last = fold->table->last + fold->cell0 + p;
    const double *from[TURNED];
    int64_t before_last[TURNED];
    __m256d turned[2];
    for (int c = 0; c < TURNED; c++)
        from[c] = cols + (first[c] - fold->col0), before_last[c] = last[c] - 1;
    for (int64_t j = 0; j < k - 2; j += 2) {
        turn_pair(from, (const int64_t[TURNED]){j, j, j, j}, turned);
        x[j] = turned[0];
        if (j + 1 < k - 2)
            x[j + 1] = turned[1];
    }
    turn_pair(from, before_last, x + k - 2);
    __m128i is_long = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(const void *)last), _mm_set1_epi32(k - 1));
    *has_between = _mm256_castsi256_pd(_mm256_cvtepi32_epi64(is_long));
}

/* What each folds is regular_sum_of of the columns, or of their squared deviations from the means; how many cells. */
ALWAYS_INLINE int64_t turned_sums(const gp_fold *fold, const double *cols, int k, double *out)
{
    const double *weights = fold->table->weights + fold->cell0, *last_weights = fold->table->last_weights + fold->cell0;
    int64_t p = 0;
    for (; k > 2 && fold->table->is_regular && p + TURNED <= fold->n_cells; p += TURNED) {
        __m256d x[GP_MAX_CELL_COLUMNS], has_between;
        turn_cells(fold, cols, k, p, x, &has_between);
        __m256d sum = _mm256_mul_pd(_mm256_loadu_pd(weights + p), x[0]);
        for (int j = 1; j < k - 2; j++)
            sum = _mm256_add_pd(sum, x[j]);
        sum = _mm256_add_pd(sum, _mm256_and_pd(has_between, x[k - 2]));
        sum = _mm256_add_pd(sum, _mm256_mul_pd(_mm256_loadu_pd(last_weights + p), x[k - 1]));
        _mm256_storeu_pd(out + p, sum);
    }
    return p;
}

ALWAYS_INLINE int64_t turned_deviations(const gp_fold *fold, const double *cols, int k, double weight, const double *means,
                                        double *sums)
{
    const double *weights = fold->table->weights + fold->cell0, *last_weights = fold->table->last_weights + fold->cell0;
    int64_t p = 0;
    for (; k > 2 && fold->table->is_regular && p + TURNED <= fold->n_cells; p += TURNED) {
        __m256d x[GP_MAX_CELL_COLUMNS], has_between, mean = _mm256_loadu_pd(means + p);
        turn_cells(fold, cols, k, p, x, &has_between);
        for (int j = 0; j < k; j++) {
            __m256d deviation = _mm256_sub_pd(x[j], mean);
            x[j] = _mm256_mul_pd(deviation, deviation);
        }
        __m256d sum = _mm256_mul_pd(_mm256_loadu_pd(weights + p), x[0]);
        for (int j = 1; j < k - 2; j++)
            sum = _mm256_add_pd(sum, x[j]);
        sum = _mm256_add_pd(sum, _mm256_and_pd(has_between, x[k - 2]));
        sum = _mm256_add_pd(sum, _mm256_mul_pd(_mm256_loadu_pd(last_weights + p), x[k - 1]));
        sum = _mm256_mul_pd(_mm256_set1_pd(weight), sum);
        _mm256_storeu_pd(sums + p, _mm256_add_pd(_mm256_loadu_pd(sums + p), sum));
    }
    return p;
}

#undef TURNED
#else
ALWAYS_INLINE int64_t turned_sums(const gp_fold *fold, const double *cols, int k, double *out)
{
    return (void)fold, (void)cols, (void)k, (void)out, 0;
}

ALWAYS_INLINE int64_t turned_deviations(const gp_fold *fold, const double *cols, int k, double weight, const double *means,
                                        double *sums)
{
    return (void)fold, (void)cols, (void)k, (void)weight, (void)means, (void)sums, 0;
}
#endif

#endif
