/* Arrays of partial results in host memory, by which pieces of a plane are joined. */
#ifndef GP_CELL_STATES_H
#define GP_CELL_STATES_H

#include "../states/scaled.h"
#include "grid.h"

/*
 * Sums and moments of elements that were multiplied by GP_SCALE_DOWN or GP_SCALE_UP, as what they come to leaves the range of float64, say
 * so by a bit in `has`. The functions below take and give such states, all other functions those without.
 */
enum { GP_IS_SCALED_DOWN = 32, GP_IS_SCALED_UP = 64 };

/* The scales (GP_NEEDS_*) that some states need. */
unsigned gp_cell_states_need(gp_state_kind kind, const gp_cell_state *states, int64_t n);

/* Puts states of scaled elements in place of those that need this scale. */
void gp_cell_states_take_scaled(gp_state_kind kind, gp_cell_state *states, const gp_cell_state *scaled, double scale, int64_t n);

/* Joins from[0..n] to to[0..n]; the extremes of both have the same order. */
void gp_cell_states_join(gp_state_kind kind, gp_cell_state *to, const gp_cell_state *from, int64_t n);

/* Converts extremes of this order to GP_ORDER_F64, in place: integers are rounded to the nearest float64. Other kinds have no order. */
void gp_cell_states_round(gp_state_kind kind, gp_order_type order, gp_cell_state *states, int64_t n);

/* States to the values of cells, or their marks. */
void gp_cell_states_finish(gp_agg agg, gp_nan nan, gp_order_type order, const gp_cell_state *states, int64_t n, double *out);

/* States of single elements (GP_STATE_ELEMENT) from cells that show them. */
void gp_cell_states_from_cells(const double *cells, int64_t n, gp_cell_state *out);

/*
 * Copies states of rows[0..n_distinct] x cols to all cells that show them: row q to rows out_rows[q] to out_rows[q + 1] of `out`, or to
 * its columns if the plane was read turned. Factors of the axes multiply the weights.
 */
void gp_cell_states_spread(gp_state_kind kind, const gp_cell_state *states, const gp_axis *rows, const gp_axis *cols,
                           const int32_t *out_rows, int64_t n_distinct, bool is_turned, gp_cell_state *out);

#endif
