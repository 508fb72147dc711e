/* What loops need to know about bins, from their edges. */
#ifndef GP_CPU_BINS_H
#define GP_CPU_BINS_H

#include "../core/summary.h"
#include "look.h"

/* edges: n_bins + 1, strictly rising. */
gp_bins gp_bins_of(const double *edges, int64_t n_bins);

/* Of uneven bins, a table that narrows the search for n_elems elements, where these are enough to be worth one. gp_bins_free. */
gp_status gp_bins_add_table(gp_bins *bins, int64_t n_elems, gp_error *error);
void gp_bins_free(gp_bins *bins);

/* Only integers of the range count from now on. dtype: that of the loop. */
void gp_bins_set_range(gp_bins *bins, gp_dtype dtype, const gp_integer_range *range);

/* Of 8-bit integers each code has its bin, written to `codes`, which the bins then refer to. A range is set before. */
enum { GP_N_CODES = 256 };
void gp_bins_set_codes(gp_bins *bins, gp_dtype dtype, int32_t *codes);

#endif
