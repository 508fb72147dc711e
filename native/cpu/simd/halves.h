/* float16 to float32 and back by instructions of the processor, at levels that have them; the same bits as casts.h. */
#ifndef GP_CPU_HALVES_H
#define GP_CPU_HALVES_H

#include "../../core/base/portable.h"

/* Each converts whole vectors of elements, from the first on, and returns how many; the caller converts the rest. */
#if defined(__F16C__) && defined(__AVX512F__)
#include <immintrin.h>
GP_FN int64_t gp_widen_halves(const char *restrict from, int64_t n, char *restrict to)
{
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m256i halves = _mm256_loadu_si256((const __m256i *)(const void *)(from + 2 * i));
        _mm512_storeu_ps(to + 4 * i, _mm512_cvtph_ps(halves));
    }
    return i;
}

GP_FN int64_t gp_narrow_to_halves(const char *restrict from, int64_t n, char *restrict to)
{
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m512 singles = _mm512_loadu_ps(from + 4 * i); /* all lanes by a mask: without optimizing, GCC's own mask is a warning */
        __m256i halves = _mm512_maskz_cvtps_ph((__mmask16)0xffff, singles, _MM_FROUND_TO_NEAREST_INT);
        _mm256_storeu_si256((__m256i *)(void *)(to + 2 * i), halves);
    }
    return i;
}
#elif defined(__F16C__)
#include <immintrin.h>
GP_FN int64_t gp_widen_halves(const char *restrict from, int64_t n, char *restrict to)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m128i halves = _mm_loadu_si128((const __m128i *)(const void *)(from + 2 * i));
        _mm256_storeu_ps((float *)(void *)(to + 4 * i), _mm256_cvtph_ps(halves));
    }
    return i;
}

GP_FN int64_t gp_narrow_to_halves(const char *restrict from, int64_t n, char *restrict to)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps((const float *)(const void *)(from + 4 * i)), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128((__m128i *)(void *)(to + 2 * i), halves);
    }
    return i;
}
#else
GP_FN int64_t gp_widen_halves(const char *restrict from, int64_t n, char *restrict to)
{
    return (void)from, (void)n, (void)to, 0;
}

GP_FN int64_t gp_narrow_to_halves(const char *restrict from, int64_t n, char *restrict to)
{
    return (void)from, (void)n, (void)to, 0;
}
#endif

#endif
