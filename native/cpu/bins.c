/* Bins for loops: how good a guess is, and limits of integers as loops compare them. */
#include "bins.h"

/* float32 is worth its while where few stretches have an element that is too near to an edge for it. */
#define MOST_SINGLE_DOUBT 0x1p-9f
#define MOST_SINGLE_BINS 8192

static void learn_singles(gp_bins *bins)
{
    bins->lowest_single = gp_single_from(bins->edges[0]), bins->highest_single = gp_single_up_to(bins->edges[bins->n_bins]);
    bins->first_single = (float)bins->edges[0], bins->scale_single = (float)bins->scale;
    bins->doubt_single = 1;
    if (bins->n_bins <= MOST_SINGLE_BINS)
        bins->doubt_single = gp_bin_doubt_single(bins->edges, bins->n_bins, bins->scale_single, MOST_SINGLE_DOUBT);
    bins->has_singles = bins->doubt_single < 2 * MOST_SINGLE_DOUBT;
}

gp_bins gp_bins_of(const double *edges, int64_t n_bins)
{
    double scale = (double)n_bins / (edges[n_bins] - edges[0]);
    gp_bins bins = {.edges = edges, .n_bins = n_bins, .scale = scale, .doubt = gp_bin_doubt(edges, n_bins, scale)};
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
