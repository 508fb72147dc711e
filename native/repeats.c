/* Planes whose rows or columns share their memory: reads one of them, and derives the result for all. */
#include "repeats.h"

#include "core/base/alloc.h"
#include "core/grids/cell_states.h"
#include "core/tensor/plane_layout.h"

static bool is_repeated(int64_t size, int64_t stride_bytes, int64_t mask_stride_bytes, bool is_masked)
{
    return size > 1 && stride_bytes == 0 && (!is_masked || mask_stride_bytes == 0);
}

static bool has_repeated_rows(const gp_plane *plane)
{
    return is_repeated(plane->n_rows, plane->row_stride_bytes, plane->mask_row_stride_bytes, plane->mask != NULL);
}

static bool has_repeated_cols(const gp_plane *plane)
{
    return is_repeated(plane->n_cols, plane->col_stride_bytes, plane->mask_col_stride_bytes, plane->mask != NULL);
}

/* The plane with only one of its repeated rows or columns, whose n_repeats counts the others. */
static gp_plane distinct_plane(const gp_plane *plane)
{
    gp_plane distinct = *plane;
    distinct.n_repeats = gp_plane_repeats(plane);
    if (plane->n_rows == 0 || plane->n_cols == 0)
        return distinct;
    if (has_repeated_rows(plane))
        distinct.n_rows = 1, distinct.n_repeats *= plane->n_rows;
    if (has_repeated_cols(plane))
        distinct.n_cols = 1, distinct.n_repeats *= plane->n_cols;
    return distinct;
}

/* ---- cells ---------------------------------------------------------------------------------------------------------- */

/* The factor that turns a result for one element of weight 1 into that for all equal elements of a cell, if the aggregation adds up. */
static double factor_of(gp_agg agg, const gp_span *span)
{
    int64_t n = span->touched_end - span->touched_begin;
    if (gp_agg_is(agg, GP_AGG_OWNED))
        return (double)(span->owned_end - span->owned_begin);
    return n == 1 ? span->w_first : span->w_first + (double)(n - 2) + span->w_last;
}

/* The axis over the one element that repeats: every cell that touches any element has it, with a factor. */
static gp_status distinct_axis(const gp_axis *axis, gp_agg agg, bool has_factors, gp_axis *out, gp_error *error)
{
    *out = (gp_axis){.n_elems = 1, .n_cells = axis->n_cells, .is_reversed = axis->is_reversed, .is_nearest = true};
    GP_TRY(gp_alloc_zeroed((size_t)axis->n_cells * sizeof *out->spans, &out->spans, error));
    if (has_factors)
        GP_TRY(gp_alloc((size_t)axis->n_cells * sizeof *out->factors, &out->factors, error));
    for (int64_t p = 0; p < axis->n_cells; p++) {
        bool is_empty = axis->spans[p].touched_begin >= axis->spans[p].touched_end;
        if (!is_empty)
            out->spans[p] = (gp_span){0, 1, 0, 1, 1.0, 1.0};
        if (has_factors)
            out->factors[p] = is_empty ? 1.0 : factor_of(agg, &axis->spans[p]);
    }
    return GP_OK;
}

/* The distinct plane and axes over it. Free the memory of the axes with distinct_free. */
typedef struct distinct_view {
    gp_plane plane;
    const gp_axis *rows, *cols; /* the caller's, or the ones below */
    gp_axis one_row, one_col;
} distinct_view;

static gp_status distinct_make(const gp_plane *plane, const gp_axis *rows, const gp_axis *cols, gp_agg agg, bool has_factors,
                               distinct_view *out, gp_error *error)
{
    *out = (distinct_view){.plane = distinct_plane(plane), .rows = rows, .cols = cols};
    if (rows->n_elems != plane->n_rows || cols->n_elems != plane->n_cols)
        return gp_fail(error, GP_ERR_VALUE, "axes of %lld x %lld elements for a plane of %lld x %lld", (long long)rows->n_elems,
                       (long long)cols->n_elems, (long long)plane->n_rows, (long long)plane->n_cols);
    if (out->plane.n_rows != plane->n_rows) {
        out->rows = &out->one_row;
        GP_TRY(distinct_axis(rows, agg, has_factors, &out->one_row, error));
    }
    if (out->plane.n_cols != plane->n_cols) {
        out->cols = &out->one_col;
        GP_TRY(distinct_axis(cols, agg, has_factors, &out->one_col, error));
    }
    return GP_OK;
}

