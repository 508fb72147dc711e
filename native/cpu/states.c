/* Joins and finishes the partial results of cells. */
#include "reduce.h"

void gp_states_reset(gp_states states, int64_t n)
{
    memset(states.a, 0, (size_t)n * sizeof *states.a);
    memset(states.b, 0, (size_t)n * sizeof *states.b);
    memset(states.c, 0, (size_t)n * sizeof *states.c);
    memset(states.has, 0, (size_t)n);
}

static double join_extremes(gp_agg agg, double a, double b)
{
    if (agg == GP_AGG_MIN)
        return b < a ? b : a;
    if (agg == GP_AGG_MAX)
        return b > a ? b : a;
    return gp_absmax_join(a, b);
}

void gp_states_join(gp_agg agg, gp_states to, int64_t k, gp_states from, int64_t i)
{
    bool was_finite = to.has[k] & GP_HAS_FINITE;
    to.has[k] |= from.has[i];
    if (agg == GP_AGG_STD) {
        gp_moments joined = gp_moments_join((gp_moments){to.a[k], to.b[k], to.c[k]},
                                            (gp_moments){from.a[i], from.b[i], from.c[i]});
        to.a[k] = joined.weight, to.b[k] = joined.mean, to.c[k] = joined.m2;
    } else if (agg == GP_AGG_MIN || agg == GP_AGG_MAX || agg == GP_AGG_ABSMAX) {
        if (from.has[i] & GP_HAS_FINITE)
            to.a[k] = was_finite ? join_extremes(agg, to.a[k], from.a[i]) : from.a[i];
    } else {
        to.a[k] += from.a[i];
        to.b[k] += from.b[i];
    }
}

double gp_states_finish(gp_agg agg, gp_nan nan, gp_states states, int64_t i)
{
    if (gp_is_marked(states.has[i], nan))
        return gp_mark_value(states.has[i]);
    double value = states.a[i];
    if (agg == GP_AGG_MEAN)
        value = gp_mean_settle(value / states.b[i]);
    else if (agg == GP_AGG_STD)
        value = states.c[i] > 0 ? sqrt(states.c[i] / states.a[i]) : 0.0;
    return value + 0.0; /* -0.0 becomes +0.0 */
}
