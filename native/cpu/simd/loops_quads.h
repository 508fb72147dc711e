/* Extremes of cells of four columns or more by vectors of four: those of a cell may overlap, since what is met twice changes nothing. */
#ifndef GP_LOOPS_QUADS_H
#define GP_LOOPS_QUADS_H

#include "loops.h"
#include "loops_integers.h"

/* Each folds some cells, four at a time, and returns the number of the first that is left to the caller. */
#if defined(__SSE2__)
#include <emmintrin.h>

#define QUAD 4

ALWAYS_INLINE __m128 better_quad(__m128 x, __m128 y, bool is_max) { return is_max ? _mm_max_ps(x, y) : _mm_min_ps(x, y); }

/* The extremes of four vectors, each in a lane of its own. */
ALWAYS_INLINE __m128 join_quads(const __m128 *x, bool is_max)
{
    __m128 low = better_quad(_mm_unpacklo_ps(x[0], x[1]), _mm_unpackhi_ps(x[0], x[1]), is_max);
    __m128 high = better_quad(_mm_unpacklo_ps(x[2], x[3]), _mm_unpackhi_ps(x[2], x[3]), is_max);
    return better_quad(_mm_movelh_ps(low, high), _mm_movehl_ps(high, low), is_max);
}

ALWAYS_INLINE int64_t quads_of_even(const float *cols, int64_t width, int64_t n_cells, bool is_max, float *out)
{
    int64_t p = 0;
    for (; width >= QUAD && p + QUAD <= n_cells; p += QUAD) {
        __m128 best[QUAD];
        for (int c = 0; c < QUAD; c++) {
            const float *from = cols + (p + c) * width;
            best[c] = _mm_loadu_ps(from + width - QUAD);
            for (int64_t i = 0; i + QUAD < width; i += QUAD)
                best[c] = better_quad(best[c], _mm_loadu_ps(from + i), is_max);
        }
        _mm_storeu_ps(out + p, join_quads(best, is_max));
    }
    return p;
}

/* Cells of a table, each of which has one or two vectors of columns. */
ALWAYS_INLINE int64_t quads_of_table(const gp_fold *fold, const float *cols, int k, int64_t p, bool is_max, float *out)
{
    const int32_t *first = fold->table->first + fold->cell0, *last = fold->table->last + fold->cell0;
    bool are_wide = fold->table->is_regular && k - 1 >= QUAD && k <= 2 * QUAD;
    for (; are_wide && p + QUAD <= fold->n_cells; p += QUAD) {
        __m128 best[QUAD];
        for (int c = 0; c < QUAD; c++) {
            const float *from = cols + (first[p + c] - fold->col0);
            best[c] = better_quad(_mm_loadu_ps(from), _mm_loadu_ps(from + last[p + c] - (QUAD - 1)), is_max);
        }
        _mm_storeu_ps(out + p, join_quads(best, is_max));
    }
    return p;
}

#undef QUAD
#else
ALWAYS_INLINE int64_t quads_of_even(const float *cols, int64_t width, int64_t n_cells, bool is_max, float *out)
{
    return (void)cols, (void)width, (void)n_cells, (void)is_max, (void)out, 0;
}

ALWAYS_INLINE int64_t quads_of_table(const gp_fold *fold, const float *cols, int k, int64_t p, bool is_max, float *out)
{
    return (void)fold, (void)cols, (void)k, (void)is_max, (void)out, p;
}
#endif

#endif