static void distinct_free(distinct_view *view)
{
    gp_axis_free(&view->one_row);
    gp_axis_free(&view->one_col);
}

gp_status gp_plane_reduce(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                          const gp_reduce_options *options, gp_cells *out, gp_limits_state *limits, gp_error *error)
{
    distinct_view view;
    bool has_factors = gp_agg_is(options->agg, GP_AGG_ADDS_UP);
    gp_status status = distinct_make(plane, rows, cols, options->agg, has_factors, &view, error);
    if (status == GP_OK)
        status = backend->reduce(&view.plane, view.rows, view.cols, options, out, limits, error);
    if (status == GP_OK && limits != NULL)
        gp_limits_state_repeat(limits, view.plane.n_repeats);
    if (status == GP_OK && limits != NULL && options->limits_without_nan != NULL)
        gp_limits_state_repeat(options->limits_without_nan, view.plane.n_repeats);
    distinct_free(&view);
    return status;
}

/* Partial results where cells show single elements. */
static gp_status states_of_elements(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                                    const gp_reduce_options *options, gp_cell_state *out, gp_limits_state *limits,
                                    gp_error *error)
{
    gp_cells cells = {0};
    gp_axis upright_rows = *rows, upright_cols = *cols;
    int64_t n = rows->n_cells * cols->n_cells;
    upright_rows.is_reversed = upright_cols.is_reversed = false;
    GP_FREED double *values = NULL;
    GP_TRY(gp_alloc((size_t)n * sizeof *values, &values, error));
    gp_status status = backend->cells_alloc(rows->n_cells, cols->n_cells, plane->device, &cells, error);
    if (status == GP_OK)
        status = gp_plane_reduce(backend, plane, &upright_rows, &upright_cols, options, &cells, limits, error);
    if (status == GP_OK)
        status = backend->cells_copy_out(&cells, values, error);
    if (status == GP_OK)
        gp_cell_states_from_cells(values, n, out);
    backend->cells_free(&cells);
    return status;
}

/* Reduces once more, from scaled elements, for states of what leaves the range of float64; states of all else stay. */
static gp_status take_scaled_states(const gp_backend *backend, const distinct_view *view, const gp_reduce_options *options,
                                    double scale, gp_cell_state *out, gp_error *error)
{
    int64_t n = view->rows->n_cells * view->cols->n_cells;
    gp_plane plane = view->plane;
    gp_reduce_options simple = {.agg = options->agg, .nan = options->nan};
    GP_FREED gp_cell_state *scaled = NULL;
    GP_TRY(gp_alloc((size_t)n * sizeof *scaled, &scaled, error));
    plane.scale = scale;
    GP_TRY(backend->reduce_states(&plane, view->rows, view->cols, &simple, scaled, NULL, error));
    gp_cell_states_take_scaled(gp_agg_kind(options->agg), out, scaled, scale, n);
    return GP_OK;
}

/* Whether sums or squares of elements can leave the range of float64, which those of narrower types do not. */
static bool may_need_scale(const gp_plane *plane, gp_state_kind kind)
{
    gp_dtype stored;
    int64_t offset_bytes;
    bool are_stored = gp_plane_is_stored(plane, &stored, &offset_bytes);
    return kind != GP_STATE_EXTREMES && (!are_stored || stored == GP_F64);
}

