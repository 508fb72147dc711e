/* How a reduction is cut into pieces, and what the partial results of cells are. */
#ifndef GP_REDUCE_H
#define GP_REDUCE_H

#include "cpu.h"
#include "loops.h"
#include "rows.h"

/*
 * Partial results of consecutive cells.
 *   mean, sum        a = sum of weight * value, b = sum of weights
 *   std              a = weight, b = mean, c = sum of weighted squared deviations
 *   min, max, absmax a = the value, meaningful where has says finite
 *   count            a = number of finite owned elements
 * has: GP_HAS_* bits of the touched elements.
 */
typedef struct gp_states {
    double *a, *b, *c;
    uint8_t *has;
} gp_states;

/* A box of elements whose results belong to cell row q and to cells cell0..cell1; cells may reach beyond the box. */
typedef struct gp_strip {
    int64_t q, row0, row1, col0, col1, cell0, cell1;
} gp_strip;

typedef struct gp_reduction {
    gp_rows rows;
    const gp_loops *loops;
    const gp_axis *row_axis, *col_axis;
    gp_agg agg;
    gp_nan nan;
    int64_t chunk_elems; /* columns are taken in chunks of at most so many */
} gp_reduction;

/* Working memory of one thread. */
typedef struct gp_scratch {
    void *packed;      /* rows that are not read in place: GP_MAX_PASS_ROWS of them */
    void *row_scratch; /* of gp_rows_get */
    double *values;    /* one row as float64 */
    gp_states states;  /* of one strip */
    void *memory;      /* all of the above */
} gp_scratch;

/* Resets the states of n cells, or makes them those of nothing. */
void gp_states_reset(gp_states states, int64_t n);

/* The states of n cells beginning at `first`. */
static inline gp_states gp_states_at(gp_states states, int64_t first)
{
    return (gp_states){states.a + first, states.b + first, states.c + first, states.has + first};
}

/* Joins state i of `from` to state k of `to`; the order of joins is what makes results repeatable. */
void gp_states_join(gp_agg agg, gp_states to, int64_t k, gp_states from, int64_t i);

/* The value of one cell. */
double gp_states_finish(gp_agg agg, gp_nan nan, gp_states states, int64_t i);

/* The weight of element i in a span that it touches. */
static inline double gp_span_weight(const gp_span *span, int64_t i)
{
    return i == span->touched_begin ? span->w_first : i == span->touched_end - 1 ? span->w_last : 1.0;
}

/* Reduces a strip element by element, whatever the elements are: states[i] is joined to, for cell0 + i. */
void gp_reduce_careful(const gp_reduction *job, gp_scratch *scratch, const gp_strip *strip, gp_states states);

/* agg 'nearest': rows of cells q0..q1 straight to the output. */
void gp_reduce_nearest(const gp_reduction *job, gp_scratch *scratch, int64_t q0, int64_t q1, double *out);

#endif
