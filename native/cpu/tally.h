/* gp_tally: counts of elements per bin by one thread; and running threads that count. */
#ifndef GP_TALLY_H
#define GP_TALLY_H

#include "threads.h"

/* Up to so many bins are counted in four tables in turns, as adding to a value that was just stored is slow. */
#define GP_FEW_BINS 256

/* counts[n_bins] is for elements in no bin. Tables count at most 2^32 elements between begin and end. */
typedef struct gp_tally {
    int64_t *counts, n_bins;
    bool is_in_tables;
    uint32_t tables[4][GP_FEW_BINS + 1];
} gp_tally;

/* Begins counting, which ends with gp_tally_end; n_elems: about how many elements there will be. */
static inline void gp_tally_begin(gp_tally *tally, int64_t n_bins, int64_t *counts, int64_t n_elems)
{
    tally->counts = counts, tally->n_bins = n_bins;
    tally->is_in_tables = n_bins <= GP_FEW_BINS && n_elems >= 2 * n_bins;
    for (int t = 0; t < 4 && tally->is_in_tables; t++)
        memset(tally->tables[t], 0, (size_t)(n_bins + 1) * sizeof tally->tables[t][0]);
}

static inline void gp_tally_add(gp_tally *tally, const int32_t *slots, int n)
{
    int i = 0, n_in_tables = tally->is_in_tables ? n - n % 4 : 0;
    for (; i < n_in_tables; i += 4)
        for (int t = 0; t < 4; t++)
            tally->tables[t][slots[i + t]]++;
    for (; i < n; i++)
        tally->counts[slots[i]]++;
}

static inline void gp_tally_end(gp_tally *tally)
{
    for (int64_t bin = 0; bin <= tally->n_bins && tally->is_in_tables; bin++)
        for (int t = 0; t < 4; t++)
            tally->counts[bin] += tally->tables[t][bin];
}

/*
 * gp_threads_run for pieces that count, on as many threads as there is memory for: *tables has n_slots counts for each worker, initially
 * 0. The sums over workers of the first n_counts go to counts.
 */
gp_status gp_tally_run(int64_t n_pieces, int n_threads, gp_piece piece, void *context, int64_t **tables, int64_t n_slots,
                       int64_t n_counts, int64_t *counts, gp_error *error) GP_MUST_CHECK;

#endif
