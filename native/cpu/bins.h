/* gp_bins, the bins of a histogram as loops use them, made from edges. */
#ifndef GP_CPU_BINS_H
#define GP_CPU_BINS_H

#include "../core/statistics/summary.h"
#include "simd/block_loops.h"

/* edges: n_bins + 1, strictly rising. dtype: that of the loop. */
gp_bins gp_bins_of(gp_dtype dtype, const double *edges, int64_t n_bins);

/* For uneven bins, adds a table that narrows the search, if n_elems elements are enough to be worth it. Free with gp_bins_free. */
gp_status gp_bins_add_table(gp_bins *bins, int64_t n_elems, gp_error *error);
void gp_bins_free(gp_bins *bins);

/* Restricts the count to integers of the range. dtype: that of the loop. */
void gp_bins_set_range(gp_bins *bins, gp_dtype dtype, const gp_integer_range *range);

/* For 8-bit integers: writes the bin of each code to `codes`, which the bins then refer to. Set a range before. */
enum { GP_N_CODES = 256 };
void gp_bins_set_codes(gp_bins *bins, gp_dtype dtype, int32_t *codes);

#endif
