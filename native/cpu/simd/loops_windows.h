/* Folds of narrow cells whose columns lie in a few vectors: each is picked by a permutation of these, at the level that has one. */
#ifndef GP_LOOPS_WINDOWS_H
#define GP_LOOPS_WINDOWS_H

#include "loops.h"
#include "loops_integers.h"
#include "loops_quads.h"
#include "loops_turned.h"

/* Each folds cells of at most k columns from the first on, whole vectors of them, and returns how many; the caller does the rest. It
 * may read, but never uses, GP_READ_BEYOND columns beyond the last cell. */
#if defined(__AVX512F__)
#include <immintrin.h>

/* Cells beside each other lie in at most so many vectors. */
#define MAX_VECTORS 8

/* Lane i is number at[i] of the lanes of an even number of vectors. */
ALWAYS_INLINE __m512d pick_double(const __m512d *x, int n_vectors, __m512i at)
{
    __m512d picked = _mm512_permutex2var_pd(x[0], at, x[1]);
    for (int j = 2; j < n_vectors; j += 2) {
        __mmask8 is_here = _mm512_cmpge_epi64_mask(at, _mm512_set1_epi64(8 * j));
        picked = _mm512_mask_blend_pd(is_here, picked, _mm512_permutex2var_pd(x[j], at, x[j + 1]));
    }
    return picked;
}

ALWAYS_INLINE __m512 pick_float(const __m512 *x, int n_vectors, __m512i at)
{
    __m512 picked = _mm512_permutex2var_ps(x[0], at, x[1]);
    for (int j = 2; j < n_vectors; j += 2) {
        __mmask16 is_here = _mm512_cmpge_epi32_mask(at, _mm512_set1_epi32(16 * j));
        picked = _mm512_mask_blend_ps(is_here, picked, _mm512_permutex2var_ps(x[j], at, x[j + 1]));
    }
    return picked;
}

/* The vectors from the first column of 8 cells on; and in them the first column of each, and how much further its last one is. */
ALWAYS_INLINE void load_window(const double *from, const int32_t *first, const int32_t *last, int n_vectors, __m512d *x,
                               __m512i *at, __m512i *most)
{
    __m256i begin = _mm256_loadu_si256((const __m256i *)(const void *)first);
    *at = _mm512_cvtepi32_epi64(_mm256_sub_epi32(begin, _mm256_set1_epi32(first[0])));
    *most = _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)last));
    for (int j = 0; j < n_vectors; j++)
        x[j] = _mm512_loadu_pd(from + 8 * j);
}

ALWAYS_INLINE int64_t window_sums_of(const gp_fold *fold, const double *cols, int k, int n_vectors, double *out)
{
    const gp_cell_columns *table = fold->table;
    const double *weights = table->weights + fold->cell0;
    int64_t p = 0;
    for (; p + 8 <= fold->n_cells; p += 8) {
        const int32_t *first = table->first + fold->cell0 + p, *last = table->last + fold->cell0 + p;
        __m512i at, most;
        __m512d x[MAX_VECTORS], sum;
        load_window(cols + (first[0] - fold->col0), first, last, n_vectors, x, &at, &most);
        sum = _mm512_mul_pd(_mm512_loadu_pd(weights + p), pick_double(x, n_vectors, at));
        for (int j = 1; j < k; j++) {
            __m512i here = _mm512_add_epi64(at, _mm512_min_epi64(most, _mm512_set1_epi64(j)));
            __m512d weight = _mm512_loadu_pd(weights + j * table->n_cells + p);
            sum = _mm512_add_pd(sum, _mm512_mul_pd(weight, pick_double(x, n_vectors, here)));
        }
        _mm512_storeu_pd(out + p, sum);
    }
    return p;
}

ALWAYS_INLINE int64_t window_sums(const gp_fold *fold, const double *cols, int k, double *out)
{
    switch ((fold->table->span_8 + 15) / 16) {
    case 1: return window_sums_of(fold, cols, k, 2, out);
    case 2: return window_sums_of(fold, cols, k, 4, out);
    case 3: return window_sums_of(fold, cols, k, 6, out);
    case 4: return window_sums_of(fold, cols, k, 8, out);
    default: return 0;
    }
}

