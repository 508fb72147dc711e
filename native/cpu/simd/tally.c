/* Counts into bins, in tables of each thread, which are added up at the end. */
#include "tally.h"

#include "../../core/base/alloc.h"

enum { MOST_TABLE_BYTES = 1 << 28 };

gp_status gp_tally_run(int64_t n_pieces, int n_threads, gp_piece piece, void *context, int64_t **tables, int64_t n_slots,
                       int64_t n_counts, int64_t *counts, gp_error *error)
{
    GP_FREED int64_t *memory = NULL;
    int64_t most = MOST_TABLE_BYTES / (n_slots * (int64_t)sizeof *memory);
    n_threads = most < 1 ? 1 : most < n_threads ? (int)most : n_threads;
    GP_TRY(gp_alloc_zeroed((size_t)n_threads * (size_t)n_slots * sizeof *memory, &memory, error));
    *tables = memory;
    GP_TRY(gp_threads_run(n_pieces, n_threads, piece, context, error));
    memset(counts, 0, (size_t)n_counts * sizeof *counts);
    for (int worker = 0; worker < n_threads; worker++)
        for (int64_t i = 0; i < n_counts; i++)
            counts[i] += memory[worker * n_slots + i];
    return GP_OK;
}
