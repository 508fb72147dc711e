/* The levels of vector instructions: the loops are compiled once per level, and the running machine picks one. */
#ifndef GP_CPU_LEVEL_H
#define GP_CPU_LEVEL_H

/* A loop file is compiled with GP_LEVEL defined as one of: baseline, sse2, avx2, avx512. GP_LEVELED(name) is a name of
 * that level: name_avx2. */
#define GP_LEVEL_JOIN_(name, level) name##_##level
#define GP_LEVEL_JOIN(name, level) GP_LEVEL_JOIN_(name, level)
#define GP_LEVELED(name) GP_LEVEL_JOIN(name, GP_LEVEL)

typedef enum gp_level { GP_LEVEL_BASE, GP_LEVEL_AVX2, GP_LEVEL_AVX512, GP_N_LEVELS } gp_level;

/* The best level that this processor and this build have, found once. The environment variable GPUPLOT_CPU_LEVEL (base,
 * avx2, avx512) asks for a lower one. */
gp_level gp_cpu_level(void);

/* What that variable calls it. */
const char *gp_cpu_level_name(void);

#endif
