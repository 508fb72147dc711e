/* Hands out the loops that look at blocks, of this machine's level. */
#include "look.h"

#if defined(__x86_64__)
extern const gp_look_loops gp_look_loops_sse2[GP_N_DTYPES];
#define BASE_LOOPS gp_look_loops_sse2
#else
extern const gp_look_loops gp_look_loops_baseline[GP_N_DTYPES];
#define BASE_LOOPS gp_look_loops_baseline
#endif
#if defined(GP_HAVE_AVX2)
extern const gp_look_loops gp_look_loops_avx2[GP_N_DTYPES];
#endif
#if defined(GP_HAVE_AVX512)
extern const gp_look_loops gp_look_loops_avx512[GP_N_DTYPES];
#endif

const gp_look_loops *gp_look_loops_for(gp_dtype dtype)
{
    switch (gp_cpu_level()) {
#if defined(GP_HAVE_AVX512)
    case GP_LEVEL_AVX512: return &gp_look_loops_avx512[dtype];
#endif
#if defined(GP_HAVE_AVX2)
    case GP_LEVEL_AVX2: return &gp_look_loops_avx2[dtype];
#endif
    default: return &BASE_LOOPS[dtype];
    }
}
