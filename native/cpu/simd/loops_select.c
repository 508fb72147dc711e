/* Selection, block by block: elements to ordered keys, comparisons as sums without branches, rare keys kept. */
#include "select_loops.h"

extern const gp_select_loops GP_LEVELED(gp_select_loops);

/* What is known about the elements of a block stays in the first-level cache. */
enum { BLOCK = 512, LANES = 64, MANY_HITS = LANES / 2, AHEAD = 2 * BLOCK };

typedef int32_t int_32;
typedef int64_t int_64;
typedef uint32_t uint_32;
typedef uint64_t uint_64;

/* Of the keys kept since, counts those at an end of a bracket, and drops them unless another bracket has them inside. */
static void count_ends(const gp_brackets *brackets, int64_t since, gp_key_tally *tally)
{
    int64_t at = since;
    for (int64_t i = since; i < tally->n_kept; i++) {
        uint64_t key = tally->kept[i];
        bool is_inside = false;
        for (int b = 0; b < brackets->n; b++) {
            uint64_t low = brackets->low[b], high = brackets->high[b];
            tally->at_low[b] += low < high && key == low;
            tally->at_high[b] += low < high && key == high;
            is_inside |= low < key && key < high;
        }
        tally->kept[at] = key;
        at += is_inside;
    }
    tally->n_kept = at;
}

#define GP_KEY_BITS 32
#include "select_template.h"
#define GP_KEY_BITS 64
#include "select_template.h"

static void tally(gp_dtype dtype, const void *row, int64_t n, const gp_brackets *brackets, gp_key_tally *out)
{
    if (gp_dtype_size_bytes(dtype) == 4)
        tally_32(dtype, row, n, brackets, out);
    else
        tally_64(dtype, row, n, brackets, out);
}

static void histogram(gp_dtype dtype, const void *row, int64_t n, int64_t low, int64_t high, int shift, int64_t *counts)
{
    if (gp_dtype_size_bytes(dtype) == 4)
        histogram_32(dtype, row, n, low, high, shift, counts);
    else
        histogram_64(dtype, row, n, low, high, shift, counts);
}

static void count_codes(gp_dtype dtype, const void *row, int64_t n, int64_t *counts)
{
    gp_key_kind kind = gp_key_kind_of(dtype);
    if (gp_dtype_size_bytes(dtype) == 1) {
        const uint8_t *codes = row;
        int zero = kind == GP_KEY_UNSIGNED ? 32768 - 128 : 32768;
        for (int64_t i = 0; i < n; i++)
            counts[zero + (kind == GP_KEY_UNSIGNED ? codes[i] : (int8_t)codes[i])]++;
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        int16_t bits;
        memcpy(&bits, (const char *)row + 2 * i, sizeof bits);
        counts[32768 + gp_key_16(bits, kind)]++;
    }
}

const gp_select_loops GP_LEVELED(gp_select_loops) = {tally, histogram, count_codes};