static gp_status reduce_states(const gp_backend *backend, const distinct_view *view, const gp_reduce_options *options,
                               gp_cell_state *out, gp_limits_state *limits, gp_error *error)
{
    GP_TRY(backend->reduce_states(&view->plane, view->rows, view->cols, options, out, limits, error));
    int64_t n = may_need_scale(&view->plane, gp_agg_kind(options->agg)) ? view->rows->n_cells * view->cols->n_cells : 0;
    unsigned needs = gp_cell_states_need(gp_agg_kind(options->agg), out, n);
    if (needs & GP_NEEDS_DOWN)
        GP_TRY(take_scaled_states(backend, view, options, GP_SCALE_DOWN, out, error));
    if (needs & GP_NEEDS_UP)
        GP_TRY(take_scaled_states(backend, view, options, GP_SCALE_UP, out, error));
    return GP_OK;
}

gp_status gp_plane_reduce_states(const gp_backend *backend, const gp_plane *plane, const gp_axis *rows, const gp_axis *cols,
                                 const gp_reduce_options *options, gp_cell_state *out, gp_limits_state *limits, gp_error *error)
{
    if (gp_agg_kind(options->agg) == GP_STATE_ELEMENT)
        return states_of_elements(backend, plane, rows, cols, options, out, limits, error);
    distinct_view view;
    gp_status status = distinct_make(plane, rows, cols, options->agg, true, &view,
                                     error); /* the weights matter when states are joined */
    if (status == GP_OK)
        status = reduce_states(backend, &view, options, out, limits, error);
    if (status == GP_OK && limits != NULL)
        gp_limits_state_repeat(limits, view.plane.n_repeats);
    distinct_free(&view);
    return status;
}

/* ---- limits --------------------------------------------------------------------------------------------------------- */

gp_status gp_plane_limits(const gp_backend *backend, const gp_plane *plane, unsigned want, gp_limits_state *out, gp_error *error)
{
    gp_plane distinct = distinct_plane(plane);
    GP_TRY(backend->limits(&distinct, want, out, error));
    gp_limits_state_repeat(out, distinct.n_repeats);
    return GP_OK;
}

gp_status gp_plane_percentiles(const gp_backend *backend, const gp_plane *plane, const double *percents, int n_percents,
                               bool positive_only, double *out, gp_error *error)
{
    gp_plane distinct = distinct_plane(plane); /* the backend interpolates among n_repeats of each element */
    return backend->percentiles(&distinct, percents, n_percents, positive_only, out, error);
}

gp_status gp_plane_collect(const gp_backend *backend, const gp_plane *plane, const double *lows, const double *highs,
                           int n_ranges, int64_t most, double *out, int64_t *n_found, gp_error *error)
{
    gp_plane distinct = distinct_plane(plane);
    int64_t n, n_repeats = distinct.n_repeats;
    GP_TRY(backend->collect(&distinct, lows, highs, n_ranges, most, out, &n, error));
    *n_found = n > most ? n : n * n_repeats;
    for (int64_t i = *n_found - 1; n_repeats > 1 && *n_found <= most && i >= 0; i--)
        out[i] = out[i / n_repeats];
    return GP_OK;
}

/* Summarizes once more, from scaled elements, where sums or squares of the elements themselves are out of the range of float64. */
static gp_status take_scaled_moments(const gp_backend *backend, const gp_plane *plane, gp_partial_summary *out, gp_error *error)
{
    gp_summary found = gp_summary_state_finish(&out->state, gp_plane_summary_order(plane));
    gp_plane scaled = *plane;
    gp_summary_state again;
    bool is_zero = found.min == 0 && found.max == 0;
    out->scale = out->state.n_finite > 0 ? gp_scale_of_range(found.min, found.max) : 1.0;
    if (out->scale == 1 || is_zero)
        return GP_OK;
    scaled.scale = out->scale;
    GP_TRY(backend->summarize(&scaled, &again, error));
    out->state.moments = again.moments;
    return GP_OK;
}

gp_status gp_plane_summarize(const gp_backend *backend, const gp_plane *plane, gp_partial_summary *out, gp_error *error)
{
    gp_plane distinct = distinct_plane(plane);
    GP_TRY(backend->summarize(&distinct, &out->state, error));
    GP_TRY(take_scaled_moments(backend, &distinct, out, error));
    gp_summary_state_repeat(&out->state, distinct.n_repeats);
    gp_summary_state_place(&out->state, distinct.n_cols, 0, plane->n_cols); /* the first of equal elements */
    return GP_OK;
}

