/* The loops over a block of elements of one dtype; loops_block.c includes this file for each, by each_dtype.h. */

#if FLOAT_BITS == 16
/* Elements are converted to float32, which is exact. */
static void FN(summarize)(const void *elems, int n, double smallest_normal, gp_summary_state *state)
{
    float values[GP_BLOCK_ELEMS];
    for (int i = 0; i < n; i++)
        values[i] = ELEM(((const T *)elems)[i]);
    summarize_F32(values, n, smallest_normal, state);
}
#elif FLOAT_BITS
#include "loops_block_float.h"
#elif INT_BITS <= 16
#include "loops_block_narrow.h"
#else
#include "loops_block_wide.h"
#endif

#if FLOAT_BITS
#include "loops_block_bits.h"
#else
#include "loops_block_integer.h"
#endif

#if FLOAT_BITS == 64

static void FN(slots)(const void *elems, int n, const gp_bins *bins, int32_t *slots, gp_tally *tally)
{
    find_slots_of_doubles(elems, n, bins, slots, tally);
}

#elif INT_BITS == 8

static void FN(slots)(const void *elems, int n, const gp_bins *bins, int32_t *slots, gp_tally *tally)
{
    for (int i = 0; i < n; i++)
        slots[i] = bins->bin_of_code[((const uint8_t *)elems)[i]];
    count_slots(tally, slots, n);
}

#else

/* Bins are found for float32 or float64 numbers, to which elements are converted, some at a time. */
static void FN(slots)(const void *elems, int n, const gp_bins *bins, int32_t *slots, gp_tally *tally)
{
    const T *x = elems;
    bool is_single = bins->has_singles && sizeof(E) == sizeof(float);
#if FLOAT_BITS == 32
    if (is_single) {
        find_slots_single(x, n, bins, slots, tally);
        return;
    }
#endif
    for (int i = 0, n_here; i < n; i += n_here) {
        n_here = n - i < NUMBERS_AT_ONCE ? n - i : NUMBERS_AT_ONCE;
        if (is_single) {
            float numbers[NUMBERS_AT_ONCE];
            FN(numbers_single)(x + i, n_here, bins, numbers);
            find_slots_single(numbers, n_here, bins, slots + i, tally);
        } else {
            double numbers[NUMBERS_AT_ONCE];
            FN(numbers_double)(x + i, n_here, bins, numbers);
            find_slots_of_doubles(numbers, n_here, bins, slots + i, tally);
        }
    }
}

#endif

static void FN(find_slots)(const void *elems, int n, const gp_bins *bins, int32_t *slots)
{
    FN(slots)(elems, n, bins, slots, NULL);
}

static void FN(count)(const void *elems, int n, const gp_bins *bins, gp_tally *tally)
{
#if INT_BITS == 8
    (void)bins;
    gp_tally_add_codes(tally, elems, n);
#else
    int32_t slots[GP_BLOCK_ELEMS];
    FN(slots)(elems, n, bins, slots, tally);
#endif
}

#include "loops_block_series.h"
