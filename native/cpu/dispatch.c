/* Hands out the reduction loops of this machine's level. */
#include "loops.h"

#if defined(__x86_64__)
extern const gp_loops gp_loops_sse2[GP_N_DTYPES];
extern const gp_folds gp_folds_sse2;
#define BASE_LOOPS gp_loops_sse2
#define BASE_FOLDS gp_folds_sse2
#else
extern const gp_loops gp_loops_baseline[GP_N_DTYPES];
extern const gp_folds gp_folds_baseline;
#define BASE_LOOPS gp_loops_baseline
#define BASE_FOLDS gp_folds_baseline
#endif
#if defined(GP_HAVE_AVX2)
extern const gp_loops gp_loops_avx2[GP_N_DTYPES];
extern const gp_folds gp_folds_avx2;
#endif
#if defined(GP_HAVE_AVX512)
extern const gp_loops gp_loops_avx512[GP_N_DTYPES];
extern const gp_folds gp_folds_avx512;
#endif

const gp_loops *gp_loops_for(gp_dtype dtype)
{
    switch (gp_cpu_level()) {
#if defined(GP_HAVE_AVX512)
    case GP_LEVEL_AVX512: return &gp_loops_avx512[dtype];
#endif
#if defined(GP_HAVE_AVX2)
    case GP_LEVEL_AVX2: return &gp_loops_avx2[dtype];
#endif
    default: return &BASE_LOOPS[dtype];
    }
}

const gp_folds *gp_folds_here(void)
{
    switch (gp_cpu_level()) {
#if defined(GP_HAVE_AVX512)
    case GP_LEVEL_AVX512: return &gp_folds_avx512;
#endif
#if defined(GP_HAVE_AVX2)
    case GP_LEVEL_AVX2: return &gp_folds_avx2;
#endif
    default: return &BASE_FOLDS;
    }
}
