/* Radix sort, least significant digit first, over the bits that differ. */
#include "sort.h"

enum { DIGIT_BITS = 8, N_BUCKETS = 1 << DIGIT_BITS, FEW = 48 };

static void sort_few(uint64_t *keys, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        int64_t at = i;
        for (; at > 0 && keys[at - 1] > key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Copies keys to `out`, sorted by one digit; equal digits stay in their order. */
static void scatter(const uint64_t *keys, int64_t n, int shift, uint64_t *out)
{
    int64_t starts[N_BUCKETS] = {0}, start = 0;
    for (int64_t i = 0; i < n; i++)
        starts[keys[i] >> shift & (N_BUCKETS - 1)]++;
    for (int bucket = 0; bucket < N_BUCKETS; bucket++) {
        int64_t count = starts[bucket];
        starts[bucket] = start;
        start += count;
    }
    for (int64_t i = 0; i < n; i++)
        out[starts[keys[i] >> shift & (N_BUCKETS - 1)]++] = keys[i];
}

uint64_t *gp_sort_keys(uint64_t *keys, uint64_t *spare, int64_t n)
{
    uint64_t differing = 0;
    if (n <= FEW) {
        sort_few(keys, n);
        return keys;
    }
    for (int64_t i = 1; i < n; i++)
        differing |= keys[i] ^ keys[0];
    for (int shift = 0; shift < 64 && differing >> shift != 0;) {
        uint64_t *sorted = spare;
        if ((differing >> shift & 1) == 0) {
            shift++;
            continue;
        }
        scatter(keys, n, shift, sorted);
        spare = keys, keys = sorted;
        shift += DIGIT_BITS;
    }
    return keys;
}
