/* Eight elements at a time as float32 and as float64, by instructions of the processor, at levels that have them. */
#ifndef GP_CPU_VECTORS_H
#define GP_CPU_VECTORS_H

#include "../../core/base/portable.h"

/*
 * Elements are converted as they are loaded: compilers load twice as many and take them apart, which costs as much as the
 * additions. gp_doubles_fused_plus adds by the units that multiply, which conversions leave idle; the bits are those of a sum.
 */
#if defined(__F16C__) && defined(__FMA__) && defined(__AVX2__)
#include <immintrin.h>
#define GP_LANES 8
typedef __m256 gp_floats;

GP_FN gp_floats gp_floats_F32(const float *x) { return _mm256_loadu_ps(x); }
GP_FN gp_floats gp_floats_F16(const uint16_t *x) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)x)); }
GP_FN gp_floats gp_floats_BF16(const uint16_t *x)
{
    __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)x));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
GP_FN void gp_floats_store(float *out, gp_floats x) { _mm256_storeu_ps(out, x); }
GP_FN gp_floats gp_floats_all(float x) { return _mm256_set1_ps(x); }
/* All bits of a lane whose element is finite. */
GP_FN gp_floats gp_floats_are_finite(gp_floats x) { return _mm256_cmp_ps(_mm256_sub_ps(x, x), _mm256_setzero_ps(), _CMP_EQ_OQ); }
/* Zeros in place of what is not finite; and how many are, added. */
GP_FN gp_floats gp_floats_finite(gp_floats x) { return _mm256_and_ps(x, gp_floats_are_finite(x)); }
GP_FN gp_floats gp_floats_count_finite(gp_floats x, gp_floats count)
{
    return _mm256_add_ps(count, _mm256_and_ps(gp_floats_are_finite(x), _mm256_set1_ps(1.0f)));
}
/* A flag becomes NaN by an element that is not finite. */
GP_FN gp_floats gp_floats_flag(gp_floats x, gp_floats flag) { return _mm256_fmadd_ps(x, _mm256_setzero_ps(), flag); }
/* A NaN among the elements drops out. */
GP_FN gp_floats gp_floats_min(gp_floats elements, gp_floats low) { return _mm256_min_ps(elements, low); }
GP_FN gp_floats gp_floats_max(gp_floats elements, gp_floats high) { return _mm256_max_ps(elements, high); }
#endif

#if defined(GP_LANES) && defined(__AVX512F__)
typedef __m512d gp_doubles;

GP_FN gp_doubles gp_doubles_of(gp_floats x) { return _mm512_cvtps_pd(x); }
GP_FN gp_doubles gp_doubles_F32(const float *x) { return _mm512_cvtps_pd(_mm256_loadu_ps(x)); }
GP_FN gp_doubles gp_doubles_load(const double *x) { return _mm512_loadu_pd(x); }
GP_FN void gp_doubles_store(double *out, gp_doubles x) { _mm512_storeu_pd(out, x); }
GP_FN gp_doubles gp_doubles_all(double x) { return _mm512_set1_pd(x); }
GP_FN gp_doubles gp_doubles_plus(gp_doubles x, gp_doubles y) { return _mm512_add_pd(x, y); }
GP_FN gp_doubles gp_doubles_minus(gp_doubles x, gp_doubles y) { return _mm512_sub_pd(x, y); }
GP_FN gp_doubles gp_doubles_times(gp_doubles x, gp_doubles y) { return _mm512_mul_pd(x, y); }
GP_FN gp_doubles gp_doubles_finite(gp_doubles x)
{
    return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(_mm512_sub_pd(x, x), _mm512_setzero_pd(), _CMP_EQ_OQ), x);
}
GP_FN gp_doubles gp_doubles_fused_plus(gp_doubles x, gp_doubles y) { return _mm512_fmadd_pd(y, _mm512_set1_pd(1.0), x); }

#elif defined(GP_LANES)
typedef struct gp_doubles {
    __m256d low, high;
} gp_doubles;

GP_FN gp_doubles gp_doubles_of(gp_floats x)
{
    return (gp_doubles){_mm256_cvtps_pd(_mm256_castps256_ps128(x)), _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))};
}
GP_FN gp_doubles gp_doubles_F32(const float *x)
{
    return (gp_doubles){_mm256_cvtps_pd(_mm_loadu_ps(x)), _mm256_cvtps_pd(_mm_loadu_ps(x + 4))};
}
GP_FN gp_doubles gp_doubles_load(const double *x) { return (gp_doubles){_mm256_loadu_pd(x), _mm256_loadu_pd(x + 4)}; }
GP_FN void gp_doubles_store(double *out, gp_doubles x) { _mm256_storeu_pd(out, x.low), _mm256_storeu_pd(out + 4, x.high); }
GP_FN gp_doubles gp_doubles_all(double x) { return (gp_doubles){_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
GP_FN gp_doubles gp_doubles_minus(gp_doubles x, gp_doubles y)
{
    return (gp_doubles){_mm256_sub_pd(x.low, y.low), _mm256_sub_pd(x.high, y.high)};
}
GP_FN gp_doubles gp_doubles_times(gp_doubles x, gp_doubles y)
{
    return (gp_doubles){_mm256_mul_pd(x.low, y.low), _mm256_mul_pd(x.high, y.high)};
}
GP_FN __m256d gp_finite_of_four(__m256d x)
{
    return _mm256_and_pd(x, _mm256_cmp_pd(_mm256_sub_pd(x, x), _mm256_setzero_pd(), _CMP_EQ_OQ));
}
GP_FN gp_doubles gp_doubles_finite(gp_doubles x) { return (gp_doubles){gp_finite_of_four(x.low), gp_finite_of_four(x.high)}; }
GP_FN gp_doubles gp_doubles_plus(gp_doubles x, gp_doubles y)
{
    return (gp_doubles){_mm256_add_pd(x.low, y.low), _mm256_add_pd(x.high, y.high)};
}
GP_FN gp_doubles gp_doubles_fused_plus(gp_doubles x, gp_doubles y)
{
    __m256d ones = _mm256_set1_pd(1.0);
    return (gp_doubles){_mm256_fmadd_pd(y.low, ones, x.low), _mm256_fmadd_pd(y.high, ones, x.high)};
}
#endif

#if defined(GP_LANES)
GP_FN gp_doubles gp_doubles_F16(const uint16_t *x) { return gp_doubles_of(gp_floats_F16(x)); }
GP_FN gp_doubles gp_doubles_BF16(const uint16_t *x) { return gp_doubles_of(gp_floats_BF16(x)); }
#endif

#endif
