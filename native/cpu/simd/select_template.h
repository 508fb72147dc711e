/* The loops of selection for keys of GP_KEY_BITS bits: included once per width by loops_select.c, so without a guard. */
#define GP_WIDTH_JOIN_(name, bits) name##_##bits
#define GP_WIDTH_JOIN(name, bits) GP_WIDTH_JOIN_(name, bits)
#define NAME(name) GP_WIDTH_JOIN(name, GP_KEY_BITS)
#define KEY GP_WIDTH_JOIN(int, GP_KEY_BITS)
#define UKEY GP_WIDTH_JOIN(uint, GP_KEY_BITS)
#define LEAST ((UKEY)1 << (GP_KEY_BITS - 1))
#define MOST ((KEY)(LEAST - 1))

/* A sortable key as a signed number, which all instruction sets compare. What is not valid is above all that is. */
static inline KEY NAME(place)(uint64_t sortable) { return (KEY)((UKEY)sortable + LEAST); }

static inline __attribute__((always_inline)) uint64_t NAME(sortable)(const KEY *elem, gp_key_kind kind, gp_key_range valid)
{
    return (UKEY)NAME(gp_key)(*elem, kind) - (UKEY)valid.first;
}

/* Two brackets of more than one key each; one that isn't there has no place in it. */
typedef struct NAME(pair) {
    KEY low[2], high[2];
} NAME(pair);

/* Counts what is not valid and what lies below either bracket; is_outside[i] becomes 0 where an element is in one of them, or,
 * if `is_later`, in one of an earlier pair. */
static inline __attribute__((always_inline)) void NAME(tally_pair)(const KEY *row, int n, gp_key_kind kind, gp_key_range valid,
                                                                   const NAME(pair) * pair, bool is_later, int counts[3],
                                                                   KEY *restrict is_outside)
{
    KEY last = NAME(place)(gp_sortable(valid.last, valid)), n_invalid = 0, n_below_0 = 0, n_below_1 = 0;
    KEY low_0 = pair->low[0], high_0 = pair->high[0], low_1 = pair->low[1], high_1 = pair->high[1];
    for (int i = 0; i < n; i++) {
        KEY place = NAME(place)(NAME(sortable)(row + i, kind, valid));
        KEY outside = ((place < low_0) | (place > high_0)) & ((place < low_1) | (place > high_1));
        n_invalid += place > last;
        n_below_0 += place < low_0;
        n_below_1 += place < low_1;
        is_outside[i] = is_later ? is_outside[i] & outside : outside;
    }
    counts[0] = (int)n_invalid, counts[1] = (int)n_below_0, counts[2] = (int)n_below_1;
}

/* All brackets of more than one key, two by two. */
static inline __attribute__((always_inline)) void
NAME(tally_pairs)(const KEY *row, int n, gp_key_kind kind, const gp_brackets *brackets, gp_key_tally *tally, KEY *is_outside)
{
    bool is_later = false;
    int b = 0, counts[3];
    do {
        NAME(pair) pair = {.low = {MOST, MOST}, .high = {(KEY)LEAST, (KEY)LEAST}};
        int n_here = 0, index[2];
        for (; b < brackets->n && n_here < 2; b++) {
            if (brackets->low[b] == brackets->high[b])
                continue;
            pair.low[n_here] = NAME(place)(brackets->low[b]), pair.high[n_here] = NAME(place)(brackets->high[b]);
            index[n_here++] = b;
        }
        if (is_later)
            NAME(tally_pair)(row, n, kind, brackets->valid, &pair, true, counts, is_outside);
        else
            NAME(tally_pair)(row, n, kind, brackets->valid, &pair, false, counts, is_outside);
        for (int i = 0; i < n_here; i++)
            tally->below[index[i]] += counts[1 + i];
        tally->n_valid += is_later ? 0 : n - counts[0];
        is_later = true;
    } while (b < brackets->n);
}

/* A bracket of a single key; returns how many elements are valid. */
static inline __attribute__((always_inline)) int NAME(tally_key)(const KEY *row, int n, gp_key_kind kind, gp_key_range valid,
                                                                 uint64_t key, int64_t *below, int64_t *equal)
{
    KEY wanted = NAME(place)(key), last = NAME(place)(gp_sortable(valid.last, valid)), n_below = 0, n_equal = 0, n_invalid = 0;
    for (int i = 0; i < n; i++) {
        KEY place = NAME(place)(NAME(sortable)(row + i, kind, valid));
        n_below += place < wanted;
        n_equal += place == wanted;
        n_invalid += place > last;
    }
    *below += n_below, *equal += n_equal;
    return n - (int)n_invalid;
}

/* Counts the elements at an end of a bracket, and takes them to be outside of it. */
static inline __attribute__((always_inline)) void NAME(tally_ends)(const KEY *row, int n, gp_key_kind kind,
                                                                   const gp_brackets *brackets, gp_key_tally *tally,
                                                                   KEY *restrict is_outside)
{
    for (int i = 0; i < n; i++)
        is_outside[i] = 1;
    for (int b = 0; b < brackets->n; b++) {
        KEY low = NAME(place)(brackets->low[b]), high = NAME(place)(brackets->high[b]), n_low = 0, n_high = 0;
        for (int i = 0; i < n && low < high; i++) {
            KEY place = NAME(place)(NAME(sortable)(row + i, kind, brackets->valid));
            n_low += place == low;
            n_high += place == high;
            is_outside[i] &= (place <= low) | (place >= high);
        }
        tally->at_low[b] += n_low, tally->at_high[b] += n_high;
    }
}

