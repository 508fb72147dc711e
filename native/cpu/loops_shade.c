/* Colouring, block by block: loops without branches, so that the compiler turns them into vector code. */
#include "shade.h"

extern const gp_shade_loops GP_LEVELED(gp_shade_loops);

/* The sign bit of the result is set if any exponent is full. */
static uint64_t exponent_overflow(double v) { return (gp_bits_from_f64(v) & 0x7fffffffffffffffu) + 0x0010000000000000u; }

static bool by_line(const gp_scale *scale, const double *cells, int n, int32_t *positions)
{
    double half = scale->half, low = scale->f_min, range = scale->f_range, n_colors = scale->n_colors;
    uint64_t seen = 0;
    for (int i = 0; i < n; i++) {
        double x = (cells[i] * half - low) / range * n_colors;
        x = x >= 0 ? x : -1;
        x = x > n_colors ? n_colors + 1 : x;
        positions[i] = (int32_t)x + 1;
        seen |= exponent_overflow(cells[i]);
    }
    return seen >> 63;
}

static void count_by_search(const gp_edges *edges, const double *cells, int n, int32_t *positions)
{
    for (int i = 0; i < n; i++)
        positions[i] = gp_count_edges(edges->edges, edges->n_edges, cells[i]);
}

static void count_by_bucket(const gp_edges *edges, const double *cells, int n, int32_t *positions)
{
    const double *edge = edges->edges, origin = edges->origin, floor = edges->floor;
    const int32_t *counts = edges->counts, first_bucket = edges->first_bucket;
    int shift = edges->shift;
    for (int i = 0; i < n; i++)
        positions[i] = gp_edge_bucket_clipped(gp_edge_bucket(cells[i], origin, floor, shift, first_bucket));
    for (int i = 0; i < n; i++)
        positions[i] = counts[positions[i]];
    for (int test = 0; test < edges->n_tests; test++)
        for (int i = 0; i < n; i++)
            positions[i] += cells[i] >= edge[positions[i]];
}

static bool by_edges(const gp_edges *edges, const double *cells, int n, int32_t *positions)
{
    uint64_t seen = 0;
    for (int i = 0; i < n; i++)
        seen |= exponent_overflow(cells[i]);
    if (edges->n_tests < 0 || seen >> 63)
        count_by_search(edges, cells, n, positions);
    else
        count_by_bucket(edges, cells, n, positions);
    return seen >> 63;
}

static void paint(const uint32_t *colors, const int32_t *positions, int n, uint8_t *rgba)
{
    for (int i = 0; i < n; i++)
        memcpy(rgba + 4 * (int64_t)i, &colors[positions[i]], 4);
}

const gp_shade_loops GP_LEVELED(gp_shade_loops) = {by_line, by_edges, paint};
