/* Arrays of the partial results of cells: their layout, and how they are reset, joined and finished. */
#include "states.h"

size_t gp_states_bytes(int64_t n) { return ((size_t)(n + 64) * (3 * sizeof(double) + 1) + 63) / 64 * 64; }

gp_states gp_states_in(void *memory, int64_t n)
{
    double *values = memory;
    return (gp_states){values, values + n, values + 2 * n, (uint8_t *)(values + 3 * n)};
}

void gp_states_reset(gp_state_kind kind, gp_states states, int64_t n)
{
    const gp_cell_state none = gp_cell_state_none(kind);
    bool is_zero = kind != GP_STATE_EXTREMES;
    memset(states.a, 0, is_zero ? (size_t)n * sizeof *states.a : 0);
    memset(states.b, 0, is_zero ? (size_t)n * sizeof *states.b : 0);
    memset(states.c, 0, (size_t)n * sizeof *states.c);
    for (int64_t i = 0; !is_zero && i < n; i++)
        states.a[i] = none.a, states.b[i] = none.b;
    memset(states.has, 0, (size_t)n);
}

/* Compiled once for each kind, which the compiler then knows. */
static inline __attribute__((always_inline)) void join_all(gp_state_kind kind, gp_states to, gp_states from, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        gp_cell_state joined = gp_states_get(to, i), part = gp_states_get(from, i);
        gp_cell_state_join(kind, &joined, &part);
        gp_states_put(to, i, &joined);
    }
}

void gp_states_join(gp_state_kind kind, gp_states to, gp_states from, int64_t n)
{
    switch (kind) {
    case GP_STATE_SUM: join_all(GP_STATE_SUM, to, from, n); break;
    case GP_STATE_EXTREMES: join_all(GP_STATE_EXTREMES, to, from, n); break;
    case GP_STATE_MOMENTS: join_all(GP_STATE_MOMENTS, to, from, n); break;
    case GP_STATE_ELEMENT: join_all(GP_STATE_ELEMENT, to, from, n); break;
    }
}

/* Compiled once for each aggregation. */
static inline __attribute__((always_inline)) void fill_values(gp_agg agg, gp_order_type order, gp_states states, int64_t n,
                                                              double *out)
{
    for (int64_t i = 0; i < n; i++) {
        gp_cell_state state = gp_states_get(states, i);
        out[i] = gp_cell_state_value(agg, order, &state);
    }
}

static void values_of(gp_agg agg, gp_order_type order, const gp_folds *folds, gp_states states, int64_t n, double *out)
{
    if (agg == GP_AGG_MEAN) { /* the same by vector instructions */
        (void)folds->settle_means(states.a, 1.0, states.b, n, out);
        return;
    }
    switch (agg) {
#define VALUES_OF(NAME, name, KIND, facts)                                                                                       \
    case GP_AGG_##NAME: fill_values(GP_AGG_##NAME, order, states, n, out); break;
        GP_AGGS(VALUES_OF)
#undef VALUES_OF
    case GP_N_AGGS: break;
    }
}

void gp_states_finish(gp_agg agg, gp_nan nan, gp_order_type order, const gp_folds *folds, gp_states states, int64_t n,
                      double *out)
{
    uint8_t has = 0;
    for (int64_t i = 0; i < n; i++)
        has |= states.has[i] ^ GP_HAS_FINITE; /* 0: finite elements and nothing else */
    values_of(agg, order, folds, states, n, out);
    for (int64_t i = 0; i < n && has != 0; i++)
        if (gp_is_marked(states.has[i], nan))
            out[i] = gp_mark_of(states.has[i], nan);
}

unsigned gp_states_need(gp_state_kind kind, gp_nan nan, gp_states states, int64_t n)
{
    unsigned needs = 0;
    for (int64_t i = 0; i < n; i++) {
        gp_cell_state state = gp_states_get(states, i);
        needs |= gp_is_marked(states.has[i], nan) ? 0u : gp_cell_state_needs(kind, &state);
    }
    return needs;
}
