/* gp_threshold_table: the number of ascending edges at or below a value, by one table look-up and a few comparisons. */
#ifndef GP_THRESHOLD_TABLE_H
#define GP_THRESHOLD_TABLE_H

#include "scales.h"
#include "../base/status.h"

#define GP_EDGE_BUCKETS 4096

/*
 * The bucket of a value is given by the leading bits of |v - origin| + floor. Buckets are even near the origin and grow with
 * the distance beyond the floor, which suits straight, logarithmic and uneven edges. The map only has to be monotone, as the
 * edges themselves decide.
 */
typedef struct gp_threshold_table {
    double *edges; /* n_edges of them, then +Inf; owned */
    int n_edges;
    double origin, floor;
    int shift, first_bucket;
    int n_tests;     /* the most edges in one bucket; -1: too many, search instead */
    int32_t *counts; /* edges in earlier buckets; owned */
} gp_threshold_table;

/* Takes ownership of `edges` (from malloc, with room for n_edges + 1 values), also on failure. */
gp_status gp_threshold_table_from(double *edges, int n_edges, gp_threshold_table *out, gp_error *error) GP_MUST_CHECK;

/*
 * The n_colors + 1 edges of a norm that is a rising formula: edges[0] is the smallest value that is not under, edges[k]
 * the smallest in row k or above, edges[n_colors] the smallest that is over, all found with gp_scale_row.
 */
void gp_thresholds_of_formula(const gp_scale *scale, double *edges);

/* The next larger double; +Inf for the largest. */
double gp_next_double(double v);

void gp_threshold_table_free(gp_threshold_table *edges);

/* The bucket of a value, before it is clipped to 0..GP_EDGE_BUCKETS-1. */
GP_FN int32_t gp_edge_bucket(double v, double origin, double floor, int shift, int32_t first_bucket)
{
    double distance = v - origin;
    uint64_t bits = gp_bits_from_f64((distance < 0 ? -distance : distance) + floor);
    int32_t steps = (int32_t)((bits - gp_bits_from_f64(floor)) >> shift), sign = (int32_t)(distance < 0);
    return ((steps ^ -sign) + sign) - first_bucket;
}

GP_FN int32_t gp_edge_bucket_clipped(int32_t bucket)
{
    bucket = bucket > 0 ? bucket : 0;
    return bucket < GP_EDGE_BUCKETS - 1 ? bucket : GP_EDGE_BUCKETS - 1;
}

#endif
