/* Series, planes of one row: checks, the type of their order, and states of columns of pixels. */
#ifndef GP_SERIES_H
#define GP_SERIES_H

#include "../states/m4_state.h"
#include "../base/status.h"
#include "../tensor/view.h"

/* A series rises if no sample is below the one before it, and falls if none is above; with a NaN or masked sample it does neither. */
enum { GP_RISES = 1, GP_FALLS = 2 };

/* The type of order by which samples are compared: 64-bit integers exactly, also with a mask; others as float64. */
GP_FN gp_order_type gp_series_order_type(const gp_plane *plane)
{
    bool is_stored = plane->component == GP_COMPONENT_VALUE ||
                     (plane->component == GP_COMPONENT_CHANNEL && !plane->is_alpha_weighted);
    if (!is_stored || plane->n_stages > 0)
        return GP_ORDER_F64;
    return plane->dtype == GP_U64 ? GP_ORDER_U64 : plane->dtype == GP_I64 ? GP_ORDER_I64 : GP_ORDER_F64;
}

/* Fails if the plane is not one row, or bounds are not n_columns + 1 positions of it that never fall. */
gp_status gp_m4_check(const gp_plane *plane, const int64_t *bounds, int64_t n_columns, gp_error *error) GP_MUST_CHECK;

/* Fails if the plane is not one row. */
gp_status gp_series_check(const gp_plane *plane, gp_error *error) GP_MUST_CHECK;

/* Fails if the plane is not one row, or a position is not that of a sample. */
gp_status gp_take_check(const gp_plane *plane, const int64_t *positions, int64_t n_positions, gp_error *error) GP_MUST_CHECK;

/* Converts the orders of a state to another type: that of float64, or the same. */
void gp_m4_state_convert(gp_m4_state *state, gp_order_type from, gp_order_type to);

/* The state of a range of samples that all equal the one whose state is given. */
gp_m4_state gp_m4_state_repeated(const gp_m4_state *one, int64_t begin, int64_t end);

/* Joins the states of parts of columns, in the order of the parts: part i to out[columns[i]]; a part of column -1 is left out. */
void gp_m4_states_gather(const gp_m4_state *parts, const int64_t *columns, int64_t n_parts, gp_m4_state *out);

#endif
