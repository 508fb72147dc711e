/* Lines to cells: places of samples on a grid, crossings of the borders of its columns, and the rows that a line fills. */
#ifndef GP_LINE_GRID_H
#define GP_LINE_GRID_H

#include "../tensor/cells.h"
#include "../states/reductions.h"
#include "../tensor/view.h"

/*
 * Places are coordinates in cells: column k of the grid is from k to k + 1, rows likewise. A line is straight between the places of
 * neighboring samples. It fills the rows of column k from its lowest to its highest place over the closed column k..k + 1; a sample
 * without a neighbor fills its own cell. Each line counts once in a cell.
 */

/* Places are limited to +-GP_FARTHEST, so that their differences don't overflow. */
#define GP_FARTHEST 1e300

/* Fractions of a normalized line are counted in units of 1 / GP_LINE_ONE. */
#define GP_LINE_ONE ((uint64_t)1 << 32)

/* One coordinate's places. */
typedef struct gp_line_axis {
    double first, last; /* cells of one width divide the closed range first..last */
    int64_t n_cells;
    double low, high; /* samples below or above have no place and interrupt their line, as NaN does */
    const double *values, *places; /* if n_knots > 0: coordinates that rise strictly, and their places; linear between them */
    int64_t n_knots;
} gp_line_axis;

/*
 * How a line is taken: FOUND looks for the order of its x. SORTED: x is known to rise, and every x has a place. UNSORTED goes stroke
 * by stroke in any order, and does not fill what is between strokes: so do lines whose x neither rises nor falls.
 */
typedef enum gp_line_order { GP_LINE_FOUND, GP_LINE_SORTED, GP_LINE_UNSORTED } gp_line_order;

/* Lines of one length: row i of y is a line, over row i of x, over the only row of x, or, if x is NULL, over 0, 1, 2, .... */
typedef struct gp_lines {
    const gp_plane *x, *y;
    gp_line_order order;
} gp_lines;

typedef struct gp_line_options {
    gp_line_axis x, y;
    bool is_normalized; /* a line that fills n rows of a column adds 1 / n to each, else 1 */
    bool has_outside;   /* two more rows: a first one for all that is below the grid, a last one for what is above */
} gp_line_options;

/* Rows of cells. */
GP_FN int64_t gp_line_n_rows(const gp_line_options *options) { return options->y.n_cells + (options->has_outside ? 2 : 0); }

/* ---- places --------------------------------------------------------------------------------------------------------- */

GP_FN double gp_line_place_even(const gp_line_axis *axis, double v)
{
    double n = (double)axis->n_cells, place = (v - axis->first) * n / (axis->last - axis->first);
    /* Both ends are exact, so that rounding doesn't move a sample out of the closed range. */
    double above = n * (1 + 0x1p-52), below = -1 / GP_FARTHEST;
    place = v >= axis->last && place < n ? n : place;
    place = v <= axis->last && place > n ? n : place;
    place = v > axis->last && place < above ? above : place;
    place = v < axis->first && place > below ? below : place;
    place = place < -GP_FARTHEST ? -GP_FARTHEST : place;
    return place > GP_FARTHEST ? GP_FARTHEST : place;
}

GP_FN double gp_line_place_by_knots(const gp_line_axis *axis, double v)
{
    int64_t at = 0, last = axis->n_knots - 1;
    for (int64_t n = axis->n_knots; n > 1;) {
        int64_t half = n / 2;
        at += v >= axis->values[at + half] ? half : 0;
        n -= half;
    }
    if (v <= axis->values[0] || at == last)
        return axis->places[at];
    double part = (v - axis->values[at]) / (axis->values[at + 1] - axis->values[at]);
    return axis->places[at] + (axis->places[at + 1] - axis->places[at]) * part;
}

/* The place of a coordinate; NaN if it has none. */
GP_FN double gp_line_place(const gp_line_axis *axis, double v)
{
    double place = axis->n_knots > 0 ? gp_line_place_by_knots(axis, v) : gp_line_place_even(axis, v);
    return v >= axis->low && v <= axis->high ? place : gp_mark_value(GP_HAS_NAN);
}

/* ---- the rows of a column that a line fills ------------------------------------------------------------------------- */

/* Lowest and highest place; empty if low > high. */
typedef struct gp_line_span {
    double low, high;
} gp_line_span;

GP_FN gp_line_span gp_line_span_none(void)
{
    gp_line_span none = {2 * GP_FARTHEST, -2 * GP_FARTHEST};
    return none;
}

/* Adds a place; NaN adds nothing. */
GP_FN void gp_line_span_add(gp_line_span *span, double y)
{
    span->low = y < span->low ? y : span->low;
    span->high = y > span->high ? y : span->high;
}

