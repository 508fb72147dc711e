/* Summaries and limits of elements that rows have delivered: masked ones are told from NaN. */
#ifndef GP_BLOCK_SUMMARY_H
#define GP_BLOCK_SUMMARY_H

#include "row_reader.h"
#include "simd/block_loops.h"
#include "simd/loops.h"

/* Joins the summary of n <= GP_BLOCK_ELEMS elements that rows have delivered. */
void gp_block_summarize(const gp_row_reader *rows, const gp_block_loops *loops, const void *elems, int n, double smallest_normal,
                        gp_summary_state *state);

/* The first element that is a NaN and not masked, or -1. */
int64_t gp_first_nan(const gp_row_reader *rows, const gp_block_loops *loops, const void *elems, int64_t n);

/* Joins the limits of n elements that rows have delivered. */
static inline void gp_row_reader_add_limits(const gp_row_reader *rows, const gp_loops *loops, const void *elems, int64_t n,
                                            gp_limits_state *state)
{
    loops->limits(elems, n, state);
    int64_t n_masked = rows->plane.mask != NULL ? gp_count_masked(elems, n) : 0;
    state->n_nan -= n_masked, state->n_masked += n_masked;
}

#endif
