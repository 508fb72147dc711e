/* A decoder of LZMA: an adaptive range coder for bits; literals, matches, and repeats of the last four distances. */
#include "lzma.h"

#include <string.h>

typedef uint16_t gp_odds; /* the probability that the next bit is 0, in units of 2^-11 */

enum {
    ODDS_BITS = 11,
    ADAPT_SHIFT = 5,
    N_STATES = 12,
    N_POSITIONS = 1 << GP_LZMA_PB,
    N_LENGTH_KINDS = 4, /* the length of a short match selects the contexts of its distance */
    ALIGN_BITS = 4,
    FIRST_TREE_SLOT = 4,   /* distances below this equal their slot */
    FIRST_DIRECT_SLOT = 14 /* the middle bits of distances from here on have fixed, even odds */
};

typedef struct length_coder {
    gp_odds is_long, is_very_long;
    gp_odds low[N_POSITIONS][1 << 3], mid[N_POSITIONS][1 << 3], high[1 << 8];
} length_coder;

/* The adaptive odds of every kind of bit in the stream; all members are gp_odds. */
typedef struct contexts {
    gp_odds is_match[N_STATES][N_POSITIONS], is_repeat[N_STATES], is_not_last[N_STATES], is_not_second[N_STATES],
        is_not_third[N_STATES];
    gp_odds is_long_last[N_STATES][N_POSITIONS];
    gp_odds slots[N_LENGTH_KINDS][1 << 6], middle[1 << (FIRST_DIRECT_SLOT / 2)], align[1 << ALIGN_BITS];
    length_coder match_length, repeat_length;
    gp_odds literals[1 << (GP_LZMA_LC + GP_LZMA_LP)][0x300];
} contexts;

typedef struct decoder {
    const uint8_t *in, *in_end;
    uint32_t range, code;
    bool is_damaged;
    uint8_t *out;
    size_t n_done, n_out;
    uint32_t state;      /* the kinds of the last few symbols; below 7 the last one was a literal */
    uint32_t repeats[4]; /* the last four distances minus 1, the latest first */
    contexts odds;
} decoder;

/* ---- bits ------------------------------------------------------------------------------------------------------------------ */

static void refill(decoder *d)
{
    if (d->range >= UINT32_C(1) << 24)
        return;
    d->is_damaged = d->is_damaged || d->in == d->in_end;
    d->range <<= 8;
    d->code = d->code << 8 | (d->in < d->in_end ? *d->in++ : 0u);
}

static uint32_t read_bit(decoder *d, gp_odds *odds_of_0)
{
    uint32_t bound = (d->range >> ODDS_BITS) * *odds_of_0;
    uint32_t bit = d->code >= bound;
    if (bit) {
        d->code -= bound;
        d->range -= bound;
        *odds_of_0 = (gp_odds)(*odds_of_0 - (*odds_of_0 >> ADAPT_SHIFT));
    } else {
        d->range = bound;
        *odds_of_0 = (gp_odds)(*odds_of_0 + (((1 << ODDS_BITS) - *odds_of_0) >> ADAPT_SHIFT));
    }
    refill(d);
    return bit;
}

/* Reads bits of even odds, most significant first. */
static uint32_t read_direct(decoder *d, int n_bits)
{
    uint32_t value = 0;
    for (int i = 0; i < n_bits; i++) {
        d->range >>= 1;
        uint32_t bit = d->code >= d->range;
        d->code -= bit ? d->range : 0;
        value = value << 1 | bit;
        refill(d);
    }
    return value;
}

/* Reads bits, most significant first; the bits read so far select the odds of the next. */
static uint32_t read_tree(decoder *d, gp_odds *tree, int n_bits)
{
    uint32_t node = 1;
    for (int i = 0; i < n_bits; i++)
        node = node << 1 | read_bit(d, &tree[node]);
    return node - (UINT32_C(1) << n_bits);
}

/* Reads bits, least significant first. `tree` begins at node 1. */
static uint32_t read_reverse_tree(decoder *d, gp_odds *tree, int n_bits)
{
    uint32_t node = 1, value = 0;
    for (int i = 0; i < n_bits; i++) {
        uint32_t bit = read_bit(d, &tree[node - 1]);
        node = node << 1 | bit;
        value |= bit << i;
    }
    return value;
}

/* ---- literals, lengths, distances -------------------------------------------------------------------------------------------- */

static uint32_t position_of(const decoder *d) { return (uint32_t)d->n_done & (N_POSITIONS - 1); }

