/* States of cells, as pieces of a plane leave them, to the values of cells, by several threads. */
#ifndef GP_FINISH_STATES_H
#define GP_FINISH_STATES_H

#include "../../core/states/cell_state.h"
#include "../../core/base/status.h"

/* The same bits as gp_cell_states_finish, which does so one by one. */
gp_status gp_finish_states(gp_agg agg, gp_nan nan, gp_order_type order, const gp_cell_state *states, int64_t n, double *out,
                           gp_error *error) GP_MUST_CHECK;

#endif
