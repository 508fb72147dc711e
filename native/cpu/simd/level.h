/* The levels of vector instructions: loops are compiled once per level, and one is chosen at run time. */
#ifndef GP_CPU_LEVEL_H
#define GP_CPU_LEVEL_H

/* A loop file is compiled with GP_LEVEL defined as one of: baseline, sse2, avx2, avx512. GP_LEVELED(name) is the name with
 * that level: name_avx2. */
#define GP_LEVEL_JOIN_(name, level) name##_##level
#define GP_LEVEL_JOIN(name, level) GP_LEVEL_JOIN_(name, level)
#define GP_LEVELED(name) GP_LEVEL_JOIN(name, GP_LEVEL)

/* The name at each level; for a level that isn't built it is the name at the level below. */
#if defined(__x86_64__)
#define GP_LEVELED_BASE(name) name##_sse2
#else
#define GP_LEVELED_BASE(name) name##_baseline
#endif
#if defined(GP_HAVE_AVX2)
#define GP_LEVELED_AVX2(name) name##_avx2
#else
#define GP_LEVELED_AVX2(name) GP_LEVELED_BASE(name)
#endif
#if defined(GP_HAVE_AVX512)
#define GP_LEVELED_AVX512(name) name##_avx512
#else
#define GP_LEVELED_AVX512(name) GP_LEVELED_AVX2(name)
#endif

/* Declares the loops of all levels, which loop files define (`dims`: their array dimensions), and the address of those to use. */
#define GP_DECLARE_LEVELS(type, name, dims)                                                                                      \
    extern const type GP_LEVELED_BASE(name) dims, GP_LEVELED_AVX2(name) dims, GP_LEVELED_AVX512(name) dims
#define GP_AT_LEVEL_HERE(name)                                                                                                   \
    (gp_cpu_level() == GP_LEVEL_AVX512 ? &GP_LEVELED_AVX512(name)                                                                \
     : gp_cpu_level() == GP_LEVEL_AVX2 ? &GP_LEVELED_AVX2(name)                                                                  \
                                       : &GP_LEVELED_BASE(name))

typedef enum gp_level { GP_LEVEL_BASE, GP_LEVEL_AVX2, GP_LEVEL_AVX512, GP_N_LEVELS } gp_level;

/* The best level that this processor and this build have, found once. The environment variable GPUPLOT_CPU_LEVEL (base,
 * avx2, avx512) asks for a lower one; any other text is ignored. */
gp_level gp_cpu_level(void);

/* Its name in that variable. */
const char *gp_cpu_level_name(void);

#endif
