/* Elements multiplied by a power of two: for sums and squares that would leave the range of float64 while their result does not. */
#ifndef GP_SCALED_H
#define GP_SCALED_H

#include "cell_state.h"

/*
 * Multiplied by GP_SCALE_DOWN, no sum of up to 2^60 elements, or of their squares, is beyond float64; multiplied by GP_SCALE_UP, small
 * elements have squares that are not rounded to zero. Results are exact multiples of what the elements themselves come to.
 */
#define GP_SCALE_DOWN 0x1p-600
#define GP_SCALE_UP 0x1p600

/* Spreads below this are worked out from larger elements: squares of the deviations they stand for may have been rounded to zero. */
#define GP_LEAST_SPREAD 0x1p-450

/* Means above this are of elements that are too large for GP_SCALE_UP, and whose spread is larger or exactly zero. */
#define GP_LARGEST_SMALL 0x1p-390

/* Which scales the elements of a partial result need; joined by OR. */
enum { GP_NEEDS_DOWN = 1, GP_NEEDS_UP = 2 };

/* An element by the factor of its plane, where 0 is none; a NaN keeps its bits, by which masked elements are known. */
GP_FN double gp_scaled(double x, double scale) { return scale != 0 && x == x ? x * scale : x; }

/* The scales that moments need. Equal elements spread by nothing, and only their mean tells that they may have been small. */
GP_FN unsigned gp_moments_need(double mean, double m2)
{
    double magnitude = mean < 0 ? -mean : mean;
    if (gp_class_of(mean) != GP_HAS_FINITE || gp_class_of(m2) != GP_HAS_FINITE)
        return GP_NEEDS_DOWN;
    bool is_small = m2 < GP_LEAST_SPREAD * GP_LEAST_SPREAD && magnitude < GP_LARGEST_SMALL;
    return is_small && (m2 != 0 || mean != 0) ? GP_NEEDS_UP : 0;
}

/* The same of a cell; 0 where nothing is computed from its elements, or none is finite. */
GP_FN unsigned gp_cell_state_needs(gp_state_kind kind, const gp_cell_state *state)
{
    if (!(state->has & GP_HAS_FINITE))
        return 0;
    if (kind == GP_STATE_MOMENTS)
        return gp_moments_need(state->b, state->c);
    return kind == GP_STATE_SUM && gp_class_of(state->a) != GP_HAS_FINITE ? GP_NEEDS_DOWN : 0;
}

/*
 * Whether the value of a cell is to be replaced by `back`, which its scaled elements come to. Other cells are why elements are scaled up:
 * equal elements of this one may be so large that the rounding errors of their mean, or they themselves, then leave the range.
 */
GP_FN bool gp_takes_scaled(gp_agg agg, double value, double back, double scale)
{
    bool is_spread = gp_agg_kind(agg) == GP_STATE_MOMENTS;
    double least = agg == GP_AGG_VAR ? GP_LEAST_SPREAD * GP_LEAST_SPREAD : GP_LEAST_SPREAD;
    if (scale > 1)
        return is_spread && value < least && back < least;
    return gp_class_of(value) != GP_HAS_FINITE || (is_spread && value == gp_held(gp_mark_value(GP_HAS_POS_INF)));
}

/* The value that a cell has by its own elements, from that of scaled ones. It is finite as they are, but for a sum. */
GP_FN double gp_scaled_back(gp_agg agg, double value, double scale)
{
    double back = value / scale;
    back = agg == GP_AGG_VAR ? back / scale : back;
    return agg == GP_AGG_SUM ? back : gp_held(back);
}

#endif
