/* Checks and interpolation of percentiles, and the keys of a range of values. */
#include "percentiles.h"

gp_status gp_percents_check(const double *percents, int n_percents, gp_error *error)
{
    for (int i = 0; i < n_percents; i++)
        if (!(percents[i] >= 0 && percents[i] <= 100))
            return gp_fail(error, GP_ERR_VALUE, "percentile %g is not between 0 and 100", percents[i]);
    return GP_OK;
}

double gp_percent_between(double a, double b, double fraction)
{
    if (isinf(b - a)) /* the difference of a and b exceeds the range of double */
        return a * (1 - fraction) + b * fraction;
    return fraction < 0.5 ? a + (b - a) * fraction : b - (b - a) * (1 - fraction);
}

/* The first distance of which a value is at least `bound` (is_above: above it), or span where none is. */
static uint64_t first_distance(double bound, bool is_above, uint64_t span, gp_value_of_distance value_of, const void *context)
{
    uint64_t low = 0, high = span;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        double value = value_of(context, middle);
        if (is_above ? value > bound : value >= bound)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool gp_distances_between(double low, double high, uint64_t span, gp_value_of_distance value_of, const void *context,
                          uint64_t *first, uint64_t *last)
{
    *first = first_distance(low, false, span, value_of, context), *last = first_distance(high, true, span, value_of, context);
    if (value_of(context, *last) > high && *last > 0)
        *last -= 1;
    double least = value_of(context, *first), most = value_of(context, *last);
    return least >= low && least <= high && most >= low && most <= high;
}
