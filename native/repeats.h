/* Operations of a backend on planes and slices whose elements may repeat (a stride of zero): each address is read once. */
#ifndef GP_REPEATS_H
#define GP_REPEATS_H

#include "backend.h"

/*
 * The functions of struct gp_backend, with the same meaning and arguments. Of rows, or columns, that share their memory and mask the
 * backend gets one, and its result is turned into that for all. Front ends call these functions, not the backend's.
 */
gp_status gp_plane_reduce(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                          const gp_reduce_options *options, gp_cells *out, gp_limits_state *limits,
                          gp_error *error) GP_MUST_CHECK;
gp_status gp_plane_reduce_states(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                                 const gp_reduce_options *options, gp_cell_state *out, gp_limits_state *limits,
                                 gp_error *error) GP_MUST_CHECK; /* any agg */
gp_status gp_plane_limits(const gp_backend *backend, const gp_plane *plane, unsigned want, gp_limits_state *out,
                          gp_error *error) GP_MUST_CHECK;
gp_status gp_plane_percentiles(const gp_backend *backend, const gp_plane *plane, const double *percents, int n_percents,
                               bool positive_only, double *out, gp_error *error) GP_MUST_CHECK;
gp_status gp_plane_collect(const gp_backend *backend, const gp_plane *plane, const double *lows, const double *highs,
                           int n_ranges, int64_t most, double *out, int64_t *n_found, gp_error *error) GP_MUST_CHECK;
gp_status gp_plane_summarize(const gp_backend *backend, const gp_plane *plane, gp_partial_summary *out,
                             gp_error *error) GP_MUST_CHECK; /* elements that are too large or too small for squares are scaled */
gp_status gp_plane_histogram(const gp_backend *backend, const gp_plane *plane, const double *edges, int64_t n_bins,
                             const gp_integer_range *range, int64_t *counts, gp_error *error) GP_MUST_CHECK;
gp_status gp_plane_find(const gp_backend *backend, const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards,
                        int64_t *out, gp_error *error) GP_MUST_CHECK;
gp_status gp_plane_m4(const gp_backend *backend, const gp_plane *plane, const int64_t *bounds, int64_t n_columns,
                      gp_m4_state *out, gp_error *error) GP_MUST_CHECK;
gp_status gp_plane_find_ways(const gp_backend *backend, const gp_plane *plane, unsigned *out, gp_error *error) GP_MUST_CHECK;

gp_status gp_slices_summarize(const gp_backend *backend, const gp_slices *slices, gp_summary *out, gp_error *error) GP_MUST_CHECK;
gp_status gp_slices_histogram(const gp_backend *backend, const gp_slices *slices, const double *edges, int64_t n_bins,
                              const gp_integer_range *range, int64_t *counts, gp_error *error) GP_MUST_CHECK;
gp_status gp_slices_percentiles(const gp_backend *backend, const gp_slices *slices, const double *percents, int n_percents,
                                double *out, gp_error *error) GP_MUST_CHECK;

#endif
