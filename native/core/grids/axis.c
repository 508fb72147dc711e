/* Facts about axes of cells, and axes made from others: without repeated cells, or cropped to some elements. */
#include "../base/alloc.h"
#include "../base/arithmetic.h"
#include "grid.h"

static bool is_empty(const gp_span *span) { return span->touched_begin >= span->touched_end; }

void gp_axis_touched(const gp_axis *axis, int64_t *begin, int64_t *end)
{
    int64_t first = 0, last = axis->n_cells - 1;
    while (first <= last && is_empty(&axis->spans[first]))
        first++;
    while (first < last && is_empty(&axis->spans[last]))
        last--;
    *begin = first <= last ? axis->spans[first].touched_begin : 0;
    *end = first <= last ? axis->spans[last].touched_end : 0;
}

bool gp_axis_is_one_to_one(const gp_axis *axis)
{
    for (int64_t p = 0; p < axis->n_cells; p++) {
        int64_t element = axis->spans[0].touched_begin + p;
        if (axis->spans[p].touched_begin != element || axis->spans[p].touched_end != element + 1)
            return false;
    }
    return true;
}

bool gp_axis_is_partition(const gp_axis *axis)
{
    int64_t end = 0;
    for (int64_t p = 0; p < axis->n_cells; p++) {
        const gp_span *span = &axis->spans[p];
        if (is_empty(span))
            continue;
        if (span->owned_begin != end || span->owned_end < end)
            return false;
        end = span->owned_end;
    }
    return end == axis->n_elems;
}

gp_status gp_axis_distinct(const gp_axis *axis, gp_axis *out, int32_t **starts, gp_error *error)
{
    size_t n = (size_t)axis->n_cells;
    gp_axis distinct = {.n_elems = axis->n_elems, .is_nearest = axis->is_nearest};
    GP_TRY(gp_alloc(n * sizeof(gp_span) + (n + 1) * sizeof(int32_t), &distinct.spans, error));
    *starts = (int32_t *)(void *)(distinct.spans + n);
    for (int64_t p = 0; p < axis->n_cells; p++) {
        if (p > 0 && memcmp(&axis->spans[p], &axis->spans[p - 1], sizeof(gp_span)) == 0)
            continue;
        (*starts)[distinct.n_cells] = (int32_t)p;
        distinct.spans[distinct.n_cells++] = axis->spans[p];
    }
    (*starts)[distinct.n_cells] = (int32_t)axis->n_cells;
    *out = distinct;
    return GP_OK;
}

void gp_axis_free(gp_axis *axis)
{
    free(axis->spans);
    free(axis->factors);
    *axis = (gp_axis){0};
}

gp_agg gp_axis_simplest_agg(const gp_axis *rows, const gp_axis *cols, gp_agg agg)
{
    return rows->is_nearest && cols->is_nearest && gp_agg_is(agg, GP_AGG_KEEPS) ? GP_AGG_NEAREST : agg;
}

gp_status gp_axis_check_pair(const gp_axis *rows, const gp_axis *cols, int64_t n_elem_rows, int64_t n_elem_cols,
                             int64_t n_cell_rows, int64_t n_cell_cols, gp_error *error)
{
    if (rows->n_elems == n_elem_rows && cols->n_elems == n_elem_cols && rows->n_cells == n_cell_rows &&
        cols->n_cells == n_cell_cols)
        return GP_OK;
    return gp_fail(error, GP_ERR_VALUE,
                   "%lld x %lld cells of %lld x %lld elements for axes of %lld and %lld cells, %lld and %lld "
                   "elements",
                   (long long)n_cell_rows, (long long)n_cell_cols, (long long)n_elem_rows, (long long)n_elem_cols,
                   (long long)rows->n_cells, (long long)cols->n_cells, (long long)rows->n_elems, (long long)cols->n_elems);
}

/* ---- pieces ----------------------------------------------------------------------------------------------------------- */

/* A cell cropped to the elements begin..end. */
static gp_span crop_span(const gp_span *span, int64_t begin, int64_t end)
{
    gp_span cropped = {.w_first = 1.0, .w_last = 1.0};
    int64_t first = gp_clip(span->touched_begin, begin, end), last = gp_clip(span->touched_end, begin, end) - 1;
    cropped.touched_begin = first - begin, cropped.touched_end = last + 1 - begin;
    cropped.owned_begin = gp_clip(span->owned_begin, begin, end) - begin;
    cropped.owned_end = gp_clip(span->owned_end, begin, end) - begin;
    if (first == span->touched_begin)
        cropped.w_first = span->w_first;
    else if (first == span->touched_end - 1)
        cropped.w_first = span->w_last;
    if (last == span->touched_end - 1)
        cropped.w_last = span->w_last;
    return cropped;
}

static bool touches(const gp_span *span, int64_t begin, int64_t end)
{
    int64_t first = span->touched_begin > begin ? span->touched_begin : begin;
    return first < (span->touched_end < end ? span->touched_end : end);
}

gp_status gp_axis_crop(const gp_axis *axis, int64_t begin, int64_t end, gp_axis *out, int64_t *first, gp_error *error)
{
    if (begin < 0 || begin >= end || end > axis->n_elems)
        return gp_fail(error, GP_ERR_VALUE, "elements %lld to %lld are not part of an axis of %lld", (long long)begin,
                       (long long)end, (long long)axis->n_elems);
    int64_t low = 0, high = axis->n_cells;
    while (low < high && !touches(&axis->spans[low], begin, end))
        low++;
    while (high > low && !touches(&axis->spans[high - 1], begin, end))
        high--;
    *out = (gp_axis){.n_elems = end - begin, .n_cells = high - low, .is_nearest = axis->is_nearest};
    *first = low;
    if (high == low)
        return GP_OK;
    GP_TRY(gp_alloc((size_t)(high - low) * sizeof *out->spans, &out->spans, error));
    for (int64_t p = low; p < high; p++)
        out->spans[p - low] = crop_span(&axis->spans[p], begin, end);
    return GP_OK;
}
