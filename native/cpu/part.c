/* From what loops know about elements to what a caller is told of them. */
#include "part.h"

void gp_part_add(const gp_rows *rows, const gp_look_loops *loops, const void *elems, int n, double smallest_normal, gp_part *part)
{
    int64_t n_masked = rows->plane.mask != NULL ? gp_count_masked(elems, n) : 0;
    loops->summarize(elems, n, smallest_normal, part);
    part->n_nan -= n_masked, part->n_masked += n_masked;
}

int64_t gp_first_nan(const gp_rows *rows, const gp_look_loops *loops, const void *elems, int64_t n)
{
    const double *values = elems;
    if (rows->plane.mask == NULL)
        return loops->find_kinds(elems, n, GP_HAS_NAN, false);
    for (int64_t i = 0; i < n; i++)
        if (gp_class_of(values[i]) == GP_HAS_NAN)
            return i;
    return -1;
}

static double value_of_order(gp_dtype dtype, int64_t order)
{
    if (dtype == GP_U64)
        return (double)gp_u64_of_order(order);
    return gp_dtype_is_float(dtype) ? gp_f64_of_order(order) : (double)order;
}

gp_summary gp_summary_of_part(const gp_part *part, gp_dtype dtype)
{
    gp_summary s = gp_summary_none();
    s.n_nan = part->n_nan, s.n_neg_inf = part->n_neg_inf, s.n_neg = part->n_neg, s.n_zero = part->n_zero;
    s.n_pos = part->n_pos, s.n_pos_inf = part->n_pos_inf, s.n_masked = part->n_masked, s.n_subnormal = part->n_subnormal;
    if (part->moments.weight > 0) {
        double mean = part->moments.mean + 0.0;
        s.min = value_of_order(dtype, part->lowest), s.max = value_of_order(dtype, part->highest);
        s.exact_min = dtype == GP_U64 ? (int64_t)gp_u64_of_order(part->lowest) : part->lowest;
        s.exact_max = dtype == GP_U64 ? (int64_t)gp_u64_of_order(part->highest) : part->highest;
        s.mean = mean, s.m2 = part->moments.m2, s.sum_of_squares = part->moments.m2 + part->moments.weight * mean * mean;
    }
    return s;
}
