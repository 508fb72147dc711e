/* Bounds of the error of an estimated bin, from the edges. */
#include "bins.h"

/*
 * The estimate is monotone in x, also after rounding: between two edges it lies between its values at these, so the largest error is
 * at an edge. The added constant covers the rounding of the loops that evaluate it.
 */
double gp_bin_doubt(const double *edges, int64_t n_bins, double scale)
{
    double doubt = 0;
    for (int64_t i = 0; i <= n_bins; i++) {
        double away = fabs((edges[i] - edges[0]) * scale - (double)i);
        if (!(away <= GP_MAX_BIN_DOUBT))
            return 1;
        doubt = away > doubt ? away : doubt;
    }
    return doubt + 0x1p-50;
}

/* The largest errors of float32 numbers are at the two that enclose an edge. */
float gp_bin_doubt_single(const double *edges, int64_t n_bins, float scale, float most)
{
    float doubt = 0, first = (float)edges[0];
    for (int64_t i = 0; i <= n_bins; i++) {
        float edge = (float)edges[i], low = nextafterf(edge, -(float)INFINITY), high = nextafterf(edge, (float)INFINITY);
        float below = fabsf((low - first) * scale - (float)i), above = fabsf((high - first) * scale - (float)i);
        if (!(below <= most) || !(above <= most))
            return 1;
        doubt = below > doubt ? below : doubt;
        doubt = above > doubt ? above : doubt;
    }
    return doubt + 0x1p-22f;
}

float gp_single_from(double x)
{
    float single = (float)x;
    return (double)single < x ? nextafterf(single, (float)INFINITY) : single;
}

float gp_single_up_to(double x)
{
    float single = (float)x;
    return (double)single > x ? nextafterf(single, -(float)INFINITY) : single;
}
