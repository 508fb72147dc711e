/* Arrays of partial results in host memory, cell by cell. */
#include "cell_states.h"

void gp_cell_states_join(gp_state_kind kind, gp_cell_state *to, const gp_cell_state *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        gp_cell_state_join(kind, &to[i], &from[i]);
}

void gp_cell_states_round(gp_order_type order, gp_cell_state *states, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (!(states[i].has & GP_HAS_FINITE))
            continue;
        states[i].a = gp_bits_of_order(gp_order_of_f64(gp_f64_of(order, gp_order_of_bits(states[i].a))));
        states[i].b = gp_bits_of_order(gp_order_of_f64(gp_f64_of(order, gp_order_of_bits(states[i].b))));
    }
}

void gp_cell_states_finish(gp_agg agg, gp_nan nan, gp_order_type order, const gp_cell_state *states, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = gp_cell_state_finish(agg, nan, order, &states[i]);
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
