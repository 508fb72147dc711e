/* Finds the level of vector instructions of this machine, once. */
#include "level.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static gp_level best_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
#if defined(GP_HAVE_AVX512)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return GP_LEVEL_AVX512;
#endif
#if defined(GP_HAVE_AVX2)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return GP_LEVEL_AVX2;
#endif
#endif
    return GP_LEVEL_BASE;
}

static const char *const names[GP_N_LEVELS] = {"base", "avx2", "avx512"};

/* The level that GPUPLOT_CPU_LEVEL names; the best one where that is not set or no level. */
static gp_level asked_level(void)
{
    const char *text = getenv("GPUPLOT_CPU_LEVEL");
    for (int level = 0; text != NULL && level < GP_N_LEVELS; level++)
        if (strcmp(text, names[level]) == 0)
            return (gp_level)level;
    return GP_LEVEL_AVX512;
}

gp_level gp_cpu_level(void)
{
    static atomic_int found; /* level + 1; 0: not looked up */
    int level = atomic_load_explicit(&found, memory_order_relaxed);
    if (level == 0) {
        gp_level best = best_level(), asked = asked_level();
        level = (int)(asked < best ? asked : best) + 1;
        atomic_store_explicit(&found, level, memory_order_relaxed);
    }
    return (gp_level)(level - 1);
}

const char *gp_cpu_level_name(void) { return names[gp_cpu_level()]; }