ALWAYS_INLINE int64_t window_deviations_of(const gp_fold *fold, const double *cols, int k, int n_vectors, double weight,
                                           const double *means, double *sums)
{
    const gp_cell_columns *table = fold->table;
    const double *weights = table->weights + fold->cell0;
    int64_t p = 0;
    for (; p + 8 <= fold->n_cells; p += 8) {
        const int32_t *first = table->first + fold->cell0 + p, *last = table->last + fold->cell0 + p;
        __m512i at, most;
        __m512d x[MAX_VECTORS], mean = _mm512_loadu_pd(means + p), sum = _mm512_setzero_pd();
        load_window(cols + (first[0] - fold->col0), first, last, n_vectors, x, &at, &most);
        for (int j = 0; j < k; j++) {
            __m512i here = _mm512_add_epi64(at, _mm512_min_epi64(most, _mm512_set1_epi64(j)));
            __m512d deviation = _mm512_sub_pd(pick_double(x, n_vectors, here), mean);
            __m512d square = _mm512_mul_pd(_mm512_loadu_pd(weights + j * table->n_cells + p),
                                           _mm512_mul_pd(deviation, deviation));
            sum = j == 0 ? square : _mm512_add_pd(sum, square);
        }
        sum = _mm512_mul_pd(_mm512_set1_pd(weight), sum);
        _mm512_storeu_pd(sums + p, _mm512_add_pd(_mm512_loadu_pd(sums + p), sum));
    }
    return p;
}

ALWAYS_INLINE int64_t window_deviations(const gp_fold *fold, const double *cols, int k, double weight, const double *means,
                                        double *sums)
{
    switch ((fold->table->span_8 + 15) / 16) {
    case 1: return window_deviations_of(fold, cols, k, 2, weight, means, sums);
    case 2: return window_deviations_of(fold, cols, k, 4, weight, means, sums);
    case 3: return window_deviations_of(fold, cols, k, 6, weight, means, sums);
    case 4: return window_deviations_of(fold, cols, k, 8, weight, means, sums);
    default: return 0;
    }
}

ALWAYS_INLINE int64_t window_extremes_of(const gp_fold *fold, const float *cols, int k, int n_vectors, bool is_max, float *out)
{
    const gp_cell_columns *table = fold->table;
    int64_t p = 0;
    for (; p + 16 <= fold->n_cells; p += 16) {
        const int32_t *first = table->first + fold->cell0 + p, *last = table->last + fold->cell0 + p;
        const float *from = cols + (first[0] - fold->col0);
        __m512i at = _mm512_sub_epi32(_mm512_loadu_si512(first), _mm512_set1_epi32(first[0])), most = _mm512_loadu_si512(last);
        __m512 x[MAX_VECTORS], best;
        for (int j = 0; j < n_vectors; j++)
            x[j] = _mm512_loadu_ps(from + 16 * j);
        best = pick_float(x, n_vectors, at);
        for (int j = 1; j < k; j++) {
            __m512i here = _mm512_add_epi32(at, _mm512_min_epi32(most, _mm512_set1_epi32(j)));
            __m512 other = pick_float(x, n_vectors, here);
            best = is_max ? _mm512_max_ps(other, best) : _mm512_min_ps(other, best); /* other > best ? other : best */
        }
        _mm512_storeu_ps(out + p, best);
    }
    return p;
}

ALWAYS_INLINE int64_t window_extremes(const gp_fold *fold, const float *cols, int k, bool is_max, float *out)
{
    switch ((fold->table->span_16 + 31) / 32) {
    case 1: return window_extremes_of(fold, cols, k, 2, is_max, out);
    case 2: return window_extremes_of(fold, cols, k, 4, is_max, out);
    case 3: return window_extremes_of(fold, cols, k, 6, is_max, out);
    case 4: return window_extremes_of(fold, cols, k, 8, is_max, out);
    default: return 0;
    }
}
#else
ALWAYS_INLINE int64_t window_sums(const gp_fold *fold, const double *cols, int k, double *out)
{
    return turned_sums(fold, cols, k, out);
}

ALWAYS_INLINE int64_t window_deviations(const gp_fold *fold, const double *cols, int k, double weight, const double *means,
                                        double *sums)
{
    return turned_deviations(fold, cols, k, weight, means, sums);
}

ALWAYS_INLINE int64_t window_extremes(const gp_fold *fold, const float *cols, int k, bool is_max, float *out)
{
    return (void)fold, (void)cols, (void)k, (void)is_max, (void)out, 0;
}
#endif

ALWAYS_INLINE int64_t fold_min_float_windows(const gp_fold *fold, const float *cols, int k, float *out)
{
    return quads_of_table(fold, cols, k, window_extremes(fold, cols, k, false, out), false, out);
}

ALWAYS_INLINE int64_t fold_max_float_windows(const gp_fold *fold, const float *cols, int k, float *out)
{
    return quads_of_table(fold, cols, k, window_extremes(fold, cols, k, true, out), true, out);
}

ALWAYS_INLINE int64_t fold_min_float_quads(const float *cols, int64_t width, int64_t n_cells, float *out)
{
    return quads_of_even(cols, width, n_cells, false, out);
}

ALWAYS_INLINE int64_t fold_max_float_quads(const float *cols, int64_t width, int64_t n_cells, float *out)
{
    return quads_of_even(cols, width, n_cells, true, out);
}

#endif
