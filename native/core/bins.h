/* The bins of histograms, on every device: where an element belongs, how far an estimate may be from that, how counts join. */
#ifndef GP_BINS_H
#define GP_BINS_H

#include "portable.h"

#define GP_MOST_BINS (1 << 30)

/* An estimate that may be farther from the truth than this, in bins, is of no use: bins are searched for. */
#define GP_MAX_BIN_DOUBT 0.25

/* The last bin that begins at x or below it, of n_bins between edges that rise; what is below all of them belongs to the first. */
GP_FN int32_t gp_bin_search(const double *edges, int32_t n_bins, double x)
{
    int32_t bin = 0;
    while (n_bins > 1) {
        int32_t half = n_bins / 2;
        bin += x >= edges[bin + half] ? half : 0;
        n_bins -= half;
    }
    return bin;
}

/* The same, from a bin that is nearly right. */
GP_FN int32_t gp_bin_correct(const double *edges, int32_t n_bins, double x, int32_t bin)
{
    while (bin > 0 && x < edges[bin])
        bin--;
    while (bin < n_bins - 1 && x >= edges[bin + 1])
        bin++;
    return bin;
}

/*
 * How far (x - edges[0]) * scale, computed in float64, may be from the place of x among the bins. More than GP_MAX_BIN_DOUBT where that
 * is of no use, or numbers are too large for it.
 */
double gp_bin_doubt(const double *edges, int64_t n_bins, double scale);

/* The same in float32 for float32 numbers, where the first edge is rounded; 1 where it is more than `most`. */
float gp_bin_doubt_single(const double *edges, int64_t n_bins, float scale, float most);

/* The nearest float32 that is not below x, or not above it. */
float gp_single_from(double x);
float gp_single_up_to(double x);

/* Adds the counts of other elements in the same bins. */
GP_FN void gp_counts_join(int64_t *to, const int64_t *from, int64_t n_bins)
{
    for (int64_t i = 0; i < n_bins; i++)
        to[i] += from[i];
}

#endif
