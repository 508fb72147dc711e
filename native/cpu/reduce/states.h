/* gp_states: the partial results of consecutive cells, an array for each member of gp_cell_state. */
#ifndef GP_STATES_H
#define GP_STATES_H

#include "simd/loops.h"

#include "../../core/states/scaled.h"

/* If `has` includes NaN, other bits may be missing and sums are those of all elements, unless the policy needs all kinds. */
typedef struct gp_states {
    double *a, *b, *c;
    uint8_t *has;
} gp_states;

/* Bytes of memory for the states of n cells; and the states in that memory. */
size_t gp_states_bytes(int64_t n);
gp_states gp_states_in(void *memory, int64_t n);

static inline gp_cell_state gp_states_get(gp_states states, int64_t i)
{
    return (gp_cell_state){states.a[i], states.b[i], states.c[i], states.has[i]};
}

static inline void gp_states_put(gp_states states, int64_t i, const gp_cell_state *state)
{
    states.a[i] = state->a, states.b[i] = state->b, states.c[i] = state->c, states.has[i] = (uint8_t)state->has;
}

/* The states of n cells beginning at `first`. */
static inline gp_states gp_states_at(gp_states states, int64_t first)
{
    return (gp_states){states.a + first, states.b + first, states.c + first, states.has + first};
}

/* Resets the states of n cells to those of no elements. */
void gp_states_reset(gp_state_kind kind, gp_states states, int64_t n);

/* Joins states from[0..n] to to[0..n]; results are repeatable if the order of joins is. */
void gp_states_join(gp_state_kind kind, gp_states to, gp_states from, int64_t n);

/* The values of n cells under a policy; the states have the kinds of elements that it needs. */
void gp_states_finish(gp_agg agg, gp_nan nan, gp_order_type order, const gp_folds *folds, gp_states states, int64_t n,
                      double *out);

/* The scales (GP_NEEDS_*) that some of n cells need which are not marked. */
unsigned gp_states_need(gp_state_kind kind, gp_nan nan, gp_states states, int64_t n);

#endif
