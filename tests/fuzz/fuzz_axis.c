/* Fits cells to one axis: spans inside of the axis, in order, without gaps, and equal to fractions where these are exact. */
#include "check.h"
#include "../../native/core/grids/grid.h"
#include "input.h"

enum { MAX_CELLS = 96 };

static bool is_empty(const gp_span *span) { return span->touched_begin == span->touched_end; }

/* What the header says of each span alone. */
static void check_span(const gp_axis *axis, const gp_span *span)
{
    CHECK(0 <= span->touched_begin && span->touched_begin <= span->touched_end && span->touched_end <= axis->n_elems);
    CHECK(span->touched_begin <= span->owned_begin || is_empty(span));
    CHECK(span->owned_begin <= span->owned_end && span->owned_end <= span->touched_end);
    if (is_empty(span))
        return;
    CHECK(span->w_first > 0 && span->w_first <= 1 && span->w_last > 0 && span->w_last <= 1);
    int64_t n = span->touched_end - span->touched_begin;
    CHECK(n > 1 || span->w_first == span->w_last);
    if (axis->is_nearest)
        CHECK(n == 1 && span->w_first == 1 && span->owned_end - span->owned_begin == 1);
}

/* Neighbors touch in order and share one element at most; those of wide cells own every element between them once. */
static void check_order(const gp_axis *axis, bool is_whole_range)
{
    const gp_span *last = NULL;
    for (int64_t p = 0; p < axis->n_cells; p++) {
        const gp_span *span = &axis->spans[p];
        check_span(axis, span);
        if (is_empty(span))
            continue;
        if (last != NULL) {
            CHECK(last->touched_begin <= span->touched_begin && last->touched_end <= span->touched_end);
            if (is_whole_range && !axis->is_nearest) {
                CHECK(span == last + 1 && last->owned_end == span->owned_begin);
                CHECK(span->touched_begin >= last->touched_end - 1 && span->touched_begin <= last->touched_end);
            }
        }
        last = span;
    }
}

/* Both questions about an axis, answered by walking over its spans. */
static void check_facts(const gp_axis *axis)
{
    int64_t begin = 0, end = 0, low = INT64_MAX, high = 0;
    gp_axis_touched(axis, &begin, &end);
    for (int64_t p = 0; p < axis->n_cells; p++) {
        const gp_span *span = &axis->spans[p];
        if (is_empty(span))
            continue;
        low = span->touched_begin < low ? span->touched_begin : low;
        high = span->touched_end > high ? span->touched_end : high;
    }
    CHECK(high == 0 ? begin == 0 && end == 0 : begin == low && end == high);
    if (axis->n_elems > 4096)
        return;
    uint8_t n_owners[4096] = {0};
    for (int64_t p = 0; p < axis->n_cells; p++)
        for (int64_t j = axis->spans[p].owned_begin; j < axis->spans[p].owned_end; j++)
            n_owners[j]++;
    bool is_partition = true;
    for (int64_t j = 0; j < axis->n_elems; j++)
        is_partition &= n_owners[j] == 1;
    CHECK(gp_axis_is_partition(axis) == is_partition);
}

static double held(double u, int64_t n_elems) { return u<0 ? 0 : u>(double) n_elems ? (double)n_elems : u; }

/* Weights of wide cells sum up to the part of the axis that is seen. */
static void check_total_weight(const gp_axis *axis, double low, double high)
{
    double total = 0, want = held(high, axis->n_elems) - held(low, axis->n_elems);
    for (int64_t p = 0; p < axis->n_cells; p++) {
        const gp_span *span = &axis->spans[p];
        int64_t n = span->touched_end - span->touched_begin;
        total += n > 1 ? span->w_first + span->w_last + (double)(n - 2) : n == 1 ? span->w_first : 0;
    }
    CHECK(fabs(total - want) <= 1e-9 * (1 + (double)axis->n_elems));
}

/* ---- a view in eighths of an element, by fractions: edge p is at (low * n_cells + p * width) / (8 * n_cells) ------------- */

static int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

static int64_t clip(int64_t i, int64_t low, int64_t high) { return i < low ? low : i > high ? high : i; }

static void check_nearest(const gp_axis *axis, const gp_span *span, int64_t edge, int64_t next, int64_t unit, gp_tie tie)
{
    CHECK(is_empty(span) == (next <= 0 || edge >= axis->n_elems * unit));
    int64_t j = floor_div(edge + next, 2 * unit);
    if (tie == GP_TIE_DOWN && (edge + next) % (2 * unit) == 0)
        j--;
    CHECK(is_empty(span) || span->touched_begin == clip(j, 0, axis->n_elems - 1));
}

static void check_wide(const gp_axis *axis, const gp_span *span, int64_t edge, int64_t next, int64_t unit)
{
    int64_t begin = clip(floor_div(edge, unit), 0, axis->n_elems), end = clip(-floor_div(-next, unit), 0, axis->n_elems);
    CHECK(is_empty(span) == (begin >= end));
    if (begin >= end)
        return;
    CHECK(span->touched_begin == begin && span->touched_end == end);
    CHECK(span->owned_begin == begin && span->owned_end == clip(floor_div(next, unit), 0, axis->n_elems));
    int64_t first = clip(next, 0, (begin + 1) * unit) - clip(edge, begin * unit, INT64_MAX);
    int64_t last = clip(next, 0, end * unit) - clip(edge, (end - 1) * unit, INT64_MAX);
    CHECK(fabs(span->w_first - (double)first / (double)unit) < 1e-12 * (double)axis->n_elems);
    CHECK(fabs(span->w_last - (double)last / (double)unit) < 1e-12 * (double)axis->n_elems);
}

