/* The aggregations of elements to cells, with their facts; the NaN policies, and the marks of cells. */
#ifndef GP_REDUCTIONS_H
#define GP_REDUCTIONS_H

#include "../base/portable.h"

/* The kinds of partial results; see cell_state.h. */
typedef enum gp_state_kind { GP_STATE_SUM, GP_STATE_EXTREMES, GP_STATE_MOMENTS, GP_STATE_ELEMENT } gp_state_kind;

/* Facts about an aggregation. */
enum {
    GP_AGG_KEEPS = 1,     /* its value for one element is that element */
    GP_AGG_SELECTS = 2,   /* its value is one of the elements */
    GP_AGG_ADDS_UP = 4,   /* twice the elements have twice the value */
    GP_AGG_OWN_UNITS = 8, /* color limits of elements do not fit its values */
    GP_AGG_OWNED = 16,    /* an element belongs to one cell, with weight 1 */
    GP_AGG_LINEAR = 32,   /* its value for a difference is the difference of its values */
    GP_AGG_DIRECT = 64    /* the CPU's box_values.c has its formula, too; others are only computed from states */
};

/* X(NAME, name that users see, kind of partial result, facts); gp_cell_state_value has the formula of each. */
#define GP_AGGS(X)                                                                                                               \
    X(MEAN, "mean", SUM, GP_AGG_KEEPS | GP_AGG_LINEAR | GP_AGG_DIRECT)                                                           \
    X(MAX, "max", EXTREMES, GP_AGG_KEEPS | GP_AGG_SELECTS | GP_AGG_DIRECT)                                                       \
    X(MIN, "min", EXTREMES, GP_AGG_KEEPS | GP_AGG_SELECTS | GP_AGG_DIRECT)                                                       \
    X(ABSMAX, "absmax", EXTREMES, GP_AGG_KEEPS | GP_AGG_SELECTS | GP_AGG_DIRECT)                                                 \
    X(RANGE, "range", EXTREMES, GP_AGG_OWN_UNITS | GP_AGG_DIRECT)                                                                \
    X(STD, "std", MOMENTS, GP_AGG_OWN_UNITS | GP_AGG_DIRECT)                                                                     \
    X(VAR, "var", MOMENTS, GP_AGG_OWN_UNITS | GP_AGG_DIRECT)                                                                     \
    X(SUM, "sum", SUM, GP_AGG_KEEPS | GP_AGG_ADDS_UP | GP_AGG_OWN_UNITS | GP_AGG_LINEAR | GP_AGG_DIRECT)                         \
    X(COUNT, "count", SUM, GP_AGG_ADDS_UP | GP_AGG_OWN_UNITS | GP_AGG_OWNED)                                                     \
    X(NEAREST, "nearest", ELEMENT, GP_AGG_KEEPS | GP_AGG_SELECTS | GP_AGG_LINEAR)

typedef enum gp_agg {
#define GP_AGG_ID(NAME, name, KIND, facts) GP_AGG_##NAME,
    GP_AGGS(GP_AGG_ID)
#undef GP_AGG_ID
        GP_N_AGGS
} gp_agg;

GP_FN gp_state_kind gp_agg_kind(gp_agg agg)
{
    switch ((int)agg) {
#define GP_AGG_KIND(NAME, name, KIND, facts)                                                                                     \
    case GP_AGG_##NAME: return GP_STATE_##KIND;
        GP_AGGS(GP_AGG_KIND)
#undef GP_AGG_KIND
    default: return GP_STATE_ELEMENT;
    }
}

/* Whether a fact holds. */
GP_FN bool gp_agg_is(gp_agg agg, unsigned fact)
{
    switch ((int)agg) {
#define GP_AGG_FACTS(NAME, name, KIND, facts)                                                                                    \
    case GP_AGG_##NAME: return ((facts) & fact) != 0;
        GP_AGGS(GP_AGG_FACTS)
#undef GP_AGG_FACTS
    default: return false;
    }
}

/*
 * The NaN policies: which elements mark the cells that they touch. Other elements that are not finite are left out, and mark only
 * cells that have nothing else. X(NAME, name in Python, GP_HAS_* bits that mark)
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

/* Bits for the kinds of elements in a set; joined by OR, so that order does not matter. */
enum { GP_HAS_NAN = 1, GP_HAS_POS_INF = 2, GP_HAS_NEG_INF = 4, GP_HAS_MASKED = 8, GP_HAS_FINITE = 16, GP_HAS_BAD = 15 };

