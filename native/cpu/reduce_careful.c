/* Reduces a strip element by element: the path for elements that are not finite, and the meaning of all faster ones. */
#include "reduce.h"
#include "threads.h"

/* A run of elements of one row inside one cell. */
typedef struct run {
    const double *values;
    const gp_span *span;
    int64_t begin, end; /* columns */
    double row_weight;
    bool is_row_owned;
} run;

static double value_at(const run *r, int64_t col) { return r->values[col - r->begin]; }

static unsigned classes_of_run(const run *r)
{
    unsigned has = 0;
    for (int64_t col = r->begin; col < r->end; col++)
        has |= gp_class_of(value_at(r, col));
    return has;
}

static void add_sum(const run *r, gp_states s, int64_t i)
{
    double sum = 0, weight = 0;
    for (int64_t col = r->begin; col < r->end; col++) {
        double x = value_at(r, col), w = gp_span_weight(r->span, col);
        if (gp_class_of(x) == GP_HAS_FINITE)
            sum += w * x, weight += w;
    }
    s.a[i] += r->row_weight * sum;
    s.b[i] += r->row_weight * weight;
}

/* The mean first, then deviations from it: no cancellation whatever the values. */
static void add_moments(const run *r, gp_states s, int64_t i)
{
    gp_moments part = {0, 0, 0};
    for (int64_t col = r->begin; col < r->end; col++) {
        double x = value_at(r, col), w = gp_span_weight(r->span, col) * r->row_weight;
        if (gp_class_of(x) == GP_HAS_FINITE)
            part = gp_moments_join(part, (gp_moments){w, x, 0});
    }
    part = gp_moments_join((gp_moments){s.a[i], s.b[i], s.c[i]}, part);
    s.a[i] = part.weight, s.b[i] = part.mean, s.c[i] = part.m2;
}

static void add_extremes(gp_agg agg, const run *r, gp_states s, int64_t i)
{
    for (int64_t col = r->begin; col < r->end; col++) {
        double x = value_at(r, col);
        uint8_t class = (uint8_t)gp_class_of(x);
        gp_states_join(agg, gp_states_at(s, i), (gp_states){&x, &x, &x, &class}, 1);
    }
}

static void add_count(const run *r, gp_states s, int64_t i)
{
    if (!r->is_row_owned)
        return;
    for (int64_t col = r->begin; col < r->end; col++)
        if (col >= r->span->owned_begin && col < r->span->owned_end && gp_class_of(value_at(r, col)) == GP_HAS_FINITE)
            s.a[i] += 1.0;
}

static void add_run(gp_agg agg, const run *r, gp_states s, int64_t i)
{
    if (agg == GP_AGG_MEAN || agg == GP_AGG_SUM)
        add_sum(r, s, i);
    else if (agg == GP_AGG_STD)
        add_moments(r, s, i);
    else if (agg == GP_AGG_COUNT)
        add_count(r, s, i);
    else
        add_extremes(agg, r, s, i);
    s.has[i] |= (uint8_t)classes_of_run(r);
}

/* One row's columns col0..col1, whose values are given. */
static void add_row(const gp_reduction *job, const gp_strip *strip, int64_t row, int64_t col0, int64_t col1, const double *values,
                    gp_states states)
{
    const gp_span *row_span = &job->row_axis->spans[strip->q];
    run r = {.row_weight = gp_span_weight(row_span, row),
             .is_row_owned = row >= row_span->owned_begin && row < row_span->owned_end};
    for (int64_t p = strip->cell0; p < strip->cell1; p++) {
        r.span = &job->col_axis->spans[p];
        r.begin = r.span->touched_begin > col0 ? r.span->touched_begin : col0;
        r.end = r.span->touched_end < col1 ? r.span->touched_end : col1;
        r.values = values + (r.begin - col0);
        if (r.begin < r.end)
            add_run(job->agg, &r, states, p - strip->cell0);
    }
}

void gp_reduce_careful(const gp_reduction *job, gp_scratch *scratch, const gp_strip *strip, gp_states states)
{
    for (int64_t col = strip->col0; col < strip->col1; col += job->chunk_elems) {
        int64_t end = col + job->chunk_elems < strip->col1 ? col + job->chunk_elems : strip->col1;
        for (int64_t row = strip->row0; row < strip->row1 && !gp_threads_is_stopped(); row++) {
            const void *elems = gp_rows_get(&job->rows, row, col, end - col, scratch->packed, scratch->row_scratch);
            job->loops->values(elems, end - col, scratch->values);
            add_row(job, strip, row, col, end, scratch->values, states);
        }
    }
}
