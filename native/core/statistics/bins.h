/* The bins of histograms, on every device: the bin of an element, the error of an estimate of it, and joining counts. */
#ifndef GP_BINS_H
#define GP_BINS_H

#include "../base/portable.h"

#define GP_MOST_BINS (1 << 30)

/* If an estimate may be wrong by more than this, in bins, bins are searched for instead. */
#define GP_MAX_BIN_DOUBT 0.25

/* The last of n_bins bins between rising edges that begins at x or below it; bin 0 for x below all edges. */
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

/* As gp_bin_search, starting from a bin that is nearly right. */
GP_FN int32_t gp_bin_correct(const double *edges, int32_t n_bins, double x, int32_t bin)
{
    while (bin > 0 && x < edges[bin])
        bin--;
    while (bin < n_bins - 1 && x >= edges[bin + 1])
        bin++;
    return bin;
}

/*
 * The largest error, in bins, of (x - edges[0]) * scale, computed in float64, as the place of x among the bins. More than GP_MAX_BIN_DOUBT
 * if bins are uneven or numbers are too large.
 */
double gp_bin_doubt(const double *edges, int64_t n_bins, double scale);

/* The same for float32 numbers in float32, where the first edge is rounded; 1 if it is more than `most`. */
float gp_bin_doubt_single(const double *edges, int64_t n_bins, float scale, float most);

/* The smallest float32 that is not below x; the largest that is not above it. */
float gp_single_from(double x);
float gp_single_up_to(double x);

/* Adds counts of other elements in the same bins. */
GP_FN void gp_counts_join(int64_t *to, const int64_t *from, int64_t n_bins)
{
    for (int64_t i = 0; i < n_bins; i++)
        to[i] += from[i];
}

#endif
