/* Lines whose x rises or falls: finds the lowest and the highest place in each column, and adds these rows to the table. */
#include "lines.h"

#include "../../core/base/alloc.h"

/* From so many samples of a column on, extremes are found by four independent chains of comparisons. */
enum { MANY_SAMPLES = 16 };

gp_status gp_line_worker_start(gp_line_worker *w, const gp_line_options *options, int64_t n_columns, size_t scratch_bytes,
                               gp_error *error)
{
    w->options = options;
    GP_TRY(gp_alloc(scratch_bytes, &w->scratch, error));
    GP_TRY(gp_alloc((size_t)n_columns * sizeof *w->spans, &w->spans, error));
    GP_TRY(gp_alloc((size_t)(n_columns + 1) * sizeof *w->borders, &w->borders, error));
    for (int64_t k = 0; k < n_columns; k++)
        w->spans[k] = gp_line_span_none();
    return GP_OK;
}

void gp_line_worker_end(gp_line_worker *w)
{
    free(w->scratch);
    free(w->spans);
    free(w->borders);
}

/* ---- borders of columns ---------------------------------------------------------------------------------------------- */

static bool is_before(double x, double border, bool is_closed) { return is_closed ? x <= border : x < border; }

/* The first sample from `at` on that is at the border or right of it; with is_closed the first one right of it. */
static int64_t advance(const double *x, int64_t n, int64_t at, double border, bool is_closed)
{
    int64_t step = 1, low = at, high;
    if (at >= n || !is_before(x[at], border, is_closed))
        return at;
    for (; low + step < n && is_before(x[low + step], border, is_closed); step *= 2)
        low += step;
    high = low + step < n ? low + step : n; /* low is before the border, high isn't */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (is_before(x[middle], border, is_closed))
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Finds the borders of those columns among column0..column1-1 that the part's samples touch. */
static void find_borders(gp_line_worker *w, int64_t column0, int64_t column1)
{
    int64_t first, last, at = 0;
    w->column0 = w->column1 = column0;
    if (w->n == 0 || !gp_line_columns(w->x[0], w->x[w->n - 1], w->options->x.n_cells, &first, &last))
        return;
    w->column0 = first > column0 ? first : column0, w->column1 = last < column1 ? last + 1 : column1;
    for (int64_t k = w->column0; k <= w->column1; k++) {
        gp_line_border *border = &w->borders[k - w->column0];
        at = border->at = advance(w->x, w->n, at, (double)k, false);
        border->behind = advance(w->x, w->n, at, (double)k, true);
        border->part = gp_mark_value(GP_HAS_NAN);
        if (border->behind == at && at > 0 && at < w->n)
            border->part = gp_line_part((double)k, w->x[at - 1], w->x[at]);
    }
}

/* ---- columns --------------------------------------------------------------------------------------------------------- */

static double crossing(const gp_line_worker *w, const gp_line_border *border)
{
    if (!(border->part >= 0))
        return border->part;
    return gp_line_crossing(w->y[border->at - 1], w->y[border->at], border->part);
}

static gp_line_span span_of_many(const double *y, int64_t n)
{
    gp_line_span spans[4] = {gp_line_span_none(), gp_line_span_none(), gp_line_span_none(), gp_line_span_none()};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int j = 0; j < 4; j++)
            gp_line_span_add(&spans[j], y[i + j]);
    for (; i < n; i++)
        gp_line_span_add(&spans[0], y[i]);
    for (int j = 1; j < 4; j++)
        gp_line_span_join(&spans[0], spans[j]);
    return spans[0];
}

static bool has_neighbor(const gp_line_worker *w, int64_t i)
{
    return (i > 0 && w->y[i - 1] == w->y[i - 1]) || (i + 1 < w->n && w->y[i + 1] == w->y[i + 1]);
}

/* Finds the rows that the part fills in each column: from its samples there, and the strokes over its borders. */
static void fill_spans(gp_line_worker *w, gp_line_span *spans)
{
    const gp_line_border *borders = w->borders;
    const double *y = w->y;
    int64_t n = w->column1 - w->column0, last = w->options->x.n_cells - 1 - w->column0;
    double left = crossing(w, borders);
    for (int64_t k = 0; k < n; k++) {
        int64_t begin = borders[k].at, end = borders[k + 1].at, behind = borders[k + 1].behind;
        double right = crossing(w, &borders[k + 1]);
        gp_line_span span = gp_line_span_none();
        gp_line_span_add(&span, left), gp_line_span_add(&span, right);
        if (end - begin >= MANY_SAMPLES)
            gp_line_span_join(&span, span_of_many(y + begin, end - begin));
        else
            for (int64_t i = begin; i < end; i++)
                gp_line_span_add(&span, y[i]);
        for (int64_t i = end; i < behind;
             i++) /* samples on the border are in the next column, and as ends of strokes also in this one */
            if (k == last || has_neighbor(w, i))
                gp_line_span_add(&span, y[i]);
        gp_line_span_join(&spans[k], span);
        left = right;
    }
}

/* Adds the rows that the line fills in columns begin..end-1 to the table, and clears the spans. */
static void add_line(gp_line_worker *w, int64_t column0, int64_t begin, int64_t end)
{
    int64_t n_rows = gp_line_n_rows(w->options), n_cols = w->options->x.n_cells, first, last;
    bool is_normalized = w->options->is_normalized;
    gp_line_span *spans = w->spans;
    uint64_t *table = w->table;
    for (int64_t k = begin; k < end; k++) {
        bool is_there = gp_line_rows(spans[k - column0], w->options, &first, &last);
        spans[k - column0] = gp_line_span_none();
        if (!is_there)
            continue;
        uint64_t weight = gp_line_weight(is_normalized, last - first + 1);
        table[first * n_cols + k] += weight;
        if (last + 1 < n_rows)
            table[(last + 1) * n_cols + k] -= weight;
    }
}

static void reverse(double *values, int64_t n)
{
    for (int64_t i = 0; i < n / 2; i++) {
        double other = values[n - 1 - i];
        values[n - 1 - i] = values[i], values[i] = other;
    }
}

void gp_line_find_spans(gp_line_worker *w, int64_t row, gp_line_way way, int64_t column0, int64_t column1, int64_t begin,
                        int64_t end, bool has_borders, int64_t *touched0, int64_t *touched1)
{
    *touched0 = column1, *touched1 = column0;
    for (int64_t part = begin; part < end; part += GP_LINE_PART) {
        int64_t first = part > begin ? part - 1 : part, last = end - part < GP_LINE_PART + 1 ? end : part + GP_LINE_PART + 1;
        if (!has_borders)
            gp_line_read_x(w, row, first, last);
        gp_line_read_y(w, row, first, last);
        if (way == GP_LINE_FALLS)
            reverse(w->y, w->n);
        if (way == GP_LINE_FALLS && !has_borders)
            reverse(w->x, w->n);
        if (!has_borders)
            find_borders(w, column0, column1);
        if (w->column0 >= w->column1)
            continue;
        fill_spans(w, w->spans + (w->column0 - column0));
        *touched0 = w->column0 < *touched0 ? w->column0 : *touched0, *touched1 = w->column1 > *touched1 ? w->column1 : *touched1;
    }
}

void gp_line_add_sorted(gp_line_worker *w, int64_t row, gp_line_way way, int64_t column0, int64_t column1, int64_t begin,
                        int64_t end, bool has_borders)
{
    int64_t touched0, touched1;
    gp_line_find_spans(w, row, way, column0, column1, begin, end, has_borders, &touched0, &touched1);
    add_line(w, column0, touched0, touched1);
}
