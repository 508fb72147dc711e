/* Fits cells to the elements of one axis: exact integers where the view is whole, snapped float64 edges elsewhere. */
#include "grid.h"
#include "../base/alloc.h"
#include "../base/arithmetic.h"

/* An edge this close to a whole number (relative to the axis) is rounding noise of a display transform. */
#define SNAP_PER_ELEM 0x1p-46

/* Beyond this, doubles do not hold every integer: such views are fitted by float64 edges. */
#define MAX_EXACT 0x1p53

typedef struct edge {
    int64_t floor, ceil;
    double value;
} edge;

static double snap(double u, double tolerance)
{
    double whole = rint(u);
    return fabs(u - whole) <= tolerance ? whole : u;
}

/* floor and ceil as integers; values far outside the axis are clipped to just outside its ends. */
static edge edge_from(double u, int64_t n_elems)
{
    double top = (double)n_elems + 2.0;
    double held = u < -2.0 ? -2.0 : u > top ? top : u;
    return (edge){(int64_t)floor(held), (int64_t)ceil(held), u};
}

static gp_span empty_span(void) { return (gp_span){0}; }

static gp_span nearest_span(int64_t j, int64_t n_elems)
{
    j = gp_clip(j, 0, n_elems - 1);
    return (gp_span){j, j + 1, j, j + 1, 1.0, 1.0};
}

/* The weight of element j in the cell [a, b); exact if the edges are. */
static double overlap(int64_t j, double a, double b)
{
    double left = a > (double)j ? a : (double)j, right = b < (double)j + 1.0 ? b : (double)j + 1.0;
    return right > left ? right - left : 0.0;
}

/* The span of a cell wider than an element, between two edges. */
static gp_span wide_span(edge a, edge b, int64_t n_elems)
{
    gp_span span;
    span.touched_begin = gp_clip(a.floor, 0, n_elems), span.touched_end = gp_clip(b.ceil, 0, n_elems);
    span.owned_begin = gp_clip(a.floor, 0, n_elems), span.owned_end = gp_clip(b.floor, 0, n_elems);
    if (span.touched_begin >= span.touched_end)
        return empty_span();
    span.w_first = overlap(span.touched_begin, a.value, b.value);
    span.w_last = overlap(span.touched_end - 1, a.value, b.value);
    return span;
}

static int64_t floor_div(__int128 a, __int128 b) { return (int64_t)(a >= 0 ? a / b : -((-a + b - 1) / b)); }

/* Edge p of n_cells cells over the elements u0 .. u0 + n: floor and ceil by integer division, the value from the fraction. */
static edge whole_edge(int64_t u0, int64_t n, int64_t n_cells, int64_t p)
{
    __int128 at = (__int128)p * n;
    int64_t quotient = (int64_t)(at / n_cells), rest = (int64_t)(at % n_cells);
    return (edge){u0 + quotient, u0 + quotient + (rest != 0), (double)(u0 + quotient) + (double)rest / (double)n_cells};
}

/* Weights of a whole view come from the integer fraction itself: adding it to a large u0 first would round it. */
static void whole_weights(gp_span *span, int64_t u0, int64_t n, int64_t n_cells, int64_t p)
{
    __int128 at = (__int128)p * n, next = (__int128)(p + 1) * n;
    int64_t begin = u0 + (int64_t)(at / n_cells), end = u0 + (int64_t)((next + n_cells - 1) / n_cells);
    int64_t rest = (int64_t)(at % n_cells), rest_next = (int64_t)(next % n_cells);
    if (span->touched_begin == begin && rest != 0)
        span->w_first = (double)(n_cells - rest) / (double)n_cells;
    if (span->touched_end == end && rest_next != 0)
        span->w_last = (double)rest_next / (double)n_cells;
    if (span->touched_end - span->touched_begin == 1) /* the axis ends inside of the cell, which is wider than one element */
        span->w_last = span->w_first = span->touched_begin == begin ? span->w_first : span->w_last;
}

static gp_span whole_nearest(int64_t u0, int64_t n, int64_t n_cells, int64_t p, int64_t n_elems, gp_tie tie)
{
    __int128 at = (__int128)(2 * p + 1) * n, cells2 = (__int128)2 * n_cells;
    __int128 begin = (__int128)u0 * n_cells + (__int128)p * n, end = begin + n;
    if (end <= 0 || begin >= (__int128)n_elems * n_cells)
        return empty_span();
    int64_t j = u0 + floor_div(at, cells2);
    return nearest_span(tie == GP_TIE_DOWN && at % cells2 == 0 ? j - 1 : j, n_elems);
}

static void fit_whole(int64_t u0, int64_t n, gp_tie tie, gp_axis *axis)
{
    for (int64_t p = 0; p < axis->n_cells; p++) {
        gp_span *span = &axis->spans[p];
        if (axis->is_nearest) {
            *span = whole_nearest(u0, n, axis->n_cells, p, axis->n_elems, tie);
            continue;
        }
        *span = wide_span(whole_edge(u0, n, axis->n_cells, p), whole_edge(u0, n, axis->n_cells, p + 1), axis->n_elems);
        if (span->touched_begin < span->touched_end)
            whole_weights(span, u0, n, axis->n_cells, p);
    }
}

static gp_span nearest_at(double center, edge a, edge b, int64_t n_elems, gp_tie tie)
{
    if (b.value <= 0.0 || a.value >= (double)n_elems)
        return empty_span();
    edge c = edge_from(center, n_elems);
    return nearest_span(tie == GP_TIE_DOWN ? c.ceil - 1 : c.floor, n_elems);
}

