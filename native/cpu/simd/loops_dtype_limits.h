/* The loops of one dtype that find the limits of elements: a part of loops_dtype.h, which includes it once per dtype. */

#ifdef WIDEN
/* Those of float32: elements are converted while they are in the first-level cache. */
static void FN(limits)(const void *row, int64_t n, gp_limits_state *state)
{
    float wide[LIMITS_BLOCK];
    for (int64_t i = 0; i < n; i += LIMITS_BLOCK) {
        int64_t n_here = n - i < LIMITS_BLOCK ? n - i : LIMITS_BLOCK;
        FN(widen)((const T *)row + i, n_here, wide);
        limits_F32(wide, n_here, state);
    }
}

static void FN(positive)(const void *row, int64_t n, double *smallest)
{
    float wide[LIMITS_BLOCK];
    for (int64_t i = 0; i < n; i += LIMITS_BLOCK) {
        int64_t n_here = n - i < LIMITS_BLOCK ? n - i : LIMITS_BLOCK;
        FN(widen)((const T *)row + i, n_here, wide);
        positive_F32(wide, n_here, smallest);
    }
}
#else
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
static void FN(range_finite)(const T *restrict x, int64_t n, gp_limits_state *state)
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
    for (int j = 1; j < 16; j++) {
        los[0] = los[j] < los[0] ? los[j] : los[0];
        his[0] = his[j] > his[0] ? his[j] : his[0];
    }
    gp_limits_state_add_range(state, (double)los[0], (double)his[0]);
    state->n_finite += n - n_nan - n_pos_inf - n_neg_inf;
    state->n_nan += n_nan, state->n_pos_inf += n_pos_inf, state->n_neg_inf += n_neg_inf;
}
#endif

static void FN(limits)(const void *row, int64_t n, gp_limits_state *state)
{
    const T *x = row;
    for (int64_t i = 0; i < n; i += LIMITS_BLOCK) {
        int64_t n_here = n - i < LIMITS_BLOCK ? n - i : LIMITS_BLOCK;
        gp_range range = {(double)INFINITY, -(double)INFINITY};
        if (FN(range_all)(x + i, n_here, &range)) {
            gp_limits_state_add_range(state, range.lo, range.hi);
            state->n_finite += n_here;
            continue;
        }
#if IS_FLOAT
        FN(range_finite)(x + i, n_here, state);
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
#endif
