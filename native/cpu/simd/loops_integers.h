/* Conversions of integers that compilers turn into vector instructions at every level. */
#ifndef GP_LOOPS_INTEGERS_H
#define GP_LOOPS_INTEGERS_H

#include "../../core/base/portable.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline, unused))

/*
 * 64-bit integers to the nearest double by exact halves: both are put into the mantissas of doubles of known magnitude,
 * and only the last addition rounds. Compilers turn this into vector instructions where no conversion exists.
 */
#if defined(__AVX512DQ__) || !defined(__x86_64__)
ALWAYS_INLINE double f64_from_u64(uint64_t x) { return (double)x; }
ALWAYS_INLINE double f64_from_i64(int64_t x) { return (double)x; }
#else
ALWAYS_INLINE double f64_from_u64(uint64_t x)
{
    double low = gp_f64_from_bits((x & 0xffffffffu) | 0x4330000000000000u); /* 2^52 + low half */
    double high = gp_f64_from_bits((x >> 32) | 0x4530000000000000u);        /* 2^84 + 2^32 * high half */
    return (high - (0x1p84 + 0x1p52)) + low;
}
ALWAYS_INLINE double f64_from_i64(int64_t x)
{
    double low = gp_f64_from_bits(((uint64_t)x & 0xffffffffu) | 0x4330000000000000u);
    double high = gp_f64_from_bits((((uint64_t)x >> 32) ^ 0x80000000u) | 0x4530000000000000u); /* 2^31 too much */
    return (high - (0x1p84 + 0x1p63 + 0x1p52)) + low;
}
#endif

ALWAYS_INLINE double f64_from_u32(uint32_t x) { return gp_f64_from_bits((uint64_t)x | 0x4330000000000000u) - 0x1p52; }

#endif
