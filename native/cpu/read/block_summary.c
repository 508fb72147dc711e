/* Summarizes blocks by the loops of this machine's level, and handles masked elements. */
#include "block_summary.h"

static int64_t count_bad(const gp_summary_state *state) { return state->n_nan + state->n_pos_inf + state->n_neg_inf; }

void gp_block_summarize(const gp_row_reader *rows, const gp_block_loops *loops, const void *elems, int n, double smallest_normal,
                        gp_summary_state *state)
{
    int64_t n_masked = rows->plane.mask != NULL ? gp_count_masked(elems, n) : 0, n_bad_before = count_bad(state);
    loops->summarize(elems, n, smallest_normal, state);
    state->n_finite += n - (count_bad(state) - n_bad_before);
    state->n_nan -= n_masked, state->n_masked += n_masked;
}

int64_t gp_first_nan(const gp_row_reader *rows, const gp_block_loops *loops, const void *elems, int64_t n)
{
    const double *values = elems;
    if (rows->plane.mask == NULL)
        return loops->find_kinds(elems, n, GP_HAS_NAN, false);
    for (int64_t i = 0; i < n; i++)
        if (gp_class_of(values[i]) == GP_HAS_NAN)
            return i;
    return -1;
}
