/* The range of some elements and counts of their kinds: how this starts, takes elements, joins, and becomes limits. */
#ifndef GP_LIMITS_STATE_H
#define GP_LIMITS_STATE_H

#include "../base/ordered.h"
#include "reductions.h"

/* What to find about elements in a pass over them. */
enum { GP_WANT_RANGE = 1, GP_WANT_POSITIVE = 2, GP_WANT_COUNTS = 4 };

/* Facts about the elements of a plane. Values are those of finite elements, NaN if there are none. */
typedef struct gp_limits {
    double min, max;     /* GP_WANT_RANGE; found in the dtype, then converted */
    double min_positive; /* GP_WANT_POSITIVE: the smallest element above zero */
    unsigned has;        /* GP_WANT_RANGE: GP_HAS_* bits of all elements */
    int64_t n_finite, n_nan, n_pos_inf, n_neg_inf, n_masked; /* GP_WANT_COUNTS */
} gp_limits;

/*
 * The facts about some elements. States may be joined in any order and grouping, with the same bits. Extremes are float64, to which
 * integers are rounded, which keeps their order. If counts were not asked for, they only tell whether there is any such element.
 */
typedef struct gp_limits_state {
    gp_order lowest, highest, smallest_positive; /* of finite elements */
    int64_t n_finite, n_nan, n_pos_inf, n_neg_inf, n_masked;
} gp_limits_state;

/* The state of no elements. */
GP_FN gp_limits_state gp_limits_state_none(void)
{
    gp_limits_state none = {GP_ORDER_LAST, GP_ORDER_FIRST, GP_ORDER_LAST, 0, 0, 0, 0, 0};
    return none;
}

/* Adds the extremes of finite elements; lo > hi: there are none. */
GP_FN void gp_limits_state_add_range(gp_limits_state *to, double lo, double hi)
{
    gp_order lowest = gp_order_of_f64(lo), highest = gp_order_of_f64(hi);
    to->lowest = lo <= hi && lowest < to->lowest ? lowest : to->lowest;
    to->highest = lo <= hi && highest > to->highest ? highest : to->highest;
}

/* Adds the smallest element above zero; +Inf: there is none. */
GP_FN void gp_limits_state_add_positive(gp_limits_state *to, double positive)
{
    gp_order order = gp_order_of_f64(positive);
    to->smallest_positive = gp_class_of(positive) == GP_HAS_FINITE && order < to->smallest_positive ? order
                                                                                                    : to->smallest_positive;
}

GP_FN void gp_limits_state_join(gp_limits_state *to, const gp_limits_state *from)
{
    to->lowest = from->lowest < to->lowest ? from->lowest : to->lowest;
    to->highest = from->highest > to->highest ? from->highest : to->highest;
    to->smallest_positive = from->smallest_positive < to->smallest_positive ? from->smallest_positive : to->smallest_positive;
    to->n_finite += from->n_finite, to->n_nan += from->n_nan;
    to->n_pos_inf += from->n_pos_inf, to->n_neg_inf += from->n_neg_inf, to->n_masked += from->n_masked;
}

/* Changes the state to that of n copies of each element. */
GP_FN void gp_limits_state_repeat(gp_limits_state *state, int64_t n)
{
    state->n_finite *= n, state->n_nan *= n, state->n_pos_inf *= n, state->n_neg_inf *= n, state->n_masked *= n;
}

GP_FN double gp_limit_or_nan(bool is_there, gp_order order)
{
    return is_there ? gp_f64_of_order(order) + 0.0 : gp_mark_value(GP_HAS_NAN);
}

GP_FN gp_limits gp_limits_state_finish(const gp_limits_state *state)
{
    gp_limits limits;
    limits.min = gp_limit_or_nan(state->n_finite > 0, state->lowest);
    limits.max = gp_limit_or_nan(state->n_finite > 0, state->highest);
    limits.min_positive = gp_limit_or_nan(state->smallest_positive != GP_ORDER_LAST, state->smallest_positive);
    limits.has = (state->n_finite > 0 ? (unsigned)GP_HAS_FINITE : 0u) | (state->n_nan > 0 ? (unsigned)GP_HAS_NAN : 0u) |
                 (state->n_pos_inf > 0 ? (unsigned)GP_HAS_POS_INF : 0u) | (state->n_neg_inf > 0 ? (unsigned)GP_HAS_NEG_INF : 0u) |
                 (state->n_masked > 0 ? (unsigned)GP_HAS_MASKED : 0u);
    limits.n_finite = state->n_finite, limits.n_nan = state->n_nan, limits.n_masked = state->n_masked;
    limits.n_pos_inf = state->n_pos_inf, limits.n_neg_inf = state->n_neg_inf;
    return limits;
}

#endif
