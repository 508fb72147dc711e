/* Bins for loops: error bounds of estimated bins, tables, and limits of integers. */
#include "bins.h"
#include "../core/base/alloc.h"

/* Estimates in float32 save time only if few runs of elements have one that is too close to an edge, and is then searched for. */
#define MOST_SINGLE_DOUBT 0x1p-9f
#define MOST_SINGLE_BINS 8192

/* The upper 16 bits of an order are the sign, the exponent and 4 bits of the mantissa. */
#define N_BUCKETS ((uint64_t)1 << 16)
#define ELEMS_OF_TABLE (1 << 18)
#define FEWEST_BINS_OF_TABLE 8

static void learn_singles(gp_bins *bins)
{
    bins->lowest_single = gp_single_from(bins->edges[0]), bins->highest_single = gp_single_up_to(bins->edges[bins->n_bins]);
    bins->origin_single = (float)bins->edges[0], bins->scale_single = (float)bins->scale_double;
    bins->doubt_single = 1;
    if (bins->n_bins <= MOST_SINGLE_BINS)
        bins->doubt_single = gp_bin_doubt_single(bins->edges, bins->n_bins, bins->scale_single, MOST_SINGLE_DOUBT);
    bins->has_singles = bins->doubt_single < 2 * MOST_SINGLE_DOUBT;
    bins->doubt_single += (float)bins->n_bins * 0x1p-24f;
}

/* Whether bins have one width, a power of two, and lie within `reach` at multiples of `grain`. */
static bool is_in_steps(const gp_bins *bins, double grain, double reach)
{
    const double *edges = bins->edges, width = 1 / bins->scale_double, origin = edges[0];
    int exponent;
    bool is = frexp(width, &exponent) == 0.5 && floor(origin / grain) * grain == origin;
    is &= origin >= -reach && edges[bins->n_bins] <= reach;
    for (int64_t i = 1; i <= bins->n_bins && is; i++)
        is = edges[i] == origin + (double)i * width;
    return is;
}

/* Between such edges no step of the arithmetic rounds what an integer comes to, and places leave no doubt: 33 and 20 bits are those of a
 * float64, 19 and 4 those of a float32. */
static void learn_integers(gp_bins *bins)
{
    if (is_in_steps(bins, 0x1p-20, 0x1p32))
        bins->doubt_double = 0;
    if (bins->has_singles && is_in_steps(bins, 0x1p-4, 0x1p18))
        bins->doubt_single = 0;
}

/* Loops add doubts to places, which rounds by half of the last bit of n_bins at most. */
gp_bins gp_bins_of(gp_dtype dtype, const double *edges, int64_t n_bins)
{
    double scale = (double)n_bins / (edges[n_bins] - edges[0]), doubt = gp_bin_doubt(edges, n_bins, scale);
    gp_bins bins = {.edges = edges, .n_bins = n_bins, .has_doubles = doubt <= GP_MAX_BIN_DOUBT};
    bins.lowest_double = bins.origin_double = edges[0], bins.highest_double = edges[n_bins];
    bins.scale_double = scale, bins.doubt_double = doubt + (double)n_bins * 0x1p-53;
    learn_singles(&bins);
    if (!gp_dtype_is_float(dtype))
        learn_integers(&bins);
    return bins;
}

/* The bin of an order, from `bin` upwards, for calls with rising orders. */
static int32_t bin_at(const gp_bins *bins, int32_t bin, gp_order order)
{
    while (bin < bins->n_bins - 1 && gp_order_of_f64(bins->edges[bin + 1]) <= order)
        bin++;
    return bin;
}

static uint64_t orders_between(double low, double high)
{
    return (uint64_t)gp_order_of_f64(high) - (uint64_t)gp_order_of_f64(low);
}

gp_status gp_bins_add_table(gp_bins *bins, int64_t n_elems, gp_error *error)
{
    uint64_t reach = orders_between(bins->edges[0], bins->edges[bins->n_bins]);
    gp_bin_table table = {.lowest = gp_order_of_f64(bins->edges[0])};
    if (bins->has_doubles || bins->n_bins < FEWEST_BINS_OF_TABLE || n_elems < ELEMS_OF_TABLE)
        return GP_OK;
    while (reach >> table.shift >= N_BUCKETS)
        table.shift++;
    GP_TRY(gp_alloc((N_BUCKETS + 1) * sizeof *table.first_bin, &table.first_bin, error));
    int32_t bin = 0;
    for (uint64_t bucket = 0; bucket <= N_BUCKETS; bucket++) {
        bool is_beyond = bucket > reach >> table.shift;
        bin = is_beyond ? (int32_t)bins->n_bins - 1
                        : bin_at(bins, bin, (gp_order)((uint64_t)table.lowest + (bucket << table.shift)));
        table.first_bin[bucket] = bin;
    }
    bins->table = table;
    return GP_OK;
}

void gp_bins_free(gp_bins *bins)
{
    free(bins->table.first_bin);
    bins->table.first_bin = NULL;
}

/* Whether the edges tell exactly which elements are in the range: it is theirs, and float64 holds it and what is next to it. */
static bool is_range_of_edges(const gp_bins *bins, bool is_unsigned, const gp_integer_range *range)
{
    const int64_t exact = (int64_t)1 << 53, lowest = is_unsigned ? 0 : 1 - exact;
    return range->first >= lowest && range->last <= exact - 1 && (double)range->first == bins->lowest_double &&
           (double)range->last == bins->highest_double;
}

/* Sets the range of integers that are counted, in the integers that the loop of the dtype compares. */
void gp_bins_set_range(gp_bins *bins, gp_dtype dtype, const gp_integer_range *range)
{
    bool is_narrow_unsigned = dtype == GP_U8 || dtype == GP_U16 || dtype == GP_U32;
    bins->has_range = !is_range_of_edges(bins, is_narrow_unsigned || dtype == GP_U64, range);
    bins->first = range->first, bins->last = range->last;
    if (dtype == GP_U64)
        bins->first = gp_order_of_u64((uint64_t)range->first), bins->last = gp_order_of_u64((uint64_t)range->last);
    if (is_narrow_unsigned && bins->first < 0) /* limits of 2^63 and more, as int64 */
        bins->first = INT64_MAX;
    if (is_narrow_unsigned && bins->last < 0)
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