static void check_eighths(const gp_axis *axis, int64_t low, int64_t high, gp_tie tie, gp_regime regime)
{
    int64_t unit = 8 * axis->n_cells, width = high - low;
    CHECK(axis->is_nearest == (regime == GP_REGIME_NEAREST || width <= unit || axis->n_elems == 0));
    for (int64_t p = 0; p < axis->n_cells && axis->n_elems > 0; p++) {
        int64_t edge = low * axis->n_cells + p * width, next = edge + width;
        if (axis->is_nearest)
            check_nearest(axis, &axis->spans[p], edge, next, unit, tie);
        else
            check_wide(axis, &axis->spans[p], edge, next, unit);
    }
}

/* ---- the two ways to an axis ---------------------------------------------------------------------------------------------- */

static void check_equal_cells(gp_input *input, int64_t n_elems, int64_t n_cells, gp_tie tie, gp_regime regime)
{
    gp_axis axis = {0}, turned = {0};
    gp_error error = {0};
    double u0 = input_double(input, n_elems), u1 = input_double(input, n_elems);
    gp_status status = gp_axis_fit(n_elems, u0, u1, n_cells, tie, regime, &axis, &error);
    bool is_view = isfinite(u0) && isfinite(u1) && isfinite(u1 - u0) && u0 != u1 && n_cells > 0;
    CHECK((status == GP_OK) == is_view && (is_view || error.message[0] != 0));
    if (!is_view)
        return;
    double low = u0 < u1 ? u0 : u1, high = u0 < u1 ? u1 : u0;
    CHECK(axis.is_reversed == (u1 < u0) && axis.n_elems == n_elems && axis.n_cells == n_cells);
    check_order(&axis, true);
    check_facts(&axis);
    if (!axis.is_nearest)
        check_total_weight(&axis, low, high);
    bool is_near = fabs(low) < 2.0 * (double)n_elems + 8 && fabs(high) < 2.0 * (double)n_elems + 8 && n_elems < 1000;
    if (is_near && low * 8 == rint(low * 8) && high * 8 == rint(high * 8))
        check_eighths(&axis, (int64_t)(low * 8), (int64_t)(high * 8), tie, regime);
    CHECK(gp_axis_fit(n_elems, u1, u0, n_cells, tie, regime, &turned, &error) == GP_OK);
    CHECK(memcmp(turned.spans, axis.spans, (size_t)n_cells * sizeof *axis.spans) == 0 && turned.is_reversed != axis.is_reversed);
    gp_axis_free(&turned);
    gp_axis_free(&axis);
    CHECK(axis.spans == NULL);
}

/* Edges that rise by steps of the input, or fall where it says so; one step back has to be refused. */
static void check_given_cells(gp_input *input, int64_t n_elems, int64_t n_cells, gp_tie tie, gp_regime regime)
{
    double edges[MAX_CELLS + 1], centers[MAX_CELLS];
    gp_axis axis = {0};
    gp_error error = {0};
    bool is_falling = input_one_in(input, 2), is_monotonic = true;
    edges[0] = input_double(input, n_elems);
    for (int64_t p = 0; p < n_cells; p++) {
        double step = input_one_in(input, 16) ? input_double(input, 2) : (double)input_bits(input, 1) / 16.0;
        edges[p + 1] = edges[p] + (is_falling ? -step : step);
        centers[p] = edges[p] + (edges[p + 1] - edges[p]) / 2;
    }
    bool is_reversed = edges[n_cells] < edges[0];
    for (int64_t p = 0; p < n_cells; p++)
        is_monotonic &= !(is_reversed ? edges[p] < edges[p + 1] : edges[p + 1] < edges[p]);
    gp_status status = gp_axis_fit_edges(n_elems, edges, centers, n_cells, tie, regime, &axis, &error);
    CHECK((status == GP_OK) == is_monotonic);
    if (status != GP_OK)
        return;
    CHECK(axis.is_reversed == is_reversed);
    check_order(&axis, false);
    check_facts(&axis);
    gp_axis_free(&axis);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    gp_input input = {data, n_bytes};
    bool has_edges = input_one_in(&input, 3);
    /* Beyond 2^53 elements, which only repetition gives, edges are not exact numbers and weights may be 0 or 2. */
    int64_t n_elems = input_one_in(&input, 4) ? input_between(&input, 0, (int64_t)1 << 53) : input_between(&input, 0, 255);
    int64_t n_cells = input_between(&input, has_edges ? 1 : 0, MAX_CELLS);
    gp_tie tie = (gp_tie)input_between(&input, GP_TIE_UP, GP_TIE_DOWN);
    gp_regime regime = (gp_regime)input_between(&input, GP_REGIME_BY_WIDTH, GP_REGIME_NEAREST);
    if (has_edges)
        check_given_cells(&input, n_elems, n_cells, tie, regime);
    else
        check_equal_cells(&input, n_elems, n_cells, tie, regime);
    return 0;
}
