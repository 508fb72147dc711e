/* Edges between colors: the values at which a norm's formula steps to the next row, and the table to look them up. */
#include "threshold_table.h"
#include "../base/alloc.h"

/* ---- edges of a formula ------------------------------------------------------------------------------------------ */

/* Doubles in ascending order have ascending keys, and neighbors differ by one. */
static int64_t key_of(double v)
{
    int64_t bits = (int64_t)gp_bits_from_f64(v + 0.0);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static double value_of_key(int64_t key) { return gp_f64_from_bits((uint64_t)(key < 0 ? INT64_MIN - key : key)); }

double gp_next_double(double v) { return v < INFINITY ? value_of_key(key_of(v) + 1) : v; }

/* The position of a color-table row in the order of values: -1 for NaN and values below vmin, n_colors for values above vmax. */
static int rank_of(const gp_scale *scale, int64_t key)
{
    int row = gp_scale_row(scale, value_of_key(key));
    if (row == gp_row_over(scale))
        return scale->n_colors;
    return row >= scale->n_colors ? -1 : row;
}

/* The value with this t, up to rounding errors, which first_of_rank corrects. */
static double inverse_of(const gp_scale *scale, double t)
{
    double f = scale->f_min + t * scale->f_range, magnitude = fabs(f), linthresh = scale->params[0];
    switch (scale->norm) {
    case GP_NORM_LOG: return pow(10, f);
    case GP_NORM_SYMLOG:
        if (magnitude <= linthresh * scale->linear_factor)
            return f / scale->linear_factor;
        return copysign(exp((magnitude / linthresh - scale->linear_factor + scale->log_linthresh) * scale->log_base), f);
    case GP_NORM_ASINH: return scale->params[0] * sinh(f / scale->params[0]);
    case GP_NORM_CBRT: return f * f * f;
    case GP_NORM_POWER: return (scale->f_min + pow(t, 1 / scale->params[0]) * scale->f_range) / scale->half;
    case GP_NORM_TWO_SLOPE: return t < 0.5 ? scale->vmin + t / scale->slopes[0] : scale->params[0] + (t - 0.5) / scale->slopes[1];
    default: return f / scale->half;
    }
}

/* The difference of two keys, unsigned because that of -inf and +inf exceeds int64_t. */
static uint64_t steps_between(int64_t below, int64_t at) { return (uint64_t)at - (uint64_t)below; }

/* The smallest value whose rank is at least `rank`: doubling steps away from the guess, then halving the bracket. */
static double first_of_rank(const gp_scale *scale, int rank, double guess)
{
    int64_t lowest = key_of(-INFINITY) + 1, highest = key_of(INFINITY), below, at;
    uint64_t step = 1;
    at = below = key_of(guess);
    if (rank_of(scale, at) >= rank) {
        do {
            at = below;
            below = steps_between(lowest, at) < step ? lowest : at - (int64_t)step;
            step *= 2;
        } while (below > lowest && rank_of(scale, below) >= rank);
    } else {
        do {
            below = at;
            at = steps_between(below, highest) < step ? highest : below + (int64_t)step;
            step *= 2;
        } while (at < highest && rank_of(scale, at) < rank);
    }
    while (steps_between(below, at) > 1) {
        int64_t middle = below + (int64_t)(steps_between(below, at) / 2);
        if (rank_of(scale, middle) >= rank)
            at = middle;
        else
            below = middle;
    }
    return value_of_key(at);
}

void gp_thresholds_of_formula(const gp_scale *scale, double *edges)
{
    int n = scale->n_colors;
    edges[0] = first_of_rank(scale, 0, scale->vmin);
    for (int k = 1; k < n; k++) {
        double guess = inverse_of(scale, (double)k / n);
        guess = guess > scale->vmin ? guess : scale->vmin;
        edges[k] = first_of_rank(scale, k, guess < scale->vmax ? guess : scale->vmax);
        if (edges[k] < edges[k - 1]) /* the last bit of a formula may not be monotone */
            edges[k] = edges[k - 1];
    }
    edges[n] = first_of_rank(scale, n, scale->vmax);
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

/* Sets first_bucket and shift so that all finite edges have a bucket; returns the most edges that share one. */
static int try_map(gp_threshold_table *map, double origin, double floor)
{
    int32_t first = 0, last = 0, before = 0;
    int most = 0, same = 0;
    map->origin = origin, map->floor = floor;
    for (map->shift = 33; map->shift < 63; map->shift++) {
        first = gp_edge_bucket(map->edges[0], origin, floor, map->shift, 0);
        last = gp_edge_bucket(map->edges[map->n_edges - 1], origin, floor, map->shift, 0);
        if ((int64_t)last - first < GP_EDGE_BUCKETS - 1)
            break;
    }
    map->first_bucket = first;
    for (int i = 0; i < map->n_edges; i++) {
        int32_t bucket = gp_edge_bucket(map->edges[i], origin, floor, map->shift, first);
        same = i > 0 && bucket == before ? same + 1 : 1;
        most = same > most ? same : most;
        before = bucket;
    }
    return most;
}

/* Tries maps from nearly linear to steep ones, with their center at zero and at the first edge, and takes the best. */
static void choose_map(gp_threshold_table *map)
{
    static const int floor_exponents[] = {4, 0, -4, -8, -12, -16, -24, -40};
    double first = map->edges[0], span = map->edges[map->n_edges - 1] - first, best_origin = 0, best_floor = 0;
    const double origins[] = {0, first};
    int best = map->n_edges + 1;
    if (first > 0)
        best = try_map(map, 0, 0);
    for (int i = 0; i < 16 && best > 1; i++) {
        double floor = ldexp(span, floor_exponents[i / 2]), origin = origins[i % 2];
        int most = floor > 0 && isfinite(floor) ? try_map(map, origin, floor) : best;
        if (most < best)
            best = most, best_origin = origin, best_floor = floor;
    }
    if (best <= map->n_edges)
        best = try_map(map, best_origin, best_floor);
    map->n_tests = best <= map->n_edges && best <= 6 ? best : -1;
}

gp_status gp_threshold_table_from(double *edges, int n_edges, gp_threshold_table *out, gp_error *error)
{
    gp_threshold_table map = {.edges = edges, .n_edges = n_edges};
    gp_status status = gp_alloc((GP_EDGE_BUCKETS + 1) * sizeof *map.counts, &map.counts, error);
    if (status != GP_OK) {
        gp_threshold_table_free(&map);
        return status;
    }
    edges[n_edges] = INFINITY;
    choose_map(&map);
    for (int bucket = 0, i = 0; map.n_tests > 0 && bucket <= GP_EDGE_BUCKETS; bucket++) {
        while (i < n_edges &&
               gp_edge_bucket_clipped(gp_edge_bucket(edges[i], map.origin, map.floor, map.shift, map.first_bucket)) < bucket)
            i++;
        map.counts[bucket] = i;
    }
    *out = map;
    return GP_OK;
}

void gp_threshold_table_free(gp_threshold_table *edges)
{
    free(edges->edges);
    free(edges->counts);
    *edges = (gp_threshold_table){0};
}