GP_FN void gp_line_span_join(gp_line_span *to, gp_line_span from)
{
    to->low = from.low < to->low ? from.low : to->low;
    to->high = from.high > to->high ? from.high : to->high;
}

/* The row of a place, the nearest one if it is outside. */
GP_FN int64_t gp_line_row(const gp_line_options *options, double place)
{
    int64_t n = options->y.n_cells, row = place < (double)n ? (int64_t)(place > 0 ? place : 0) : n - 1;
    if (options->has_outside)
        row = place<0 ? 0 : place>(double) n ? n + 1 : row + 1;
    return row;
}

/* The rows of a span, first to last; false if it fills none. */
GP_FN bool gp_line_rows(gp_line_span span, const gp_line_options *options, int64_t *first, int64_t *last)
{
    bool is_inside = span.high >= 0 && span.low <= (double)options->y.n_cells;
    if (!(span.low <= span.high) || !(is_inside || options->has_outside))
        return false;
    *first = gp_line_row(options, span.low), *last = gp_line_row(options, span.high);
    return true;
}

/* ---- borders between columns ---------------------------------------------------------------------------------------- */

/*
 * The border at place k among rising samples: `at` is the first sample not left of it, `behind` the first one right of it.
 * part: the fraction of the way from the last sample left of it to the first one right of it; NaN if a sample lies on the border, or
 * one of the two does not exist.
 */
typedef struct gp_line_border {
    int64_t at, behind;
    double part;
} gp_line_border;

GP_FN double gp_line_part(double border, double before, double after) { return (border - before) / (after - before); }

/* The place of a line between two samples; NaN if either is NaN. */
GP_FN double gp_line_crossing(double before, double after, double part)
{
    double y = before + (after - before) * part;
    double low = before < after ? before : after, high = before < after ? after : before;
    return y < low ? low : y > high ? high : y;
}

/* The place at a border of the stroke between two samples, the left one first; a sample on the border is there exactly. */
GP_FN double gp_line_at_border(double x0, double y0, double x1, double y1, double border)
{
    double y = gp_line_crossing(y0, y1, gp_line_part(border, x0, x1));
    return x0 == border ? y0 : x1 == border ? y1 : y;
}

/* The span of the stroke between two samples, the left one first, over closed column k, which it must touch. */
GP_FN gp_line_span gp_line_stroke(double x0, double y0, double x1, double y1, int64_t k)
{
    double left = (double)k, right = left + 1;
    gp_line_span span = gp_line_span_none();
    gp_line_span_add(&span, x0 >= left ? y0 : gp_line_at_border(x0, y0, x1, y1, left));
    gp_line_span_add(&span, x1 <= right ? y1 : gp_line_at_border(x0, y0, x1, y1, right));
    return span;
}

/* The closed columns that a stroke touches, first to last; false if there are none, or an end is NaN. */
GP_FN bool gp_line_columns(double x0, double x1, int64_t n_cols, int64_t *first, int64_t *last)
{
    double end = (double)n_cols;
    if (!(x1 >= 0 && x0 <= end))
        return false;
    double left = x0 > 0 ? x0 : 0, right = x1 < end ? x1 : end;
    *first = (int64_t)left - ((double)(int64_t)left == left ? 1 : 0), *last = (int64_t)right;
    *first = *first > 0 ? *first : 0, *last = *last < n_cols ? *last : n_cols - 1;
    return true;
}

/* The column of a single sample; false if it is outside, or NaN. */
GP_FN bool gp_line_own_column(double x, int64_t n_cols, int64_t *column)
{
    if (!(x >= 0 && x <= (double)n_cols))
        return false;
    *column = (int64_t)x < n_cols ? (int64_t)x : n_cols - 1;
    return true;
}

/* ---- counting ------------------------------------------------------------------------------------------------------- */

/* The number that a line adds to each of the n_rows rows that it fills of a column. */
GP_FN uint64_t gp_line_weight(bool is_normalized, int64_t n_rows)
{
    return is_normalized ? (GP_LINE_ONE + (uint64_t)n_rows / 2) / (uint64_t)n_rows : 1;
}

/* A cell's value from the sum of what lines added to it. */
GP_FN double gp_line_cell(bool is_normalized, uint64_t sum)
{
    if (sum == 0)
        return gp_empty_cell();
    return is_normalized ? (double)sum / (double)GP_LINE_ONE : (double)sum;
}

/* The places of n coordinates of host memory. */
void gp_line_places(const gp_line_axis *axis, const double *values, int64_t n, double *out);

/* Fails if planes don't fit each other, there are too many lines to count, or an axis is not valid. */
gp_status gp_lines_check(const gp_lines *lines, int64_t n_lines, const gp_line_options *options, const gp_cells *out,
                         gp_error *error) GP_MUST_CHECK;

#endif
