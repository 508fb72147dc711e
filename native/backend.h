/* struct gp_backend: the table of operations that a device implements. */
#ifndef GP_BACKEND_H
#define GP_BACKEND_H

#include "core/states/cell_state.h"
#include "core/tensor/cells.h"
#include "core/tensor/conversion.h"
#include "core/statistics/difference.h"
#include "core/grids/filter.h"
#include "core/grids/grid.h"
#include "core/statistics/joint.h"
#include "core/color/limits_search.h"
#include "core/grids/line_grid.h"
#include "core/grids/point_grid.h"
#include "core/states/reductions.h"
#include "core/statistics/series.h"
#include "core/statistics/slices.h"
#include "core/color/style.h"
#include "core/statistics/summary.h"
#include "core/tensor/view.h"

/* Pixels of the cells of a reduction, made by the same call: the results on a device are then waited for once. */
typedef struct gp_shading {
    const gp_style *style;
    const gp_limits_search *search; /* NULL, or how limits that are NaN in `style` are found from what the reduction finds */
    gp_pixels *out;                 /* of the size of the cells */
    bool
        is_made; /* set by `reduce`: false on devices where this saves nothing, such as the CPU, and where limits cannot be found:
                     * of norms without gp_norm_is_searched, and from elements or cells of which the reduction finds no limits */
    gp_ends limits; /* vmin and vmax of pixels that are made */
} gp_shading;

typedef struct gp_reduce_options {
    gp_agg agg;
    gp_nan nan;
    unsigned want; /* GP_WANT_* bits: limits of the *whole* plane, in the same pass where the view covers it */
    gp_cells
        *without_nan; /* NULL, or a grid of the cells' size: for cells that NaN marks, their value under GP_NAN_INFINITE, which
                            * leaves NaN out of hidden axes, too; other cells are unspecified */
    gp_limits_state *limits_without_nan; /* NULL, or, with `without_nan`, the limits of elements under GP_NAN_INFINITE; `limits`
                                          * tells whether a NaN was left out of hidden axes */
    gp_limits_state
        *limits_of_cells; /* NULL, or the range, kinds and counts of the cells that `reduce` writes, found by the same work */
    gp_shading *shading; /* NULL, or how the cells that `reduce` writes are colored in the same call */
} gp_reduce_options;

