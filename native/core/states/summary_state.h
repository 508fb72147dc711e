/* What is known about some elements of a plane: how it starts, joins what is known about others, and what it comes to. */
#ifndef GP_SUMMARY_STATE_H
#define GP_SUMMARY_STATE_H

#include "cell_state.h"

/* A position that is none. */
#define GP_NOWHERE ((int64_t)0x7fffffffffffffff)

/*
 * Finite elements are of neg, zero or pos, which is what is neither of the others. Extremes and moments are of finite elements, each
 * of weight 1; extremes are of no use while there is none. Positions are GP_NOWHERE where there is none, or nobody looked.
 */
typedef struct gp_summary_state {
    int64_t n_nan, n_neg_inf, n_pos_inf, n_masked, n_finite, n_neg, n_zero, n_subnormal;
    gp_order lowest, highest;
    int64_t argmin, argmax, first_nan;
    gp_moments moments;
} gp_summary_state;

/* Of no elements. */
GP_FN gp_summary_state gp_summary_state_none(void)
{
    gp_summary_state none = {0,          0,          0,          0,        0, 0, 0, 0, GP_ORDER_LAST, GP_ORDER_FIRST,
                             GP_NOWHERE, GP_NOWHERE, GP_NOWHERE, {0, 0, 0}};
    return none;
}

/* Not commutative in the last bits of the moments: states are joined in the order of their elements, or in another fixed one. */
GP_FN void gp_summary_state_join(gp_summary_state *to, const gp_summary_state *from)
{
    gp_moments_add(&to->moments, from->moments);
    if (from->lowest < to->lowest || (from->lowest == to->lowest && from->argmin < to->argmin))
        to->lowest = from->lowest, to->argmin = from->argmin;
    if (from->highest > to->highest || (from->highest == to->highest && from->argmax < to->argmax))
        to->highest = from->highest, to->argmax = from->argmax;
    to->first_nan = from->first_nan < to->first_nan ? from->first_nan : to->first_nan;
    to->n_nan += from->n_nan, to->n_neg_inf += from->n_neg_inf, to->n_pos_inf += from->n_pos_inf;
    to->n_masked += from->n_masked, to->n_finite += from->n_finite, to->n_neg += from->n_neg, to->n_zero += from->n_zero;
    to->n_subnormal += from->n_subnormal;
}

/* The state of some elements as that of n of each; positions, which are of the first ones, stay. */
GP_FN void gp_summary_state_repeat(gp_summary_state *state, int64_t n)
{
    state->n_nan *= n, state->n_neg_inf *= n, state->n_pos_inf *= n, state->n_masked *= n;
    state->n_finite *= n, state->n_neg *= n, state->n_zero *= n, state->n_subnormal *= n;
    state->moments.weight *= (double)n, state->moments.m2 *= (double)n;
}

/* Where an element of a piece of n_cols columns, which begins at `origin` of a plane of whole_cols columns, is in that plane. */
GP_FN int64_t gp_position_in_whole(int64_t position, int64_t n_cols, int64_t origin, int64_t whole_cols)
{
    return position == GP_NOWHERE ? position : origin + position / n_cols * whole_cols + position % n_cols;
}

/* Makes positions in a piece those in the whole plane: pieces that are placed can be joined. */
GP_FN void gp_summary_state_place(gp_summary_state *state, int64_t n_cols, int64_t origin, int64_t whole_cols)
{
    state->argmin = gp_position_in_whole(state->argmin, n_cols, origin, whole_cols);
    state->argmax = gp_position_in_whole(state->argmax, n_cols, origin, whole_cols);
    state->first_nan = gp_position_in_whole(state->first_nan, n_cols, origin, whole_cols);
}

/* Extremes of this type to those of GP_ORDER_F64: integers are rounded to the nearest float64. */
GP_FN void gp_summary_state_round(gp_summary_state *state, gp_order_type order)
{
    if (state->n_finite == 0)
        return;
    state->lowest = gp_order_of_f64(gp_f64_of(order, state->lowest));
    state->highest = gp_order_of_f64(gp_f64_of(order, state->highest));
}

#endif
