/* The loops of one dtype that find out facts about elements: a part of loops_dtype.h, which includes it once per dtype. */

/* Extremes of a row, infinities included, NaN left out. False if an element was not finite. */
static bool FN(range_all)(const T *restrict x, int64_t n, gp_range *range)
{
    E lo[BLOCK], hi[BLOCK], flags[BLOCK];
    int64_t i = 0;
    for (int j = 0; j < BLOCK; j++)
        lo[j] = (E)INFINITY, hi[j] = -(E)INFINITY, flags[j] = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        FN(prefetch)(x + i);
        for (int j = 0; j < BLOCK; j++) {
            E value = ELEM(x[i + j]);
            lo[j] = value < lo[j] ? value : lo[j];
            hi[j] = value > hi[j] ? value : hi[j];
            if (IS_FLOAT)
                flags[j] += value - value;
        }
    }
    for (; i < n; i++) {
        E value = ELEM(x[i]);
        lo[0] = value < lo[0] ? value : lo[0];
        hi[0] = value > hi[0] ? value : hi[0];
        flags[0] += value - value;
    }
    for (int j = 0; j < BLOCK; j++) {
        range->lo = (double)lo[j] < range->lo ? (double)lo[j] : range->lo;
        range->hi = (double)hi[j] > range->hi ? (double)hi[j] : range->hi;
        flags[0] += j > 0 ? flags[j] : 0;
    }
    return flags[0] == 0;
}

#if IS_FLOAT
/* Extremes of the finite elements of a block, and how many there are of each kind; in lanes, as all else. */
static void FN(range_finite)(const T *restrict x, int64_t n, gp_facts *facts)
{
    E lo = (E)INFINITY, hi = -(E)INFINITY;
    int32_t n_nan = 0, n_pos_inf = 0, n_neg_inf = 0;
    for (int64_t i = 0; i < n; i++) {
        E value = ELEM(x[i]);
        n_nan += value != value;
        n_pos_inf += value == (E)INFINITY;
        n_neg_inf += value == -(E)INFINITY;
    }
    E los[16], his[16];
    for (int j = 0; j < 16; j++)
        los[j] = lo, his[j] = hi;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int j = 0; j < 16; j++) {
            E value = ELEM(x[i + j]), low = value - value == 0 ? value : lo, high = value - value == 0 ? value : hi;
            los[j] = low < los[j] ? low : los[j];
            his[j] = high > his[j] ? high : his[j];
        }
    for (; i < n; i++) {
        E value = ELEM(x[i]);
        if (FN(is_e_finite)(value)) {
            los[0] = value < los[0] ? value : los[0];
            his[0] = value > his[0] ? value : his[0];
        }
    }
    for (int j = 0; j < 16; j++) {
        facts->range.lo = (double)los[j] < facts->range.lo ? (double)los[j] : facts->range.lo;
        facts->range.hi = (double)his[j] > facts->range.hi ? (double)his[j] : facts->range.hi;
    }
    facts->n_finite += n - n_nan - n_pos_inf - n_neg_inf;
    facts->n_nan += n_nan, facts->n_pos_inf += n_pos_inf, facts->n_neg_inf += n_neg_inf;
}
#endif

static void FN(facts)(const void *row, int64_t n, gp_facts *facts)
{
    const T *x = row;
    for (int64_t i = 0; i < n; i += FACTS_BLOCK) {
        int64_t n_here = n - i < FACTS_BLOCK ? n - i : FACTS_BLOCK;
        gp_range range = facts->range;
        if (FN(range_all)(x + i, n_here, &range)) {
            facts->range = range;
            facts->n_finite += n_here;
            continue;
        }
#if IS_FLOAT
        FN(range_finite)(x + i, n_here, facts);
#endif
    }
}

/* The smallest element above zero (+Inf is none), joined to *smallest. */
static void FN(positive)(const void *row, int64_t n, double *smallest)
{
    const T *x = row;
    E lanes[BLOCK];
    int64_t i = 0;
    for (int j = 0; j < BLOCK; j++)
        lanes[j] = (E)INFINITY;
    for (; i + BLOCK <= n; i += BLOCK) {
        FN(prefetch)(x + i);
        for (int j = 0; j < BLOCK; j++) {
            E value = ELEM(x[i + j]) > 0 ? ELEM(x[i + j]) : (E)INFINITY;
            lanes[j] = value < lanes[j] ? value : lanes[j];
        }
    }
    for (; i < n; i++)
        if (ELEM(x[i]) > 0 && ELEM(x[i]) < lanes[0])
            lanes[0] = ELEM(x[i]);
    for (int j = 0; j < BLOCK; j++)
        *smallest = (double)lanes[j] < *smallest ? (double)lanes[j] : *smallest;
}
