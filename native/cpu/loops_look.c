/* The loops over blocks of elements of each dtype, at one level of vector instructions. */
#include "look.h"

#include "loops_integers.h"

/* So many elements that follow each other have lanes of their own: the same bits at every level. */
#define LANES 16
/* So many elements are compared between two decisions. */
#define STRETCH 64

extern const gp_look_loops GP_LEVELED(gp_look_loops)[GP_N_DTYPES];

ALWAYS_INLINE double sum_of_lanes(const double *lanes)
{
    double sums[LANES];
    memcpy(sums, lanes, sizeof sums);
    for (int n = LANES / 2; n > 0; n /= 2)
        for (int j = 0; j < n; j++)
            sums[j] += sums[j + n];
    return sums[0];
}

/* From the sums about a mean: the first one says what it was rounded by, which matters where elements differ by as little. */
ALWAYS_INLINE gp_moments moments_from(double weight, double mean, const double *first, const double *second)
{
    double away = sum_of_lanes(first), squares = sum_of_lanes(second), m2 = squares - away * away / weight;
    return (gp_moments){weight, mean, m2 < 0 ? 0.0 : m2 >= 0 ? m2 : squares};
}

/* ---- bins ------------------------------------------------------------------------------------------------------------ */

/* Where the guess is too near to an edge, the edges decide. It is off by one at most, and which way no processor can foresee. */
static void correct(const double *values, int n, const gp_bins *bins, int32_t *slots)
{
    const double *edges = bins->edges;
    int32_t n_bins = (int32_t)bins->n_bins, last = n_bins - 1;
    for (int i = 0; i < n; i++) {
        int32_t slot = slots[i] < last ? slots[i] : last;
        int32_t step = ((slot < last) & (values[i] >= edges[slot + 1])) - ((slot > 0) & (values[i] < edges[slot]));
        slots[i] = slots[i] < n_bins ? slot + step : n_bins;
    }
}

/*
 * Bins of a stretch by arithmetic; true if an element is too near to an edge for that. The outer edges are none of these: what is
 * there is moved inwards, and what counts nowhere to the middle behind the last bin. A number is rounded to an integer by adding
 * to it what leaves no bits for more: at every level of instructions that is a vector operation.
 */
ALWAYS_INLINE bool guess(const double *restrict values, int n, const gp_bins *bins, int32_t *restrict slots)
{
    const double rounder = 0x1.8p52;
    double lowest = bins->edges[0], highest = bins->edges[bins->n_bins], scale = bins->scale, certain = 0.5 - bins->doubt;
    double nowhere = (double)bins->n_bins + 0.5, top = (double)bins->n_bins - 0.25;
    int32_t any = 0;
    for (int i = 0; i < n; i++) {
        double x = values[i], place = (x - lowest) * scale;
        place = place > 0.25 ? place : 0.25;
        place = place < top ? place : top;
        place = x >= lowest ? place : nowhere;
        place = x <= highest ? place : nowhere;
        double rounded = (place - 0.5) + rounder;
        slots[i] = (int32_t)gp_bits_from_f64(rounded);
        any |= fabs(place - 0.5 - (rounded - rounder)) >= certain ? -1 : 0;
    }
    return any != 0;
}

/* Slots of a stretch are counted, unless `tally` is NULL, before those of the next one are found: processors do both at once. */
ALWAYS_INLINE void count_slots(gp_tally *tally, const int32_t *slots, int n)
{
    if (tally != NULL)
        gp_tally_add(tally, slots, n);
}

static void find_slots(const double *values, int n, const gp_bins *bins, int32_t *slots, gp_tally *tally)
{
    int i = 0;
    for (; i < n && bins->doubt > GP_MAX_BIN_DOUBT; i++)
        slots[i] = (int32_t)gp_bin_of(bins, values[i]);
    count_slots(tally, slots, i);
    for (; i + STRETCH <= n; i += STRETCH) {
        if (guess(values + i, STRETCH, bins, slots + i))
            correct(values + i, STRETCH, bins, slots + i);
        count_slots(tally, slots + i, STRETCH);
    }
    (void)guess(values + i, n - i, bins, slots + i);
    correct(values + i, n - i, bins, slots + i);
    count_slots(tally, slots + i, n - i);
}

/* As `guess`, in float32: twice as many at once. */
ALWAYS_INLINE bool guess_single(const float *restrict values, int n, const gp_bins *bins, int32_t *restrict slots)
{
    const float rounder = 0x1.8p23f;
    const int32_t rounder_bits = (int32_t)gp_bits_from_f32(rounder);
    float lowest = bins->lowest_single, highest = bins->highest_single, first = bins->first_single, scale = bins->scale_single;
    float certain = 0.5f - bins->doubt_single, nowhere = (float)bins->n_bins + 0.5f, top = (float)bins->n_bins - 0.25f;
    int32_t any = 0;
    for (int i = 0; i < n; i++) {
        float x = values[i], place = (x - first) * scale;
        place = place > 0.25f ? place : 0.25f;
        place = place < top ? place : top;
        place = x >= lowest ? place : nowhere;
        place = x <= highest ? place : nowhere;
        float rounded = (place - 0.5f) + rounder;
        slots[i] = (int32_t)gp_bits_from_f32(rounded) - rounder_bits;
        any |= fabsf(place - 0.5f - (rounded - rounder)) >= certain ? -1 : 0;
    }
    return any != 0;
}

/* A stretch of which some elements are too near to an edge for float32. */
static void find_slots_again(const float *singles, int n, const gp_bins *bins, int32_t *slots)
{
    double values[STRETCH];
    for (int i = 0; i < n; i++)
        values[i] = (double)singles[i];
    correct(values, n, bins, slots);
}

static void find_slots_of_singles(const float *singles, int n, const gp_bins *bins, int32_t *slots, gp_tally *tally)
{
    int i = 0;
    for (; i + STRETCH <= n; i += STRETCH) {
        if (guess_single(singles + i, STRETCH, bins, slots + i))
            find_slots_again(singles + i, STRETCH, bins, slots + i);
        count_slots(tally, slots + i, STRETCH);
    }
    (void)guess_single(singles + i, n - i, bins, slots + i);
    find_slots_again(singles + i, n - i, bins, slots + i);
    count_slots(tally, slots + i, n - i);
}

#define LOOPS "loops_look_dtype.h"
#include "each_dtype.h"

#define LOOPS_ROW(NAME, ...)                                                                                                     \
    [GP_##NAME] = {summarize_##NAME,  find_slots_##NAME, count_##NAME, find_kinds_##NAME,                                        \
                   find_order_##NAME, extremes_##NAME,   ways_##NAME},
const gp_look_loops GP_LEVELED(gp_look_loops)[GP_N_DTYPES] = {GP_PLAIN_DTYPES(LOOPS_ROW) GP_FLOAT_16_DTYPES(LOOPS_ROW)};
