/* How good a guess of bins is, and limits of integers as loops compare them. */
#include "bins.h"

/* float32 is worth its while where few stretches have an element that is too near to an edge for it. */
#define MOST_SINGLE_DOUBT 0x1p-9f
#define MOST_SINGLE_BINS 8192

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

/* The nearest float32 that is not below, or not above. */
static float single_from(double x)
{
    float single = (float)x;
    return (double)single < x ? nextafterf(single, (float)INFINITY) : single;
}
static float single_up_to(double x)
{
    float single = (float)x;
    return (double)single > x ? nextafterf(single, -(float)INFINITY) : single;
}

/* The doubt in float32, of whose numbers the two around an edge are its last below and its first above. */
static float doubt_of_singles(const gp_bins *bins)
{
    float doubt = 0, first = bins->first_single, scale = bins->scale_single;
    for (int64_t i = 0; i <= bins->n_bins; i++) {
        float edge = (float)bins->edges[i], low = nextafterf(edge, -(float)INFINITY), high = nextafterf(edge, (float)INFINITY);
        float below = fabsf((low - first) * scale - (float)i), above = fabsf((high - first) * scale - (float)i);
        if (!(below <= MOST_SINGLE_DOUBT) || !(above <= MOST_SINGLE_DOUBT))
            return 1;
        doubt = below > doubt ? below : doubt;
        doubt = above > doubt ? above : doubt;
    }
    return doubt + 0x1p-22f;
}

static void learn_singles(gp_bins *bins)
{
    bins->lowest_single = single_from(bins->edges[0]), bins->highest_single = single_up_to(bins->edges[bins->n_bins]);
    bins->first_single = (float)bins->edges[0], bins->scale_single = (float)bins->scale;
    bins->doubt_single = bins->n_bins <= MOST_SINGLE_BINS ? doubt_of_singles(bins) : 1;
    bins->has_singles = bins->doubt_single < 2 * MOST_SINGLE_DOUBT;
}

gp_bins gp_bins_of(const double *edges, int64_t n_bins)
{
    gp_bins bins = {.edges = edges, .n_bins = n_bins};
    learn_doubt(&bins);
    learn_singles(&bins);
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

void gp_bins_set_codes(gp_bins *bins, gp_dtype dtype, int32_t *codes)
{
    double lowest = bins->edges[0], highest = bins->edges[bins->n_bins];
    for (int code = 0; code < GP_N_CODES; code++) {
        int64_t order = dtype == GP_I8 ? (int8_t)code : code;
        double x = (double)order;
        bool is_inside = !bins->has_range || (order >= bins->first && order <= bins->last);
        if (bins->has_range)
            x = x < lowest ? lowest : x > highest ? highest : x;
        codes[code] = (int32_t)(is_inside ? gp_bin_of(bins, x) : bins->n_bins);
    }
    bins->bin_of_code = codes;
}
