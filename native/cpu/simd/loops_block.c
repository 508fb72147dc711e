/* The loops over blocks of elements of each dtype, at one level of vector instructions. */
#include "block_loops.h"

#include "halves.h"
#include "loops_integers.h"

/* So many elements that follow each other have lanes of their own: the same bits at every level. */
#define LANES 16
/* So many elements are compared between two decisions. */
#define STRETCH 64
/* So many elements are converted before bins are found for them. */
#define NUMBERS_AT_ONCE 512

extern const gp_block_loops GP_LEVELED(gp_block_loops)[GP_N_DTYPES];

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

ALWAYS_INLINE void count_slots(gp_tally *tally, const int32_t *slots, int n)
{
    if (tally != NULL)
        gp_tally_add(tally, slots, n);
}

#define REAL float
#define OF(name) name##_single
#include "loops_bins.h"

#define REAL double
#define OF(name) name##_double
#include "loops_bins.h"

/* Where edges allow no arithmetic, bins are searched for. */
static void find_slots_of_doubles(const double *values, int n, const gp_bins *bins, int32_t *slots, gp_tally *tally)
{
    if (bins->has_doubles) {
        find_slots_double(values, n, bins, slots, tally);
        return;
    }
    for (int i = 0; i < n; i++)
        slots[i] = (int32_t)gp_bin_of(bins, values[i]);
    count_slots(tally, slots, n);
}

#define LOOPS "loops_block_dtype.h"
#include "each_dtype.h"

#define LOOPS_ROW(NAME, ...)                                                                                                     \
    [GP_##NAME] = {summarize_##NAME,  find_slots_##NAME, count_##NAME, find_kinds_##NAME,                                        \
                   find_order_##NAME, extremes_##NAME,   ways_##NAME},
const gp_block_loops GP_LEVELED(gp_block_loops)[GP_N_DTYPES] = {GP_PLAIN_DTYPES(LOOPS_ROW) GP_FLOAT_16_DTYPES(LOOPS_ROW)};
