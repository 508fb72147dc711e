/* Ranks by buckets: keys are counted by equal parts of their range, and only those in a part with a wanted rank are looked at again. */
#include "ranks.h"

#include "sort.h"

#include <string.h>

enum { FEW_KEYS = 48, MOST_BUCKETS = 2048 };

/* Equal parts of the range of n keys: where it begins, and how many bits of each key are of no matter. */
static int64_t buckets_of(const uint64_t *keys, int64_t n, uint64_t *low, int *shift)
{
    uint64_t least = keys[0], most = keys[0];
    int64_t n_buckets = 64;
    for (int64_t i = 1; i < n; i++) {
        least = keys[i] < least ? keys[i] : least;
        most = keys[i] > most ? keys[i] : most;
    }
    while (n_buckets < MOST_BUCKETS && n_buckets < n)
        n_buckets *= 2;
    *low = least;
    for (*shift = 0; (most - least) >> *shift >= (uint64_t)n_buckets;)
        ++*shift;
    return n_buckets;
}

/* Keys of a bucket go to the front; how many. Without a branch, as nothing could guess it. */
static int64_t to_front(uint64_t *keys, int64_t n, uint64_t low, int shift, uint64_t bucket)
{
    int64_t n_inside = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t key = keys[i];
        keys[i] = keys[n_inside], keys[n_inside] = key;
        n_inside += (key - low) >> shift == bucket;
    }
    return n_inside;
}

/* Finds the keys of some ranks, which do not fall, among n keys above `below` others; these change places. */
static void find_ranks(uint64_t *keys, int64_t n, int64_t below, gp_ranked *ranks, int n_ranks)
{
    int64_t counts[MOST_BUCKETS], bucket = 0;
    uint64_t low;
    int shift, n_here;
    if (n <= FEW_KEYS) {
        const uint64_t *sorted = gp_sort_keys(keys, NULL, n); /* so few are sorted in place */
        for (int i = 0; i < n_ranks; i++)
            ranks[i].key = sorted[ranks[i].rank - below];
        return;
    }
    memset(counts, 0, (size_t)buckets_of(keys, n, &low, &shift) * sizeof counts[0]);
    for (int64_t i = 0; i < n; i++)
        counts[(keys[i] - low) >> shift]++;
    for (int i = 0; i < n_ranks; i += n_here) {
        while (ranks[i].rank >= below + counts[bucket])
            below += counts[bucket++];
        for (n_here = 1; i + n_here < n_ranks && ranks[i + n_here].rank < below + counts[bucket];)
            n_here++;
        for (int j = i; j < i + n_here && shift == 0; j++)
            ranks[j].key = low + (uint64_t)bucket;
        if (shift > 0)
            find_ranks(keys, to_front(keys, n, low, shift, (uint64_t)bucket), below, ranks + i, n_here);
    }
}

void gp_ranks_find(uint64_t *keys, int64_t n, gp_ranked *ranks, int n_ranks) { find_ranks(keys, n, 0, ranks, n_ranks); }

void gp_ranks_insert(gp_ranked *ranks, int *n, int64_t rank)
{
    int at = (*n)++;
    for (; at > 0 && ranks[at - 1].rank > rank; at--)
        ranks[at] = ranks[at - 1];
    ranks[at].rank = rank;
}

uint64_t gp_ranks_key(const gp_ranked *ranks, int n, int64_t rank)
{
    int low = 0;
    for (int high = n - 1; low < high;) {
        int middle = (low + high) / 2;
        if (ranks[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return ranks[low].key;
}
