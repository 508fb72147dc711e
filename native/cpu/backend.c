/* The CPU's struct gp_backend. */
#include "cpu.h"

#include "float_mode.h"

#include <stdlib.h>

static gp_status cells_alloc(int64_t n_rows, int64_t n_cols, gp_device device, gp_cells *out, gp_error *error)
{
    int64_t n_bytes;
    (void)device; /* of pinned memory, too, the cells are ordinary host memory */
    *out = (gp_cells){.n_rows = n_rows, .n_cols = n_cols, .device = {GP_DL_CPU, 0}};
    if (n_rows < 0 || n_cols < 0 || __builtin_mul_overflow(n_rows, n_cols, &n_bytes) ||
        __builtin_mul_overflow(n_bytes, (int64_t)sizeof(double), &n_bytes))
        return gp_fail(error, GP_ERR_OVERFLOW, "%lld x %lld cells are more than memory can address", (long long)n_rows,
                       (long long)n_cols);
    out->data = gp_cpu_alloc((size_t)n_bytes);
    return out->data != NULL ? GP_OK : gp_fail_memory(error, (double)n_bytes);
}

static void cells_free(gp_cells *cells)
{
    free(cells->data);
    *cells = (gp_cells){0};
}

static gp_status cells_copy_out(const gp_cells *cells, double *out, gp_error *error)
{
    (void)error;
    if (cells->n_rows > 0 && cells->n_cols > 0)
        memcpy(out, cells->data, (size_t)cells->n_rows * (size_t)cells->n_cols * sizeof *out);
    return GP_OK;
}

/* The calling thread computes with the default floating-point mode too, not only inside the pool. */
static gp_status reduce(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                        gp_cells *out, gp_limits *limits, gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_reduce(plane, rows, cols, options, out, limits, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status reduce_states(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                               gp_cell_state *out, gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_reduce_states(plane, rows, cols, options, out, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status limits_of(const gp_plane *plane, unsigned want, gp_limits *out, gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_limits(plane, want, out, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status percentiles(const gp_plane *plane, const double *percents, int n_percents, bool positive_only, double *out,
                             gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_percentiles(plane, percents, n_percents, positive_only, out, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status summarize(const gp_plane *plane, gp_summary *out, gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_summarize(plane, out, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status histogram(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                           int64_t *counts, gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_histogram(plane, edges, n_bins, range, counts, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status find(const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards, int64_t *out, gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_find(plane, kinds, start, is_backwards, out, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status summarize_slices(const gp_slices *slices, gp_summary *out, gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_summarize_slices(slices, out, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status histogram_slices(const gp_slices *slices, const double *edges, int64_t n_bins, const gp_integer_range *range,
                                  int64_t *counts, gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_histogram_slices(slices, edges, n_bins, range, counts, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status percentiles_slices(const gp_slices *slices, const double *percents, int n_percents, double *out, gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_percentiles_slices(slices, percents, n_percents, out, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status shade(const gp_cells *cells, const gp_style *style, gp_pixels *out, gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_shade(cells, style, out, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status shade_rgb(const gp_cells *channels, int n_channels, const gp_rgb_style *style, gp_pixels *out, double range[2],
                           gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_shade_rgb(channels, n_channels, style, out, range, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status angle(const gp_cells *real, const gp_cells *imaginary, gp_cells *out, gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_angle(real, imaginary, out, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status filter(const gp_cells *from, const gp_taps *rows, const gp_taps *cols, gp_nan nan, gp_cells *out,
                        gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_filter(from, rows, cols, nan, out, error);
    gp_float_mode_leave(mode);
    return status;
}

static gp_status convert(const gp_conversion *conversion, const gp_progress *progress, gp_error *error)
{
    uint64_t mode = gp_float_mode_enter();
    gp_status status = gp_cpu_convert(conversion, progress, error);
    gp_float_mode_leave(mode);
    return status;
}

const gp_backend gp_cpu_backend = {
    .name = "cpu",
    .reduce = reduce,
    .reduce_states = reduce_states,
    .limits = limits_of,
    .percentiles = percentiles,
    .summarize = summarize,
    .histogram = histogram,
    .find = find,
    .summarize_slices = summarize_slices,
    .histogram_slices = histogram_slices,
    .percentiles_slices = percentiles_slices,
    .shade = shade,
    .shade_rgb = shade_rgb,
    .angle = angle,
    .filter = filter,
    .gather = gp_cpu_gather,
    .convert = convert,
    .cells_alloc = cells_alloc,
    .cells_free = cells_free,
    .cells_copy_out = cells_copy_out,
};
