/* One cell of a box by itself, from its elements in the cache: for the few cells in which elements are not finite. */
#include "box.h"
#include "reduce_ways.h"

static bool is_finite(double x) { return x - x == 0; }

/* Row `row` of columns begin..end of the box, as float64. */
static void load_row(const gp_box *box, int64_t row, int64_t begin, int64_t end, double *out)
{
    const void *elems = gp_reduction_row(box->job, box->scratch, row, box->col0 + begin, end - begin, 0);
    box->job->loops->values(elems, end - begin, out);
}

static double weight_at(const gp_box *box, int64_t p, int64_t row, int64_t col)
{
    return gp_span_weight(box->row_span, row) * gp_span_weight(&box->col_spans[p], box->col0 + col);
}

/* Moments about the mean, by two passes over the elements in the cache. False, with nothing written, if the mean overflows float64. */
static bool find_moments(const gp_box *box, int64_t p, int64_t begin, int64_t end, gp_cell_state *out)
{
    double *x = box->scratch->values, sum = 0, weight = 0, m2 = 0;
    int64_t n = end - begin;
    unsigned has = 0;
    for (int64_t row = box->row0, k = 0; row < box->row1; row++) {
        load_row(box, row, begin, end, x + k);
        for (int64_t col = begin; col < end; col++, k++) {
            double w = is_finite(x[k]) ? weight_at(box, p, row, col) : 0.0;
            has |= is_finite(x[k]) ? (unsigned)GP_HAS_FINITE : gp_class_of(x[k]);
            sum += w != 0 ? w * x[k] : 0.0, weight += w;
        }
    }
    double mean = weight > 0 ? sum / weight : 0.0;
    for (int64_t k = 0; k < n * (box->row1 - box->row0) && is_finite(mean); k++)
        m2 += is_finite(x[k]) ? weight_at(box, p, box->row0 + k / n, begin + k % n) * (x[k] - mean) * (x[k] - mean) : 0.0;
    if (is_finite(mean))
        *out = (gp_cell_state){weight, mean, gp_held_spread(m2), has};
    return is_finite(mean);
}

void gp_box_reduce_carefully(const gp_box *box, int64_t cell0, int64_t cell1, gp_states out)
{
    /* gp_reduce_careful takes axes: the cells of the box become cells 0..n of two axes made here. */
    gp_axis row_axis = {.spans = (gp_span *)box->row_span}, col_axis = {.spans = (gp_span *)box->col_spans};
    gp_reduction job = *box->job;
    gp_strip strip = {.row0 = box->row0, .row1 = box->row1, .cell0 = cell0, .cell1 = cell1};
    int64_t begin, end, unused;
    gp_box_cell(box, cell0, &begin, &unused);
    gp_box_cell(box, cell1 - 1, &unused, &end);
    strip.col0 = box->col0 + begin, strip.col1 = box->col0 + end;
    job.row_axis = &row_axis, job.col_axis = &col_axis;
    gp_states_reset(job.kind, gp_states_at(out, cell0), cell1 - cell0);
    gp_reduce_careful(&job, box->scratch, &strip, gp_states_at(out, cell0));
}

void gp_box_reduce_cell(const gp_box *box, int64_t p, gp_states out)
{
    gp_cell_state state;
    int64_t begin, end;
    gp_box_cell(box, p, &begin, &end);
    bool is_small = (end - begin) * (box->row1 - box->row0) <= box->job->chunk_elems; /* the size of `values` */
    if (gp_box_is(box, GP_STATE_MOMENTS) && is_small && find_moments(box, p, begin, end, &state))
        gp_states_put(out, p, &state);
    else
        gp_box_reduce_carefully(box, p, p + 1, out);
}
