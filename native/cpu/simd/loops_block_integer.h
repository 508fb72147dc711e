/* Searches and bins of integers: a part of loops_block_dtype.h. */

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

/* As numbers that bins are found for; those outside of the counted range as NaN, and on the edge, if they are rounded beyond. */
#define NUMBERS(REAL, suffix)                                                                                                    \
    ALWAYS_INLINE void FN(numbers_##suffix)(const T *restrict x, int n, const gp_bins *bins, REAL *restrict numbers)             \
    {                                                                                                                            \
        int64_t first = bins->first, last = bins->last;                                                                          \
        REAL lowest = bins->lowest_##suffix, highest = bins->highest_##suffix;                                                   \
        for (int i = 0; i < n && !bins->has_range; i++)                                                                          \
            numbers[i] = (REAL)ELEM(x[i]);                                                                                       \
        for (int i = 0; i < n && bins->has_range; i++) {                                                                         \
            REAL number = (REAL)ELEM(x[i]), inside = number < lowest ? lowest : number > highest ? highest : number;             \
            numbers[i] = ORDER(x[i]) >= first && ORDER(x[i]) <= last ? inside : (REAL)NAN;                                       \
        }                                                                                                                        \
    }
NUMBERS(double, double)
NUMBERS(float, single)
#undef NUMBERS
