/* What may be asked about the elements of a plane, and the facts about dtypes that the answers need. */
#include "summary.h"

gp_summary gp_summary_none(void)
{
    double nan = gp_mark_value(GP_HAS_NAN);
    return (gp_summary){.min = nan, .max = nan, .mean = nan, .argmin = -1, .argmax = -1, .first_nan = -1, .scale = 1};
}

static int64_t or_nowhere(int64_t position) { return position == GP_NOWHERE ? -1 : position; }

/* An extreme as int64, of uint64 its bits; 0 for float64 numbers beyond int64. */
static int64_t integer_of(gp_order_type order, gp_order extreme)
{
    double x = gp_f64_of(order, extreme);
    if (order == GP_ORDER_F64)
        return fabs(x) < 0x1p63 ? (int64_t)x : 0;
    return order == GP_ORDER_U64 ? (int64_t)gp_u64_of_order(extreme) : extreme;
}

gp_summary gp_summary_state_finish(const gp_summary_state *state, gp_order_type order)
{
    gp_summary s = gp_summary_none();
    const gp_moments *m = &state->moments;
    s.n_nan = state->n_nan, s.n_neg_inf = state->n_neg_inf, s.n_pos_inf = state->n_pos_inf, s.n_masked = state->n_masked;
    s.n_neg = state->n_neg, s.n_zero = state->n_zero, s.n_subnormal = state->n_subnormal;
    s.n_pos = state->n_finite - s.n_neg - s.n_zero;
    s.argmin = or_nowhere(state->argmin), s.argmax = or_nowhere(state->argmax), s.first_nan = or_nowhere(state->first_nan);
    if (state->n_finite == 0)
        return s;
    s.min = gp_f64_of(order, state->lowest) + 0.0, s.max = gp_f64_of(order, state->highest) + 0.0;
    s.exact_min = integer_of(order, state->lowest), s.exact_max = integer_of(order, state->highest);
    s.mean = m->mean + 0.0, s.m2 = m->m2;
    s.sum_of_squares = m->m2 + m->weight * s.mean * s.mean; /* both are sums of squares: nothing cancels */
    return s;
}

/* ---- scaled moments --------------------------------------------------------------------------------------------------- */

/* Squares of what lies between, and of what it differs by, are normal numbers, and 2^60 of them have a sum. */
#define LARGEST_SQUARED 0x1p480
#define LEAST_SQUARED 0x1p-390

double gp_scale_of_range(double low, double high)
{
    double largest = -low > high ? -low : high;
    return largest > LARGEST_SQUARED ? GP_SCALE_DOWN : largest < LEAST_SQUARED ? GP_SCALE_UP : 1.0;
}

void gp_summary_take_scaled(gp_summary *summary, const gp_summary *scaled, double scale)
{
    summary->mean = gp_held(scaled->mean / scale) + 0.0;
    summary->m2 = scaled->m2, summary->sum_of_squares = scaled->sum_of_squares, summary->scale = scale;
}

gp_partial_summary gp_partial_summary_none(void) { return (gp_partial_summary){gp_summary_state_none(), 1.0}; }

/* Makes the moments those of elements multiplied by another scale: squares take it twice, as its own square may not be a number. */
static void rescale(gp_partial_summary *partial, double scale)
{
    gp_moments *m = &partial->state.moments;
    if (partial->scale == scale) /* dividing would leave the range first */
        return;
    m->mean = m->mean / partial->scale * scale;
    m->m2 = m->m2 / partial->scale / partial->scale * scale * scale;
    partial->scale = scale;
}

void gp_partial_summary_join(gp_partial_summary *to, const gp_partial_summary *from)
{
    gp_partial_summary other = *from;
    double smaller = to->scale < from->scale ? to->scale : from->scale; /* of the larger elements */
    if (to->state.n_finite == 0)
        to->scale = from->scale;
    else if (from->state.n_finite > 0 && to->scale != from->scale)
        rescale(to, smaller), rescale(&other, smaller);
    gp_summary_state_join(&to->state, &other.state);
}

gp_summary gp_partial_summary_finish(const gp_partial_summary *partial, gp_order_type order)
{
    gp_summary found = gp_summary_state_finish(&partial->state, order);
    if (partial->state.n_finite > 0)
        gp_summary_take_scaled(&found, &found, partial->scale);
    return found;
}

/* ---- what may be asked ------------------------------------------------------------------------------------------------- */

void gp_summary_repeat(gp_summary *s, int64_t n)
{
    s->n_nan *= n, s->n_neg_inf *= n, s->n_neg *= n, s->n_zero *= n, s->n_pos *= n, s->n_pos_inf *= n, s->n_masked *= n;
    s->n_subnormal *= n;
    s->m2 *= (double)n, s->sum_of_squares *= (double)n;
}

bool gp_plane_is_integer(const gp_plane *plane)
{
    bool is_stored = plane->component == GP_COMPONENT_VALUE && plane->n_stages == 0;
    return is_stored && !gp_dtype_is_float(plane->dtype) && !gp_dtype_is_complex(plane->dtype);
}

gp_status gp_histogram_check(const gp_plane *plane, const double *edges, int64_t n_bins, const gp_integer_range *range,
                             gp_error *error)
{
    if (n_bins < 1)
        return gp_fail(error, GP_ERR_VALUE, "a histogram has at least one bin: give two or more edges");
    if (n_bins > GP_MOST_BINS)
        return gp_fail(error, GP_ERR_VALUE, "%lld bins; a histogram has at most %d", (long long)n_bins, GP_MOST_BINS);
    for (int64_t i = 0; i <= n_bins; i++)
        if (gp_class_of(edges[i]) != GP_HAS_FINITE)
            return gp_fail(error, GP_ERR_VALUE, "edges[%lld] is %g: edges must be finite", (long long)i, edges[i]);
    for (int64_t i = 0; i < n_bins; i++)
        if (!(edges[i] < edges[i + 1]))
            return gp_fail(error, GP_ERR_VALUE,
                           "edges must rise strictly, but edges[%lld] = %.17g is not below edges[%lld] = %.17g: use fewer bins",
                           (long long)i, edges[i], (long long)i + 1, edges[i + 1]);
    if (range != NULL && !gp_plane_is_integer(plane))
        return gp_fail(error, GP_ERR_VALUE,
                       "a range of integers is for planes of integers, and these elements are not: "
                       "leave it out");
    return GP_OK;
}

gp_status gp_find_check(const gp_plane *plane, unsigned kinds, int64_t start, bool is_backwards, gp_error *error)
{
    const unsigned all = GP_HAS_BAD | GP_HAS_FINITE;
    int64_t first = is_backwards ? -1 : 0, last = plane->n_rows * plane->n_cols - (is_backwards ? 1 : 0);
    if (kinds == 0 || (kinds & ~all) != 0)
        return gp_fail(error, GP_ERR_VALUE,
                       "kinds is %u; it must be a union of HAS_NAN, HAS_POS_INF, HAS_NEG_INF, HAS_MASKED and HAS_FINITE", kinds);
    if (start < first || start > last)
        return gp_fail(error, GP_ERR_INDEX, "start is %lld; searching %s it must be in %lld..%lld", (long long)start,
                       is_backwards ? "backwards" : "forwards", (long long)first, (long long)last);
    return GP_OK;
}
