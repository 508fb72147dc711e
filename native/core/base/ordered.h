/* Numbers as integers with the same order, so that comparisons, counting and atomics work on plain integers. */
#ifndef GP_ORDERED_H
#define GP_ORDERED_H

#include "portable.h"

/* ---- signed: one order for every dtype ------------------------------------------------------------------------------ */

/*
 * The order of an element: an int64 that compares as the element does. A float of any width has the order of its float64, zeros
 * that of +0.0; an int64 is its own order, and a uint64 has its top bit flipped. A gp_order_type says which of these it is.
 */
typedef int64_t gp_order;
typedef enum gp_order_type { GP_ORDER_F64, GP_ORDER_I64, GP_ORDER_U64 } gp_order_type;

#define GP_ORDER_FIRST ((gp_order)(-0x7fffffffffffffff - 1))
#define GP_ORDER_LAST ((gp_order)0x7fffffffffffffff)

GP_FN gp_order gp_order_of_f64(double x)
{
    int64_t bits = (int64_t)gp_bits_from_f64(x + 0.0);
    return bits ^ ((bits >> 63) & GP_ORDER_LAST);
}
GP_FN double gp_f64_of_order(gp_order order) { return gp_f64_from_bits((uint64_t)(order ^ ((order >> 63) & GP_ORDER_LAST))); }
GP_FN gp_order gp_order_of_u64(uint64_t x) { return (gp_order)(x ^ (uint64_t)1 << 63); }
GP_FN uint64_t gp_u64_of_order(gp_order order) { return (uint64_t)order ^ (uint64_t)1 << 63; }

/* The nearest float64 of an element. */
GP_FN double gp_f64_of(gp_order_type type, gp_order order)
{
    return type == GP_ORDER_I64 ? (double)order : type == GP_ORDER_U64 ? (double)gp_u64_of_order(order) : gp_f64_of_order(order);
}

/* ---- unsigned: floats alone ----------------------------------------------------------------------------------------- */

/* -0.0 becomes +0.0 first; a NaN is below -Inf or above +Inf, by its sign. */
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