/* After a match the literal differs from the byte at the last distance, whose bits select the odds up to the first different bit. */
static void read_literal(decoder *d)
{
    gp_odds *tree = d->odds.literals[d->n_done & ((1 << GP_LZMA_LP) - 1)];
    uint32_t node = 1;
    if (d->state >= 7 && d->repeats[0] < d->n_done) {
        uint32_t other = d->out[d->n_done - d->repeats[0] - 1];
        while (node < 0x100) {
            uint32_t expected = other >> 7 & 1, bit = read_bit(d, &tree[((1 + expected) << 8) + node]);
            other <<= 1;
            node = node << 1 | bit;
            if (bit != expected)
                break;
        }
    }
    while (node < 0x100)
        node = node << 1 | read_bit(d, &tree[node]);
    d->out[d->n_done++] = (uint8_t)node;
    d->state = d->state < 4 ? 0 : d->state < 10 ? d->state - 3 : d->state - 6;
}

/* The length of a match minus the shortest, 2. */
static uint32_t read_length(decoder *d, length_coder *coder)
{
    uint32_t position = position_of(d);
    if (read_bit(d, &coder->is_long) == 0)
        return read_tree(d, coder->low[position], 3);
    if (read_bit(d, &coder->is_very_long) == 0)
        return 8 + read_tree(d, coder->mid[position], 3);
    return 16 + read_tree(d, coder->high, 8);
}

/* The distance minus 1. Its slot encodes the position of its highest bit and the bit below that. */
static uint32_t read_distance(decoder *d, uint32_t length)
{
    uint32_t kind = length < N_LENGTH_KINDS ? length : N_LENGTH_KINDS - 1;
    uint32_t slot = read_tree(d, d->odds.slots[kind], 6);
    if (slot < FIRST_TREE_SLOT)
        return slot;
    int n_bits = (int)(slot >> 1) - 1;
    uint32_t distance = (2 | (slot & 1)) << n_bits;
    if (slot < FIRST_DIRECT_SLOT)
        return distance + read_reverse_tree(d, d->odds.middle + (distance - slot), n_bits);
    distance += read_direct(d, n_bits - ALIGN_BITS) << ALIGN_BITS;
    return distance + read_reverse_tree(d, d->odds.align, ALIGN_BITS);
}

/* ---- matches ------------------------------------------------------------------------------------------------------------------ */

static void copy(decoder *d, size_t n_bytes)
{
    size_t distance = (size_t)d->repeats[0] + 1;
    d->is_damaged = d->is_damaged || distance > d->n_done;
    n_bytes = n_bytes < d->n_out - d->n_done ? n_bytes : d->n_out - d->n_done;
    for (size_t i = 0; i < n_bytes && !d->is_damaged; i++, d->n_done++)
        d->out[d->n_done] = d->out[d->n_done - distance];
}

/* Reads which of the last four distances is repeated, and moves it to the front. */
static void choose_repeat(decoder *d)
{
    int which = 1;
    if (read_bit(d, &d->odds.is_not_second[d->state]))
        which = 2 + (int)read_bit(d, &d->odds.is_not_third[d->state]);
    uint32_t chosen = d->repeats[which];
    for (int i = which; i > 0; i--)
        d->repeats[i] = d->repeats[i - 1];
    d->repeats[0] = chosen;
}

static void read_repeat(decoder *d)
{
    if (read_bit(d, &d->odds.is_not_last[d->state])) {
        choose_repeat(d);
    } else if (read_bit(d, &d->odds.is_long_last[d->state][position_of(d)]) == 0) {
        d->state = d->state < 7 ? 9 : 11;
        copy(d, 1);
        return;
    }
    uint32_t length = read_length(d, &d->odds.repeat_length);
    d->state = d->state < 7 ? 8 : 11;
    copy(d, 2 + (size_t)length);
}

static void read_match(decoder *d)
{
    memmove(d->repeats + 1, d->repeats, 3 * sizeof d->repeats[0]);
    uint32_t length = read_length(d, &d->odds.match_length);
    d->state = d->state < 7 ? 7 : 10;
    d->repeats[0] = read_distance(d, length);
    copy(d, 2 + (size_t)length);
}

static void decoder_init(decoder *d, const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out)
{
    gp_odds *all = (gp_odds *)&d->odds;
    *d = (decoder){.in = in, .in_end = in + n_in, .range = UINT32_MAX, .out = out, .n_out = n_out};
    for (size_t i = 0; i < sizeof d->odds / sizeof *all; i++)
        all[i] = 1 << (ODDS_BITS - 1);
    d->is_damaged = n_in < 5 || in[0] != 0;
    for (int i = 1; i < 5 && !d->is_damaged; i++)
        d->code = d->code << 8 | in[i];
    d->in += d->is_damaged ? 0 : 5;
}

bool gp_lzma_expand(const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out)
{
    decoder d;
    decoder_init(&d, in, n_in, out, n_out);
    while (d.n_done < n_out && !d.is_damaged) {
        if (read_bit(&d, &d.odds.is_match[d.state][position_of(&d)]) == 0)
            read_literal(&d);
        else if (read_bit(&d, &d.odds.is_repeat[d.state]) == 0)
            read_match(&d);
        else
            read_repeat(&d);
    }
    return !d.is_damaged;
}
