/* What the files of the CPU backend provide for its struct gp_backend; meanings are in backend.h. */
#ifndef GP_CPU_H
#define GP_CPU_H

#include "../backend.h"

/* ---- elements to cells ------------------------------------------------------------------------------------------- */

gp_status gp_cpu_reduce(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                        gp_cells *out, gp_limits_state *limits, gp_error *error);
gp_status gp_cpu_reduce_states(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                               gp_cell_state *out, gp_limits_state *limits, gp_error *error);
gp_status gp_cpu_limits(const gp_plane *plane, unsigned want, gp_limits_state *out, gp_error *error);
gp_status gp_cpu_gather(const gp_plane *plane, void *out, gp_error *error);
gp_status gp_cpu_convert(const gp_conversion *conversion, const gp_progress *progress, gp_error *error);

/* Memory aligned to 64 bytes, of at least one byte; free() it. NULL: there is none. */
void *gp_cpu_alloc(size_t n_bytes);

/* ---- colours ----------------------------------------------------------------------------------------------------- */

gp_status gp_cpu_shade(const gp_cells *cells, const gp_style *style, gp_pixels *out, gp_error *error);
gp_status gp_cpu_shade_rgb(const gp_cells *channels, int n_channels, const gp_rgb_style *style, gp_pixels *out, double range[2],
                           gp_error *error);
gp_status gp_cpu_angle(const gp_cells *real, const gp_cells *imaginary, gp_cells *out, gp_error *error);
gp_status gp_cpu_filter(const gp_cells *from, const gp_taps *rows, const gp_taps *cols, gp_nan nan, gp_cells *out,
                        gp_error *error);

/* ---- what there is among elements --------------------------------------------------------------------------------- */

gp_status gp_cpu_summarize(const gp_plane *plane, gp_summary_state *out, gp_error *error);
gp_status gp_cpu_histogram(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                           int64_t *counts, gp_error *error);
gp_status gp_cpu_histogram_joint(const gp_joint *joint, int64_t *counts, double *sums, int64_t *n_counted, gp_error *error);
gp_status gp_cpu_bin_points(const gp_plane *x, const gp_plane *y, const gp_plane *values, const gp_point_options *options,
                            gp_cells *out, int64_t *n_outside, gp_error *error);
gp_status gp_cpu_bin_lines(const gp_lines *lines, int64_t n_lines, const gp_line_options *options, gp_cells *out,
                           gp_error *error);
gp_status gp_cpu_find(const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards, int64_t *out, gp_error *error);

/* ---- series ------------------------------------------------------------------------------------------------------ */

gp_status gp_cpu_m4(const gp_plane *plane, const int64_t *bounds, int64_t n_columns, gp_m4_state *out, gp_error *error);
gp_status gp_cpu_find_ways(const gp_plane *plane, unsigned *out, gp_error *error);
gp_status gp_cpu_search_sorted(const gp_plane *plane, const double *values, int64_t n_values, int64_t *out, gp_error *error);
gp_status gp_cpu_take(const gp_plane *plane, const int64_t *positions, int64_t n_positions, double *out, gp_error *error);

/* ---- slices ------------------------------------------------------------------------------------------------------ */

gp_status gp_cpu_summarize_slices(const gp_slices *slices, gp_summary *out, gp_error *error);
gp_status gp_cpu_histogram_slices(const gp_slices *slices, const double *edges, int64_t n_bins, const gp_integer_range *range,
                                  int64_t *counts, gp_error *error);
gp_status gp_cpu_percentiles_slices(const gp_slices *slices, const double *percents, int n_percents, double *out,
                                    gp_error *error);

/* ---- order statistics -------------------------------------------------------------------------------------------- */

gp_status gp_cpu_percentiles(const gp_plane *plane, const double *percents, int n_percents, bool positive_only, double *out,
                             gp_error *error);

#endif
