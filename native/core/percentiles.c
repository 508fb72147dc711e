/* Checks and interpolation of percentiles. */
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