/* An empty cell, and a masked element or a cell of only masked elements, are NaNs with these payloads, which distinguish them from
 * NaNs of the data. */
#define GP_EMPTY_BITS ((uint64_t)0x7ff8000000e3f7e0u)
#define GP_MASKED_BITS ((uint64_t)0x7ff80000003a54edu)

GP_FN double gp_empty_cell(void) { return gp_f64_from_bits(GP_EMPTY_BITS); }
GP_FN bool gp_is_empty_cell(double cell) { return gp_bits_from_f64(cell) == GP_EMPTY_BITS; }
GP_FN double gp_masked_value(void) { return gp_f64_from_bits(GP_MASKED_BITS); }
GP_FN bool gp_is_masked_value(double x) { return gp_bits_from_f64(x) == GP_MASKED_BITS; }

/* Whether a cell is marked by NaN: not a number or infinity, not empty, and not masked. */
GP_FN bool gp_is_nan_cell(double cell) { return cell != cell && !gp_is_empty_cell(cell) && !gp_is_masked_value(cell); }

GP_FN unsigned gp_class_of(double x)
{
    uint64_t magnitude = gp_bits_from_f64(x) & 0x7fffffffffffffffu;
    if (magnitude < 0x7ff0000000000000u)
        return GP_HAS_FINITE;
    if (magnitude > 0x7ff0000000000000u)
        return gp_is_masked_value(x) ? GP_HAS_MASKED : GP_HAS_NAN;
    return x > 0 ? GP_HAS_POS_INF : GP_HAS_NEG_INF;
}

/* The GP_HAS_* bits that mark under a policy. */
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

/* Whether a set with these bits is marked under the policy; the mark is then gp_mark_of. */
GP_FN bool gp_is_marked(unsigned has, gp_nan nan)
{
    return (has & gp_marking_bits(nan)) != 0 || (nan != GP_NAN_SHOW && (has & GP_HAS_FINITE) == 0);
}

/* NaN before +Inf before -Inf, as NaN is what people look for; masked if there is nothing else. */
GP_FN double gp_mark_value(unsigned has)
{
    if (has & GP_HAS_NAN)
        return gp_f64_from_bits(0x7ff8000000000000u);
    if (has & (GP_HAS_POS_INF | GP_HAS_NEG_INF))
        return gp_f64_from_bits(has & GP_HAS_POS_INF ? 0x7ff0000000000000u : 0xfff0000000000000u);
    return has & GP_HAS_MASKED ? gp_masked_value() : gp_f64_from_bits(0xfff0000000000000u);
}

/* The mark of a set: that of the elements that mark under the policy, else of all. Under GP_NAN_SHOW masked elements beside others
 * count as NaN. */
GP_FN double gp_mark_of(unsigned has, gp_nan nan)
{
    unsigned marking = has & gp_marking_bits(nan);
    if (nan == GP_NAN_SHOW && (has & GP_HAS_MASKED) && has != GP_HAS_MASKED)
        return gp_mark_value(GP_HAS_NAN);
    return gp_mark_value(marking != 0 ? marking : has);
}

/* Whether the mark of a set is NaN. */
GP_FN bool gp_is_marked_nan(unsigned has, gp_nan nan) { return gp_is_marked(has, nan) && gp_is_nan_cell(gp_mark_of(has, nan)); }

/* Corrects a sum of squared deviations of finite elements: at least 0; +Inf if it overflowed, also to NaN by inf - inf. */
GP_FN double gp_held_spread(double m2) { return m2 != m2 ? gp_f64_from_bits(0x7ff0000000000000u) : m2 > 0 ? m2 : 0.0; }

/* Makes a result for finite elements finite: on overflow it is the largest number of its sign, and 0 for a NaN, where sums overflowed
 * in both directions. */
GP_FN double gp_held(double x)
{
    const double largest = gp_f64_from_bits(0x7fefffffffffffffu);
    return x != x ? 0.0 : x > largest ? largest : x < -largest ? -largest : x;
}

#endif