/* The end of the first p of n_cells cells; the product overflows in very wide views. */
static double end_of_cells(double u0, double width, double p, double n_cells)
{
    double product = p * width;
    return isfinite(product) ? u0 + product / n_cells : u0 + width / n_cells * p;
}

static void fit_fractional(double u0, double u1, double tolerance, gp_tie tie, gp_axis *axis)
{
    double width = u1 - u0, n_cells = (double)axis->n_cells;
    edge b = edge_from(u0, axis->n_elems);
    for (int64_t p = 0; p < axis->n_cells; p++) {
        edge a = b;
        double next = p + 1 == axis->n_cells ? u1 : snap(end_of_cells(u0, width, (double)(p + 1), n_cells), tolerance);
        b = edge_from(next, axis->n_elems);
        axis->spans[p] = axis->is_nearest ? nearest_at(snap((a.value + b.value) / 2.0, tolerance), a, b, axis->n_elems, tie)
                                          : wide_span(a, b, axis->n_elems);
    }
}

/* See gp_axis.even_width. */
static int64_t even_width(const gp_axis *axis)
{
    int64_t width = axis->spans[0].touched_end - axis->spans[0].touched_begin;
    for (int64_t p = 0; p < axis->n_cells; p++) {
        const gp_span *span = &axis->spans[p];
        bool is_beside = p == 0 || span->touched_begin == span[-1].touched_end;
        if (span->touched_end - span->touched_begin != width || span->w_first != 1.0 || span->w_last != 1.0 || !is_beside)
            return 0;
    }
    return width > 1 ? width : 0;
}

static gp_status axis_alloc(int64_t n_elems, int64_t n_cells, gp_axis *axis, gp_error *error)
{
    if (n_elems < 0 || n_cells < 1 || n_cells > INT32_MAX)
        return gp_fail(error, GP_ERR_VALUE,
                       "%lld cells over %lld elements: ask for a shape of at least 1 x 1 and at most %d a side",
                       (long long)n_cells, (long long)n_elems, INT32_MAX);
    *axis = (gp_axis){.n_elems = n_elems, .n_cells = n_cells};
    return gp_alloc_zeroed((size_t)n_cells * sizeof *axis->spans, &axis->spans, error);
}

gp_status gp_axis_fit(int64_t n_elems, double u0, double u1, int64_t n_cells, gp_tie tie, gp_regime regime, gp_axis *out,
                      gp_error *error)
{
    gp_axis axis;
    if (!isfinite(u0) || !isfinite(u1) || !isfinite(u1 - u0) || u0 == u1)
        return gp_fail(error, GP_ERR_VALUE, "a view from %g to %g shows nothing: its two limits must differ and be finite", u0,
                       u1);
    GP_TRY(axis_alloc(n_elems, n_cells, &axis, error));
    double tolerance = (double)n_elems * SNAP_PER_ELEM;
    axis.is_reversed = u1 < u0;
    double low = snap(axis.is_reversed ? u1 : u0, tolerance), high = snap(axis.is_reversed ? u0 : u1, tolerance);
    axis.is_nearest = regime == GP_REGIME_NEAREST || high - low <= (double)n_cells + tolerance;
    if (n_elems == 0 || low == high)
        axis.is_nearest = true; /* spans stay empty */
    else if (low == rint(low) && high == rint(high) && fabs(low) < MAX_EXACT && fabs(high) < MAX_EXACT)
        fit_whole((int64_t)low, (int64_t)high - (int64_t)low, tie, &axis);
    else
        fit_fractional(low, high, tolerance, tie, &axis);
    axis.even_width = even_width(&axis);
    *out = axis;
    return GP_OK;
}

static gp_span span_between(double u_a, double u_b, double center, double tolerance, gp_tie tie, gp_regime regime, gp_axis *axis)
{
    if (!isfinite(u_a) || !isfinite(u_b) || axis->n_elems == 0)
        return empty_span();
    edge a = edge_from(snap(u_a, tolerance), axis->n_elems), b = edge_from(snap(u_b, tolerance), axis->n_elems);
    if (isfinite(center) && (regime == GP_REGIME_NEAREST || b.value - a.value <= 1.0 + tolerance))
        return nearest_at(snap(center, tolerance), a, b, axis->n_elems, tie);
    axis->is_nearest = false;
    return wide_span(a, b, axis->n_elems);
}

gp_status gp_axis_fit_edges(int64_t n_elems, const double *edges, const double *centers, int64_t n_cells, gp_tie tie,
                            gp_regime regime, gp_axis *out, gp_error *error)
{
    gp_axis axis;
    GP_TRY(axis_alloc(n_elems, n_cells, &axis, error));
    double tolerance = (double)n_elems * SNAP_PER_ELEM;
    axis.is_reversed = edges[n_cells] < edges[0];
    axis.is_nearest = true;
    for (int64_t p = 0; p < n_cells; p++) {
        int64_t at = axis.is_reversed ? n_cells - 1 - p : p;
        double a = axis.is_reversed ? edges[at + 1] : edges[at], b = axis.is_reversed ? edges[at] : edges[at + 1];
        if (b < a) {
            gp_axis_free(&axis);
            return gp_fail(error, GP_ERR_VALUE, "edges %lld and %lld turn round: give monotonic edges", (long long)at,
                           (long long)at + 1);
        }
        axis.spans[p] = span_between(a, b, centers[at], tolerance, tie, regime, &axis);
    }
    *out = axis;
    return GP_OK;
}
