/* What the files of the CUDA backend provide for its struct gp_backend; meanings are in backend.h. */
#ifndef GP_CUDA_H
#define GP_CUDA_H

#include "../backend.h"
#include "../core/conversion.h"
#include "device.h"

/*
 * Each function enters the plane's or cells' device, queues kernels, and is done with the tensor when it returns.
 * Cells and pixels are as in backend.h; gp_cells.data is a device address.
 */
gp_status gp_cuda_reduce(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                         gp_cells *out, gp_limits_state *limits, gp_error *error);                        /* reduce.c */
gp_status gp_cuda_reduce_states(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                                gp_cell_state *out, gp_limits_state *limits, gp_error *error); /* reduce.c */
gp_status gp_cuda_limits(const gp_plane *plane, unsigned want, gp_limits_state *out, gp_error *error); /* limits.c */
gp_status gp_cuda_percentiles(const gp_plane *plane, const double *percents, int n_percents, bool positive_only, double *out,
                              gp_error *error); /* percentiles.c */
gp_status gp_cuda_summarize(const gp_plane *plane, gp_summary_state *out, gp_error *error); /* summarize.c */
gp_status gp_cuda_histogram(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                            int64_t *counts, gp_error *error);                                      /* histogram.c */
gp_status gp_cuda_histogram_joint(const gp_joint *joint, int64_t *counts, double *sums, int64_t *n_counted,
                                  gp_error *error);                                                 /* joint.c */
gp_status gp_cuda_bin_points(const gp_plane *x, const gp_plane *y, const gp_plane *values, const gp_point_options *options,
                             gp_cells *out, int64_t *n_outside, gp_error *error);                   /* bin_points.c */
gp_status gp_cuda_bin_lines(const gp_lines *lines, int64_t n_lines, const gp_line_options *options, gp_cells *out,
                            gp_error *error);                                                       /* bin_lines.c */
gp_status gp_cuda_find_element(const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards, int64_t *out,
                               gp_error *error);                                                    /* find.c */
gp_status gp_cuda_m4(const gp_plane *plane, const int64_t *bounds, int64_t n_columns, gp_m4_state *out,
                     gp_error *error);                                                              /* series.c */
gp_status gp_cuda_find_ways(const gp_plane *plane, unsigned *out, gp_error *error);                 /* series.c */
gp_status gp_cuda_search_sorted(const gp_plane *plane, const double *values, int64_t n_values, int64_t *out,
                                gp_error *error);                                                   /* series.c */
gp_status gp_cuda_take(const gp_plane *plane, const int64_t *positions, int64_t n_positions, double *out,
                       gp_error *error);                                                            /* series.c */
gp_status gp_cuda_summarize_slices(const gp_slices *slices, gp_summary *out, gp_error *error);      /* slices.c */
gp_status gp_cuda_histogram_slices(const gp_slices *slices, const double *edges, int64_t n_bins, const gp_integer_range *range,
                                   int64_t *counts, gp_error *error); /* slices.c */
gp_status gp_cuda_percentiles_slices(const gp_slices *slices, const double *percents, int n_percents, double *out,
                                     gp_error *error); /* slices.c */
gp_status gp_cuda_gather(const gp_plane *plane, void *out, gp_error *error); /* convert.c */
gp_status gp_cuda_convert(const gp_conversion *plan, const gp_progress *progress, gp_error *error); /* convert.c */
gp_status gp_cuda_shade(const gp_cells *cells, const gp_style *style, gp_pixels *out, gp_error *error); /* shade.c */
gp_status gp_cuda_shade_rgb(const gp_cells *channels, int n_channels, const gp_rgb_style *style, gp_pixels *out, double range[2],
                            gp_error *error); /* shade_rgb.c */
gp_status gp_cuda_angle(const gp_cells *real, const gp_cells *imaginary, gp_cells *out, gp_error *error); /* shade_rgb.c */
gp_status gp_cuda_filter(const gp_cells *from, const gp_taps *rows, const gp_taps *cols, gp_nan nan, gp_cells *out,
                         gp_error *error); /* filter.c */
gp_status gp_cuda_fill_without_nan(const gp_cells *cells, gp_cells *without_nan, gp_error *error); /* shade_rgb.c */

extern const gp_backend gp_cuda_backend; /* backend.c */

#endif