/* Elements LANES apart share a lane. Lists the lanes that have an element inside of a bracket; most have none. */
static inline __attribute__((always_inline)) int NAME(find_hits)(const KEY *is_outside, int hits[LANES])
{
    KEY all_outside[LANES];
    int n_hits = 0;
    memcpy(all_outside, is_outside, sizeof all_outside);
    for (int begin = LANES; begin < BLOCK; begin += LANES)
        for (int lane = 0; lane < LANES; lane++)
            all_outside[lane] &= is_outside[begin + lane];
    for (int lane = 0; lane < LANES; lane++) {
        hits[n_hits] = lane;
        n_hits += !all_outside[lane];
    }
    return n_hits;
}

/* Appends the keys inside of brackets, in any order. */
static inline __attribute__((always_inline)) void NAME(keep)(const KEY *row, int n, gp_key_kind kind, gp_key_range valid,
                                                             const int *hits, int n_hits, const KEY *is_outside,
                                                             gp_key_tally *tally)
{
    int64_t at = tally->n_kept;
    if (tally->capacity - at < n) {
        tally->is_full |= n_hits > 0;
        return;
    }
    for (int hit = 0; hit < n_hits; hit++)
        for (int i = hits[hit]; i < n; i += LANES) {
            tally->kept[at] = NAME(sortable)(row + i, kind, valid);
            at += !is_outside[i];
        }
    tally->n_kept = at;
}

/* Brackets of more than one key, on at most BLOCK elements. Where many are inside, these may be equal to an end: then that is
 * found out before any is kept, else of the few that are. */
static inline __attribute__((always_inline)) void NAME(tally_block)(const KEY *row, int n, gp_key_kind kind,
                                                                    const gp_brackets *brackets, gp_key_tally *tally)
{
    KEY is_outside[BLOCK];
    int hits[LANES], n_hits;
    int64_t n_kept_before = tally->n_kept;
    for (int i = n; i < BLOCK; i++)
        is_outside[i] = 1;
    NAME(tally_pairs)(row, n, kind, brackets, tally, is_outside);
    n_hits = NAME(find_hits)(is_outside, hits);
    if (n_hits > MANY_HITS) {
        NAME(tally_ends)(row, n, kind, brackets, tally, is_outside);
        n_hits = NAME(find_hits)(is_outside, hits);
        NAME(keep)(row, n, kind, brackets->valid, hits, n_hits, is_outside, tally);
        return;
    }
    NAME(keep)(row, n, kind, brackets->valid, hits, n_hits, is_outside, tally);
    count_ends(brackets, n_kept_before, tally);
}

static inline __attribute__((always_inline)) void NAME(tally_kind)(const KEY *row, int64_t n, gp_key_kind kind,
                                                                   const gp_brackets *brackets, gp_key_tally *tally)
{
    bool are_single = brackets->n > 0;
    for (int b = 0; b < brackets->n; b++)
        are_single &= brackets->low[b] == brackets->high[b];
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        const KEY *at = row + begin;
        int size = (int)(n - begin < BLOCK ? n - begin : BLOCK), n_valid = 0;
        for (int i = 0; i < size; i += 64 / (int)sizeof(KEY))
            __builtin_prefetch((const void *)((uintptr_t)(at + i) + AHEAD * sizeof(KEY)));
        for (int b = 0; b < brackets->n; b++)
            if (brackets->low[b] == brackets->high[b])
                n_valid = NAME(tally_key)(at, size, kind, brackets->valid, brackets->low[b], &tally->below[b], &tally->at_low[b]);
        if (are_single)
            tally->n_valid += n_valid;
        else
            NAME(tally_block)(at, size, kind, brackets, tally);
    }
}

static void NAME(tally)(gp_dtype dtype, const void *row, int64_t n, const gp_brackets *brackets, gp_key_tally *tally)
{
    switch (gp_key_kind_of(dtype)) {
    case GP_KEY_FLOAT: NAME(tally_kind)(row, n, GP_KEY_FLOAT, brackets, tally); return;
    case GP_KEY_UNSIGNED: NAME(tally_kind)(row, n, GP_KEY_UNSIGNED, brackets, tally); return;
    case GP_KEY_SIGNED: NAME(tally_kind)(row, n, GP_KEY_SIGNED, brackets, tally); return;
    }
}

static void NAME(histogram)(gp_dtype dtype, const void *row, int64_t n, int64_t low, int64_t high, int shift, int64_t *counts)
{
    gp_key_kind kind = gp_key_kind_of(dtype);
    for (int64_t i = 0; i < n; i++) {
        int64_t key = NAME(gp_key)(((const KEY *)row)[i], kind);
        if (key >= low && key <= high)
            counts[((uint64_t)key - (uint64_t)low) >> shift]++;
    }
}

#undef MOST
#undef LEAST
#undef UKEY
#undef KEY
#undef NAME
#undef GP_WIDTH_JOIN
#undef GP_WIDTH_JOIN_
#undef GP_KEY_BITS
