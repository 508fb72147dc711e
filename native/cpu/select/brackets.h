/* Brackets of keys in which wanted percentiles lie, found from a sample. */
#ifndef GP_SELECT_BRACKETS_H
#define GP_SELECT_BRACKETS_H

#include "select_pass.h"

/* The percentiles of which brackets are wanted: at most GP_MOST_BRACKETS, among the keys of a range. */
typedef struct gp_wanted {
    const gp_plane_scan *scan;
    gp_key_range valid;
    const double *percents;
    int n_percents;
    int64_t n_repeats; /* of each element */
} gp_wanted;

/*
 * A bracket for each percentile, none where no key is valid. A bracket holds its percentile but for a chance of one in ten thousand, and
 * all of them have at most `most` keys inside, unless a sample misleads. Passes over all elements, one as a rule if any, see to this.
 */
gp_status gp_select_brackets(const gp_wanted *wanted, int64_t most, gp_brackets *out, gp_error *error) GP_MUST_CHECK;

#endif
