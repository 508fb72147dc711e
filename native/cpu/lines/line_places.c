/* Samples of lines -> places on the grid, a part of a line at a time; and whether x rises or falls. */
#include "lines.h"

size_t gp_line_scratch_bytes(const gp_lines *lines)
{
    gp_line_source source = gp_line_source_of(lines);
    size_t x_bytes = lines->x != NULL ? gp_row_reader_scratch_bytes(&source.x.rows, GP_LINE_PART_ROOM) : 0;
    size_t y_bytes = gp_row_reader_scratch_bytes(&source.y.rows, GP_LINE_PART_ROOM);
    return x_bytes > y_bytes ? x_bytes : y_bytes;
}

gp_line_source gp_line_source_of(const gp_lines *lines)
{
    gp_line_source source = {.lines = lines, .y = gp_coordinate_of(lines->y)};
    if (lines->x != NULL)
        source.x = gp_coordinate_of(lines->x);
    source.n_lines = lines->y->n_rows, source.n_samples = lines->y->n_cols;
    source.has_one_x = lines->x == NULL || lines->x->n_rows == 1;
    return source;
}

/* Turns values into places; without branches if cells have one width, so that compilers vectorize the loop. */
static void place(const gp_line_axis *axis, double *values, int64_t n)
{
    gp_line_axis even = *axis;
    for (int64_t i = 0; even.n_knots > 0 && i < n; i++)
        values[i] = gp_line_place(axis, values[i]);
    for (int64_t i = 0; even.n_knots == 0 && i < n; i++) {
        double v = values[i], at = gp_line_place_even(&even, v);
        values[i] = (v >= even.low) & (v <= even.high) ? at : gp_mark_value(GP_HAS_NAN);
    }
}

static void get(const gp_coordinate *c, gp_line_worker *w, int64_t row, int64_t begin, int64_t n, double *out)
{
    gp_coordinate_get(c, row, begin, n, w->packed, w->scratch, out);
}

static void read_x(gp_line_worker *w, int64_t row, int64_t begin, int64_t n, double *out)
{
    if (w->source->lines->x != NULL)
        get(&w->source->x, w, w->source->has_one_x ? 0 : row, begin, n, out);
    for (int64_t i = 0; w->source->lines->x == NULL && i < n; i++)
        out[i] = (double)(begin + i);
    place(&w->options->x, out, n);
}

double gp_line_place_at(gp_line_worker *w, int64_t row, int64_t i)
{
    double at;
    read_x(w, row, i, 1, &at);
    return at;
}

void gp_line_read_x(gp_line_worker *w, int64_t row, int64_t begin, int64_t end)
{
    w->n = end - begin;
    read_x(w, row, begin, w->n, w->x);
}

void gp_line_read_y(gp_line_worker *w, int64_t row, int64_t begin, int64_t end)
{
    w->n = end - begin;
    get(&w->source->y, w, row, begin, w->n, w->y);
    place(&w->options->y, w->y, w->n);
}

gp_line_way gp_line_find_way(gp_line_worker *w, int64_t row)
{
    bool rises = true, falls = true;
    int64_t n_samples = w->source->n_samples;
    for (int64_t begin = 0; begin < n_samples && (rises || falls); begin += GP_LINE_PART) {
        int64_t end = n_samples - begin < GP_LINE_PART_ROOM ? n_samples : begin + GP_LINE_PART_ROOM;
        gp_line_read_x(w, row, begin, end);
        for (int64_t i = 0; i < w->n; i++) {
            double next = w->x[i + 1 < w->n ? i + 1 : i];
            rises &= w->x[i] <= next, falls &= w->x[i] >= next;
        }
    }
    return rises ? GP_LINE_RISES : falls ? GP_LINE_FALLS : GP_LINE_NEITHER;
}
