/* Percentiles by NumPy's method 'linear': the two order statistics around a percentile, and the interpolation. */
#ifndef GP_PERCENTILES_H
#define GP_PERCENTILES_H

#include "../base/portable.h"
#include "../base/status.h"

/* Fails if one of them is not in 0..100. */
gp_status gp_percents_check(const double *percents, int n_percents, gp_error *error) GP_MUST_CHECK;

/* A percentile lies between order statistics low and high (which may be the same), at this fraction of the way. */
typedef struct gp_percent_place {
    int64_t low, high;
    double fraction;
} gp_percent_place;

/* The place among n values, each of which counts n_repeats times; low and high are ranks among the n. */
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

/* The interpolation between order statistics a and b. */
double gp_percent_between(double a, double b, double fraction);

/* The value of the key at this distance from the first one; it never falls. */
typedef double (*gp_value_of_distance)(const void *context, uint64_t distance);

/* The distances first..last of the keys whose values are from low to high, among 0..span; false if there are none. */
bool gp_distances_between(double low, double high, uint64_t span, gp_value_of_distance value_of, const void *context,
                          uint64_t *first, uint64_t *last);

#endif
