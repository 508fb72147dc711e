/* Searches and bins of integers: a part of loops_look_dtype.h. */

static int64_t FN(find_kinds)(const void *elems, int64_t n, unsigned kinds, bool is_backwards)
{
    (void)elems;
    return n == 0 || (kinds & GP_HAS_FINITE) == 0 ? -1 : is_backwards ? n - 1 : 0;
}

static int64_t FN(find_order)(const void *elems, int64_t n, int64_t order)
{
    const T *x = elems;
    for (int64_t begin = 0; begin < n; begin += STRETCH) {
        int64_t end = n - begin < STRETCH ? n : begin + STRETCH;
        T any = 0;
        for (int64_t i = begin; i < end; i++)
            any = (T)(any | (ORDER(x[i]) == order));
        for (int64_t i = begin; i < end && any; i++)
            if (ORDER(x[i]) == order)
                return i;
    }
    return -1;
}

/* An integer of the counted range as float64; on the edge, if float64 rounds it beyond. */
ALWAYS_INLINE double FN(value_in_range)(T x, const gp_bins *bins, double lowest, double highest)
{
    double value = VALUE(x), inside = value < lowest ? lowest : value > highest ? highest : value;
    return ORDER(x) >= bins->first && ORDER(x) <= bins->last ? inside : (double)NAN;
}

static void FN(slots)(const void *elems, int n, const gp_bins *bins, int32_t *slots, gp_tally *tally)
{
    const T *x = elems;
    double values[GP_LOOK_ELEMS], lowest = bins->edges[0], highest = bins->edges[bins->n_bins];
    if (sizeof(T) == 1) {
        for (int i = 0; i < n; i++)
            slots[i] = bins->bin_of_code[(uint8_t)x[i]];
        count_slots(tally, slots, n);
    } else {
        for (int i = 0; i < n; i++)
            values[i] = bins->has_range ? FN(value_in_range)(x[i], bins, lowest, highest) : VALUE(x[i]);
        find_slots(values, n, bins, slots, tally);
    }
}
