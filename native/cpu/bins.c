/* How good a guess of bins is, and limits of integers as loops compare them. */
#include "bins.h"

/* How far the guess can be off. It rises with x, so that its values at the edges tell; some more for what the loops round. */
static void learn_doubt(gp_bins *bins)
{
    double lowest = bins->edges[0];
    bins->scale = (double)bins->n_bins / (bins->edges[bins->n_bins] - lowest);
    bins->doubt = 0x1p-50;
    for (int64_t i = 0; i <= bins->n_bins && bins->doubt < 1; i++) {
        double away = fabs((bins->edges[i] - lowest) * bins->scale - (double)i);
        bins->doubt = away <= bins->doubt ? bins->doubt : away < 1 ? away : 1; /* 1 for what is not a number, too */
    }
}

gp_bins gp_bins_of(const double *edges, int64_t n_bins)
{
    gp_bins bins = {.edges = edges, .n_bins = n_bins};
    learn_doubt(&bins);
    return bins;
}

/* The limits as orders, as far as the dtype is one of less than 64 bits. */
void gp_bins_set_range(gp_bins *bins, gp_dtype dtype, const gp_integer_range *range)
{
    bool is_unsigned = dtype == GP_U8 || dtype == GP_U16 || dtype == GP_U32;
    bins->has_range = true;
    bins->first = range->first, bins->last = range->last;
    if (dtype == GP_U64)
        bins->first = gp_order_of_u64((uint64_t)range->first), bins->last = gp_order_of_u64((uint64_t)range->last);
    if (is_unsigned && bins->first < 0) /* their bits are those of huge numbers */
        bins->first = INT64_MAX;
    if (is_unsigned && bins->last < 0)
        bins->last = INT64_MAX;
}
