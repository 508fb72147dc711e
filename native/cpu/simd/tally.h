/* gp_tally: counts of elements per bin by one thread; and running threads that count. */
#ifndef GP_TALLY_H
#define GP_TALLY_H

#include "../../core/base/threads.h"

/*
 * Up to so many bins are counted in several tables in turns, as adding to a value that was just stored is slow. A processor
 * may also take two addresses for one where their places in a page are equal: a bin has another place in each table.
 */
#define GP_FEW_BINS 1024
#define GP_TALLY_TABLES 8
#define GP_TALLY_STRIDE (GP_FEW_BINS + 128)

/* counts[n_bins] is for elements in no bin. Tables count at most 2^32 elements between begin and end. */
typedef struct gp_tally {
    int64_t *counts, n_bins;
    bool is_in_tables;
    uint32_t tables[GP_TALLY_TABLES][GP_TALLY_STRIDE];
} gp_tally;

/* Begins counting, which ends with gp_tally_end; n_elems: about how many elements there will be. */
static inline void gp_tally_begin(gp_tally *tally, int64_t n_bins, int64_t *counts, int64_t n_elems)
{
    tally->counts = counts, tally->n_bins = n_bins;
    tally->is_in_tables = n_bins <= GP_FEW_BINS && n_elems >= GP_TALLY_TABLES * n_bins;
    for (int t = 0; t < GP_TALLY_TABLES && tally->is_in_tables; t++)
        memset(tally->tables[t], 0, (size_t)(n_bins + 1) * sizeof tally->tables[t][0]);
}

/* Two slots are loaded at once: each count is a load and a store already. */
static inline void gp_tally_add(gp_tally *tally, const int32_t *slots, int n)
{
    int i = 0, n_in_tables = tally->is_in_tables ? n - n % GP_TALLY_TABLES : 0;
    for (; i < n_in_tables; i += GP_TALLY_TABLES)
        for (int t = 0; t < GP_TALLY_TABLES; t += 2) {
            uint64_t two;
            memcpy(&two, slots + i + t, sizeof two);
            tally->tables[t][two & UINT32_MAX]++;
            tally->tables[t + 1][two >> 32]++;
        }
    for (; i < n; i++)
        tally->counts[slots[i]]++;
}

/* Bytes, which are slots themselves; a tally of GP_N_CODES bins. */
static inline void gp_tally_add_codes(gp_tally *tally, const uint8_t *codes, int n)
{
    int i = 0;
    for (; i + GP_TALLY_TABLES <= n && tally->is_in_tables; i += GP_TALLY_TABLES) {
        uint64_t eight;
        memcpy(&eight, codes + i, sizeof eight);
        for (int t = 0; t < GP_TALLY_TABLES; t++)
            tally->tables[t][(uint8_t)(eight >> (8 * t))]++;
    }
    for (; i < n; i++)
        tally->counts[codes[i]]++;
}

static inline void gp_tally_end(gp_tally *tally)
{
    for (int64_t bin = 0; bin <= tally->n_bins && tally->is_in_tables; bin++)
        for (int t = 0; t < GP_TALLY_TABLES; t++)
            tally->counts[bin] += tally->tables[t][bin];
}

/*
 * gp_threads_run for pieces that count, on as many threads as there is memory for: *tables has n_slots counts for each worker, initially
 * 0. The sums over workers of the first n_counts go to counts.
 */
gp_status gp_tally_run(int64_t n_pieces, int n_threads, gp_piece piece, void *context, int64_t **tables, int64_t n_slots,
                       int64_t n_counts, int64_t *counts, gp_error *error) GP_MUST_CHECK;

#endif