gp_status gp_plane_histogram(const gp_backend *backend, const gp_plane *plane, const double *edges, int64_t n_bins,
                             const gp_integer_range *range, int64_t *counts, gp_error *error)
{
    gp_plane distinct = distinct_plane(plane);
    GP_TRY(backend->histogram(&distinct, edges, n_bins, range, counts, error));
    for (int64_t bin = 0; bin < n_bins && distinct.n_repeats > 1; bin++)
        counts[bin] *= distinct.n_repeats;
    return GP_OK;
}

/* ---- search --------------------------------------------------------------------------------------------------------- */

/* Rows repeat: an element that is not in the rest of the present row is in the next row, if there is one, or nowhere. */
static gp_status find_in_rows(const gp_backend *backend, const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards,
                              int64_t *out, gp_error *error)
{
    gp_plane row = gp_plane_crop(plane, 0, 1, 0, plane->n_cols);
    int64_t at = start / plane->n_cols, col = start % plane->n_cols, next = at + (is_backwards ? -1 : 1), found;
    GP_TRY(gp_plane_find(backend, &row, kinds, col, is_backwards, &found, error));
    if (found < 0 && next >= 0 && next < plane->n_rows) {
        at = next;
        GP_TRY(gp_plane_find(backend, &row, kinds, is_backwards ? plane->n_cols - 1 : 0, is_backwards, &found, error));
    }
    *out = found < 0 ? -1 : at * plane->n_cols + found;
    return GP_OK;
}

/* Columns repeat: the element at the start, or the nearer end of the next row with one. */
static gp_status find_in_cols(const gp_backend *backend, const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards,
                              int64_t *out, gp_error *error)
{
    gp_plane col = gp_plane_crop(plane, 0, plane->n_rows, 0, 1);
    int64_t row = start / plane->n_cols, found;
    GP_TRY(backend->find(&col, kinds, row, is_backwards, &found, error));
    *out = found < 0 ? -1 : found == row ? start : found * plane->n_cols + (is_backwards ? plane->n_cols - 1 : 0);
    return GP_OK;
}

gp_status gp_plane_find(const gp_backend *backend, const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards,
                        int64_t *out, gp_error *error)
{
    GP_TRY(gp_find_check(plane, kinds, start, is_backwards, error));
    int64_t n_elems = plane->n_rows * plane->n_cols;
    if (start >= 0 && start < n_elems && has_repeated_rows(plane))
        return find_in_rows(backend, plane, kinds, start, is_backwards, out, error);
    if (start >= 0 && start < n_elems && has_repeated_cols(plane))
        return find_in_cols(backend, plane, kinds, start, is_backwards, out, error);
    if (start < 0 || start >= n_elems) { /* after the last element, or before the first */
        *out = -1;
        return GP_OK;
    }
    return backend->find(plane, kinds, start, is_backwards, out, error);
}

/* ---- series --------------------------------------------------------------------------------------------------------- */

gp_status gp_plane_m4(const gp_backend *backend, const gp_plane *plane, const int64_t *bounds, int64_t n_columns,
                      gp_m4_state *out, gp_error *error)
{
    gp_m4_state one;
    GP_TRY(gp_m4_check(plane, bounds, n_columns, error));
    if (!has_repeated_cols(plane))
        return backend->m4(plane, bounds, n_columns, out, error);
    gp_plane first = gp_plane_crop(plane, 0, 1, 0, 1);
    GP_TRY(backend->m4(&first, (int64_t[]){0, 1}, 1, &one, error));
    for (int64_t k = 0; k < n_columns; k++)
        out[k] = gp_m4_state_repeated(&one, bounds[k], bounds[k + 1]);
    return GP_OK;
}

gp_status gp_plane_find_ways(const gp_backend *backend, const gp_plane *plane, unsigned *out, gp_error *error)
{
    GP_TRY(gp_series_check(plane, error));
    gp_plane first = has_repeated_cols(plane) ? gp_plane_crop(plane, 0, 1, 0, 1) : *plane;
    return backend->find_ways(&first, out, error);
}
