/* The loops of selection for keys of GP_KEY_BITS bits: included once per width by loops_select.c, so without a guard. */
#define GP_WIDTH_JOIN_(name, bits) name##_##bits
#define GP_WIDTH_JOIN(name, bits) GP_WIDTH_JOIN_(name, bits)
#define NAME(name) GP_WIDTH_JOIN(name, GP_KEY_BITS)
#define KEY GP_WIDTH_JOIN(int, GP_KEY_BITS)

static void NAME(keys)(const void *row, gp_key_kind kind, int n, KEY *keys)
{
    memcpy(keys, row, (size_t)n * sizeof *keys);
    switch (kind) {
    case GP_KEY_FLOAT:
        for (int i = 0; i < n; i++)
            keys[i] = NAME(gp_key)(keys[i], GP_KEY_FLOAT);
        break;
    case GP_KEY_UNSIGNED:
        for (int i = 0; i < n; i++)
            keys[i] = NAME(gp_key)(keys[i], GP_KEY_UNSIGNED);
        break;
    default:
        break;
    }
}

static int NAME(count_valid)(const KEY *keys, int n, KEY first, KEY last)
{
    KEY count = 0;
    for (int i = 0; i < n; i++)
        count += (keys[i] >= first) & (keys[i] <= last);
    return (int)count;
}

/* Adds to the counts of one bracket and marks the keys inside. */
static void NAME(tally_bracket)(const KEY *keys, int n, const gp_brackets *brackets, int b, gp_tally *tally, KEY *is_inside)
{
    KEY first = (KEY)brackets->valid.first, low = (KEY)brackets->low[b], high = (KEY)brackets->high[b];
    KEY below = 0, at_low = 0, at_high = 0;
    for (int i = 0; i < n; i++) {
        KEY key = keys[i];
        below += (key >= first) & (key < low);
        at_low += key == low;
        at_high += key == high;
        is_inside[i] |= (key > low) & (key < high);
    }
    tally->below[b] += below, tally->at_low[b] += at_low, tally->at_high[b] += at_high;
}

/* Appends marked keys; stretches without one are passed over. */
static void NAME(keep)(const KEY *keys, const KEY *is_inside, int n, gp_tally *tally)
{
    int64_t at = tally->n_kept;
    if (tally->is_full || tally->capacity - at < n) {
        KEY any = 0;
        for (int i = 0; i < n; i++)
            any |= is_inside[i];
        tally->is_full |= any != 0;
        return;
    }
    for (int begin = 0; begin < n; begin += STRETCH) {
        int end = begin + STRETCH < n ? begin + STRETCH : n;
        KEY any = 0;
        for (int i = begin; i < end; i++)
            any |= is_inside[i];
        for (int i = begin; i < end && any != 0; i++) {
            tally->kept[at] = keys[i];
            at += is_inside[i];
        }
    }
    tally->n_kept = at;
}

static void NAME(tally)(gp_dtype dtype, const void *row, int64_t n, const gp_brackets *brackets, gp_tally *tally)
{
    KEY keys[BLOCK], is_inside[BLOCK];
    gp_key_kind kind = gp_key_kind_of(dtype);
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        int size = (int)(n - begin < BLOCK ? n - begin : BLOCK);
        NAME(keys)((const KEY *)row + begin, kind, size, keys);
        tally->n_valid += NAME(count_valid)(keys, size, (KEY)brackets->valid.first, (KEY)brackets->valid.last);
        memset(is_inside, 0, sizeof is_inside);
        for (int b = 0; b < brackets->n; b++)
            NAME(tally_bracket)(keys, size, brackets, b, tally, is_inside);
        NAME(keep)(keys, is_inside, size, tally);
    }
}

static void NAME(histogram)(gp_dtype dtype, const void *row, int64_t n, int64_t low, int64_t high, int shift, int64_t *counts)
{
    KEY keys[BLOCK];
    gp_key_kind kind = gp_key_kind_of(dtype);
    for (int64_t begin = 0; begin < n; begin += BLOCK) {
        int size = (int)(n - begin < BLOCK ? n - begin : BLOCK);
        NAME(keys)((const KEY *)row + begin, kind, size, keys);
        for (int i = 0; i < size; i++)
            if (keys[i] >= low && keys[i] <= high)
                counts[((uint64_t)keys[i] - (uint64_t)low) >> shift]++;
    }
}

#undef KEY
#undef NAME
#undef GP_WIDTH_JOIN
#undef GP_WIDTH_JOIN_
#undef GP_KEY_BITS
