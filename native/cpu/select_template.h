/* The loops of selection for keys of GP_KEY_BITS bits: included once per width by loops_select.c, so without a guard. */
#define GP_WIDTH_JOIN_(name, bits) name##_##bits
#define GP_WIDTH_JOIN(name, bits) GP_WIDTH_JOIN_(name, bits)
#define NAME(name) GP_WIDTH_JOIN(name, GP_KEY_BITS)
#define KEY GP_WIDTH_JOIN(int, GP_KEY_BITS)

/* Elements to keys; adds to the number of valid ones and returns how many lie below them. */
static inline __attribute__((always_inline)) int NAME(keys)(const KEY *row, gp_key_kind kind, int n, KEY first, KEY last,
                                                            KEY *keys, gp_key_tally *tally)
{
    KEY before = 0, behind = 0;
    for (int i = 0; i < n; i++) {
        KEY key = NAME(gp_key)(row[i], kind);
        before += key < first;
        behind += key > last;
        keys[i] = key;
    }
    tally->n_valid += n - (int)before - (int)behind;
    return (int)before;
}

/* Counts what lies below a bracket and marks what lies in it; a bracket of a single key is counted here and not marked. */
static void NAME(tally_bracket)(const KEY *keys, int n, const gp_brackets *brackets, int b, int n_before, gp_key_tally *tally,
                                KEY *is_marked)
{
    KEY low = (KEY)brackets->low[b], high = (KEY)brackets->high[b], below = 0, equal = 0;
    if (low == high) {
        for (int i = 0; i < n; i++) {
            below += keys[i] < low;
            equal += keys[i] == low;
        }
    } else {
        for (int i = 0; i < n; i++) {
            KEY key = keys[i];
            below += key < low;
            is_marked[i] |= (key >= low) & (key <= high);
        }
    }
    tally->below[b] += below - n_before, tally->at_low[b] += equal;
}

/* Appends marked keys; stretches without one are passed over. */
static void NAME(keep)(const KEY *keys, const KEY *is_marked, int n, gp_key_tally *tally)
{
    int64_t at = tally->n_kept;
    bool has_room = tally->capacity - at >= n;
    for (int begin = 0; begin < n; begin += STRETCH) {
        int end = begin + STRETCH < n ? begin + STRETCH : n;
        KEY any = 0;
        for (int i = begin; i < end; i++)
            any |= is_marked[i];
        tally->is_full |= any != 0 && !has_room;
        for (int i = begin; i < end && any != 0 && has_room; i++) {
            tally->kept[at] = keys[i];
            at += is_marked[i];
        }
    }
    tally->n_kept = at;
}

static void NAME(tally)(gp_dtype dtype, const void *row, int64_t n, const gp_brackets *brackets, gp_key_tally *tally)
{
    KEY keys[BLOCK], is_marked[BLOCK], first = (KEY)brackets->valid.first, last = (KEY)brackets->valid.last;
    gp_key_kind kind = gp_key_kind_of(dtype);
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        const KEY *at = (const KEY *)row + begin;
        int size = (int)(n - begin < BLOCK ? n - begin : BLOCK);
        int n_before = kind == GP_KEY_FLOAT      ? NAME(keys)(at, GP_KEY_FLOAT, size, first, last, keys, tally)
                       : kind == GP_KEY_UNSIGNED ? NAME(keys)(at, GP_KEY_UNSIGNED, size, first, last, keys, tally)
                                                 : NAME(keys)(at, GP_KEY_SIGNED, size, first, last, keys, tally);
        for (int i = 0; i < size; i += 64 / (int)sizeof(KEY))
            __builtin_prefetch((const void *)((uintptr_t)(at + i) + AHEAD * sizeof(KEY)));
        memset(is_marked, 0, sizeof is_marked);
        for (int b = 0; b < brackets->n; b++)
            NAME(tally_bracket)(keys, size, brackets, b, n_before, tally, is_marked);
        int64_t n_kept_before = tally->n_kept;
        NAME(keep)(keys, is_marked, size, tally);
        count_ends(brackets, n_kept_before, tally);
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

#undef KEY
#undef NAME
#undef GP_WIDTH_JOIN
#undef GP_WIDTH_JOIN_
#undef GP_KEY_BITS
