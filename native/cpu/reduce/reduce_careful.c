/* Reduces a strip element by element: the path for elements that are not finite, and the meaning of all faster ones. */
#include "reduce_ways.h"
#include "../../core/base/threads.h"

/* The weight of an element, whose row has this one. */
static double weight_of(const gp_reduction *job, const gp_span *span, int64_t col, double row_weight)
{
    if (gp_agg_is(job->agg, GP_AGG_OWNED))
        return col >= span->owned_begin && col < span->owned_end ? row_weight : 0.0;
    return row_weight * gp_span_weight(span, col);
}

static double weight_of_row(const gp_reduction *job, const gp_span *span, int64_t row)
{
    if (gp_agg_is(job->agg, GP_AGG_OWNED))
        return row >= span->owned_begin && row < span->owned_end;
    return gp_span_weight(span, row);
}

/* Columns col0..col1 of one row, as float64: elements that may not be finite are floats. */
static void add_row(const gp_reduction *job, const gp_strip *strip, int64_t row, int64_t col0, int64_t col1, const double *values,
                    gp_states states)
{
    double row_weight = weight_of_row(job, &job->row_axis->spans[strip->q], row);
    for (int64_t p = strip->cell0; p < strip->cell1; p++) {
        const gp_span *span = &job->col_axis->spans[p];
        int64_t begin = span->touched_begin > col0 ? span->touched_begin : col0;
        int64_t end = span->touched_end < col1 ? span->touched_end : col1;
        gp_cell_state state = gp_states_get(states, p - strip->cell0);
        for (int64_t col = begin; col < end; col++) {
            double x = values[col - col0];
            gp_cell_state one = gp_cell_state_one(job->kind, x, gp_order_of_f64(x), weight_of(job, span, col, row_weight));
            gp_cell_state_join(job->kind, &state, &one);
        }
        gp_states_put(states, p - strip->cell0, &state);
    }
}

void gp_reduce_careful(const gp_reduction *job, gp_scratch *scratch, const gp_strip *strip, gp_states states)
{
    for (int64_t col = strip->col0; col < strip->col1; col += job->chunk_elems) {
        int64_t end = col + job->chunk_elems < strip->col1 ? col + job->chunk_elems : strip->col1;
        for (int64_t row = strip->row0; row < strip->row1 && !gp_threads_is_stopped(); row++) {
            const void *elems = gp_reduction_row(job, scratch, row, col, end - col, 0);
            job->loops->values(elems, end - col, scratch->values);
            add_row(job, strip, row, col, end, scratch->values, states);
        }
    }
}