typedef struct gp_backend {
    const char *name;

    /* Elements to cells. `out` has rows->n_cells x cols->n_cells cells; all are written, reversed axes turned.
     * limits: NULL if options->want is 0, else a state that may be joined with those of other pieces. */
    gp_status (*reduce)(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                        gp_cells *out, gp_limits_state *limits, gp_error *error);

    /* As reduce, but not finished: partial results of rows->n_cells x cols->n_cells cells to host memory, row-major and in the direction
     * of growing index, with sums of finite elements and the kinds of all others. options->nan is the policy of hidden axes.
     * Not for agg 'nearest', whose cells are their partial results. */
    gp_status (*reduce_states)(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, const gp_reduce_options *options,
                               gp_cell_state *out, gp_limits_state *limits, gp_error *error);

    /* The range and the kinds of all elements of the plane. */
    gp_status (*limits)(const gp_plane *plane, unsigned want, gp_limits_state *out, gp_error *error);

    /* Exact percentiles (0..100, NumPy's 'linear') of the finite elements, or of the positive ones; NaN if there are none. */
    gp_status (*percentiles)(const gp_plane *plane, const double *percents, int n_percents, bool positive_only, double *out,
                             gp_error *error);

    /* The finite elements from lows[i] to highs[i] of any of some ranges, which do not overlap, in any order. n_found: their number; where
     * it is above `most`, `out` is unspecified, and it may be too small itself. out has room for `most`. */
    gp_status (*collect)(const gp_plane *plane, const double *lows, const double *highs, int n_ranges, int64_t most, double *out,
                         int64_t *n_found, gp_error *error);

    /* Counts, extremes and moments of the elements of the plane, in one pass. Extremes have the order of gp_plane_summary_order. */
    gp_status (*summarize)(const gp_plane *plane, gp_summary_state *out, gp_error *error);

    /* counts[i]: the number of elements x, as float64, with edges[i] <= x < edges[i + 1]; the last bin also has x == edges[n_bins].
     * NaN and elements outside are not counted. range: NULL, or the integers that are counted, whatever the outer edges; one whose
     * float64 is beyond the edges is counted in the nearest bin. All counts are written. */
    gp_status (*histogram)(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                           int64_t *counts, gp_error *error);

    /* As histogram, for elements at the same place of the planes of one or two sides: the number in bin i of the first and bin j of
     * the second. Places with a masked element in any plane are not counted. Weights are added up in float64, with the same bits on
     * every run. Without weights all counts are written, with weights all sums; n_counted: the number of elements in any bin. */
    gp_status (*histogram_joint)(const gp_joint *joint, int64_t *counts, double *sums, int64_t *n_counted, gp_error *error);

    /* Elements of a minus those of b at the same place, by gp_subtract; out has a cell for each element, in order. */
    gp_status (*subtract)(const gp_plane *a, const gp_plane *b, gp_cells *out, gp_error *error);

    /* Compares all pairs of elements; complex ones as a whole. Positions are as in gp_summary. */
    gp_status (*compare)(const gp_compared *compared, gp_comparison *out, gp_error *error);

    /* Points to cells: point i has the coordinates x[i] and y[i], element i of each plane, and adds values[i] (NULL: points are only
     * counted) to its cell, with weight 1. Row 0 has the smallest y; a cell without points is empty. n_outside: the number of points
     * without a cell. The last bits of sums may differ between runs on a GPU. */
    gp_status (*bin_points)(const gp_plane *x, const gp_plane *y, const gp_plane *values, const gp_point_options *options,
                            gp_cells *out, int64_t *n_outside, gp_error *error);

    /* Lines to cells: the number of lines that pass a cell, or with options->is_normalized the sum of their shares. Lines may have
     * different lengths; all are on one device. Row 0 has the smallest y, or what is below the grid where options->has_outside; `out` has
     * gp_line_n_rows rows. A cell without a line is empty. Integers are summed: cells of
     * parts of the lines add up to those of all, and have the same bits on every device and on every run. */
    gp_status (*bin_lines)(const gp_lines *lines, int64_t n_lines, const gp_line_options *options, gp_cells *out,
                           gp_error *error);

    /* The position, as in gp_summary, of the first element at or after `start` (backwards: the last at or before it) whose
     * kind is one of the GP_HAS_* bits; -1 if there is none. */
    gp_status (*find)(const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards, int64_t *out, gp_error *error);

    /* The samples that draw a series, a plane of one row, in n_columns columns of pixels: column k has samples bounds[k] to bounds[k + 1] - 1.
     * bounds: n_columns + 1 positions that never fall, in host memory. Orders are of gp_series_order_type. */
    gp_status (*m4)(const gp_plane *plane, const int64_t *bounds, int64_t n_columns, gp_m4_state *out, gp_error *error);

    /* Whether a series rises and falls, GP_RISES and GP_FALLS: both if all samples are equal or there are none, neither if one is NaN
     * or masked. */
    gp_status (*find_ways)(const gp_plane *plane, unsigned *out, gp_error *error);

    /* For each value the position of the first sample, as float64, that is not below it, or the number of samples if there is none.
     * The series rises. Values and positions are in host memory. */
    gp_status (*search_sorted)(const gp_plane *plane, const double *values, int64_t n_values, int64_t *out, gp_error *error);

    /* The samples of a series at some positions, in any order, as float64; masked ones are gp_masked_value. Both arrays are in host
     * memory. */
    gp_status (*take)(const gp_plane *plane, const int64_t *positions, int64_t n_positions, double *out, gp_error *error);

    /* summarize for each slice, with positions in the slice; out has n_slices entries. The last bits of moments may differ from
     * those of the same elements in a plane. */
    gp_status (*summarize_slices)(const gp_slices *slices, gp_summary *out, gp_error *error);

    /* histogram for each slice: edges are n_slices x (n_bins + 1), counts n_slices x n_bins. range is that of all slices, and no
     * integer in it may be beyond a slice's edges by more than the rounding of float64. */
    gp_status (*histogram_slices)(const gp_slices *slices, const double *edges, int64_t n_bins, const gp_integer_range *range,
                                  int64_t *counts, gp_error *error);

    /* percentiles of the finite elements of each slice, which has at most GP_MOST_SLICE_ELEMS elements; out is n_slices x n_percents. */
    gp_status (*percentiles_slices)(const gp_slices *slices, const double *percents, int n_percents, double *out,
                                    gp_error *error);

    /* Cells to pixels. */
    gp_status (*shade)(const gp_cells *cells, const gp_style *style, gp_pixels *out, gp_error *error);

    /* Channels (3 or 4 grids of one size) to pixels. range: finite minimum and maximum of the color channels after scale
     * and offset, before clipping to 0..1 (NaN, NaN if nothing is finite). */
    gp_status (*shade_rgb)(const gp_cells *channels, int n_channels, const gp_rgb_style *style, gp_pixels *out, double range[2],
                           gp_error *error);

    /* The angle atan2(imaginary, real) in radians of each cell, +pi for negative numbers; marks and empty cells of `real` stay.
     * out has the size of both. */
    gp_status (*angle)(const gp_cells *real, const gp_cells *imaginary, gp_cells *out, gp_error *error);

    /* Cells resampled along both axes: cell (q, p) is the weighted mean of the cells of `from` that have a weight (gp_filter_cell).
     * Arrays of the taps are in host memory, and their places within `from`; out has rows->n_cells x cols->n_cells cells. */
    gp_status (*filter)(const gp_cells *from, const gp_taps *rows, const gp_taps *cols, gp_nan nan, gp_cells *out,
                        gp_error *error);

    /* Copies the cells that are not marked by NaN to `without_nan`, in which a reduction has put the values of the others. */
    gp_status (*fill_without_nan)(const gp_cells *cells, gp_cells *without_nan, gp_error *error);

    /* Elements as they are, in their own dtype and native byte order, row-major, to host memory. */
    gp_status (*gather)(const gp_plane *plane, void *out, gp_error *error);

    /* Elements to an array in host memory, cast. progress: NULL, or called by the calling thread. */
    gp_status (*convert)(const gp_conversion *conversion, const gp_progress *progress, gp_error *error);

    gp_status (*cells_alloc)(int64_t n_rows, int64_t n_cols, gp_device device, gp_cells *out, gp_error *error);
    void (*cells_free)(gp_cells *cells);
    /* Whether cells may still be read: cells on a device end with its context. */
    gp_status (*cells_check)(const gp_cells *cells, gp_error *error);
    /* Cells to row-major float64 in host memory. */
    gp_status (*cells_copy_out)(const gp_cells *cells, double *out, gp_error *error);
} gp_backend;

