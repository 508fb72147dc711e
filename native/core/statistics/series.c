/* Checks of series, and operations on the states of their columns in host memory. */
#include "series.h"

gp_status gp_series_check(const gp_plane *plane, gp_error *error)
{
    if (plane->n_rows == 1 || plane->n_cols == 0)
        return GP_OK;
    return gp_fail(error, GP_ERR_VALUE, "a series is a plane of one row, this one has %lld: crop it", (long long)plane->n_rows);
}

gp_status gp_m4_check(const gp_plane *plane, const int64_t *bounds, int64_t n_columns, gp_error *error)
{
    GP_TRY(gp_series_check(plane, error));
    if (n_columns < 0)
        return gp_fail(error, GP_ERR_VALUE, "bounds of columns are one more than columns: give at least one position");
    for (int64_t k = 0; k <= n_columns; k++) {
        int64_t least = k > 0 ? bounds[k - 1] : 0;
        if (bounds[k] < least || bounds[k] > plane->n_cols)
            return gp_fail(error, GP_ERR_VALUE, "bounds[%lld] is %lld: bounds must not fall, and lie within 0..%lld",
                           (long long)k, (long long)bounds[k], (long long)plane->n_cols);
    }
    return GP_OK;
}

gp_status gp_take_check(const gp_plane *plane, const int64_t *positions, int64_t n_positions, gp_error *error)
{
    GP_TRY(gp_series_check(plane, error));
    for (int64_t i = 0; i < n_positions; i++)
        if (positions[i] < 0 || positions[i] >= plane->n_cols)
            return gp_fail(error, GP_ERR_INDEX, "position %lld is none of a series of %lld samples", (long long)positions[i],
                           (long long)plane->n_cols);
    return GP_OK;
}

static gp_order converted(gp_order order, gp_order_type from) { return gp_order_of_f64(gp_f64_of(from, order)); }

void gp_m4_state_convert(gp_m4_state *state, gp_order_type from, gp_order_type to)
{
    if (from == to || state->n_finite == 0)
        return;
    state->y_first = converted(state->y_first, from), state->y_last = converted(state->y_last, from);
    state->lowest = converted(state->lowest, from), state->highest = converted(state->highest, from);
}

gp_m4_state gp_m4_state_repeated(const gp_m4_state *one, int64_t begin, int64_t end)
{
    gp_m4_state all = *one;
    if (begin == end)
        return gp_m4_state_none();
    if (one->n_finite > 0)
        all.n_finite = end - begin, all.first = all.argmin = all.argmax = begin, all.last = end - 1;
    return all;
}

void gp_m4_states_gather(const gp_m4_state *parts, const int64_t *columns, int64_t n_parts, gp_m4_state *out)
{
    for (int64_t i = 0; i < n_parts; i++)
        if (columns[i] >= 0)
            gp_m4_state_join(&out[columns[i]], &parts[i]);
}
