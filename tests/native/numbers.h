/* Random numbers that are the same in every run of a test. */
#ifndef GP_NUMBERS_H
#define GP_NUMBERS_H

#include <stdint.h>

static inline uint64_t random_53_bits(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 11;
}

/* From 0 to 1, which it never is. */
static inline double uniform(void) { return (double)random_53_bits() * 0x1p-53; }

#endif
