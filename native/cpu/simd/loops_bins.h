/*
 * Bins of numbers by arithmetic, where the edges allow it; loops_block.c includes this file for float32 and for float64.
 *
 * REAL is the type of the numbers, OF(name) the name of a function or of a field of gp_bins for that type.
 */

/*
 * Bins of a stretch; true if an element may be in the bin above the one found, because it is too near to an edge. The outer edges are
 * none of these: what is beyond them is in no bin, exactly, and what is near them in the outer bin. Between these operations are no
 * branches, and all of them are vector instructions at every level.
 */
ALWAYS_INLINE bool OF(guess)(const REAL *restrict values, int n, const gp_bins *bins, int32_t *restrict slots)
{
    REAL lowest = bins->OF(lowest), highest = bins->OF(highest), origin = bins->OF(origin), scale = bins->OF(scale);
    REAL doubt = bins->OF(doubt), top = (REAL)bins->n_bins - (REAL)0.5, nowhere = (REAL)bins->n_bins + (REAL)0.5;
    int32_t any = 0;
    for (int i = 0; i < n; i++) {
        REAL x = values[i], inside = x > lowest ? x : lowest;
        inside = inside < highest ? inside : highest;
        REAL place = (inside - origin) * scale;
        place = place < top ? place : top;
        place = x == inside ? place : nowhere;
        int32_t slot = (int32_t)(place - doubt);
        slots[i] = slot;
        any |= slot ^ (int32_t)(place + doubt);
    }
    return any != 0;
}

/* Where an element may be in the next bin, that bin's edge decides: which way no processor can foresee. */
static void OF(correct)(const REAL *restrict values, int n, const gp_bins *bins, int32_t *restrict slots)
{
    const double *restrict edges = bins->edges;
    int32_t last = (int32_t)bins->n_bins - 1;
    for (int i = 0; i < n; i++) {
        int32_t slot = slots[i], next = slot < last ? slot + 1 : last;
        int32_t up = (double)values[i] >= edges[next] ? 1 : 0;
        slots[i] = slot < last ? slot + up : slot;
    }
}

/*
 * Unless `tally` is NULL, slots are counted. Those of a stretch are so after the ones of the next stretch were found: while counts wait
 * for memory to take them, one in each cycle at best, processors find bins.
 */
static void OF(find_slots)(const REAL *values, int n, const gp_bins *bins, int32_t *slots, gp_tally *tally)
{
    int i = 0, n_counted = 0;
    for (; i + STRETCH <= n; i += STRETCH) {
        if (OF(guess)(values + i, STRETCH, bins, slots + i))
            OF(correct)(values + i, STRETCH, bins, slots + i);
        if (i == 0)
            continue;
        count_slots(tally, slots + n_counted, STRETCH);
        n_counted += STRETCH;
    }
    (void)OF(guess)(values + i, n - i, bins, slots + i);
    OF(correct)(values + i, n - i, bins, slots + i);
    count_slots(tally, slots + n_counted, n - n_counted);
}

#undef REAL
#undef OF
