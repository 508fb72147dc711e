/* Passes over all elements of a plane that find out something about their keys, on all threads. */
#ifndef GP_SELECT_PASS_H
#define GP_SELECT_PASS_H

#include "read/plane_scan.h"
#include "simd/select_loops.h"

/*
 * Joined over all threads. Of the keys inside of brackets one in `stride` is kept, at random, and up to `most` in all, or a few more;
 * kept is the caller's to free, also of a failed one.
 */
gp_status gp_select_tally(const gp_plane_scan *scan, const gp_brackets *brackets, int64_t most, int64_t stride, gp_key_tally *out,
                          gp_error *error) GP_MUST_CHECK;

/* counts has GP_SELECT_BINS entries and is written whole. */
gp_status gp_select_histogram(const gp_plane_scan *scan, int64_t low, int64_t high, int shift, int64_t *counts,
                              gp_error *error) GP_MUST_CHECK;

/* counts has 65536 entries. */
gp_status gp_select_codes(const gp_plane_scan *scan, int64_t *counts, gp_error *error) GP_MUST_CHECK;

/* Sortable keys of the valid ones among n_wanted elements from all over the plane, always the same; how many these are. */
int64_t gp_select_sample(const gp_plane_scan *scan, gp_key_range valid, int64_t n_wanted, uint64_t *keys);

#endif
