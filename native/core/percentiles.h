/* Percentiles: which order statistics one lies between, and what is between them, as NumPy's 'linear' has it. */
#ifndef GP_PERCENTILES_H
#define GP_PERCENTILES_H

#include "portable.h"
#include "status.h"

/* Fails where one of them is not in 0..100. */
gp_status gp_percents_check(const double *percents, int n_percents, gp_error *error) GP_MUST_CHECK;

/* Splits a percentile's position among n values into the rank below it and the fraction behind. */
GP_FN int64_t gp_percent_rank(double percent, int64_t n, double *fraction)
{
    double position = (double)(n - 1) * (percent / 100);
    int64_t rank = (int64_t)floor(position);
    *fraction = rank >= n - 1 ? 0 : position - (double)rank;
    return rank >= n - 1 ? n - 1 : rank;
}

/* Between order statistics k and k + 1. */
double gp_percent_between(double a, double b, double fraction);

#endif
