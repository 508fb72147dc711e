/* gp_limits_search: color limits from the ranges of elements and of cells, found by the device that has them. */
#ifndef GP_LIMITS_SEARCH_H
#define GP_LIMITS_SEARCH_H

#include "../states/limits_state.h"
#include "scales.h"

/* What missing limits are found from. X(NAME, name that Python uses) */
#define GP_LIMITS_ORIGINS(X)                                                                                                     \
    X(ELEMENTS, "elements")                                                                                                      \
    X(CELLS, "cells")                                                                                                            \
    X(EITHER, "either") /* cells where these use less than `least_part` of the colors with the limits of elements */

typedef enum gp_limits_origin {
#define GP_LIMITS_ORIGIN_ID(NAME, name) GP_ORIGIN_##NAME,
    GP_LIMITS_ORIGINS(GP_LIMITS_ORIGIN_ID)
#undef GP_LIMITS_ORIGIN_ID
        GP_N_ORIGINS
} gp_limits_origin;

/* The smallest and the largest of some finite values, NaN where there are none; or vmin and vmax. */
typedef struct gp_ends {
    double low, high;
} gp_ends;

typedef struct gp_limits_search {
    gp_limits_origin origin;
    double least_part; /* for EITHER, from 0 to 1 */
    double center;     /* NaN, or limits lie at equal distances from it */
    gp_ends given;     /* limits that are given; a NaN is missing, and with a center both are */
    bool knows_elements;
    gp_ends elements;  /* of the plane, where they are known; else found */
} gp_limits_search;

/* Whether a norm's limits may be searched for: its preparation is arithmetic that gives the same bits on every device. */
GP_FN bool gp_norm_is_searched(gp_norm norm) { return norm == GP_NORM_LINEAR || norm == GP_NORM_POWER; }

GP_FN gp_ends gp_limits_state_ends(const gp_limits_state *state)
{
    bool is_there = state->lowest <= state->highest;
    gp_ends ends = {gp_limit_or_nan(is_there, state->lowest), gp_limit_or_nan(is_there, state->highest)};
    return ends;
}

GP_FN double gp_distance(double a, double b) { return a < b ? b - a : a - b; }

/* Limits at equal distances from `center`; rounded, neither leaves out the end that it is for. */
GP_FN gp_ends gp_centered_limits(double center, gp_ends of)
{
    double below = gp_distance(of.low, center), above = gp_distance(of.high, center);
    double reach = below > above ? below : above;
    gp_ends limits = {center - reach, center + reach};
    if (of.low < limits.low)
        limits.low = of.low;
    if (of.high > limits.high)
        limits.high = of.high;
    return limits;
}

/* Color limits for values with these ends; 0 and 1 where there are none. */
GP_FN gp_ends gp_limits_for(const gp_limits_search *search, gp_ends of)
{
    gp_ends limits = search->given;
    bool has_values = of.low <= of.high, is_centered = search->center == search->center;
    if (has_values && is_centered)
        return gp_centered_limits(search->center, of);
    if (limits.low != limits.low)
        limits.low = has_values ? of.low : 0;
    if (limits.high != limits.high)
        limits.high = has_values ? of.high : 1;
    return limits;
}

/* The part of the colors between the ends of cells; NaN or 1 where that is not known. */
GP_FN double gp_part_of_colors(gp_scale scale, gp_ends limits, gp_ends cells)
{
    if (!(cells.low < cells.high) || !(limits.low < limits.high))
        return 1;
    gp_scale_set_limits(&scale, limits.low, limits.high);
    return gp_scale_t(&scale, cells.high) - gp_scale_t(&scale, cells.low);
}

/* vmin and vmax; `scale` has the norm and its parameters. */
GP_FN gp_ends gp_limits_search_run(const gp_limits_search *search, const gp_scale *scale, gp_ends elements, gp_ends cells)
{
    gp_ends of_elements = gp_limits_for(search, search->knows_elements ? search->elements : elements);
    if (search->origin == GP_ORIGIN_ELEMENTS)
        return of_elements;
    if (search->origin == GP_ORIGIN_EITHER && !(gp_part_of_colors(*scale, of_elements, cells) < search->least_part))
        return of_elements;
    return gp_limits_for(search, cells);
}

#endif