/* Every operation but those of cells: `reduce` of the backend `cpu` is the function gp_cpu_reduce. */
/* clang-format off */
#define GP_OPERATIONS(X, backend)                                                                                                \
    X(backend, reduce) X(backend, reduce_states) X(backend, limits) X(backend, percentiles) X(backend, collect) X(backend, summarize)\
    X(backend, histogram) X(backend, histogram_joint) X(backend, subtract) X(backend, compare)                                   \
    X(backend, bin_points) X(backend, bin_lines) X(backend, find) X(backend, m4) X(backend, find_ways) X(backend, search_sorted) X(backend, take)                             \
    X(backend, summarize_slices) X(backend, histogram_slices) X(backend, percentiles_slices)                                     \
    X(backend, shade) X(backend, shade_rgb) X(backend, angle) X(backend, filter) X(backend, fill_without_nan)                    \
    X(backend, gather) X(backend, convert)
/* clang-format on */

/* For use with GP_OPERATIONS: the declaration of an operation, with its type in the table; and its entry there. */
#define GP_OPERATION_DECLARE(backend, name) __typeof__(*((gp_backend *)0)->name) gp_##backend##_##name;
#define GP_OPERATION_ROW(backend, name) .name = gp_##backend##_##name,

extern const gp_backend gp_cpu_backend;

/* The backend that reads memory of this device; an error if there is none. */
gp_status gp_backend_for(gp_device device, const gp_backend **out, gp_error *error) GP_MUST_CHECK;

#endif
