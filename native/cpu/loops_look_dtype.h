/* The loops over a block of elements of one dtype; loops_look.c includes this file for each, by each_dtype.h. */

#if FLOAT_BITS == 16
/* Elements are converted to float32, which is exact. */
static void FN(summarize)(const void *elems, int n, double smallest_normal, gp_summary_state *state)
{
    float values[GP_LOOK_ELEMS];
    for (int i = 0; i < n; i++)
        values[i] = ELEM(((const T *)elems)[i]);
    summarize_F32(values, n, smallest_normal, state);
}
#elif FLOAT_BITS
#include "loops_look_float.h"
#elif INT_BITS <= 16
#include "loops_look_narrow.h"
#else
#include "loops_look_wide.h"
#endif

#if FLOAT_BITS
#include "loops_look_bits.h"
#else
#include "loops_look_integer.h"
#endif

static void FN(find_slots)(const void *elems, int n, const gp_bins *bins, int32_t *slots)
{
    FN(slots)(elems, n, bins, slots, NULL);
}

static void FN(count)(const void *elems, int n, const gp_bins *bins, gp_tally *tally)
{
    int32_t slots[GP_LOOK_ELEMS];
    FN(slots)(elems, n, bins, slots, tally);
}

#include "loops_look_series.h"
