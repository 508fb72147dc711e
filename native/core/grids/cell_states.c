/* Arrays of partial results in host memory, cell by cell. */
#include "cell_states.h"

/* ---- scaled states ------------------------------------------------------------------------------------------------------ */

enum { SCALED_BITS = GP_IS_SCALED_DOWN | GP_IS_SCALED_UP };

static double scale_of(const gp_cell_state *state)
{
    return state->has & GP_IS_SCALED_DOWN ? GP_SCALE_DOWN : state->has & GP_IS_SCALED_UP ? GP_SCALE_UP : 1.0;
}

static uint64_t bit_of(double scale) { return scale < 1 ? GP_IS_SCALED_DOWN : scale > 1 ? GP_IS_SCALED_UP : 0; }

/* The state as it is by elements of another scale, without the bit that says so; not finite where that cannot be told. */
static gp_cell_state by_scale(gp_state_kind kind, const gp_cell_state *state, double scale)
{
    gp_cell_state found = *state;
    double own = scale_of(state);
    found.has &= ~(uint64_t)SCALED_BITS;
    if (own == scale) /* dividing would leave the range first */
        return found;
    if (kind == GP_STATE_SUM)
        found.a = found.a / own * scale;
    else if (kind == GP_STATE_MOMENTS) /* step by step: the squares of scales are no numbers */
        found.b = found.b / own * scale, found.c = found.c / own * scale / own * scale;
    return found;
}

/* Joins by the elements themselves if these need no scale, else by the first scale for which all is finite. */
static void join_scaled(gp_state_kind kind, gp_cell_state *to, const gp_cell_state *from)
{
    static const double scales[] = {1.0, GP_SCALE_UP, GP_SCALE_DOWN};
    gp_cell_state joined = *to;
    for (int i = 0; i < 3; i++) {
        gp_cell_state other = by_scale(kind, from, scales[i]);
        joined = by_scale(kind, to, scales[i]);
        gp_cell_state_join(kind, &joined, &other);
        unsigned needs = gp_cell_state_needs(kind, &joined);
        joined.has |= joined.has & GP_HAS_FINITE ? bit_of(scales[i]) : 0;
        if (needs == 0 || (scales[i] > 1 && needs == GP_NEEDS_UP))
            break;
    }
    *to = joined;
}

unsigned gp_cell_states_need(gp_state_kind kind, const gp_cell_state *states, int64_t n)
{
    unsigned needs = 0;
    for (int64_t i = 0; i < n; i++)
        needs |= gp_cell_state_needs(kind, &states[i]);
    return needs;
}

void gp_cell_states_take_scaled(gp_state_kind kind, gp_cell_state *states, const gp_cell_state *scaled, double scale, int64_t n)
{
    unsigned needs = scale < 1 ? GP_NEEDS_DOWN : GP_NEEDS_UP;
    for (int64_t i = 0; i < n; i++)
        if (gp_cell_state_needs(kind, &states[i]) == needs) {
            states[i] = scaled[i];
            states[i].has |= bit_of(scale);
        }
}

/* ---- all states --------------------------------------------------------------------------------------------------------- */

void gp_cell_states_join(gp_state_kind kind, gp_cell_state *to, const gp_cell_state *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        gp_cell_state joined = to[i];
        gp_cell_state_join(kind, &joined, &from[i]);
        if ((joined.has & SCALED_BITS) == 0 && gp_cell_state_needs(kind, &joined) == 0)
            to[i] = joined;
        else
            join_scaled(kind, &to[i], &from[i]);
    }
}

void gp_cell_states_round(gp_state_kind kind, gp_order_type order, gp_cell_state *states, int64_t n)
{
    for (int64_t i = 0; i < n && kind == GP_STATE_EXTREMES; i++) {
        if (!(states[i].has & GP_HAS_FINITE))
            continue;
        states[i].a = gp_bits_of_order(gp_order_of_f64(gp_f64_of(order, gp_order_of_bits(states[i].a))));
        states[i].b = gp_bits_of_order(gp_order_of_f64(gp_f64_of(order, gp_order_of_bits(states[i].b))));
    }
}

void gp_cell_states_finish(gp_agg agg, gp_nan nan, gp_order_type order, const gp_cell_state *states, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        if (!(states[i].has & SCALED_BITS)) {
            out[i] = gp_cell_state_finish(agg, nan, order, &states[i]);
            continue;
        }
        double scale = scale_of(&states[i]);
        gp_cell_state state = by_scale(gp_agg_kind(agg), &states[i], scale);
        out[i] = gp_cell_state_finish(agg, nan, order, &state);
        if (agg != GP_AGG_COUNT && gp_class_of(out[i]) == GP_HAS_FINITE)
            out[i] = gp_scaled_back(agg, out[i], scale);
    }
}

void gp_cell_states_from_cells(const double *cells, int64_t n, gp_cell_state *out)
{
    for (int64_t i = 0; i < n; i++) {
        bool is_empty = gp_is_empty_cell(cells[i]);
        out[i] = is_empty ? gp_cell_state_none(GP_STATE_ELEMENT)
                          : gp_cell_state_one(GP_STATE_ELEMENT, cells[i], gp_order_of_f64(cells[i]), 1.0);
    }
}

void gp_cell_states_spread(gp_state_kind kind, const gp_cell_state *states, const gp_axis *rows, const gp_axis *cols,
                           const int32_t *out_rows, int64_t n_distinct, bool is_turned, gp_cell_state *out)
{
    int64_t row_stride = is_turned ? 1 : cols->n_cells, col_stride = is_turned ? rows->n_cells : 1;
    for (int64_t q = 0; q < n_distinct; q++)
        for (int64_t row = out_rows[q]; row < out_rows[q + 1]; row++)
            for (int64_t p = 0; p < cols->n_cells; p++) {
                gp_cell_state *to = &out[row * row_stride + p * col_stride];
                *to = states[q * cols->n_cells + p];
                gp_cell_state_scale(kind, to, gp_axis_multiply(rows->factors, row, cols->factors, p, 1.0));
            }
}
