/* Reduces long runs of elements inside one row: each is folded into a plane of its own, so that the column loops serve it. */
#include "box.h"

/* The length of folded rows; variances of larger blocks would lose too many bits. */
#define FOLDED_COLS 1024
#define MAX_BLOCK_ELEMS ((int64_t)1 << 20)

/* A span that touches and owns n elements in full. */
static gp_span whole_span(int64_t n) { return (gp_span){0, n, 0, n, 1.0, 1.0}; }

/* Reduces n elements of one row as n_rows x n_cols, and joins their state, scaled by a weight, to state i. */
static void add_block(const gp_reduction *job, gp_scratch *scratch, const char *data, int64_t n_rows, int64_t n_cols,
                      double weight, gp_states states, int64_t i)
{
    gp_reduction folded = *job;
    gp_span row_span = whole_span(n_rows), col_span = whole_span(n_cols);
    int64_t bounds[4] = {0, n_rows, 0, n_cols};
    gp_states part = scratch->part;
    if (n_rows == 0 || n_cols == 0)
        return;
    folded.rows.origin = data;
    folded.rows.plane.row_stride_bytes = n_cols * job->rows.item_bytes;
    gp_box box = gp_box_from(&folded, scratch, &row_span, &col_span, 1, bounds);
    box.is_passing = true;
    gp_box_reduce(&box, part);
    gp_cell_state joined = gp_states_get(states, i), scaled = gp_states_get(part, 0);
    gp_cell_state_scale(job->kind, &scaled, weight);
    gp_cell_state_join(job->kind, &joined, &scaled);
    gp_states_put(states, i, &joined);
}

/* Reduces columns begin..end of one row, which all have the same weight. */
static void add_run(const gp_reduction *job, gp_scratch *scratch, int64_t row, int64_t begin, int64_t end, double weight,
                    gp_states states, int64_t i)
{
    const char *data = gp_row_reader_get(&job->rows, row, begin, end - begin, NULL, NULL);
    while (begin < end && !gp_threads_is_stopped()) {
        int64_t n = end - begin < MAX_BLOCK_ELEMS ? end - begin : MAX_BLOCK_ELEMS;
        int64_t n_rows = n / FOLDED_COLS, n_cols = n_rows > 0 ? FOLDED_COLS : n;
        n_rows = n_rows > 0 ? n_rows : 1;
        add_block(job, scratch, data, n_rows, n_cols, weight, states, i);
        begin += n_rows * n_cols;
        data += n_rows * n_cols * job->rows.item_bytes;
    }
}

/* Reduces the part of one cell in one row of the strip: a first and a last element with their own weights, and the run between. */
static void add_cell(const gp_reduction *job, gp_scratch *scratch, const gp_strip *strip, int64_t row, int64_t p,
                     double row_weight, gp_states states)
{
    const gp_span *span = &job->col_axis->spans[p];
    int64_t begin = span->touched_begin > strip->col0 ? span->touched_begin : strip->col0;
    int64_t end = span->touched_end < strip->col1 ? span->touched_end : strip->col1, i = p - strip->cell0;
    if (begin < end && gp_span_weight(span, begin) != 1.0) {
        add_run(job, scratch, row, begin, begin + 1, row_weight * gp_span_weight(span, begin), states, i);
        begin++;
    }
    bool has_last = begin < end && gp_span_weight(span, end - 1) != 1.0;
    add_run(job, scratch, row, begin, has_last ? end - 1 : end, row_weight, states, i);
    if (has_last)
        add_run(job, scratch, row, end - 1, end, row_weight * gp_span_weight(span, end - 1), states, i);
}

void gp_reduce_runs(const gp_reduction *job, gp_scratch *scratch, const gp_strip *strip, gp_states states)
{
    const gp_span *row_span = &job->row_axis->spans[strip->q];
    for (int64_t row = strip->row0; row < strip->row1; row++) {
        gp_reduction one = *job;
        if (row < row_span->owned_begin || row >= row_span->owned_end)
            one.want = 0; /* the row's limits are added by its other cell */
        for (int64_t p = strip->cell0; p < strip->cell1; p++)
            add_cell(&one, scratch, strip, row, p, gp_span_weight(row_span, row), states);
    }
}
