/* Percentiles: which order statistics one lies between, and what is between them, as NumPy's 'linear' has it. */
#ifndef GP_PERCENTILES_H
#define GP_PERCENTILES_H

#include "portable.h"
#include "status.h"

/* Fails where one of them is not in 0..100. */
gp_status gp_percents_check(const double *percents, int n_percents, gp_error *error) GP_MUST_CHECK;

/* Where a percentile lies: between order statistics low and high (which may be the same), a fraction of the way. */
typedef struct gp_percent_place {
    int64_t low, high;
    double fraction;
} gp_percent_place;

/* Among n values, each of which is there n_repeats times: ranks are those of the n. */
GP_FN gp_percent_place gp_percent_place_of(double percent, int64_t n, int64_t n_repeats)
{
    int64_t last = n * n_repeats - 1;
    double position = (double)last * (percent / 100);
    int64_t rank = (int64_t)floor(position);
    gp_percent_place place = {n - 1, n - 1, 0};
    if (rank < last)
        place.low = rank / n_repeats, place.high = (rank + 1) / n_repeats, place.fraction = position - (double)rank;
    return place;
}

/* Between order statistics k and k + 1. */
double gp_percent_between(double a, double b, double fraction);

#endif
