/* The partial result of a cell: how it starts, takes elements, joins another one, and becomes the cell's value. */
#ifndef GP_CELL_STATE_H
#define GP_CELL_STATE_H

#include "../base/ordered.h"
#include "reductions.h"

/* Weighted moments: (weight, mean, sum of squared deviations). Merging them subtracts no large numbers from each other. */
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

/* Adds the moments of other elements. If one side is empty, nothing is computed. */
GP_FN void gp_moments_add(gp_moments *to, gp_moments from)
{
    if (from.weight != 0)
        *to = to->weight != 0 ? gp_moments_join(*to, from) : from;
}

/* The value of larger magnitude; of equal magnitudes the larger value. */
GP_FN double gp_absmax_join(double a, double b)
{
    double magnitude_a = a < 0 ? -a : a, magnitude_b = b < 0 ? -b : b;
    if (magnitude_a != magnitude_b)
        return magnitude_a > magnitude_b ? a : b;
    return a > b ? a : b;
}

/*
 * A weighted mean without the rounding errors of its weights: within a few units in the last place of a whole number or of a
 * float32 it becomes that number. The mean of equal elements is then exactly their value; one ulp more at the upper color
 * limit would be drawn in the color for values above it.
 */
GP_FN double gp_mean_settle(double mean)
{
    double magnitude = fabs(mean), tolerance = magnitude * 0x1p-47;
    if (magnitude < 0x1p53) {
        double whole = rint(mean);
        if (fabs(mean - whole) <= tolerance) /* one comparison: the sign of the difference is random, which costs guesses */
            return whole;
    }
    if (magnitude < 0x1p127) {
        double single = (double)(float)mean;
        if (fabs(mean - single) <= tolerance)
            return single;
    }
    return mean;
}

/*
 * The partial result of some elements of a cell. Partial results may be joined in any grouping; only the last bits of sums and moments
 * depend on it.
 *   sum        a = SUM weight * x, b = SUM weight; the weight of an aggregation of owned elements is 1 or 0
 *   extremes   a, b = smallest and largest, as the bits of gp_order, so that they are exact and joined as integers
 *   moments    a = SUM weight, b = mean, c = SUM weight * (x - mean)^2
 *   element    a = the element itself
 * Only finite elements are in a, b and c. has: GP_HAS_* bits of all elements; 0 if there are none.
 */
typedef struct gp_cell_state {
    double a, b, c;
    uint64_t has;
} gp_cell_state;

GP_FN double gp_bits_of_order(gp_order order) { return gp_f64_from_bits((uint64_t)order); }
GP_FN gp_order gp_order_of_bits(double bits) { return (gp_order)gp_bits_from_f64(bits); }

/* The state of no elements. */
GP_FN gp_cell_state gp_cell_state_none(gp_state_kind kind)
{
    gp_cell_state none = {0, 0, 0, 0};
    if (kind == GP_STATE_EXTREMES)
        none.a = gp_bits_of_order(GP_ORDER_LAST), none.b = gp_bits_of_order(GP_ORDER_FIRST);
    return none;
}

/* The state of one element x, with its order. */
GP_FN gp_cell_state gp_cell_state_one(gp_state_kind kind, double x, gp_order order, double weight)
{
    gp_cell_state one = gp_cell_state_none(kind);
    one.has = gp_class_of(x);
    if (one.has != GP_HAS_FINITE)
        return one;
    switch (kind) {
    case GP_STATE_SUM: one.a = weight * x, one.b = weight; break;
    case GP_STATE_EXTREMES: one.a = one.b = gp_bits_of_order(order); break;
    case GP_STATE_MOMENTS: one.a = weight, one.b = x; break;
    case GP_STATE_ELEMENT: one.a = x; break;
    }
    return one;
}

GP_FN void gp_cell_state_join(gp_state_kind kind, gp_cell_state *to, const gp_cell_state *from)
{
    switch (kind) {
    case GP_STATE_SUM: to->a += from->a, to->b += from->b; break;
    case GP_STATE_EXTREMES:
        to->a = gp_order_of_bits(from->a) < gp_order_of_bits(to->a) ? from->a : to->a;
        to->b = gp_order_of_bits(from->b) > gp_order_of_bits(to->b) ? from->b : to->b;
        break;
    case GP_STATE_MOMENTS: {
        gp_moments joined = {to->a, to->b, to->c}, others = {from->a, from->b, from->c};
        gp_moments_add(&joined, others);
        to->a = joined.weight, to->b = joined.mean, to->c = joined.m2;
        break;
    }
    case GP_STATE_ELEMENT: to->a = to->has != 0 ? to->a : from->a; break;
    }
    to->has |= from->has;
}

/* Multiplies the weight of the elements. */
GP_FN void gp_cell_state_scale(gp_state_kind kind, gp_cell_state *state, double factor)
{
    if (kind == GP_STATE_SUM)
        state->a *= factor, state->b *= factor;
    else if (kind == GP_STATE_MOMENTS)
        state->a *= factor, state->c *= factor;
}

/* hi - lo, rounded once; beyond float64 the largest number. */
GP_FN double gp_order_distance(gp_order_type order, gp_order lo, gp_order hi)
{
    if (order == GP_ORDER_F64)
        return gp_held(gp_f64_of_order(hi) - gp_f64_of_order(lo));
    return (double)((uint64_t)hi - (uint64_t)lo);
}

/* The value of the finite elements under an aggregation; `order` is the type of extremes. Zero is always +0.0. */
GP_FN double gp_cell_state_value(gp_agg agg, gp_order_type order, const gp_cell_state *s)
{
    gp_order lo = gp_order_of_bits(s->a), hi = gp_order_of_bits(s->b);
    switch (agg) {
    case GP_AGG_MEAN: return gp_mean_settle(s->a / s->b) + 0.0;
    case GP_AGG_MAX: return gp_f64_of(order, hi) + 0.0;
    case GP_AGG_MIN: return gp_f64_of(order, lo) + 0.0;
    case GP_AGG_ABSMAX: return gp_absmax_join(gp_f64_of(order, lo), gp_f64_of(order, hi)) + 0.0;
    case GP_AGG_RANGE: return gp_order_distance(order, lo, hi);
    case GP_AGG_STD: return gp_held(sqrt(gp_held_spread(s->c) / s->a));
    case GP_AGG_VAR: return gp_held(gp_held_spread(s->c) / s->a);
    case GP_AGG_COUNT: return s->b;
    case GP_AGG_SUM:
    case GP_AGG_NEAREST: return s->a + 0.0;
    case GP_N_AGGS: break;
    }
    return gp_empty_cell();
}

/* The value of a cell, or its mark under the policy. */
GP_FN double gp_cell_state_finish(gp_agg agg, gp_nan nan, gp_order_type order, const gp_cell_state *state)
{
    if (state->has == 0)
        return gp_empty_cell();
    if (gp_is_marked((unsigned)state->has, nan))
        return gp_mark_of((unsigned)state->has, nan);
    return gp_cell_state_value(agg, order, state);
}

#endif
