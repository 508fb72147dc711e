/* Joins and finishes the partial results of cells. */
#include "reduce.h"

void gp_states_reset(gp_states states, int64_t n)
{
    memset(states.a, 0, (size_t)n * sizeof *states.a);
    memset(states.b, 0, (size_t)n * sizeof *states.b);
    memset(states.c, 0, (size_t)n * sizeof *states.c);
    memset(states.has, 0, (size_t)n);
}

static void join_moments(gp_states to, gp_states from, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        gp_moments joined = {from.a[i], from.b[i], from.c[i]};
        if (from.a[i] == 0)
            continue;
        if (to.a[i] != 0)
            joined = gp_moments_join((gp_moments){to.a[i], to.b[i], to.c[i]}, joined);
        to.a[i] = joined.weight, to.b[i] = joined.mean, to.c[i] = joined.m2;
    }
}

static double join_extreme(gp_agg agg, double a, double b)
{
    if (agg == GP_AGG_MIN)
        return b < a ? b : a;
    if (agg == GP_AGG_MAX)
        return b > a ? b : a;
    return gp_absmax_join(a, b);
}

static void join_extremes(gp_agg agg, gp_states to, gp_states from, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (from.has[i] & GP_HAS_FINITE)
            to.a[i] = to.has[i] & GP_HAS_FINITE ? join_extreme(agg, to.a[i], from.a[i]) : from.a[i];
}

void gp_states_join(gp_agg agg, gp_states to, gp_states from, int64_t n)
{
    if (agg == GP_AGG_STD)
        join_moments(to, from, n);
    else if (agg == GP_AGG_MIN || agg == GP_AGG_MAX || agg == GP_AGG_ABSMAX)
        join_extremes(agg, to, from, n);
    else
        for (int64_t i = 0; i < n; i++)
            to.a[i] += from.a[i], to.b[i] += from.b[i];
    for (int64_t i = 0; i < n; i++)
        to.has[i] |= from.has[i];
}

static double std_of(double weight, double m2) { return m2 > 0 ? sqrt(m2 / weight) : 0.0; }

void gp_states_finish(const gp_reduction *job, gp_states states, int64_t n, double *out)
{
    uint8_t has = 0;
    for (int64_t i = 0; i < n; i++)
        has |= states.has[i] ^ GP_HAS_FINITE; /* 0: finite elements and nothing else */
    if (job->agg == GP_AGG_MEAN)
        job->folds->settle_means(states.a, states.b, n, out);
    else if (job->agg == GP_AGG_STD)
        for (int64_t i = 0; i < n; i++)
            out[i] = std_of(states.a[i], states.c[i]);
    else
        for (int64_t i = 0; i < n; i++)
            out[i] = states.a[i] + 0.0; /* -0.0 becomes +0.0 */
    for (int64_t i = 0; i < n && has != 0; i++)
        if (gp_is_marked(states.has[i], job->nan))
            out[i] = gp_mark_of(states.has[i], job->nan);
}
