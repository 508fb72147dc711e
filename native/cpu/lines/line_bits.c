/* Lines whose x is in no order: a bit for each cell that a line fills, so that it counts once per cell. */
#include "lines.h"

/* Rows first..last of a column. */
static void set_rows(uint64_t *column, int64_t first, int64_t last)
{
    uint64_t begin = ~(uint64_t)0 << (first % 64), end = ~(uint64_t)0 >> (63 - last % 64);
    if (first / 64 == last / 64) {
        column[first / 64] |= begin & end;
        return;
    }
    column[first / 64] |= begin;
    for (int64_t word = first / 64 + 1; word < last / 64; word++)
        column[word] = ~(uint64_t)0;
    column[last / 64] |= end;
}

static void set_span(gp_line_worker *w, int64_t k, gp_line_span span)
{
    int64_t first, last;
    if (!gp_line_rows(span, w->options, &first, &last))
        return;
    set_rows(w->bits + k * gp_line_words(w->options), first, last);
    w->bits0 = k < w->bits0 ? k : w->bits0, w->bits1 = k + 1 > w->bits1 ? k + 1 : w->bits1;
}

/* Sets the bits of the stroke between two samples. */
static void set_stroke(gp_line_worker *w, int64_t from, int64_t to)
{
    int64_t left = w->x[from] <= w->x[to] ? from : to, right = left == from ? to : from, first, last;
    if (w->y[from] != w->y[from] || w->y[to] != w->y[to] || w->x[from] != w->x[from] || w->x[to] != w->x[to])
        return;
    if (!gp_line_columns(w->x[left], w->x[right], w->options->x.n_cells, &first, &last))
        return;
    for (int64_t k = first; k <= last; k++)
        set_span(w, k, gp_line_stroke(w->x[left], w->y[left], w->x[right], w->y[right], k));
}

void gp_line_set_bits(gp_line_worker *w, int64_t row, int64_t begin, int64_t end)
{
    for (int64_t part = begin; part < end; part += GP_LINE_PART) {
        int64_t first = part > 0 ? part - 1 : part, last = end - part < GP_LINE_PART ? end : part + GP_LINE_PART, k;
        gp_line_read_x(w, row, first, last);
        gp_line_read_y(w, row, first, last);
        for (int64_t i = 0; i < w->n; i++) {
            if (w->y[i] == w->y[i] && gp_line_own_column(w->x[i], w->options->x.n_cells, &k))
                set_span(w, k, (gp_line_span){w->y[i], w->y[i]});
            if (i > 0)
                set_stroke(w, i - 1, i);
        }
    }
}

/* ---- bits to counts -------------------------------------------------------------------------------------------------- */

static int64_t count_rows(const uint64_t *column, int64_t n_words)
{
    int64_t n = 0;
    for (int64_t i = 0; i < n_words; i++)
        n += __builtin_popcountll(column[i]);
    return n;
}

/* Adds at the first row of each run of rows, and subtracts after its last one. */
static void add_runs(gp_line_worker *w, int64_t k, uint64_t *column, int64_t n_words, uint64_t weight)
{
    int64_t n_rows = gp_line_n_rows(w->options), n_cols = w->options->x.n_cells;
    uint64_t carry = 0;
    for (int64_t i = 0; i < n_words; i++) {
        uint64_t bits = column[i], before = bits << 1 | carry;
        for (uint64_t edges = bits ^ before; edges != 0; edges &= edges - 1) {
            int64_t row = 64 * i + __builtin_ctzll(edges);
            if (row < n_rows)
                w->table[row * n_cols + k] += bits >> (row % 64) & 1 ? weight : -weight;
        }
        carry = bits >> 63, column[i] = 0;
    }
}

void gp_line_add_bits(gp_line_worker *w)
{
    int64_t n_words = gp_line_words(w->options);
    for (int64_t k = w->bits0; k < w->bits1; k++) {
        uint64_t *column = w->bits + k * n_words;
        int64_t n = count_rows(column, n_words);
        if (n > 0)
            add_runs(w, k, column, n_words, gp_line_weight(w->options->is_normalized, n));
    }
    w->bits0 = w->options->x.n_cells, w->bits1 = 0;
}
