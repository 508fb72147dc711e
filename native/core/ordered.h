/* Floats as unsigned integers of the same order, so that comparing, counting and atomics work on plain integers. */
#ifndef GP_ORDERED_H
#define GP_ORDERED_H

#include "portable.h"

/* -0.0 is made +0.0 first; NaN lies beyond the infinities, by its sign below -Inf or above +Inf. */
GP_FN uint64_t gp_ordered_f64(double v)
{
    uint64_t bits = gp_bits_from_f64(v + 0.0);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

GP_FN double gp_f64_of_ordered(uint64_t bits) { return gp_f64_from_bits(bits >> 63 ? bits & ~((uint64_t)1 << 63) : ~bits); }

GP_FN uint32_t gp_ordered_f32(float v)
{
    float sum = v + 0.0f;
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits >> 31 ? ~bits : bits | (uint32_t)1 << 31;
}

GP_FN float gp_f32_of_ordered(uint32_t bits) { return gp_f32_from_bits(bits >> 31 ? bits & ~((uint32_t)1 << 31) : ~bits); }

#endif
