/* Lines to cells: where samples lie on a grid, where lines cross the borders of its columns, and which rows they fill there. */
#ifndef GP_LINE_GRID_H
#define GP_LINE_GRID_H

#include "cells.h"
#include "reductions.h"
#include "view.h"

/*
 * Places are coordinates in cells: column k of the grid is from k to k + 1, rows likewise. A line is straight between the places of
 * neighboring samples. It fills the rows of column k from its lowest to its highest place over the closed column k..k + 1; a sample
 * without a neighbor fills its own cell. Each line counts once in a cell.
 */

/* Places are within these: what is farther away lies there. Differences of places don't overflow. */
#define GP_FARTHEST 1e300

/* Fractions of a normalized line are counted in units of 1 / GP_LINE_ONE. */
#define GP_LINE_ONE ((uint64_t)1 << 32)

/* One coordinate's places. */
typedef struct gp_line_axis {
    double first, last; /* cells of one width are those of the closed range first..last */
    int64_t n_cells;
    double low, high; /* what is below or above has no place and interrupts its line, as NaN does */
    const double *values,
        *places; /* where n_knots > 0: coordinates that rise strictly, and their places; straight between them */
    int64_t n_knots;
} gp_line_axis;

/* Lines of one length: row i of y is a line, over row i of x, its only row, or, where x is NULL, over 0, 1, 2, .... */
typedef struct gp_lines {
    const gp_plane *x, *y;
    bool is_rising; /* x is known to rise, and all of it has a place; otherwise the order of each line is found */
} gp_lines;

typedef struct gp_line_options {
    gp_line_axis x, y;
    bool is_normalized; /* a line that fills n rows of a column adds 1 / n to each, else 1 */
} gp_line_options;

/* ---- places --------------------------------------------------------------------------------------------------------- */

GP_FN double gp_line_place_even(const gp_line_axis *axis, double v)
{
    double n = (double)axis->n_cells, place = (v - axis->first) * n / (axis->last - axis->first);
    /* Rounding doesn't decide what is inside of the closed range, and both ends are exact. */
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

/* NaN for what has no place. */
GP_FN double gp_line_place(const gp_line_axis *axis, double v)
{
    double place = axis->n_knots > 0 ? gp_line_place_by_knots(axis, v) : gp_line_place_even(axis, v);
    return v >= axis->low && v <= axis->high ? place : gp_mark_value(GP_HAS_NAN);
}

/* ---- what a line fills of a column ---------------------------------------------------------------------------------- */

/* Lowest and highest place; nothing where low > high. */
typedef struct gp_line_span {
    double low, high;
} gp_line_span;

GP_FN gp_line_span gp_line_span_none(void)
{
    gp_line_span none = {2 * GP_FARTHEST, -2 * GP_FARTHEST};
    return none;
}

/* One more place; NaN is none. */
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

/* The rows of a span, first to last; false where it fills none. */
GP_FN bool gp_line_rows(gp_line_span span, int64_t n_rows, int64_t *first, int64_t *last)
{
    double end = (double)n_rows;
    if (!(span.low <= span.high) || span.high < 0 || span.low > end)
        return false;
    *first = (int64_t)(span.low > 0 ? span.low : 0), *last = (int64_t)(span.high < end ? span.high : end);
    *first = *first < n_rows ? *first : n_rows - 1, *last = *last < n_rows ? *last : n_rows - 1;
    return true;
}

/* ---- borders between columns ---------------------------------------------------------------------------------------- */

/*
 * Where samples that rise stand to the border at place k: `at` is the first one not left of it, `behind` the first one right of it.
 * part: how much of the way from the last one left of it to the first one right of it is done there; NaN where a sample lies on it,
 * or either is lacking.
 */
typedef struct gp_line_border {
    int64_t at, behind;
    double part;
} gp_line_border;

GP_FN double gp_line_part(double border, double before, double after) { return (border - before) / (after - before); }

/* The place of a line between two samples; NaN where either is. */
GP_FN double gp_line_crossing(double before, double after, double part)
{
    double y = before + (after - before) * part;
    double low = before < after ? before : after, high = before < after ? after : before;
    return y < low ? low : y > high ? high : y;
}

/* What the stroke between two samples, the left one first, is over closed column k, which it must touch. */
GP_FN gp_line_span gp_line_stroke(double x0, double y0, double x1, double y1, int64_t k)
{
    double left = (double)k, right = left + 1;
    gp_line_span span = gp_line_span_none();
    gp_line_span_add(&span, x0 >= left ? y0 : gp_line_crossing(y0, y1, gp_line_part(left, x0, x1)));
    gp_line_span_add(&span, x1 <= right ? y1 : gp_line_crossing(y0, y1, gp_line_part(right, x0, x1)));
    return span;
}

/* The closed columns that a stroke touches, first to last; false where there are none, or an end is NaN. */
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

/* The column of a sample by itself; false where it is outside, or NaN. */
GP_FN bool gp_line_own_column(double x, int64_t n_cols, int64_t *column)
{
    if (!(x >= 0 && x <= (double)n_cols))
        return false;
    *column = (int64_t)x < n_cols ? (int64_t)x : n_cols - 1;
    return true;
}

/* ---- counting ------------------------------------------------------------------------------------------------------- */

/* What a line adds to each of the rows that it fills of a column. */
GP_FN uint64_t gp_line_weight(bool is_normalized, int64_t n_rows)
{
    return is_normalized ? (GP_LINE_ONE + (uint64_t)n_rows / 2) / (uint64_t)n_rows : 1;
}

/* A cell's value from what was added to it. */
GP_FN double gp_line_cell(bool is_normalized, uint64_t sum)
{
    if (sum == 0)
        return gp_empty_cell();
    return is_normalized ? (double)sum / (double)GP_LINE_ONE : (double)sum;
}

/* Fails where planes don't fit each other, or lines are too many to be counted, or an axis has no meaning. */
gp_status gp_lines_check(const gp_lines *lines, int64_t n_lines, const gp_line_options *options, const gp_cells *out,
                         gp_error *error) GP_MUST_CHECK;

#endif
