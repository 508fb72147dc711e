/* The aggregations of elements to cells: their names, and what their partial results mean. */
#ifndef GP_REDUCTIONS_H
#define GP_REDUCTIONS_H

#include "portable.h"

/* X(NAME, name that users see) */
#define GP_AGGS(X)                                                                                                               \
    X(MEAN, "mean")                                                                                                              \
    X(MAX, "max")                                                                                                                \
    X(MIN, "min")                                                                                                                \
    X(ABSMAX, "absmax")                                                                                                          \
    X(STD, "std")                                                                                                                \
    X(SUM, "sum")                                                                                                                \
    X(COUNT, "count")                                                                                                            \
    X(NEAREST, "nearest")

typedef enum gp_agg {
#define GP_AGG_ID(NAME, name) GP_AGG_##NAME,
    GP_AGGS(GP_AGG_ID)
#undef GP_AGG_ID
        GP_N_AGGS
} gp_agg;

/*
 * Which elements mark the cells that they touch; the others that are not finite are left out, and a cell of nothing else is marked
 * by them. X(NAME, name in Python, GP_HAS_* bits that mark)
 */
#define GP_NANS(X)                                                                                                               \
    X(SHOW, "show", GP_HAS_NAN | GP_HAS_POS_INF | GP_HAS_NEG_INF | GP_HAS_MASKED)                                                \
    X(SKIP, "skip", 0)                                                                                                           \
    X(UNMASKED, "unmasked", GP_HAS_NAN | GP_HAS_POS_INF | GP_HAS_NEG_INF)                                                        \
    X(INFINITE, "infinite", GP_HAS_POS_INF | GP_HAS_NEG_INF)

typedef enum gp_nan {
#define GP_NAN_ID(NAME, name, bits) GP_NAN_##NAME,
    GP_NANS(GP_NAN_ID)
#undef GP_NAN_ID
        GP_N_NANS
} gp_nan;

/* Bits that say what kinds of element a set held; joined by OR, so their order never matters. */
enum { GP_HAS_NAN = 1, GP_HAS_POS_INF = 2, GP_HAS_NEG_INF = 4, GP_HAS_MASKED = 8, GP_HAS_FINITE = 16, GP_HAS_BAD = 15 };

/* An empty cell, and a masked element or a cell of nothing else, are NaNs with these payloads: told from a NaN of the data, and
 * NaNs to everybody who does not ask. */
#define GP_EMPTY_BITS ((uint64_t)0x7ff8000000e3f7e0u)
#define GP_MASKED_BITS ((uint64_t)0x7ff80000003a54edu)

GP_FN double gp_empty_cell(void) { return gp_f64_from_bits(GP_EMPTY_BITS); }
GP_FN bool gp_is_empty_cell(double cell) { return gp_bits_from_f64(cell) == GP_EMPTY_BITS; }
GP_FN double gp_masked_value(void) { return gp_f64_from_bits(GP_MASKED_BITS); }
GP_FN bool gp_is_masked_value(double x) { return gp_bits_from_f64(x) == GP_MASKED_BITS; }

GP_FN unsigned gp_class_of(double x)
{
    uint64_t magnitude = gp_bits_from_f64(x) & 0x7fffffffffffffffu;
    if (magnitude < 0x7ff0000000000000u)
        return GP_HAS_FINITE;
    if (magnitude > 0x7ff0000000000000u)
        return gp_is_masked_value(x) ? GP_HAS_MASKED : GP_HAS_NAN;
    return x > 0 ? GP_HAS_POS_INF : GP_HAS_NEG_INF;
}

/* The bits that mark under a policy. */
GP_FN unsigned gp_marking_bits(gp_nan nan)
{
    switch ((int)nan) {
#define GP_NAN_BITS(NAME, name, bits)                                                                                            \
    case GP_NAN_##NAME: return bits;
        GP_NANS(GP_NAN_BITS)
#undef GP_NAN_BITS
    default: return 0;
    }
}

/* True if a set with these bits is marked under the policy; the mark is then gp_mark_of. */
GP_FN bool gp_is_marked(unsigned has, gp_nan nan)
{
    return (has & gp_marking_bits(nan)) != 0 || (nan != GP_NAN_SHOW && (has & GP_HAS_FINITE) == 0);
}

/* NaN before +Inf before -Inf, for people hunt NaN first; masked where there is nothing else. */
GP_FN double gp_mark_value(unsigned has)
{
    if (has & GP_HAS_NAN)
        return gp_f64_from_bits(0x7ff8000000000000u);
    if (has & (GP_HAS_POS_INF | GP_HAS_NEG_INF))
        return gp_f64_from_bits(has & GP_HAS_POS_INF ? 0x7ff0000000000000u : 0xfff0000000000000u);
    return has & GP_HAS_MASKED ? gp_masked_value() : gp_f64_from_bits(0xfff0000000000000u);
}

/* The mark of a set: of what marks under the policy, else of all of it. Under GP_NAN_SHOW masked elements beside others count as
 * NaN. */
GP_FN double gp_mark_of(unsigned has, gp_nan nan)
{
    unsigned marking = has & gp_marking_bits(nan);
    if (nan == GP_NAN_SHOW && (has & GP_HAS_MASKED) && has != GP_HAS_MASKED)
        return gp_mark_value(GP_HAS_NAN);
    return gp_mark_value(marking != 0 ? marking : has);
}

/* What was computed from finite elements is finite itself: beyond float64 it is the largest number of its sign, and 0 where sums
 * ran over on both sides. */
GP_FN double gp_held(double x)
{
    const double largest = gp_f64_from_bits(0x7fefffffffffffffu);
    return x != x ? 0.0 : x > largest ? largest : x < -largest ? -largest : x;
}

/* Weighted second moments that are merged, never subtracted from each other: (weight, mean, sum of squared deviations). */
typedef struct gp_moments {
    double weight, mean, m2;
} gp_moments;

GP_FN gp_moments gp_moments_join(gp_moments a, gp_moments b)
{
    gp_moments joined;
    double delta = b.mean - a.mean;
    joined.weight = a.weight + b.weight;
    if (joined.weight == 0)
        return a;
    joined.mean = a.mean + delta * b.weight / joined.weight;
    joined.m2 = a.m2 + b.m2 + delta * delta * a.weight * b.weight / joined.weight;
    return joined;
}

/* Of two values the one of larger magnitude; of two magnitudes that are equal the larger value. */
GP_FN double gp_absmax_join(double a, double b)
{
    double magnitude_a = a < 0 ? -a : a, magnitude_b = b < 0 ? -b : b;
    if (magnitude_a != magnitude_b)
        return magnitude_a > magnitude_b ? a : b;
    return a > b ? a : b;
}

/*
 * A weighted mean without the noise of its weights: within a few units in the last place of a whole number or of a float32
 * it is that number. Equal elements then have exactly themselves as their mean; an ulp more at the upper colour limit
 * would be drawn in the colour for values above it.
 */
GP_FN double gp_mean_settle(double mean)
{
    double magnitude = mean < 0 ? -mean : mean, tolerance = magnitude * 0x1p-47;
    if (magnitude < 0x1p53) {
        double whole = rint(mean), away = mean - whole;
        if (away <= tolerance && -away <= tolerance)
            return whole;
    }
    if (magnitude < 0x1p127) {
        double single = (double)(float)mean, away = mean - single;
        if (away <= tolerance && -away <= tolerance)
            return single;
    }
    return mean;
}

#endif
